"""Step 6: the k best records, none twice; what no longer holds comes after what replaced it.

A turn is outdated if all that was learned from it has been superseded. It stays, since it was said,
but is marked; and what holds now, or the turn that says it, comes before it. A filter of the
question may exclude the successor: then the outdated turn is only marked. A turn of which a part
still holds is marked with what no longer does, and comes after what replaced it if that is nearly
as good an answer.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.linear import products
from sharpwave.formulas.relevance import mmr
from sharpwave.knowledge.confidence import RELIABILITY
from sharpwave.knowledge.predicates import NOTED
from sharpwave.ports import UserStore
from sharpwave.reading import newer
from sharpwave.reading.grammar.lexicon import meaning_words
from sharpwave.types.answers import LeftOut, Recalled, WhyNot
from sharpwave.types.query import Question
from sharpwave.types.records import CURRENT, Kind, Record, Role, Source, Stage, State, Trust
from sharpwave.types.searching import AMONG_SPEAKERS, Filter, Ranked, Scored
from sharpwave.types.storing import Stated
from sharpwave.workspace import Workspace

SPARE = 8
"""Number of records read beyond k, to choose from."""
NEAR_MISSES = 5
"""Maximum number of omitted candidates that are reported [RD-22]."""
BALANCE = 0.9
"""MMR: 1 is relevance alone, less seeks variety [RD-07]."""
SAME_COSINE = 0.97
"""Minimum cosine of texts that count as the same; the better one is kept."""
NEW_WORDS = 2
"""Minimum number of content words missing in a turn for what was learned from it to say more."""
FIRST_ITEMS = 3
"""An outdated turn among so many first items gets its successor before it, found or not."""
AS_GOOD = 0.9
"""Minimum share of a turn's score for what replaced a part of it to come before it."""
NEWER = "newer"
"""Score term: by how much an item was raised to come before what it replaces."""
MAX_CHAIN = 50
"""Maximum length of a supersession chain."""


def put_behind(picked: "Picked", question: Question, workspace: Workspace) -> tuple[Recalled, ...]:
    """The items with outdated ones marked, each after what holds now."""
    store = workspace.store
    turns = [item.record.id for item in picked.items if item.record.kind is Kind.TURN]
    learned = _facts_of_turns(turns, store)
    items = tuple(_marked(item, learned.get(item.record.id, ()), store) for item in picked.items)
    successors, in_part = _successors(learned, store)
    if in_part and not question.of_past:
        items = tuple(_put_first(items, in_part, picked.facts)[: question.k])
    if not successors:
        return _lifted(items)
    order: list[Recalled] = []
    left = list(items)
    while left:
        item = left.pop(0)
        current = successors.get(item.record.id)
        if current is None:
            order.append(item)
            continue
        current_ids = {current.id, *current.provenance.parents}
        if current_ids.isdisjoint(shown.record.id for shown in order):
            successor = next((rest for rest in left if rest.record.id in current_ids), None)
            if successor is not None:
                left.remove(successor)
                order.append(successor)
            elif question.only == Filter() and len(order) < FIRST_ITEMS:
                order.append(Recalled(current, item.score, item.terms))
        order.append(replace(item, outdated_by=current.id))
    return _lifted(order[: question.k])


def _lifted(items: Sequence[Recalled]) -> tuple[Recalled, ...]:
    """The items with descending scores: an item put before a better one gets its score."""
    lifted: list[Recalled] = []
    for item in reversed(items):
        if lifted and (missing := lifted[-1].score - item.score) > 0:
            item = replace(item, score=lifted[-1].score, terms={**item.terms, NEWER: missing})
        lifted.append(item)
    return tuple(reversed(lifted))


def _facts_of_turns(turns: Sequence[str], store: UserStore) -> dict[str, list[Record]]:
    """The facts that were learned from each turn."""
    learned = store.derived(turns) if turns else {}
    fact_ids = sorted({id_ for ids in learned.values() for id_ in ids})
    facts = (
        {record.id: record for record in store.find(fact_ids) if record.kind is Kind.FACT}
        if fact_ids
        else {}
    )
    return {turn: [facts[id_] for id_ in ids if id_ in facts] for turn, ids in learned.items()}


def _marked(item: Recalled, facts: Sequence[Record], store: UserStore) -> Recalled:
    """The item, marked with those of its facts that no longer hold, if others do."""
    superseded = [fact for fact in facts if fact.standing.state in _NO_LONGER]
    if not 0 < len(superseded) < len(facts):
        return item
    newest = {fact.id: _latest(fact, store) for fact in superseded}
    outdated = [
        fact.text
        for fact in superseded
        if (current := newest[fact.id]) is None or current.text != fact.text
    ]
    return replace(item, outdated=tuple(outdated))


