"""Summarise: each conversation that ended, in a few of its own sentences [EPI-02, EPI-05].

A conversation is a session; turns without a session are cut by the user's days and by long pauses,
and each piece counts as a session. A stretch of turns is named by numbers and a digest, never by a
session's name: a plan outlives what is forgotten.

A summary quotes, or is written by a model and checked against the turns; it adds nothing. It rests
on the turns it is made of, so it is forgotten with the first of them, and has the least trust among
them. A session that continued gets a new summary, and so does one of which a part was forgotten.
"""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import NamedTuple

from sharpwave.formulas.budget import token_estimate
from sharpwave.formulas.decay import time_bucket
from sharpwave.llm.prompts.sleep import SummaryOutput, render_summary
from sharpwave.llm.prompts.transcript import new_nonce
from sharpwave.reading.grammar.lexicon import mood_of
from sharpwave.sleep import extractive, notes
from sharpwave.sleep.extractive import WORD, Summary, sentences
from sharpwave.sleep.journal import Revised, Step
from sharpwave.sleep.run import SleepRun
from sharpwave.temporal.clock import digest
from sharpwave.types.llm import LLMRole
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
from sharpwave.types.sleep import EPISODE, ReportEntry, unnamed_on
from sharpwave.types.storing import NewTally, Staged, Stated
from sharpwave.workspace import Workspace

SHARE = 0.25
"""Tokens of a summary, as a share of the session's."""
MAX_TOKENS = 300
"""Maximum tokens of a summary."""
MIN_TURNS, MIN_TOKENS = 4, 80
"""Shorter sessions get no summary."""
MAX_TURNS = 500
"""Turns of a session that are read, the newest."""
QUIET_HOURS = 1.0
"""Hours without a turn after which a session has ended."""
PAUSE_HOURS = 4.0
"""Hours of pause after which turns without a session begin a new stretch."""
MAX_SESSIONS = 200
"""Sessions summarised in one run."""
WORDS_PER_TOKEN = 0.7
"""Words that a model may write for each token of a summary."""

_SUMMARISED = "summarised"
"""The high-water mark: every stretch that ended up to this turn has a summary."""
_FORGOTTEN = "forgotten"
"""The high-water mark: changes up to here were searched for what was forgotten."""
_COVERED = "sleep/summaries"
"""The topic of what each summary covers: numbers and digests, by a digest of its slot."""
_SETTLED = frozenset({Stage.EPISODIC, Stage.SEMANTIC})
_NO_SESSION = "none"
_DAY = timedelta(days=1)
_OPENING = frozenset(
    "a after all also an and as at both but during for he her his i if in it its later most my no"
    " on one our she since so some that the their then there these they this to we when while"
    " you".split()
)
"""Words that may begin a sentence of a summary though they are in no turn."""
_POSSESSIVE = re.compile(r"['\u2019]s$")


class Stretch(NamedTuple):
    """The first and the last turn, by number, and a digest of the session if there is one."""

    first: int
    last: int
    session: str = _NO_SESSION

    def __str__(self) -> str:
        """The stretch as an item of a plan."""
        return f"{self.first}-{self.last}-{self.session}"

    @classmethod
    def parse(cls, item: str) -> "Stretch":
        """The stretch from an item of a plan."""
        first, last, session = item.split("-")
        return cls(int(first), int(last), session)


def plan(run: SleepRun) -> list[str]:
    """Stretches that ended and have turns without a summary, the oldest first."""
    end = run.mark(_SUMMARISED)
    pending: list[int] = []
    sessions: dict[str, _Piece] = {}
    pieces: list[_Piece] = []
    for turn in run.staged(Staged(Kind.TURN, after=end)):
        end, settled = turn.number, turn.standing.stage in _SETTLED
        if not settled and not pending:
            pending.append(turn.number)
        if not turn.session_id:
            if not pieces or _is_apart(run, pieces[-1], turn):
                pieces.append(_Piece(turn))
            pieces[-1].add(turn, settled)
        elif settled:
            sessions.setdefault(turn.session_id, _Piece(turn)).add(turn, settled)
    quiet = run.now - timedelta(hours=QUIET_HOURS)
    ordered = sorted([*sessions.values(), *pieces], key=lambda piece: piece.first)
    due = [piece for piece in ordered if piece.settled and piece.last_at <= quiet][:MAX_SESSIONS]
    pending += [piece.first for piece in ordered if piece not in due]
    run.set_mark(_SUMMARISED, min([*(first - 1 for first in pending), end]))
    return list(dict.fromkeys([*_without_summary(run), *(str(piece.stretch()) for piece in due)]))


