"""Step 6: reconcile what passed the gate with what is known."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import ProviderError
from sharpwave.knowledge import settle_facts, settle_known, settle_tasks
from sharpwave.knowledge.draft import (
    NOVELTY_COSINE,
    Alike,
    Decided,
    Draft,
    Extracted,
    competing_slots,
    reworded,
    slot_of,
    slot_of_statement,
    statement_of,
    with_target,
)
from sharpwave.knowledge.predicates import (
    NOTED,
    Objects,
    normal_name,
    predicate,
    same_object,
    sentence,
)
from sharpwave.knowledge.settle_tasks import shared
from sharpwave.ports import Reader, UserStore
from sharpwave.reading import changes
from sharpwave.reading.open_statements import stems
from sharpwave.reading.quotes import states_end
from sharpwave.reading.segments import own_words
from sharpwave.types.answers import Verdict
from sharpwave.types.records import (
    ACTIVE,
    FACTS,
    NOT_ENDED,
    USER,
    Kind,
    Record,
    State,
    Statement,
    Trust,
)
from sharpwave.types.statements import BY_MODEL, Mode, Span, TargetRelation, TaskStatus
from sharpwave.types.storing import Evidence, Order, Revision, Stated
from sharpwave.workspace import Workspace

_UNNAMED = re.compile(r"(?:their|his|her|its|an?|the) ")
_MAX_NEAREST = 4
LOOK_COSINE = 0.8
"""Minimum cosine of two sentences for their objects to be compared."""
COMPARED = 200
"""Maximum number of facts, the newest, searched for the same statement in other words."""
ECHO_HOURS = 1.0
"""Hours after a recall in which an assistant that repeats it gives no new evidence."""
COVERED_SHARE = 0.5
"""Minimum share of a statement in own words that a later reading quotes or repeats to close it."""
_LONG = (settle_tasks.TASK, settle_tasks.NOTE)  # predicates with a single slot for everything


def decide(workspace: Workspace, extracted: Sequence[Extracted], now: datetime) -> Decided:
    """Settle the items in order, as if each were stored before the next is settled."""
    alike = _ByVector(workspace)
    people = _named_people(extracted, workspace.store)
    worded = [_as_worded_before(_with_names(item, people), workspace, alike) for item in extracted]
    items = [targeted for item in worded for targeted in _with_targets(item, workspace)]
    competing, seen = _competing(items, now, workspace.store)
    own_words_records = _kept_in_own_words(extracted, workspace.store)
    supported = _supported(extracted, workspace.store)
    records = {record.id: record for record in (*competing, *own_words_records)}
    alike.stored.update({task.text: task.number for task in competing if task.kind is Kind.TASK})
    draft = Draft.on(list(records.values()), now, supported, alike)
    moved: list[Extracted] = []
    for item in items:
        if _is_echo(item, draft, workspace.store):
            draft.say(Verdict.REJECTED, item, reason="an echo of what was just recalled")
        elif item.candidate.target is not None:
            settle_known.settle(draft, item, item.candidate.target)
        elif item.candidate.effect_only:
            if item.candidate.kind is Kind.TASK:
                moved += [item] if _settles_task(draft, item, workspace.shared.reader) else []
            elif settle_facts.is_known(draft, item):
                settle_facts.settle(draft, item)
        elif item.candidate.kind is Kind.TASK:
            if not any(_overlaps(move, item) for move in moved):
                settle_tasks.settle_task(draft, item, _subject(item))
        elif item.candidate.kind is Kind.NOTE:
            settle_tasks.settle_note(draft, item)
        else:
            settle_facts.settle(draft, item)
    _close_covered(own_words_records, items, draft)
    return Decided(draft, seen, _stale(draft, workspace.store))


def _settles_task(draft: Draft, item: Extracted, reader: Reader | None) -> bool:
    """Settle a task by a clause that says it is over; True if one is, or if it says "dropped"."""
    may_end = partial(changes.may_end, item.turn.text[slice(*item.candidate.span)], reader)
    settled = settle_tasks.settle_by_deed(draft, item, _subject(item), may_end)
    return settled or item.candidate.status is TaskStatus.DROPPED


def _overlaps(move: Extracted, item: Extracted) -> bool:
    return move.turn.id == item.turn.id and move.candidate.span.overlaps(item.candidate.span)


def _kept_in_own_words(extracted: Sequence[Extracted], store: UserStore) -> list[Record]:
    """Statements that the rules kept in the user's words, of turns that are now read again."""
    ids = sorted({item.turn.id for item in extracted if item.turn.number})
    children = {child for group in (store.derived(ids) if ids else {}).values() for child in group}
    return [
        record
        for record in store.find(sorted(children))
        if record.standing.state is State.ACTIVE
        and record.statement is not None
        and record.statement.predicate in (NOTED, settle_tasks.TASK)
        and not str(record.metadata.get("extractor")).startswith(BY_MODEL)
    ]