def _put_first(
    items: Sequence[Recalled], in_part: Mapping[str, Collection[str]], facts: Sequence[Recalled]
) -> list[Recalled]:
    """The items; what replaced a part of a turn comes before it, if it is nearly as good."""
    order: list[Recalled] = []
    for item in items:
        replacing = in_part.get(item.record.id, ())
        replacements = [fact for fact in facts if fact.record.id in replacing]
        order += [fact for fact in replacements if fact.score >= AS_GOOD * item.score]
        order.append(item)
    return list({item.record.id: item for item in order}.values())


def _successors(
    learned: Mapping[str, Sequence[Record]], store: UserStore
) -> tuple[Mapping[str, Record], Mapping[str, Collection[str]]]:
    """For each outdated turn the fact that holds now in place of its first fact.

    And for those outdated in part, the ids of what replaced that part.
    """
    successors: dict[str, Record] = {}
    in_part: dict[str, Collection[str]] = {}
    for turn, facts in learned.items():
        superseded = [fact for fact in facts if fact.standing.state in _NO_LONGER]
        if superseded and len(superseded) < len(facts):
            in_part[turn] = {current.id for fact in superseded if (current := _latest(fact, store))}
        elif superseded:
            current = _latest(facts[0], store)
            if current is not None and current.id != turn and current.text != facts[0].text:
                successors[turn] = current
    return successors, in_part


def _latest(record: Record, store: UserStore) -> Record | None:
    """The end of the chain of successors; None if it just ended, or is in doubt."""
    for _ in range(MAX_CHAIN):
        if record.standing.state not in _NO_LONGER:
            return record if record.standing.state in CURRENT else None
        successors = store.find([record.standing.superseded_by or ""])
        if not successors:
            return None
        record = successors[0]
    return None


def is_taken_back(items: Sequence[Recalled], store: UserStore) -> bool:
    """True if all that was learned from the first turn, or what it denies, proved wrong."""
    first = [item for item in items[:2] if item.record.kind is Kind.TURN]
    if not first or (len(first) > 1 and first[1].outdated_by != first[0].record.id):
        first = first[:1]
    learned = store.derived([item.record.id for item in first]) if first else {}
    facts = store.find(sorted({id_ for ids in learned.values() for id_ in ids}))
    return {fact.standing.state for fact in facts if fact.kind is Kind.FACT} == {State.INVALIDATED}


_NO_LONGER = frozenset({State.SUPERSEDED, State.INVALIDATED})
_WORD = re.compile(r"\w+")
LEFT_OUT_CHARS = 200
"""Maximum number of characters shown of what was left out."""


