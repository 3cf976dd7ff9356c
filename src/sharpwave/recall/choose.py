"""Step 6: the k best records, none twice; what no longer holds stands behind what replaced it.

A turn is outdated if all that was learned from it has been superseded. It stays, since it was said,
but says so; and what holds now, or the turn that tells it, stands before it. A filter of the
question may keep the successor out: then the outdated turn is only marked. A turn that still tells
something that holds says what no longer does, and stands behind what replaced it if that is nearly
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
"""Records read beyond k, to have something to choose from."""
NEAR_MISSES = 5
"""Candidates reported that were left out [RD-22]."""
BALANCE = 0.9
"""MMR: 1 is relevance alone, less seeks variety [RD-07]."""
SAME_COSINE = 0.97
"""Texts as near as this say the same; the better one is kept."""
NEWS = 2
"""Words of meaning that a turn lacks, from which on what was learned from it says more."""
FIRST = 3
"""Before an outdated turn among so many first items stands what replaced it, found or not."""
AS_GOOD = 0.9
"""Share of a turn's score from which what replaced a part of it stands before it."""
NEWER = "newer"
"""The term of a score by which something was lifted before what it stands for now."""
LONGEST = 50
"""Maximum length of a supersession chain."""


def put_behind(picked: "Picked", question: Question, workspace: Workspace) -> tuple[Recalled, ...]:
    """The items with outdated ones marked, each behind what holds now."""
    store = workspace.store
    turns = [item.record.id for item in picked.items if item.record.kind is Kind.TURN]
    learned = _facts_from(turns, store)
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
        now = successors.get(item.record.id)
        if now is None:
            order.append(item)
            continue
        telling = {now.id, *now.provenance.parents}
        if telling.isdisjoint(one.record.id for one in order):
            later = next((one for one in left if one.record.id in telling), None)
            if later is not None:
                left.remove(later)
                order.append(later)
            elif question.only == Filter() and len(order) < FIRST:
                order.append(Recalled(now, item.score, item.terms))
        order.append(replace(item, outdated_by=now.id))
    return _lifted(order[: question.k])


def _lifted(items: Sequence[Recalled]) -> tuple[Recalled, ...]:
    """The items with scores in their order: what was put before a better one has its score."""
    lifted: list[Recalled] = []
    for item in reversed(items):
        if lifted and (missing := lifted[-1].score - item.score) > 0:
            item = replace(item, score=lifted[-1].score, terms={**item.terms, NEWER: missing})
        lifted.append(item)
    return tuple(reversed(lifted))


def _facts_from(turns: Sequence[str], store: UserStore) -> dict[str, list[Record]]:
    """The facts that were learned from each turn."""
    learned = store.derived(turns) if turns else {}
    wanted = sorted({one for ids in learned.values() for one in ids})
    facts = {one.id: one for one in store.find(wanted) if one.kind is Kind.FACT} if wanted else {}
    return {turn: [facts[one] for one in ids if one in facts] for turn, ids in learned.items()}


def _marked(item: Recalled, facts: Sequence[Record], store: UserStore) -> Recalled:
    """The item with those of its facts that no longer hold, if others do."""
    over = [fact for fact in facts if fact.standing.state in _NO_MORE]
    if not 0 < len(over) < len(facts):
        return item
    newest = {fact.id: _latest(fact, store) for fact in over}
    outdated = [
        fact.text for fact in over if (now := newest[fact.id]) is None or now.text != fact.text
    ]
    return replace(item, outdated=tuple(outdated))


def _put_first(
    items: Sequence[Recalled], in_part: Mapping[str, Collection[str]], facts: Sequence[Recalled]
) -> list[Recalled]:
    """The items, with what replaced a part of a turn before it, if it is nearly as good."""
    order: list[Recalled] = []
    for item in items:
        replacing = in_part.get(item.record.id, ())
        better = [one for one in facts if one.record.id in replacing]
        order += [one for one in better if one.score >= AS_GOOD * item.score]
        order.append(item)
    return list({one.record.id: one for one in order}.values())