def _close_covered(records: Sequence[Record], extracted: Sequence[Extracted], draft: Draft) -> None:
    """Close statements kept in the user's words that the new facts cover.

    A task is closed only if another was read. What a reading confirms or targets stays open.
    """
    slots = {slot for item in extracted for slot in _slots(item)}
    confirmed = {item.candidate.target.id for item in extracted if item.candidate.target}
    confirmed |= {
        result.id for result in draft.outcomes if result.id and result.verdict is Verdict.REINFORCED
    }
    for record in records:
        if record.id in confirmed or (record.kind is Kind.FACT and record.slot in slots):
            continue  # confirmed, or just repeated
        kept = Span(*cast(list[int], record.metadata["span"]))
        rereadings = [
            item.candidate
            for item in extracted
            if item.turn.id in record.provenance.parents
            and (record.kind is Kind.FACT or item.candidate.kind is record.kind)
            and (
                item.candidate.target is None
                or item.candidate.target.relation is not TargetRelation.END
            )
        ]
        quoted = {at for reading in rereadings for at in range(*reading.span)} & set(range(*kept))
        words = stems(record.text)
        repeated = {word for reading in rereadings for word in words & stems(reading.text)}
        covered = quoted and len(quoted) >= COVERED_SHARE * (kept.end - kept.start)
        if covered or len(repeated) > COVERED_SHARE * len(words):
            parent = record.provenance.parents[0]
            draft.close(record, draft.now, state=State.SUPERSEDED, superseded_by=parent)


def still_new(
    extracted: Sequence[Extracted], turns: Sequence[Record], store: UserStore
) -> list[Extracted]:
    """The items without those of turns already stored, by their keys, and of turns now gone."""
    keys = [turn.provenance.idempotency_key for turn in turns]
    known = set(store.known([key for key in keys if key is not None]))
    old: set[str] = set()
    for turn, key in zip(turns, keys, strict=True):
        if key in known:
            old.add(turn.id)
        elif key is not None:
            known.add(key)  # the same key again in this call
    stored = {item.turn.id for item in extracted if item.turn.number}
    found = store.find(sorted(stored)) if stored else []
    old |= stored - {turn.id for turn in found if turn.standing.state is State.ACTIVE}
    return [item for item in extracted if item.turn.id not in old]


def _supported(extracted: Sequence[Extracted], store: UserStore) -> set[Evidence]:
    """What turns stored earlier already support."""
    ids = sorted({item.turn.id for item in extracted if item.turn.number})
    derived = store.derived(ids) if ids else {}
    return {Evidence(child, turn) for turn, children in derived.items() for child in children}


def _competing(
    extracted: Sequence[Extracted], now: datetime, store: UserStore
) -> tuple[list[Record], dict[str, int]]:
    """Records that compete with these items, and the heads of their slots.

    The heads are read first, to notice later changes. Facts that are over are read too, as
    history; tasks and notes, of which there may be many, only if an item was said before now: it
    may have been settled since.
    """
    heads = store.slot_heads(sorted({slot for item in extracted for slot in _slots(item)}))
    has_earlier = any(item.turn.number or item.turn.valid_from < now for item in extracted)
    long_slots = {slot for slot in heads if not has_earlier and slot.split("|")[1] in _LONG}
    records: list[Record] = []
    for slots, states in ((set(heads) - long_slots, frozenset[State]()), (long_slots, NOT_ENDED)):
        if slots:
            records += store.stated(Stated(slots=tuple(sorted(slots)), states=states))
    return records, heads