class Picked(NamedTuple):
    """What is recalled, what nearly was, and notes for the reader."""

    items: tuple[Recalled, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()
    replaced: tuple[Record, ...] = ()
    """Facts replaced by facts that were among the best."""
    facts: tuple[Recalled, ...] = ()
    """Facts among the best that hold."""
    reliability: float = 1.0
    """Reliability of the first item, if it is or states a fact that the user never confirmed."""


def read(ranked: Ranked, question: Question, workspace: Workspace) -> Picked:
    """The chosen records; a record that fails its checksum is left out and reported."""
    pool = ranked.best[: question.k + SPARE]
    fetched = _fetched(pool, workspace)
    now = workspace.clock.now()
    past = {item.record.id: (WhyNot.OVER, None) for item in fetched if _is_over(item.record, now)}
    holding = [item for item in fetched if item.record.id not in past]
    wants_current = not question.of_past and not ranked.signs.get(AMONG_SPEAKERS)
    items, why = _varied(holding, question, wants_current, workspace)
    workspace.store.touch([item.record.number for item in items], now)
    reasons = past | why
    missed = [item for item in fetched if item.record.id in reasons]
    near_misses = [_left_out(item, *reasons[item.record.id]) for item in missed]
    replaced = _replaced(fetched, workspace)
    left_out = (*_superseded_by_shown(replaced, items), *near_misses)[:NEAR_MISSES]
    missing = len(pool) - len(fetched)
    note = f"{missing} damaged or just forgotten left out; run `sharpwave verify`"
    first_facts = _facts_of_first(items, fetched, why)
    reliability = (
        RELIABILITY[Source.INFERRED] if _is_guess(items, question) else _reliability(first_facts)
    )
    facts = tuple(item for item in holding if item.record.kind is Kind.FACT)
    return Picked(items, left_out, (note,) if missing else (), replaced, facts, reliability)


def nothing(ranked: Ranked, question: Question, workspace: Workspace) -> Picked:
    """No record at all, as nothing is about the question; the nearest are reported."""
    fetched = _fetched(ranked.best[: min(question.k, NEAR_MISSES)], workspace)
    return Picked((), tuple(_left_out(item, WhyNot.BELOW_FLOOR) for item in fetched))


def _fetched(pool: Sequence[Scored], workspace: Workspace) -> list[Recalled]:
    found = workspace.store.fetch([scored.number for scored in pool])
    records = {record.number: record for record in found}
    return [
        Recalled(records[scored.number], scored.score, scored.terms)
        for scored in pool
        if scored.number in records
    ]


def _facts_of_first(
    items: Sequence[Recalled], fetched: Sequence[Recalled], reasons: "Reasons"
) -> list[Record]:
    """The facts that the first item is, or represents."""
    if not items:
        return []
    first = items[0].record
    same = [
        item.record for item in fetched if reasons.get(item.record.id, (None, None))[1] == first.id
    ]
    return [record for record in (first, *same) if record.kind is Kind.FACT]


def _is_guess(items: Sequence[Recalled], question: Question) -> bool:
    """True if only an assistant said it of the user, and is not itself the topic."""
    words = set(_WORD.findall(question.text.lower()))
    by_assistant = bool(items) and items[0].record.role is Role.ASSISTANT
    return by_assistant and not words.isdisjoint(_OF_USER) and words.isdisjoint(_TO_ASSISTANT)


_OF_USER, _TO_ASSISTANT = frozenset({"i", "my", "me", "mine"}), frozenset({"you", "your", "we"})


def _reliability(facts: Sequence[Record]) -> float:
    """1, unless none of these facts is the user's word, verified, or promoted in sleep."""
    if not facts or any(
        record.standing.state is not State.UNCERTAIN
        and (record.provenance.trust > Trust.INFERRED or record.standing.stage is Stage.SEMANTIC)
        for record in facts
    ):
        return 1.0
    return max(RELIABILITY[record.provenance.source] for record in facts)


def _left_out(item: Recalled, why: WhyNot, instead: str | None = None) -> LeftOut:
    text = item.text[:LEFT_OUT_CHARS]
    return LeftOut(item.record.id, text, why, instead, item.score, item.terms, item.record.kind)


def _replaced(fetched: Sequence[Recalled], workspace: Workspace) -> tuple[Record, ...]:
    """The facts that those among the best replaced."""
    slots = (item.record.slot for item in fetched if item.record.kind is Kind.FACT)
    fact_slots = tuple(slot for slot in dict.fromkeys(slots) if slot)
    if not fact_slots:
        return ()
    superseded = Stated(slots=fact_slots, states=frozenset({State.SUPERSEDED}))
    return tuple(workspace.store.stated(superseded))


def _superseded_by_shown(replaced: Sequence[Record], items: Sequence[Recalled]) -> list[LeftOut]:
    """Of these facts, those that a recalled one replaced."""
    shown = {item.record.id for item in items}
    return [
        LeftOut(
            fact.id,
            fact.text[:LEFT_OUT_CHARS],
            WhyNot.SUPERSEDED,
            fact.standing.superseded_by,
            kind=fact.kind,
        )
        for fact in replaced
        if fact.standing.superseded_by in shown
    ]


def _is_over(record: Record, now: datetime) -> bool:
    """True for a fact with an end in the past; turns are never over."""
    return record.kind is Kind.FACT and record.valid_to is not None and record.valid_to <= now


Reasons = dict[str, tuple[WhyNot, str | None]]
"""For each omitted id: why, and the id of what is shown instead."""


def _varied(
    items: Sequence[Recalled], question: Question, wants_current: bool, workspace: Workspace
) -> tuple[tuple[Recalled, ...], Reasons]:
    k, ids = question.k, [item.record.id for item in items]
    records = [item.record for item in items]
    alike = _alike([record.number for record in records], workspace)
    kept, restated = _distinct(records, alike >= SAME_COSINE)
    best = {place: items[place].score for place in kept}
    # a turn has the rank of what it says, if that is better
    for duplicate, twin in restated.items():
        best[twin] = max(best.get(twin, items[duplicate].score), items[duplicate].score)
    scores = np.array([best[place] for place in kept])
    if wants_current:  # what moves forward gets the score of its new place
        question_words = meaning_words(question.text)
        kept = newer.changed_first(kept, records, alike, question_words, workspace.shared.reader)
        kept = newer.newest_first(kept, records, alike, question_words, workspace.shared.reader)
    spread = np.ptp(scores) if len(scores) else 0.0
    scaled = (scores - scores.min()) / spread if spread > 0 else np.zeros(len(scores))
    among = alike[np.ix_(kept, kept)]
    chosen = sorted(mmr(scaled, among, BALANCE, k))
    reasons: Reasons = {
        ids[place]: (WhyNot.RESTATEMENT, ids[restated[place]]) for place in restated
    }
    for place in set(range(len(kept))).difference(chosen):
        if place < k:  # would be one of the k best but for its similarity
            nearest = chosen[int(np.argmax(among[place, chosen]))]
            reasons[ids[kept[place]]] = (WhyNot.TOO_ALIKE, ids[kept[nearest]])
        else:
            reasons[ids[kept[place]]] = (WhyNot.BEYOND_K, None)
    return tuple(items[kept[place]] for place in chosen), reasons


def _distinct(
    records: Sequence[Record], same: NDArray[np.bool_]
) -> tuple[list[int], dict[int, int]]:
    """Places of records that restate no earlier one; and for the others, the place they restate."""
    kept: list[int] = []
    restated: dict[int, int] = {}
    twins: dict[int, list[int]] = {}
    for first, second in np.argwhere(np.triu(same, 1)).tolist():
        twins.setdefault(second, []).append(first)
    words, ids, parents = dict[object, int](), dict[str, int](), dict[str, int]()
    learned = _learned(records)
    for place, record in enumerate(records):
        content = (record.kind, record.speaker, " ".join(record.text.lower().split()))
        parents_kept = [ids[id_] for id_ in record.provenance.parents if id_ in ids]
        covering = [at for at in parents_kept if _says_nearly_all(records[at], record)]
        alike = [twin for twin in twins.get(place, ()) if twin in kept]
        child = parents.get(record.id)
        if child in restated:  # another turn that it rests on represents it
            child = None
        if child is not None and _is_part(records[child], record):  # show the whole turn
            kept[kept.index(child)] = ids[record.id] = place
            restated[child] = place
            continue
        if child is not None and _says_more(record, learned[record.id]):
            child = None
        earlier = [words.get(content), child, *covering, *alike]
        if found := [at for at in earlier if at is not None]:
            restated[place] = found[0]
            continue
        kept.append(place)
        words[content] = ids[record.id] = place
        if record.kind is not Kind.EPISODE:  # a summary says less than its turns
            parents.update(dict.fromkeys(record.provenance.parents, place))
    return kept, restated


def _says_nearly_all(turn: Record, learned: Record) -> bool:
    """True if what was learned says hardly more than a turn that it rests on.

    A fact with a slot was read from one turn, and a language model uses words of its own.
    """
    written = _is_noted(learned) or len(learned.provenance.parents) > 1
    new_words = meaning_words(learned.text) - meaning_words(turn.text) - {"user", "s"}
    return not written or len(new_words) < NEW_WORDS


def _is_part(fact: Record, turn: Record) -> bool:
    """True for a statement noted in words of the turn."""
    return _is_noted(fact) and meaning_words(fact.text) <= meaning_words(turn.text)


def _is_noted(fact: Record) -> bool:
    return fact.statement is not None and fact.statement.predicate == NOTED


def _learned(records: Sequence[Record]) -> dict[str, list[Record]]:
    """By id of the parent, what was learned from it."""
    learned: dict[str, list[Record]] = {}
    for record in records:
        for parent in record.provenance.parents:
            learned.setdefault(parent, []).append(record)
    return learned


def _says_more(turn: Record, learned: Sequence[Record]) -> bool:
    """True if a turn has a content word that nothing learned from it has."""
    learned_words = {word for record in learned for word in meaning_words(record.text)}
    return not meaning_words(turn.text) <= learned_words


def _alike(numbers: Sequence[int], workspace: Workspace) -> NDArray[np.float64]:
    """Pairwise cosines of the records; 0 where one has no vector."""
    places: Mapping[int, int] = {number: place for place, number in enumerate(numbers)}
    space = workspace.embedder.space
    found, vectors = workspace.store.vectors(list(numbers), space)
    matrix = np.zeros((len(numbers), space.dimension), np.float32)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    matrix[[places[number] for number in found.tolist()]] = vectors / lengths
    alike: NDArray[np.float64] = np.clip(products(matrix, matrix), 0.0, 1.0).astype(np.float64)
    return alike
