"""What a language model gets to read: new turns, those before them, and related known items."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from sharpwave.errors import ProviderError
from sharpwave.formulas.relevance import reciprocal_rank
from sharpwave.knowledge.names import own_names
from sharpwave.knowledge.predicates import Objects, normal_name
from sharpwave.knowledge.predicates import known as known_predicates
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts.conversation import KnownLine, render
from sharpwave.llm.prompts.transcript import TranscriptLine
from sharpwave.types.llm import Prompt
from sharpwave.types.records import USER, Kind, Record, Role, State, Trust
from sharpwave.types.searching import Filter, Rankings
from sharpwave.types.storing import Order, Stated
from sharpwave.workspace import Workspace

TURNS_BEFORE = 6
"""Number of turns shown before the new ones,"""
BEFORE_CHARS = 600
"""and maximum characters of each of them, and of what the assistant says."""
TURN_CHARS = 4000
"""Maximum characters of a new turn of the user; a longer one is a document rather than talk."""
KNOWN_FACTS, KNOWN_TASKS, KNOWN_RULES = 30, 12, 15
"""Maximum number of known items of each kind shown, besides those of the new turns themselves."""
SLOT_IMPORTANCE = 0.6
_MAX_FOUND = 60  # what is read of the new turns is found too, and shown anyway
_MAX_FETCHED = 10 * KNOWN_FACTS
_RRF_K = 60.0
_LETTER = {Kind.FACT: "F", Kind.TASK: "T", Kind.BEHAVIOR: "R"}
_LIVE = frozenset({State.ACTIVE, State.STALLED})


@dataclass(frozen=True, slots=True)
class ConversationStretch:
    """Turns to read, with what it takes to understand them."""

    new: Sequence[Record]
    before: Sequence[Record]
    known: dict[str, Record]
    """Known items, by the short ids that the prompt shows."""
    own_names: frozenset[str] = frozenset()
    """Names under which the user speaks, in normal form."""

    def speaker(self, turn: Record) -> str:
        """The person a turn means by "I": the user, or another named speaker."""
        name = turn.speaker
        return USER if name is None or normal_name(name) in self.own_names else name


def gather(workspace: Workspace, ids: Sequence[str]) -> ConversationStretch | None:
    """The stretch of these turns; None if none of the user's words are left among them."""
    found = sorted(workspace.store.find(ids), key=lambda turn: turn.number)
    new = [turn for turn in found if _is_shown(turn)]
    if not any(turn.role is Role.USER for turn in new):
        return None
    known, own = _known(workspace, new), own_names(workspace.store, new)
    return ConversationStretch(new, _before(workspace, new[0]), known, own)


def prompt(stretch: ConversationStretch, llm: AllowedLLM) -> tuple[Prompt, list[TranscriptLine]]:
    """The prompt as it may leave the machine, and its new turns."""
    lines = [
        _cut(llm.line(turn), TURN_CHARS if turn.role is Role.USER else BEFORE_CHARS)
        for turn in stretch.new
    ]
    before = [_cut(llm.line(turn), BEFORE_CHARS) for turn in stretch.before]
    place_of = {turn.id: place for place, turn in enumerate(stretch.new, 1)}
    known = [
        KnownLine(
            short,
            record.kind,
            llm.redacted(record.text),
            record.valid_from,
            record.due,
            max((place_of.get(parent, 0) for parent in record.provenance.parents), default=0)
            or None,
        )
        for short, record in stretch.known.items()
    ]
    return render(known, before, lines, _offered()), lines


def _offered() -> list[str]:
    """The predicates offered to the model: important with a name or value, or with an opposite."""
    return sorted(
        name
        for name, row in known_predicates().items()
        if not name.endswith("*")
        and (row.excludes or (row.importance >= SLOT_IMPORTANCE and row.object is not Objects.TEXT))
    )


def _is_shown(turn: Record) -> bool:
    trusted = turn.provenance.trust > Trust.UNTRUSTED
    return turn.kind is Kind.TURN and trusted and turn.standing.state is State.ACTIVE


def _cut(line: TranscriptLine, max_chars: int) -> TranscriptLine:
    return line if len(line.text) <= max_chars else replace(line, text=line.text[:max_chars])


def _before(workspace: Workspace, first: Record) -> list[Record]:
    session, max_turns = first.session_id, TURNS_BEFORE
    latest = workspace.store.latest(session, max_turns if session else 4 * max_turns, first.number)
    shown = [turn for turn in latest if _is_shown(turn) and turn.session_id == session]
    return shown[-max_turns:]


# ---- what is known


def _known(workspace: Workspace, new: Sequence[Record]) -> dict[str, Record]:
    """Facts, tasks and rules, in the order they were recorded, under short ids."""
    store = workspace.store
    of_turns = store.derived([turn.id for turn in new])
    ids = {child for group in of_turns.values() for child in group}
    tasks = Stated(kinds={Kind.TASK}, states=_LIVE, order=Order.NEWEST, limit=KNOWN_TASKS)
    found = [*store.find(sorted(ids)), *store.stated(tasks)]
    if workspace.consents.may_learn:
        rules = Stated(kinds={Kind.BEHAVIOR}, states={State.ACTIVE}, order=Order.FREQUENT)
        found += store.stated(replace(rules, limit=KNOWN_RULES))
    else:
        found = [record for record in found if record.kind is not Kind.BEHAVIOR]
    now = workspace.clock.now()
    related = [
        record
        for record in _related(workspace, new)
        if _is_live(record, now) and record.id not in ids
    ]
    live = {record.number: record for record in found if _is_live(record, now)}
    live |= {record.number: record for record in related[:KNOWN_FACTS]}
    counts = dict.fromkeys(_LETTER, 0)
    known = {}
    for _, record in sorted(live.items()):
        counts[record.kind] += 1
        known[f"{_LETTER[record.kind]}{counts[record.kind]}"] = record
    return known


def _is_live(record: Record, now: datetime) -> bool:
    live = record.standing.state in _LIVE and (record.valid_to is None or record.valid_to > now)
    return live and record.kind in _LETTER and record.slot is not None


def _related(workspace: Workspace, new: Sequence[Record]) -> list[Record]:
    """Facts and tasks similar to the turns, each turn by itself or all together; best first."""
    user_texts = [turn.text[:BEFORE_CHARS] for turn in new if turn.role is Role.USER]
    queries = list(dict.fromkeys([*user_texts, " ".join(turn.text[:200] for turn in new)]))
    try:
        vectors = workspace.embedder.embed(queries)
    except ProviderError:  # by keywords alone
        space = workspace.embedder.space
        vectors = np.zeros((len(queries), space.dimension), dtype=np.float32)
    only = Filter(kinds=frozenset({Kind.FACT.value, Kind.TASK.value}))
    nearest: dict[int, float] = {}
    for query, vector in zip(queries, vectors, strict=True):
        for number, score in _ranked_by_both(workspace.index.rank(query, vector, _MAX_FOUND, only)):
            nearest[number] = max(score, nearest.get(number, 0.0))
    best = sorted(nearest, key=lambda number: (-nearest[number], -number))[:_MAX_FETCHED]
    return workspace.store.fetch(best)


def _ranked_by_both(ranked: Rankings) -> Iterable[tuple[int, float]]:
    scores: dict[int, float] = {}
    for ranking in (ranked.vector, ranked.keyword):
        votes = reciprocal_rank(np.arange(1, len(ranking.numbers) + 1), _RRF_K, weight=1.0)
        for number, vote in zip(ranking.numbers.tolist(), votes.tolist(), strict=True):
            scores[number] = scores.get(number, 0.0) + vote
    return scores.items()