def _slots(item: Extracted) -> list[str]:
    target = item.candidate.target
    if target is None:
        return _own_slots(item)
    replaces = target.relation in (TargetRelation.UPDATE, TargetRelation.CORRECTION)
    own = _own_slots(item) if replaces else ()
    return list(dict.fromkeys([*own, target.slot]))


def _own_slots(item: Extracted) -> list[str]:
    if item.candidate.kind is Kind.TASK:
        return [settle_tasks.task_slot(_subject(item))]
    if item.candidate.kind is Kind.NOTE or item.candidate.statement is None:
        return [settle_tasks.note_slot()]
    return competing_slots(item.candidate)


def _subject(item: Extracted) -> str:
    return item.candidate.statement.subject if item.candidate.statement else USER


def _relation(item: Extracted) -> str | None:
    """The slot of the name of a subject such as `user's sister`; None for other subjects."""
    owner, known_by, relation = _subject(item).partition("'s ")
    return slot_of(owner, relation.replace(" ", "_")) if known_by else None


def _named_people(extracted: Sequence[Extracted], store: UserStore) -> list[Record]:
    """Facts that name the people mentioned by a relation."""
    relations = {relation for item in extracted if (relation := _relation(item))}
    if not relations:
        return []
    found = store.stated(Stated(within=tuple(sorted(relations)), states=ACTIVE))
    return [record for record in found if not record.negated]


def _with_names(item: Extracted, people: Sequence[Record]) -> Extracted:
    """The item with the name of `user's sister`, if known; it then rests on that turn too."""
    relation = _relation(item)
    if relation is None:
        return item
    named = [person for person in people if str(person.slot).startswith(relation)]
    names = {statement_of(person).object for person in named}
    if len(names) != 1:
        return item
    name = names.pop()
    same = reworded(item, subject=name)
    if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", own_words(item.turn.text), re.IGNORECASE):
        return same
    rests_on = (*same.candidate.rests_on, *named[0].provenance.parents[:1])
    known = replace(same.candidate, other_words=True, rests_on=tuple(dict.fromkeys(rests_on)))
    return same._replace(candidate=known)


def _as_worded_before(item: Extracted, workspace: Workspace, alike: Alike) -> Extracted:
    """The statement in the known wording, if the same is known in other words.

    Only for free text where several values may hold: two cities are never the same in other words.
    """
    statement = item.candidate.statement
    if statement is None or item.candidate.kind is not Kind.FACT:
        return item
    if statement.predicate == NOTED and item.candidate.is_worded:
        return item  # it was worded in view of what is known
    row = predicate(statement.predicate)
    if item.candidate.mode is Mode.ENDED and _UNNAMED.match(statement.object):
        return _with_the_only_known(item, statement, workspace.store)
    if row.names and not row.many and item.candidate.mode is Mode.HOLDS:
        return _with_full_name(item, statement, workspace.store)
    if not row.many or row.object is not Objects.TEXT:
        return item
    slot = slot_of_statement(statement)
    if workspace.store.slot_heads([slot])[slot]:
        return _as_holding(item) if _is_repeated(item, slot, workspace.store) else item
    alone = " ".join(item.turn.text[slice(*item.candidate.span)].split())
    if statement.predicate == NOTED and alone and statement.object.endswith(alone):
        slot = slot_of_statement(statement._replace(object=alone))
        if workspace.store.slot_heads([slot])[slot]:  # said before without its context
            return reworded(item, object=alone)
    known = _nearest(statement, workspace)
    near = alike(statement.object, known, NOVELTY_COSINE)
    if near is not None and _codes(known[near]) == _codes(statement.object):
        return _in_other_words(item, known[near])
    return _as_holding(item)