def _successors(
    learned: Mapping[str, Sequence[Record]], store: UserStore
) -> tuple[Mapping[str, Record], Mapping[str, Collection[str]]]:
    """For each turn that is outdated, what holds now in place of what it told first.

    And for those outdated in part, the ids of what replaced that.
    """
    found: dict[str, Record] = {}
    in_part: dict[str, Collection[str]] = {}
    for turn, facts in learned.items():
        over = [one for one in facts if one.standing.state in _NO_MORE]
        if over and len(over) < len(facts):
            in_part[turn] = {now.id for one in over if (now := _latest(one, store))}
        elif over:
            now = _latest(facts[0], store)
            if now is not None and now.id != turn and now.text != facts[0].text:
                found[turn] = now
    return found, in_part


def _latest(record: Record, store: UserStore) -> Record | None:
    """What holds at the end of the line of successors; None if it just ended, or is in doubt."""
    for _ in range(LONGEST):
        if record.standing.state not in _NO_MORE:
            return record if record.standing.state in CURRENT else None
        following = store.find([record.standing.superseded_by or ""])
        if not following:
            return None
        record = following[0]
    return None


def is_taken_back(items: Sequence[Recalled], store: UserStore) -> bool:
    """True if all that was learned from the first turn, or what it denies, proved wrong."""
    first = [one for one in items[:2] if one.record.kind is Kind.TURN]
    if not first or (len(first) > 1 and first[1].outdated_by != first[0].record.id):
        first = first[:1]
    learned = store.derived([one.record.id for one in first]) if first else {}
    facts = store.find(sorted({one for ids in learned.values() for one in ids}))
    return {one.standing.state for one in facts if one.kind is Kind.FACT} == {State.INVALIDATED}


_NO_MORE = frozenset({State.SUPERSEDED, State.INVALIDATED})
_WORD = re.compile(r"\w+")
TOLD_CHARS = 200
"""Of what was left out, how much of the words is told."""


