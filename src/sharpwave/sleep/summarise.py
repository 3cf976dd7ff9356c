"""Which stretches of talk are due for a summary: sessions, and what was said outside of any.

What was said without a session is cut by the user's days and by long pauses, and each piece is
taken for a session. A stretch is named by numbers and a digest, never by a session's name: a plan
outlives what is forgotten from it.
"""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from sharpwave.formulas.time_bucket import time_bucket
from sharpwave.formulas.token_estimate import token_estimate
from sharpwave.llm.prompts import summary as prompt
from sharpwave.llm.prompts.transcript import new_nonce
from sharpwave.reading.grammar.cues import mood_of
from sharpwave.sleep import asking, extractive, notes
from sharpwave.sleep.extractive import Summary, sentences
from sharpwave.sleep.journal import Revised, Step
from sharpwave.sleep.run import SleepRun
from sharpwave.temporal.ids import digest
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import (
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
from sharpwave.types.storing import NewTally, Staged, Stated

_MARK = "summarised"
"""Up to which turn every stretch that is over has a summary."""
_FORGOTTEN = "forgotten"
"""Up to which change it is known what was forgotten."""
_COVERED = "sleep/summaries"
"""The topic of what each summary covers: numbers and digests, by a digest of its slot."""
_SETTLED = frozenset({Stage.EPISODIC, Stage.SEMANTIC})
_NO_SESSION = "none"


class Stretch(NamedTuple):
    """The first and the last turn, by number, and a digest of the session if there is one."""

    first: int
    last: int
    session: str = _NO_SESSION

    def __str__(self) -> str:
        """As it stands in a plan."""
        return f"{self.first}-{self.last}-{self.session}"

    @classmethod
    def read(cls, item: str) -> "Stretch":
        """From a plan."""
        first, last, session = item.split("-")
        return cls(int(first), int(last), session)


def plan(night: SleepRun) -> list[str]:
    """Stretches that are over and have turns which no summary covers, the oldest first."""
    settings = night.workspace.settings.sleep.summary
    end = night.mark(_MARK)
    waits: list[int] = []
    sessions: dict[str, _Piece] = {}
    pieces: list[_Piece] = []
    for turn in _pages(end, night):
        end, settled = turn.number, turn.standing.stage in _SETTLED
        if not settled and not waits:
            waits.append(turn.number)
        if not turn.session_id:
            if not pieces or _is_apart(pieces[-1], turn, night):
                pieces.append(_Piece(turn))
            pieces[-1].go_on(turn, settled)
        elif settled:
            sessions.setdefault(turn.session_id, _Piece(turn)).go_on(turn, settled)
    quiet = night.now - timedelta(hours=settings.quiet_hours)
    found = sorted([*sessions.values(), *pieces], key=lambda piece: piece.first)
    over = [piece for piece in found if piece.settled and piece.last_at <= quiet]
    due = over[: settings.max_sessions]
    waits += [piece.first for piece in found if piece not in due]
    night.set_mark(_MARK, min([*(first - 1 for first in waits), end]))
    return list(dict.fromkeys([*_lost(night), *(str(piece.stretch()) for piece in due)]))


def turns_of(item: str, night: SleepRun) -> list[Record]:
    """What was said in a stretch, as far as it is still there, and whether or not it has settled.

    Of a session all of it, also what was said before or since.
    """
    store, limit = night.workspace.store, night.workspace.settings.sleep.summary.max_turns
    stretch = Stretch.read(item)
    within = (
        turn
        for turn in _pages(stretch.first - 1, night, stretch.last)
        if _digest(turn.session_id) == stretch.session
    )
    if stretch.session == _NO_SESSION:
        return list(within)[-limit:]
    first = next(within, None)
    return store.latest(first.session_id, limit) if first else []


def coverage_row(slot: str, item: str, made: str, first: int, night: SleepRun) -> NewTally:
    """The row that says what a summary covers, so that it is missed when it is gone."""
    name = digest(slot)
    known = night.workspace.store.tallies(_COVERED, [name]).get(name)
    value = {"id": made, "first": first, "item": item}
    return NewTally(_COVERED, name, value, known.version if known else 0)


def dropped_coverage(item: str, night: SleepRun) -> tuple[NewTally, ...]:
    """That row gone, once nothing is left of a stretch: not even a digest of its name stays."""
    rows = night.workspace.store.tallies(_COVERED)
    return tuple(
        NewTally(_COVERED, name, None, row.version)
        for name, row in rows.items()
        if row.value["item"] == item
    )


def _lost(night: SleepRun) -> list[str]:
    """Stretches whose summary was forgotten with one of its turns, though others are left."""
    store, since = night.workspace.store, night.mark(_FORGOTTEN)
    changes = store.changes(since, night.workspace.embedder.space, 1)
    night.set_mark(_FORGOTTEN, changes.head.seq)
    if not changes.gone:
        return []
    gone = sorted(changes.gone)
    touched = {
        str(row.value["id"]): str(row.value["item"])
        for row in store.tallies(_COVERED).values()
        if _any_within(gone, int(str(row.value["first"])), Stretch.read(str(row.value["item"])))
    }
    there = {record.id for record in store.find(list(touched))}
    return [item for id_, item in touched.items() if id_ not in there]


def _any_within(numbers: list[int], first: int, stretch: Stretch) -> bool:
    place = bisect_left(numbers, first)
    return place < len(numbers) and numbers[place] <= stretch.last


def _pages(after: int, night: SleepRun, last: int | None = None) -> Iterator[Record]:
    """Turns in the order they were recorded, up to one if it is given."""
    while page := night.workspace.store.staged(Staged(Kind.TURN, after=after)):
        for turn in page:
            if last is not None and turn.number > last:
                return
            yield turn
        after = page[-1].number


class _Piece:
    """A stretch that is being read: as little of it as decides whether it is due."""

    def __init__(self, turn: Record) -> None:
        self.first, self._session = turn.number, _digest(turn.session_id)

    def go_on(self, turn: Record, settled: bool) -> None:
        """One more turn belongs to it."""
        self._last, self.last_at, self.settled = turn.number, turn.valid_from, settled

    def stretch(self) -> Stretch:
        """As far as it went."""
        return Stretch(self.first, self._last, self._session)


def _is_apart(piece: _Piece, turn: Record, night: SleepRun) -> bool:
    """Whether a day ended, or nobody spoke for long, before this was said."""
    zone = night.workspace.settings.remember.zone
    pause = timedelta(hours=night.workspace.settings.sleep.summary.pause_hours)
    days = {moment.astimezone(zone).date() for moment in (piece.last_at, turn.valid_from)}
    return len(days) > 1 or abs(turn.valid_from - piece.last_at) >= pause


def _digest(session: str | None) -> str:
    return digest(session) if session else _NO_SESSION


_DAY = timedelta(days=1)


def process(items: Sequence[str], night: SleepRun) -> Step:
    """The summary of one stretch."""
    settings, store = night.workspace.settings.sleep.summary, night.workspace.store
    said = turns_of(items[0], night)
    if not said:
        return Step(tallies=dropped_coverage(items[0], night))
    turns = [
        turn
        for turn in said
        if turn.standing.state is State.ACTIVE and turn.provenance.trust > Trust.UNTRUSTED
    ]
    rates = night.workspace.settings.context.rates
    tokens = sum(token_estimate(turn.text, rates) for turn in turns)
    if len(turns) < settings.min_turns or tokens < settings.min_tokens:
        return Step()
    if store.find([_episode_id(night.workspace.user_id, turns)]):
        return Step()  # it went up to here before all of its turns had settled
    budget = min(settings.max_tokens, int(tokens * settings.share))
    quoted = extractive.quoted_summary(turns, budget, rates, settings)
    if not quoted.turns:
        return Step()
    written = written_summary(turns, budget, night)
    made = _record(turns, written or quoted, night)
    if written:
        made = replace(made, metadata={**made.metadata, "excerpt": quoted.text})
    learned = notes.from_session(turns, night)
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
        tallies=(coverage_row(slot, items[0], made.id, turns[0].number, night),),
        seen=heads,
        needs=tuple(turn.id for turn in turns),
    )