def _with_targets(item: Extracted, workspace: Workspace) -> list[Extracted]:
    """The statement, and the known facts that it ends, or of which it says another date."""
    claim, statement = item.candidate, item.candidate.statement
    if statement is None or claim.kind is not Kind.FACT or claim.target or claim.is_worded:
        return [item]
    if statement.predicate == NOTED and claim.mode is Mode.HOLDS:
        return _with_new_date(item, statement.object, workspace.store)
    if claim.mode is not Mode.ENDED or statement.predicate == NOTED:
        return [item]
    if not (_UNNAMED.match(statement.object) or statement.object[:1].isupper()):
        return [item]  # "sold a bike" may mean any bike
    newest = Stated(states=ACTIVE, kinds=FACTS, order=Order.NEWEST, limit=COMPARED)
    of_user = (slot_of(USER, NOTED),) if statement.subject != USER else ()
    of_subject = replace(newest, within=(f"{normal_name(statement.subject)}|", *of_user))
    about = sentence(statement)  # a sold car is not driven
    about_subject = f"{statement.subject} {about}"
    ended = _unambiguous(
        [
            record
            for record in workspace.store.stated(of_subject)
            if _may_end(record, item)
            and not states_end(record.text)
            and changes.is_about(
                about_subject if _is_noted(record) else about, record.text, _is_noted(record)
            )
        ]
    )
    clause = item.turn.text[slice(*claim.span)]
    meant = changes.ended_by(clause, [record.text for record in ended], workspace.shared.reader)
    return [item, *(with_target(item, TargetRelation.END, ended[at]) for at in meant)]


def _with_new_date(item: Extracted, text: str, store: UserStore) -> list[Extracted]:
    """The statement, targeted at the known sentence of which it says another date."""
    if not changes.may_move(text):
        return [item]
    sentences = (slot_of(USER, NOTED),)
    newest = Stated(within=sentences, states=ACTIVE, order=Order.NEWEST, limit=COMPARED)
    known = [record for record in store.stated(newest) if _may_end(record, item)]
    places = changes.moved(text, [_with_day(record) for record in known], item.turn.valid_from)
    moved = [known[place] for place in places]
    ends = [with_target(item, TargetRelation.END, record) for record in moved[1:]]
    updates = [with_target(item, TargetRelation.UPDATE, record) for record in moved[:1]]
    return [*ends, *(updates or [item])]


def _with_day(record: Record) -> str:
    """The sentence, with the last day of a plan whose date it names without a year."""
    if record.valid_to is None or record.text.endswith(")"):
        return record.text
    return f"{record.text} ({record.valid_to - timedelta(microseconds=1):%d %B %Y})"


def _unambiguous(records: Sequence[Record]) -> list[Record]:
    """Records without a second one of their predicate: "the bike" is neither of two."""
    counts = Counter(statement_of(record).predicate for record in records if not _is_noted(record))
    return [record for record in records if counts[statement_of(record).predicate] < 2]


_CHANGING = frozenset("work education health skill schedule plan event possession other".split())
"""Tags of facts that can end: not who a person is, or what they like."""


def _may_end(record: Record, item: Extracted) -> bool:
    own = item.turn.id in record.provenance.parents
    weaker = record.provenance.trust <= item.turn.provenance.trust
    can_end = not record.negated and not _CHANGING.isdisjoint(record.tags)
    return weaker and not own and can_end


def _is_noted(record: Record) -> bool:
    return statement_of(record).predicate == NOTED


def _codes(text: str) -> list[str]:
    """Numbers and single capitals: "revision B" is not "revision C" in other words."""
    return re.findall(r"\d+|\b[A-HJ-Z]\b", text)


def _as_holding(item: Extracted) -> Extracted:
    """The item; a sentence worded as an end holds, if it ends or denies nothing known."""
    statement = item.candidate.statement
    if statement is None or statement.predicate != NOTED or item.candidate.mode is Mode.DENIED:
        return item
    if not states_end(statement.object):
        return item
    return item._replace(candidate=replace(item.candidate, mode=Mode.HOLDS))


def _is_repeated(item: Extracted, slot: str, store: UserStore) -> bool:
    """True if a sentence that ends or denies something is stored: it does not end itself."""
    if item.candidate.mode is Mode.HOLDS:
        return False
    known = store.stated(Stated(slots=(slot,), states=NOT_ENDED))
    return any(record.metadata.get("extractor") == item.candidate.extractor for record in known)


def _with_the_only_known(item: Extracted, statement: Statement, store: UserStore) -> Extracted:
    """Resolve "I sold my car" to the known car, if there is just one."""
    slot_prefixes = (slot_of(statement.subject, statement.predicate),)
    wanted = Stated(within=slot_prefixes, states=ACTIVE, limit=COMPARED)
    known = [record for record in store.stated(wanted) if not record.negated]
    if predicate(statement.predicate).many:
        known = [r for r in known if shared(statement.object, statement_of(r).object) == 1.0]
    return reworded(item, object=statement_of(known[0]).object) if len(known) == 1 else item