def process(run: SleepRun, items: Sequence[str]) -> Step:
    """Summarise one stretch."""
    store = run.workspace.store
    every = _turns(run, items[0])
    if not every:
        return Step(tallies=_dropped_coverage(run, items[0]))
    turns = believed(every)
    budget = budget_for(turns)
    if not budget:
        return Step()
    if store.find([_episode_id(run.workspace.user_id, turns)]):
        return Step()  # it went up to here before all of its turns had settled
    quoted = extractive.quoted_summary(turns, budget)
    if not quoted.turns:
        return Step()
    written = _written_summary(run, turns, budget)
    made = episode(run.workspace, run.now, turns, written or quoted)
    if written:
        made = replace(made, metadata={**made.metadata, "excerpt": quoted.text})
    learned = notes.from_session(run, turns)
    known = {note.id for note in store.find([note.id for note in learned])}
    new = tuple(note for note in learned if note.id not in known)
    slot = str(made.slot)
    heads = store.slot_heads([slot, *(str(note.slot) for note in new)])
    old = store.stated(Stated(slots=(slot,), states={State.ACTIVE}))
    return Step(
        records=(made, *new),
        revised=tuple(superseded(record, made) for record in old),
        entries=(
            ReportEntry("summarised", made.id, f"{len(turns)} turns"),
            *(ReportEntry("noted", note.id, "learned from a session") for note in new),
        ),
        tallies=(_coverage(run, made, items[0], turns[0].number),),
        seen=heads,
    )


def believed(turns: Sequence[Record]) -> list[Record]:
    """The turns that a summary is made of."""
    return [
        turn
        for turn in turns
        if turn.standing.state is State.ACTIVE and turn.provenance.trust > Trust.UNTRUSTED
    ]


def budget_for(turns: Sequence[Record]) -> int:
    """Most tokens of their summary; 0 if they are too few or too short for one."""
    tokens = sum(token_estimate(turn.text) for turn in turns)
    if len(turns) < MIN_TURNS or tokens < MIN_TOKENS:
        return 0
    return min(MAX_TOKENS, int(tokens * SHARE))


# ---- which turns


def _turns(run: SleepRun, item: str) -> list[Record]:
    """The turns of a stretch that still exist, settled or not.

    Of a session all of them, also before and after the stretch.
    """
    stretch = Stretch.parse(item)
    turns = run.staged(Staged(Kind.TURN, after=stretch.first - 1))
    within = (
        turn
        for turn in takewhile(lambda turn: turn.number <= stretch.last, turns)
        if _digest(turn.session_id) == stretch.session
    )
    if stretch.session == _NO_SESSION:
        return list(within)[-MAX_TURNS:]
    first = next(within, None)
    return run.workspace.store.latest(first.session_id, MAX_TURNS) if first else []


def _coverage(run: SleepRun, episode: Record, item: str, first: int) -> NewTally:
    """The row that says what a summary covers, so that a forgotten summary is noticed."""
    name = digest(str(episode.slot))
    known = run.workspace.store.tallies(_COVERED, [name]).get(name)
    value = {"id": episode.id, "first": first, "item": item}
    return NewTally(_COVERED, name, value, known.version if known else 0)


def _dropped_coverage(run: SleepRun, item: str) -> tuple[NewTally, ...]:
    """Removal of the coverage row of a stretch without turns: not even a digest stays."""
    rows = run.workspace.store.tallies(_COVERED)
    return tuple(
        NewTally(_COVERED, name, None, row.version)
        for name, row in rows.items()
        if row.value["item"] == item
    )


def _without_summary(run: SleepRun) -> list[str]:
    """Stretches whose summary was forgotten with one of its turns, though others are left."""
    store, since = run.workspace.store, run.mark(_FORGOTTEN)
    changes = store.changes(since, run.workspace.embedder.space, 1)
    run.set_mark(_FORGOTTEN, changes.head.seq)
    if not changes.gone:
        return []
    gone = sorted(changes.gone)
    touched = {
        str(row.value["id"]): str(row.value["item"])
        for row in store.tallies(_COVERED).values()
        if _any_within(gone, int(str(row.value["first"])), Stretch.parse(str(row.value["item"])))
    }
    existing = {record.id for record in store.find(list(touched))}
    return [item for id_, item in touched.items() if id_ not in existing]


def _any_within(numbers: list[int], first: int, stretch: Stretch) -> bool:
    place = bisect_left(numbers, first)
    return place < len(numbers) and numbers[place] <= stretch.last


class _Piece:
    """A stretch while it is read: as little of it as decides whether it is due."""

    def __init__(self, turn: Record) -> None:
        self.first, self._session = turn.number, _digest(turn.session_id)

    def add(self, turn: Record, settled: bool) -> None:
        """Extend it to this turn."""
        self._last, self.last_at, self.settled = turn.number, turn.valid_from, settled

    def stretch(self) -> Stretch:
        """The stretch as far as it was read."""
        return Stretch(self.first, self._last, self._session)


