"""Doubt: a model is asked about facts that only a reader of meaning finds at odds [CON-02].

Rules compare what competes for one slot. "I am a vegetarian" and "I grill steak every Sunday" do
not; but they are close in meaning, and of one subject. Without a model, or without consent, nobody
is asked and nothing changes. What the model says deletes nothing: of two words of the same weight
the newer takes the place of one that is old, and where both are new the user is asked.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np

from sharpwave.knowledge.draft import NOVELTY_COSINE
from sharpwave.knowledge.settle_facts import CHANGE_OF_MIND_DAYS
from sharpwave.llm.prompts import conflict
from sharpwave.llm.prompts.transcript import new_nonce
from sharpwave.sleep import asking
from sharpwave.sleep.night import Night
from sharpwave.sleep.step import Revised, Step
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Kind, Record, State, Trust
from sharpwave.types.sleep import Entry
from sharpwave.types.storing import Stated

_ACTIVE = frozenset({State.ACTIVE})
_ASKED = "facts_compared"
"""The mark up to which facts were compared with those before them."""


def find(night: Night) -> list[str]:
    """The pairs to ask about, the oldest first; none is asked about twice."""
    most = night.workspace.settings.sleep.doubt.most
    if not most or not asking.may_ask(night):
        return []
    live = _comparable(night)
    pairs = [(one, other) for one, other in _near(live, night) if other.number > night.mark(_ASKED)]
    chosen = pairs[:most]
    last = chosen[-1][1].number if len(chosen) < len(pairs) else _last(live)
    night.set_mark(_ASKED, max(last, night.mark(_ASKED)))
    return [f"{one.id} {other.id}" for one, other in chosen]


def work(items: Sequence[str], night: Night) -> Step:
    """Ask about one pair, and do what follows."""
    ids = items[0].split()
    found = {one.id: one for one in night.workspace.store.find(ids)}
    held = [found[id] for id in ids if id in found and found[id].standing.state is State.ACTIVE]
    if len(held) < len(ids):
        return Step()  # forgotten or settled meanwhile
    older, newer = held
    earlier, later = asking.lines(held, night)
    asked = conflict.render(earlier, later, new_nonce())
    answer = asking.ask(asked, conflict.Output, night, LLMRole.UTILITY)
    if night.model_is_away:
        night.set_mark(_ASKED, min(newer.number - 1, night.mark(_ASKED)))  # the next night asks
    if answer is None or not answer.inconsistent:
        return Step()
    heads = night.workspace.store.slot_heads([str(one.slot) for one in held])
    patience = timedelta(days=CHANGE_OF_MIND_DAYS)
    if newer.valid_from - older.standing.last_seen_at >= patience:
        return replace(_newer_version(older, newer), seen=heads)
    return replace(_conflict(older, newer), seen=heads)


def _newer_version(older: Record, newer: Record) -> Step:
    closed = replace(older.standing, state=State.SUPERSEDED, superseded_by=newer.id)
    until = max(newer.valid_from, older.valid_from)
    why = f"by the word of a model, it cannot hold beside {older.id}, which is older"
    return Step(
        revised=(Revised(older, closed, until),), entries=(Entry("replaced", newer.id, why),)
    )


def _conflict(older: Record, newer: Record) -> Step:
    revised = tuple(
        Revised(
            one,
            replace(one.standing, state=State.UNCERTAIN, rival=other.id),
            one.valid_to,
        )
        for one, other in ((older, newer), (newer, older))
    )
    why = f"by the word of a model, it cannot hold beside {older.id}; the user is asked"
    return Step(revised=revised, entries=(Entry("doubted", newer.id, why),))


def _comparable(night: Night) -> list[Record]:
    """Facts that hold, by a word that counts, oldest first."""
    wanted = Stated(kinds=frozenset({Kind.FACT}), states=_ACTIVE)
    held = night.workspace.store.stated(wanted)
    counts = [
        one
        for one in held
        if one.statement
        and one.provenance.trust > Trust.UNTRUSTED
        and (one.valid_to is None or one.valid_to > night.now)
    ]
    return sorted(counts, key=lambda one: one.number)[-night.workspace.settings.sleep.doubt.among :]


def _near(live: list[Record], night: Night) -> list[tuple[Record, Record]]:
    """Pairs of one subject and one trust, in different slots, that are close in meaning."""
    doubt, limit = (
        night.workspace.settings.sleep.doubt,
        NOVELTY_COSINE,
    )
    numbers, matrix = night.workspace.store.vectors(
        [one.number for one in live], night.workspace.embedder.space
    )
    held = {one.number: one for one in live}
    records = [held[number] for number in numbers.tolist()]
    pairs = []
    for at, newer in enumerate(records):
        near = matrix[:at] @ matrix[at]
        places = np.flatnonzero((near >= doubt.cosine) & (near < limit))
        nearest = places[np.argsort(-near[places], kind="stable")][: doubt.each]
        pairs += [(records[place], newer) for place in nearest if _competes(records[place], newer)]
    return pairs


def _competes(one: Record, other: Record) -> bool:
    return (
        one.statement is not None
        and other.statement is not None
        and one.statement.subject == other.statement.subject
        and one.slot != other.slot
        and one.provenance.trust == other.provenance.trust
    )


def _last(live: list[Record]) -> int:
    return live[-1].number if live else 0