def _with_full_name(item: Extracted, statement: Statement, store: UserStore) -> Extracted:
    """Resolve "I am Ruth" to Ruth Keller: a part of the known name is not a new name."""
    wanted = Stated(slots=(slot_of_statement(statement),), states=ACTIVE)
    for record in store.stated(wanted):
        known, words = statement_of(record).object, set(normal_name(statement.object).split())
        if not record.negated and words < set(normal_name(known).split()):
            return _in_other_words(item, known)
    return item


def _in_other_words(item: Extracted, known: str) -> Extracted:
    """The item with the known object; the turn does not have all of its words."""
    same = reworded(item, object=known)
    return same._replace(candidate=replace(same.candidate, other_words=True))


def _nearest(statement: Statement, workspace: Workspace) -> list[str]:
    """Objects of the same subject and predicate with similar sentences, among the newest facts."""
    slot_prefix = slot_of(statement.subject, statement.predicate)
    candidates = workspace.store.slot_numbers(slot_prefix, COMPARED)
    if not candidates:
        return []
    try:
        vector = workspace.embedder.embed([sentence(statement)])[0]
    except ProviderError:
        return []
    numbers, matrix = workspace.store.vectors(candidates, workspace.embedder.space)
    cosines = matrix @ vector
    order = np.argsort(-cosines)[:_MAX_NEAREST]
    nearest = numbers[order[cosines[order] >= LOOK_COSINE]]
    records = workspace.store.fetch(nearest.tolist())
    return [statement_of(r).object for r in records if r.standing.state in NOT_ENDED]


class _ByVector:
    """`Alike` by the embedder's vectors; finds nothing if the embedder fails."""

    def __init__(self, workspace: Workspace) -> None:
        self._embedder, self._store = workspace.embedder, workspace.store
        self.stored: dict[str, int] = {}
        """Record numbers by text: their vectors are read instead of computed."""

    def __call__(self, text: str, candidates: Sequence[str], min_cosine: float) -> int | None:
        if not candidates:
            return None
        try:
            vectors = self._vectors([text, *candidates])
        except ProviderError:
            return None
        cosines = vectors[1:] @ vectors[0]
        best = int(np.argmax(cosines))
        return best if float(cosines[best]) >= min_cosine else None

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        stored = [self.stored[text] for text in texts if text in self.stored]
        space, vector_of = self._embedder.space, dict[int, NDArray[np.float32]]()
        if stored:
            numbers, vectors = self._store.vectors(stored, space)
            vector_of = dict(zip(numbers.tolist(), vectors, strict=True))
        loaded = [vector_of.get(self.stored.get(text, 0)) for text in texts]
        unknown = [text for text, vector in zip(texts, loaded, strict=True) if vector is None]
        new = iter(self._embedder.embed(unknown))
        return np.stack([next(new) if vector is None else vector for vector in loaded])


def _is_echo(item: Extracted, draft: Draft, store: UserStore) -> bool:
    """True if a speaker other than the user repeats what was just recalled."""
    statement, trust = item.candidate.statement, item.turn.provenance.trust
    holds = item.candidate.mode is Mode.HOLDS  # recall does not say that something is over
    if statement is None or trust >= Trust.USER or not ECHO_HOURS or not holds:
        return False
    recently = draft.now - timedelta(hours=ECHO_HOURS)
    for record in draft.in_slot(slot_of_statement(statement)):
        if same_object(statement.predicate, statement_of(record).object, statement.object):
            parents = store.find(record.provenance.parents)
            accessed = [source.standing.accessed_at for source in (record, *parents)]
            if any(moment is not None and moment >= recently for moment in accessed):
                return True
    return False


def _stale(draft: Draft, store: UserStore) -> tuple[Revision, ...]:
    """Marks as stale what was derived from facts that are now closed, unless closed itself."""
    if not draft.closed:
        return ()
    children = store.derived(draft.closed)
    ids = {child for group in children.values() for child in group} - set(draft.closed)
    revised = {revision.id for revision in draft.revisions}
    derived = store.find(sorted(ids - revised))
    return tuple(
        Revision(record.id, replace(record.standing, state=State.STALE), record.valid_to)
        for record in derived
        if record.standing.state is State.ACTIVE
    )