class Picked(NamedTuple):
    """What is recalled, what was nearly, and what the reader should know."""

    items: tuple[Recalled, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()
    replaced: tuple[Record, ...] = ()
    """Facts that no longer hold, where those that do were among the best."""
    facts: tuple[Recalled, ...] = ()
    """Those that do."""
    reliability: float = 1.0
    """How reliable the first is, if it is or tells a fact that the user never confirmed."""


def read(ranked: Ranked, question: Question, workspace: Workspace) -> Picked:
    """The chosen records; what fails its checksum is left out and told."""
    pool = ranked.best[: question.k + SPARE]
    there = _fetched(pool, workspace)
    now = workspace.clock.now()
    over = {item.record.id: (WhyNot.OVER, None) for item in there if _is_over(item.record, now)}
    holding = [item for item in there if item.record.id not in over]
    of_now = not question.of_past and not ranked.signs.get(AMONG_SPEAKERS)
    items, why = _varied(holding, question, of_now, workspace)
    workspace.store.touch([item.record.number for item in items], now)
    reasons = over | why
    missed = [item for item in there if item.record.id in reasons]
    near = [_left_out(item, *reasons[item.record.id]) for item in missed]
    replaced = _replaced(there, workspace)
    left_out = (*_stood_for(replaced, items), *near)[:NEAR_MISSES]
    missing = len(pool) - len(there)
    note = f"{missing} damaged or just forgotten left out; run `sharpwave verify`"
    told = _told_first(items, there, why)
    reliable = RELIABILITY[Source.INFERRED] if _is_guess(items, question) else _reliability(told)
    facts = tuple(item for item in holding if item.record.kind is Kind.FACT)
    return Picked(items, left_out, (note,) if missing else (), replaced, facts, reliable)


def nothing(ranked: Ranked, question: Question, workspace: Workspace) -> Picked:
    """No record at all, as nothing is about the question; the nearest are told of."""
    there = _fetched(ranked.best[: min(question.k, NEAR_MISSES)], workspace)
    return Picked((), tuple(_left_out(item, WhyNot.BELOW_FLOOR) for item in there))


def _fetched(pool: Sequence[Scored], workspace: Workspace) -> list[Recalled]:
    found = workspace.store.fetch([scored.number for scored in pool])
    records = {record.number: record for record in found}
    return [
        Recalled(records[one.number], one.score, one.terms) for one in pool if one.number in records
    ]


def _told_first(
    items: Sequence[Recalled], there: Sequence[Recalled], why: "Reasons"
) -> list[Record]:
    """The facts that the first item is, or stands for."""
    if not items:
        return []
    first = items[0].record
    same = [one.record for one in there if why.get(one.record.id, (None, None))[1] == first.id]
    return [record for record in (first, *same) if record.kind is Kind.FACT]


def _is_guess(items: Sequence[Recalled], question: Question) -> bool:
    """True if only an assistant said it of the user, and is not itself asked about."""
    asked = set(_WORD.findall(question.text.lower()))
    by_assistant = bool(items) and items[0].record.role is Role.ASSISTANT
    return by_assistant and not asked.isdisjoint(_OF_USER) and asked.isdisjoint(_TO_ASSISTANT)


_OF_USER, _TO_ASSISTANT = frozenset({"i", "my", "me", "mine"}), frozenset({"you", "your", "we"})


def _reliability(told: Sequence[Record]) -> float:
    """1, unless none of these facts is the user's word, verified, or promoted in sleep."""
    if not told or any(
        record.standing.state is not State.UNCERTAIN
        and (record.provenance.trust > Trust.INFERRED or record.standing.stage is Stage.SEMANTIC)
        for record in told
    ):
        return 1.0
    return max(RELIABILITY[record.provenance.source] for record in told)


def _left_out(item: Recalled, why: WhyNot, instead: str | None = None) -> LeftOut:
    text = item.text[:TOLD_CHARS]
    return LeftOut(item.record.id, text, why, instead, item.score, item.terms, item.record.kind)


def _replaced(there: Sequence[Recalled], workspace: Workspace) -> tuple[Record, ...]:
    """What the facts among the best took the place of."""
    slots = (item.record.slot for item in there if item.record.kind is Kind.FACT)
    wanted = tuple(slot for slot in dict.fromkeys(slots) if slot)
    if not wanted:
        return ()
    old = Stated(slots=wanted, states=frozenset({State.SUPERSEDED}))
    return tuple(workspace.store.stated(old))


def _stood_for(replaced: Sequence[Record], items: Sequence[Recalled]) -> list[LeftOut]:
    """Of these facts, those whose place a recalled one took."""
    shown = {item.record.id for item in items}
    return [
        LeftOut(
            old.id,
            old.text[:TOLD_CHARS],
            WhyNot.SUPERSEDED,
            old.standing.superseded_by,
            kind=old.kind,
        )
        for old in replaced
        if old.standing.superseded_by in shown
    ]


def _is_over(record: Record, now: datetime) -> bool:
    """True for a fact whose time has passed; what was said stays said."""
    return record.kind is Kind.FACT and record.valid_to is not None and record.valid_to <= now


Reasons = dict[str, tuple[WhyNot, str | None]]
"""For each id that is left out: why, and the id of what stands for it."""


def _varied(
    items: Sequence[Recalled], question: Question, of_now: bool, workspace: Workspace
) -> tuple[tuple[Recalled, ...], Reasons]:
    k, ids = question.k, [item.record.id for item in items]
    records = [item.record for item in items]
    alike = _alike([record.number for record in records], workspace)
    kept, said = _distinct(records, alike >= SAME_COSINE)
    best = {place: items[place].score for place in kept}
    for one, stands in said.items():  # a turn has the rank of what it says, if that is better
        best[stands] = max(best.get(stands, items[one].score), items[one].score)
    scores = np.array([best[place] for place in kept])
    if of_now:  # what moves forward takes over the score of its new place
        asked = meaning_words(question.text)
        kept = newer.changed_first(kept, records, alike, asked, workspace.shared.reader)
        kept = newer.newest_first(kept, records, alike, asked, workspace.shared.reader)
    spread = np.ptp(scores) if len(scores) else 0.0
    scaled = (scores - scores.min()) / spread if spread > 0 else np.zeros(len(scores))
    among = alike[np.ix_(kept, kept)]
    chosen = sorted(mmr(scaled, among, BALANCE, k))
    reasons: Reasons = {ids[one]: (WhyNot.RESTATEMENT, ids[said[one]]) for one in said}
    for place in set(range(len(kept))).difference(chosen):
        if place < k:  # one of the k best, had its likeness not counted
            nearest = chosen[int(np.argmax(among[place, chosen]))]
            reasons[ids[kept[place]]] = (WhyNot.TOO_ALIKE, ids[kept[nearest]])
        else:
            reasons[ids[kept[place]]] = (WhyNot.BEYOND_K, None)
    return tuple(items[kept[place]] for place in chosen), reasons


def _distinct(
    records: Sequence[Record], same: NDArray[np.bool_]
) -> tuple[list[int], dict[int, int]]:
    """Places of the records that do not restate an earlier one; of the others, which they do."""
    kept: list[int] = []
    said: dict[int, int] = {}
    twins: dict[int, list[int]] = {}
    for earlier, later in np.argwhere(np.triu(same, 1)).tolist():
        twins.setdefault(later, []).append(earlier)
    words, ids, parents = dict[object, int](), dict[str, int](), dict[str, int]()
    learned = _learned(records)
    for place, record in enumerate(records):
        own = (record.kind, record.speaker, " ".join(record.text.lower().split()))
        parents_kept = [ids[one] for one in record.provenance.parents if one in ids]
        above = [one for one in parents_kept if _tells(records[one], record)]
        alike = [twin for twin in twins.get(place, ()) if twin in kept]
        below = parents.get(record.id)
        if below in said:  # another turn that it rests on stands for it
            below = None
        if below is not None and _is_part(records[below], record):  # show the whole
            kept[kept.index(below)] = ids[record.id] = place
            said[below] = place
            continue
        if below is not None and _says_more(record, learned[record.id]):
            below = None
        known = [words.get(own), below, *above, *alike]
        if found := [one for one in known if one is not None]:
            said[place] = found[0]
            continue
        kept.append(place)
        words[own] = ids[record.id] = place
        if record.kind is not Kind.EPISODE:  # a summary says less than its turns
            parents.update(dict.fromkeys(record.provenance.parents, place))
    return kept, said


def _tells(turn: Record, learned: Record) -> bool:
    """True if what was learned says hardly more than a turn that it rests on.

    What fills a slot was read from its one turn, and a language model writes in words of its own.
    """
    written = _is_noted(learned) or len(learned.provenance.parents) > 1
    news = meaning_words(learned.text) - meaning_words(turn.text) - {"user", "s"}
    return not written or len(news) < NEWS


def _is_part(fact: Record, turn: Record) -> bool:
    """True for what was noted in the very words of a turn."""
    return _is_noted(fact) and meaning_words(fact.text) <= meaning_words(turn.text)


def _is_noted(fact: Record) -> bool:
    return fact.statement is not None and fact.statement.predicate == NOTED


def _learned(records: Sequence[Record]) -> dict[str, list[Record]]:
    """For each id, what was learned from it."""
    found: dict[str, list[Record]] = {}
    for record in records:
        for parent in record.provenance.parents:
            found.setdefault(parent, []).append(record)
    return found


def _says_more(turn: Record, learned: Sequence[Record]) -> bool:
    """True if a turn has a word of meaning that none of what was learned from it has."""
    told = {word for record in learned for word in meaning_words(record.text)}
    return not meaning_words(turn.text) <= told


def _alike(numbers: Sequence[int], workspace: Workspace) -> NDArray[np.float64]:
    """The cosine of each two records; 0 where one has no vector."""
    places: Mapping[int, int] = {number: place for place, number in enumerate(numbers)}
    space = workspace.embedder.space
    found, vectors = workspace.store.vectors(list(numbers), space)
    whole = np.zeros((len(numbers), space.dimension), np.float32)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    whole[[places[number] for number in found.tolist()]] = vectors / lengths
    alike: NDArray[np.float64] = np.clip(products(whole, whole), 0.0, 1.0).astype(np.float64)
    return alike
