"""Summarise: each stretch of talk that is over, in a few of its own sentences [EPI-02, EPI-05].

A summary quotes, or is written by a model and checked against what was said; it adds nothing. It
rests on the turns it is made of, so that it is forgotten with the first of them, and has the least
trust among them. A session that went on gets a new one, and so does one of which a part was
forgotten, from what is left.

With it goes the gist of each turn: which of its sentences tell how much, by their places in it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sharpwave.formulas.time_bucket import time_bucket
from sharpwave.formulas.token_estimate import token_estimate
from sharpwave.reading.grammar.cues import mood_of
from sharpwave.sleep.night import Night
from sharpwave.sleep.phases import abstractive, extractive, reflective, stretches
from sharpwave.sleep.step import Revised, Step
from sharpwave.types.records import (
    HOT_DAYS,
    WARM_DAYS,
    Channel,
    Kind,
    Provenance,
    Record,
    Role,
    Source,
    Stage,
    Standing,
    State,
    Trust,
)
from sharpwave.types.sleep import EPISODE, GISTS, Entry, unnamed_on
from sharpwave.types.storing import Stated

_DAY = timedelta(days=1)


def work(items: Sequence[str], night: Night) -> Step:
    """The summary of one stretch."""
    settings, store = night.workspace.settings.sleep.summary, night.workspace.store
    said = stretches.turns(items[0], night)
    if not said:
        return Step(tallies=stretches.uncovered(items[0], night))
    turns = [
        turn
        for turn in said
        if turn.standing.state is State.ACTIVE and turn.provenance.trust > Trust.UNTRUSTED
    ]
    rates = night.workspace.settings.context.rates
    tokens = sum(token_estimate(turn.text, rates) for turn in turns)
    if len(turns) < settings.min_turns or tokens < settings.min_tokens:
        return Step()
    if store.find([_id(night.workspace.user_id, turns)]):
        return Step()  # it went up to here before all of its turns had settled
    budget = min(settings.max_tokens, int(tokens * settings.share))
    quoted = extractive.summary(turns, budget, rates, settings)
    if not quoted.turns:
        return Step()
    written = abstractive.summary(turns, budget, night)
    made = _record(turns, written or quoted, night)
    if written:
        made = replace(made, metadata={**made.metadata, "excerpt": quoted.text})
    learned = reflective.of_session(turns, night)
    known = {one.id for one in store.find([one.id for one in learned])}
    fresh = tuple(one for one in learned if one.id not in known)
    slot = str(made.slot)
    heads = store.slot_heads([slot, *(str(one.slot) for one in fresh)])
    old = store.stated(Stated(slots=(slot,), states=frozenset({State.ACTIVE})))
    return Step(
        records=(made, *fresh),
        revised=tuple(_superseded(record, made) for record in old),
        entries=(
            Entry("summarised", made.id, f"{len(turns)} turns"),
            *(Entry("noted", one.id, "learned from a session") for one in fresh),
        ),
        tallies=(stretches.covered(slot, items[0], made.id, turns[0].number, night),),
        seen=heads,
        needs=tuple(turn.id for turn in turns),
    )


def _record(turns: Sequence[Record], quoted: extractive.Summary, night: Night) -> Record:
    first, last = turns[0], turns[-1]
    trust = min(turn.provenance.trust for turn in turns if turn.id in quoted.turns)
    days = (night.now - last.valid_from) / _DAY
    rates = night.workspace.settings.context.rates
    return Record(
        id=_id(night.workspace.user_id, turns),
        user_id=night.workspace.user_id,
        kind=Kind.EPISODE,
        text=quoted.text,
        provenance=Provenance(
            Source.INFERRED, Channel.SLEEP, min(trust, Trust.INFERRED), "sharpwave", quoted.turns
        ),
        standing=Standing(
            stage=Stage.EPISODIC,
            temperature=time_bucket(days, HOT_DAYS, WARM_DAYS),
            importance=max(turn.standing.importance for turn in turns),
            confidence=1.0,
            seen_count=1,
            last_seen_at=last.valid_from,
        ),
        valid_from=first.valid_from,
        recorded_at=night.now,
        session_id=first.session_id,
        metadata={
            "end": last.valid_from.isoformat(),
            "count": len(turns),
            GISTS: extractive.gists(turns, rates, night.workspace.settings.sleep.summary),
        },
        tags=_emotions(turns),
        slot=_slot(first),
    )


def _slot(first: Record) -> str:
    """Of the session, or of the turn with which talk outside of any began."""
    if first.session_id:
        return EPISODE + first.session_id
    return unnamed_on(first.valid_from.date()) + first.id


def _emotions(turns: Sequence[Record]) -> tuple[str, ...]:
    """How the user sounded: glad, or not, or both at times [EPI-02]."""
    moods = [mood_of(turn.text) for turn in turns if turn.role is Role.USER]
    heard = {
        "emotion:positive": max(moods, default=0.0),
        "emotion:negative": -min(moods, default=0.0),
    }
    return tuple(name for name, much in heard.items() if much > 0)


def _superseded(record: Record, by: Record) -> Revised:
    standing = replace(record.standing, state=State.SUPERSEDED, superseded_by=by.id)
    return Revised(record, standing, record.valid_to)


def _id(user_id: str, turns: Sequence[Record]) -> str:
    """The same summary has the same name, however often the night is interrupted."""
    first, last = turns[0], turns[-1]
    stretch = f"{first.session_id or ''}\0{first.number}\0{last.number}\0{len(turns)}"
    return "ep" + hashlib.blake2b(f"{user_id}\0{stretch}".encode(), digest_size=12).hexdigest()