def _record(turns: Sequence[Record], quoted: extractive.Summary, night: SleepRun) -> Record:
    first, last = turns[0], turns[-1]
    trust = min(turn.provenance.trust for turn in turns if turn.id in quoted.turns)
    days = (night.now - last.valid_from) / _DAY
    remember, rates = night.workspace.settings.remember, night.workspace.settings.context.rates
    return Record(
        id=_episode_id(night.workspace.user_id, turns),
        user_id=night.workspace.user_id,
        kind=Kind.EPISODE,
        text=quoted.text,
        provenance=Provenance(
            Source.INFERRED, Channel.SLEEP, min(trust, Trust.INFERRED), "sharpwave", quoted.turns
        ),
        standing=Standing(
            stage=Stage.EPISODIC,
            temperature=time_bucket(days, remember.hot_days, remember.warm_days),
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
        slot=_episode_slot(first),
    )


def _episode_slot(first: Record) -> str:
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


def _episode_id(user_id: str, turns: Sequence[Record]) -> str:
    """The same summary has the same name, however often the night is interrupted."""
    first, last = turns[0], turns[-1]
    stretch = f"{first.session_id or ''}\0{first.number}\0{last.number}\0{len(turns)}"
    return "ep" + hashlib.blake2b(f"{user_id}\0{stretch}".encode(), digest_size=12).hexdigest()


_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_OPENING = frozenset(
    "a after all also an and as at both but during for he her his i if in it its later most my no"
    " on one our she since so some that the their then there these they this to we when while"
    " you".split()
)
"""Words a sentence may begin with that nobody needs to have said."""
_POSSESSIVE = re.compile(r"['\u2019]s$")


def written_summary(turns: Sequence[Record], budget: int, night: SleepRun) -> Summary | None:
    """What a model makes of the turns; None without one, or if it says more than they do."""
    if not asking.may_ask(night):
        return None
    told = asking.lines(turns, night)
    words = int(budget * night.workspace.settings.sleep.summary.words_per_token)
    asked = prompt.render(told, words, new_nonce())
    answer = asking.ask(asked, prompt.Output, night, LLMRole.GENERATOR)
    if answer is None:
        return None
    text = answer.summary.strip()
    heard = " ".join(f"{line.speaker or ''} {line.role.value} {line.text}" for line in told)
    fits = token_estimate(text, night.workspace.settings.context.rates) <= budget
    if not text or not fits or invented(text, heard):
        return None
    return Summary(text, tuple(turn.id for turn in turns))


def invented(text: str, source: str) -> set[str]:
    """Names and numbers of a text that its source does not have.

    >>> invented("Ana moved to Lisbon. She pays 700 euros.", "ana: I moved to Lisbon, 650 a month")
    {'700'}
    """
    known = {_folded(word) for word in _WORD.findall(source)}
    found = set()
    for sentence in sentences(text):
        for place, match in enumerate(_WORD.finditer(sentence)):
            word = match[0]
            named = word[0].isupper() and (place > 0 or _folded(word) not in _OPENING)
            if (named or any(map(str.isdigit, word))) and _folded(word) not in known:
                found.add(word)
    return found


def _folded(word: str) -> str:
    return _POSSESSIVE.sub("", word).casefold()