def _is_apart(run: SleepRun, piece: _Piece, turn: Record) -> bool:
    """Whether a day ended, or a long pause came, before this turn."""
    zone = run.workspace.settings.remember.zone
    days = {moment.astimezone(zone).date() for moment in (piece.last_at, turn.valid_from)}
    pause = abs(turn.valid_from - piece.last_at)
    return len(days) > 1 or pause >= timedelta(hours=PAUSE_HOURS)


def _digest(session: str | None) -> str:
    return digest(session) if session else _NO_SESSION


# ---- the summary


def episode(
    workspace: Workspace,
    now: datetime,
    turns: Sequence[Record],
    summary: Summary,
    prefix: str = "ep",
) -> Record:
    """The record of a summary; `prefix` tells provisional ones apart."""
    first, last = turns[0], turns[-1]
    trust = min(turn.provenance.trust for turn in turns if turn.id in summary.turns)
    days = (now - last.valid_from) / _DAY
    importance = max(turn.standing.importance for turn in turns)
    standing = Standing.new(Stage.EPISODIC, importance, 1.0, last.valid_from)
    return Record(
        id=_episode_id(workspace.user_id, turns, prefix),
        user_id=workspace.user_id,
        kind=Kind.EPISODE,
        text=summary.text,
        provenance=Provenance(
            Source.INFERRED, Channel.SLEEP, min(trust, Trust.INFERRED), "sharpwave", summary.turns
        ),
        standing=replace(standing, temperature=time_bucket(days, HOT_DAYS, WARM_DAYS)),
        valid_from=first.valid_from,
        recorded_at=now,
        session_id=first.session_id,
        metadata={"end": last.valid_from.isoformat(), "count": len(turns)},
        tags=_emotions(turns),
        slot=_episode_slot(first),
    )


def _episode_slot(first: Record) -> str:
    """The slot of the session, or of the first turn of a stretch without one."""
    if first.session_id:
        return EPISODE + first.session_id
    return unnamed_on(first.valid_from.date()) + first.id


def _emotions(turns: Sequence[Record]) -> tuple[str, ...]:
    """Whether the user sounded positive, negative, or both at times [EPI-02]."""
    moods = [mood_of(turn.text) for turn in turns if turn.role is Role.USER]
    strengths = {
        "emotion:positive": max(moods, default=0.0),
        "emotion:negative": -min(moods, default=0.0),
    }
    return tuple(name for name, strength in strengths.items() if strength > 0)


def superseded(record: Record, by: Record) -> Revised:
    """A summary that another one replaces."""
    standing = replace(record.standing, state=State.SUPERSEDED, superseded_by=by.id)
    return Revised(record, standing, record.valid_to)


def _episode_id(user_id: str, turns: Sequence[Record], prefix: str = "ep") -> str:
    """The same summary has the same id, however often the run is interrupted."""
    first, last = turns[0], turns[-1]
    stretch = f"{first.session_id or ''}\0{first.number}\0{last.number}\0{len(turns)}"
    return prefix + hashlib.blake2b(f"{user_id}\0{stretch}".encode(), digest_size=12).hexdigest()


def _written_summary(run: SleepRun, turns: Sequence[Record], budget: int) -> Summary | None:
    """A summary by a model, resting on all turns; None without a model, or if it invents."""
    if not run.may_ask():
        return None
    lines = run.lines(turns)
    words = int(budget * WORDS_PER_TOKEN)
    answer = run.ask(render_summary(lines, words, new_nonce()), SummaryOutput, LLMRole.GENERATOR)
    if answer is None:
        return None
    text = answer.summary.strip()
    source = " ".join(f"{line.speaker or ''} {line.role.value} {line.text}" for line in lines)
    fits = token_estimate(text) <= budget
    if not text or not fits or invented(text, source):
        return None
    return Summary(text, tuple(turn.id for turn in turns))


def invented(text: str, source: str) -> set[str]:
    """Names and numbers of a text that its source does not have.

    >>> invented("Ana moved to Lisbon. She pays 700 euros.", "ana: I moved to Lisbon, 650 a month")
    {'700'}
    """
    known = {_folded(word) for word in WORD.findall(source)}
    new = set()
    for sentence in sentences(text):
        for place, match in enumerate(WORD.finditer(sentence)):
            word = match[0]
            named = word[0].isupper() and (place > 0 or _folded(word) not in _OPENING)
            if (named or any(map(str.isdigit, word))) and _folded(word) not in known:
                new.add(word)
    return new


def _folded(word: str) -> str:
    return _POSSESSIVE.sub("", word).casefold()
