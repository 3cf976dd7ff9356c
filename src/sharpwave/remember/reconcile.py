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
from sharpwave.reading.quotes import says_it_is_over
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
_LOOKED_AT = 4
LOOK_COSINE = 0.8
"""Minimum cosine of sentences whose objects are compared."""
COMPARED = 200
"""Maximum number of facts, the newest, that are searched for the same in other words."""
ECHO_HOURS = 1.0
"""Hours after a recall in which an assistant that repeats it gives no new evidence."""
NAMED_SHARE = 0.5
"""Share of a statement in own words that a later reading must quote or say to replace it."""
_LONG = (settle_tasks.TASK, settle_tasks.NOTE)  # slots where everything is in one


def decide(workspace: Workspace, heard: Sequence[Extracted], now: datetime) -> Decided:
    """Settle everything heard, in order, as if each were stored before the next is looked at."""
    alike = _ByVector(workspace)
    people = _people(heard, workspace.store)
    known_before = [_as_worded_before(_with_names(one, people), workspace, alike) for one in heard]
    named = [each for one in known_before for each in _aimed(one, workspace)]
    known, seen = _known(named, now, workspace.store)
    unnamed = _unnamed(heard, workspace.store)
    supported = _supported(heard, workspace.store)
    every = {record.id: record for record in (*known, *unnamed)}
    alike.stored.update({one.text: one.number for one in known if one.kind is Kind.TASK})
    draft = Draft.on(list(every.values()), now, supported, alike)
    moved: list[Extracted] = []
    for one in named:
        if _is_echo(one, draft, workspace.store):
            draft.say(Verdict.REJECTED, one, reason="an echo of what was just recalled")
        elif one.candidate.target is not None:
            settle_known.settle(draft, one, one.candidate.target)
        elif one.candidate.effect_only:
            if one.candidate.kind is Kind.TASK:
                moved += [one] if _moves(draft, one, workspace.shared.reader) else []
            elif one.candidate.mode is Mode.ENDED and settle_facts.is_known(draft, one):
                settle_facts.settle(draft, one)
        elif one.candidate.kind is Kind.TASK:
            if not any(_is_within(each, one) for each in moved):
                settle_tasks.settle_task(draft, one, _subject(one))
        elif one.candidate.kind is Kind.NOTE:
            settle_tasks.settle_note(draft, one)
        else:
            settle_facts.settle(draft, one)
    _name(unnamed, named, draft)
    return Decided(draft, seen, _gone_stale(draft, workspace.store))


def _moves(draft: Draft, one: Extracted, reader: Reader | None) -> bool:
    """True if a clause says of a task that it is no more to be done, though it may not be known."""
    may_end = partial(changes.may_end, one.turn.text[slice(*one.candidate.span)], reader)
    settled = settle_tasks.settle_by_deed(draft, one, _subject(one), may_end)
    return settled or one.candidate.status is TaskStatus.DROPPED


def _is_within(move: Extracted, one: Extracted) -> bool:
    return move.turn.id == one.turn.id and move.candidate.span.overlaps(one.candidate.span)


def _unnamed(heard: Sequence[Extracted], store: UserStore) -> list[Record]:
    """Statements that the built-in reader kept in own words, of turns that are read again."""
    ids = sorted({one.turn.id for one in heard if one.turn.number})
    children = {child for group in (store.derived(ids) if ids else {}).values() for child in group}
    return [
        record
        for record in store.find(sorted(children))
        if record.standing.state is State.ACTIVE
        and record.statement is not None
        and record.statement.predicate in (NOTED, settle_tasks.TASK)
        and not str(record.metadata.get("extractor")).startswith(BY_MODEL)
    ]


def _name(unnamed: Sequence[Record], heard: Sequence[Extracted], draft: Draft) -> None:
    """Close statements kept in own words that the new facts cover.

    A task goes only where another was read. What a reading confirms, or speaks of, stays.
    """
    slots = {slot for one in heard for slot in _slots(one)}
    named = {one.candidate.target.id for one in heard if one.candidate.target}
    named |= {one.id for one in draft.outcomes if one.id and one.verdict is Verdict.REINFORCED}
    for record in unnamed:
        if record.id in named or (record.kind is Kind.FACT and record.slot in slots):
            continue  # confirmed, or just said again
        kept = Span(*cast(list[int], record.metadata["span"]))
        again = [
            one.candidate
            for one in heard
            if one.turn.id in record.provenance.parents
            and (record.kind is Kind.FACT or one.candidate.kind is record.kind)
            and (
                one.candidate.target is None
                or one.candidate.target.relation is not TargetRelation.END
            )
        ]
        quoted = {place for one in again for place in range(*one.span)} & set(range(*kept))
        words = stems(record.text)
        said = {word for one in again for word in words & stems(one.text)}
        covered = quoted and len(quoted) >= NAMED_SHARE * (kept.end - kept.start)
        if covered or len(said) > NAMED_SHARE * len(words):
            parent = record.provenance.parents[0]
            draft.close(record, draft.now, state=State.SUPERSEDED, superseded_by=parent)


def still_news(
    heard: Sequence[Extracted], turns: Sequence[Record], store: UserStore
) -> list[Extracted]:
    """What was heard, but for turns heard before, as their keys say, and for turns now gone."""
    keys = [turn.provenance.idempotency_key for turn in turns]
    known = set(store.known([key for key in keys if key is not None]))
    old: set[str] = set()
    for turn, key in zip(turns, keys, strict=True):
        if key in known:
            old.add(turn.id)
        elif key is not None:
            known.add(key)  # the same key again in this call
    stored = {one.turn.id for one in heard if one.turn.number}
    found = store.find(sorted(stored)) if stored else []
    old |= stored - {turn.id for turn in found if turn.standing.state is State.ACTIVE}
    return [one for one in heard if one.turn.id not in old]


def _supported(heard: Sequence[Extracted], store: UserStore) -> set[Evidence]:
    """What turns that were stored earlier support already."""
    ids = sorted({one.turn.id for one in heard if one.turn.number})
    derived = store.derived(ids) if ids else {}
    return {Evidence(child, turn) for turn, children in derived.items() for child in children}


def _known(
    heard: Sequence[Extracted], now: datetime, store: UserStore
) -> tuple[list[Record], dict[str, int]]:
    """What competes with this. The heads come first: what changes after them is noticed.

    Facts that are over are read too, as history; of tasks and notes, of which there may be many,
    only for what was said before now: it may have been settled since.
    """
    heads = store.slot_heads(sorted({slot for one in heard for slot in _slots(one)}))
    late = any(one.turn.number or one.turn.valid_from < now for one in heard)
    long = {slot for slot in heads if not late and slot.split("|")[1] in _LONG}
    found: list[Record] = []
    for wanted, states in ((set(heads) - long, frozenset[State]()), (long, NOT_ENDED)):
        if wanted:
            found += store.stated(Stated(slots=tuple(sorted(wanted)), states=states))
    return found, heads


def _slots(one: Extracted) -> list[str]:
    target = one.candidate.target
    if target is None:
        return _own_slots(one)
    replaces = target.relation in (TargetRelation.UPDATE, TargetRelation.CORRECTION)
    own = _own_slots(one) if replaces else ()
    return list(dict.fromkeys([*own, target.slot]))


def _own_slots(one: Extracted) -> list[str]:
    if one.candidate.kind is Kind.TASK:
        return [settle_tasks.task_slot(_subject(one))]
    if one.candidate.kind is Kind.NOTE or one.candidate.statement is None:
        return [settle_tasks.note_slot()]
    return competing_slots(one.candidate)


def _subject(one: Extracted) -> str:
    return one.candidate.statement.subject if one.candidate.statement else USER


def _relation(one: Extracted) -> str | None:
    """The slot that holds the name of `user's sister`; None for other subjects."""
    owner, known_by, relation = _subject(one).partition("'s ")
    return slot_of(owner, relation.replace(" ", "_")) if known_by else None


def _people(heard: Sequence[Extracted], store: UserStore) -> list[Record]:
    """Facts that name the people who were spoken of by a relation."""
    within = {relation for one in heard if (relation := _relation(one))}
    if not within:
        return []
    found = store.stated(Stated(within=tuple(sorted(within)), states=ACTIVE))
    return [record for record in found if not record.negated]


def _with_names(one: Extracted, people: Sequence[Record]) -> Extracted:
    """Call the user's sister by her name, if one is known; what is said so goes with its turn."""
    relation = _relation(one)
    if relation is None:
        return one
    named = [person for person in people if str(person.slot).startswith(relation)]
    names = {statement_of(person).object for person in named}
    if len(names) != 1:
        return one
    name = names.pop()
    same = reworded(one, subject=name)
    if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", own_words(one.turn.text), re.IGNORECASE):
        return same
    rests_on = (*same.candidate.rests_on, *named[0].provenance.parents[:1])
    known = replace(same.candidate, other_words=True, rests_on=tuple(dict.fromkeys(rests_on)))
    return same._replace(candidate=known)


def _as_worded_before(one: Extracted, workspace: Workspace, alike: Alike) -> Extracted:
    """The statement in the known wording, if the same is known in other words.

    Only for free words, of which several may hold: two cities are never the same in other words.
    """
    statement = one.candidate.statement
    if statement is None or one.candidate.kind is not Kind.FACT:
        return one
    if statement.predicate == NOTED and (one.candidate.is_worded or one.candidate.effect_only):
        return one  # it was said in view of what is known
    row = predicate(statement.predicate)
    if one.candidate.mode is Mode.ENDED and _UNNAMED.match(statement.object):
        return _with_the_only_one(one, statement, workspace.store)
    if row.names and not row.many and one.candidate.mode is Mode.HOLDS:
        return _with_full_name(one, statement, workspace.store)
    if not row.many or row.object is not Objects.TEXT:
        return one
    slot = slot_of_statement(statement)
    if workspace.store.slot_heads([slot])[slot]:
        return _as_worded(one) if _is_repeated(one, slot, workspace.store) else one
    alone = " ".join(one.turn.text[slice(*one.candidate.span)].split())
    if statement.predicate == NOTED and alone and statement.object.endswith(alone):
        slot = slot_of_statement(statement._replace(object=alone))
        if workspace.store.slot_heads([slot])[slot]:  # said before without its context
            return reworded(one, object=alone)
    known = _nearest(statement, workspace)
    near = alike(statement.object, known, NOVELTY_COSINE)
    if near is not None and _codes(known[near]) == _codes(statement.object):
        return _in_other_words(one, known[near])
    return _as_worded(one)


def _aimed(one: Extracted, workspace: Workspace) -> list[Extracted]:
    """The statement with the known facts that it ends, or of which it says another date."""
    store = workspace.store
    said, statement = one.candidate, one.candidate.statement
    if statement is None or said.kind is not Kind.FACT or said.target or said.is_worded:
        return [one]
    noted = statement.predicate == NOTED
    is_end = said.mode is Mode.ENDED and (said.effect_only or not noted)
    if not is_end and not (
        said.mode is Mode.HOLDS and noted and changes.may_move(statement.object)
    ):
        return [one]
    newest = Stated(states=ACTIVE, kinds=FACTS, order=Order.NEWEST, limit=COMPARED)
    of_others = (slot_of(USER, NOTED),) if statement.subject != USER else ()
    of_one = replace(newest, within=(f"{normal_name(statement.subject)}|", *of_others))
    known = [record for record in store.stated(of_one) if _may_change(record, one)]
    if is_end:
        if not noted and not (_UNNAMED.match(statement.object) or statement.object[:1].isupper()):
            return [one]  # "sold a bike" may be any
        held = [record for record in known if not says_it_is_over(record.text)]
        what = statement.object if noted else sentence(statement)  # a sold car is not driven either
        of_whom = f"{statement.subject} {what}"
        over = [
            record
            for record in held
            if changes.is_about(
                of_whom if _is_noted(record) else what, record.text, _is_noted(record)
            )
        ]
        over, clause = _meant(over), one.turn.text[slice(*said.span)]
        places = changes.meant(clause, [record.text for record in over], workspace.shared.reader)
        aimed = [with_target(one, TargetRelation.END, over[at]) for at in places]
        return aimed if noted else [one, *aimed]
    dated = replace(newest, predicates=frozenset({"happened_on"}))
    known += [record for record in store.stated(dated) if _may_change(record, one)]
    moved = changes.moved(statement.object, [_with_day(r) for r in known], one.turn.valid_from)
    plans = [known[at] for at in moved if known[at].valid_to and not _is_noted(known[at])]
    over = [known[at] for at in moved if known[at] not in plans]
    later = [
        replace(
            said,
            statement=statement_of(plan),
            valid_to=changes.new_end(statement.object, one.turn.valid_from, plan.valid_to),
        )
        for plan in plans
    ]
    update = [with_target(one, TargetRelation.UPDATE, record) for record in over[:1]] or [one]
    ends = [with_target(one, TargetRelation.END, record) for record in over[1:]]
    return [*ends, *(one._replace(candidate=each) for each in later), *update]


def _meant(over: Sequence[Record]) -> list[Record]:
    """Those that are meant without doubt: "the bike" is neither of two."""
    many = Counter(statement_of(record).predicate for record in over if not _is_noted(record))
    return [record for record in over if many[statement_of(record).predicate] < 2]


_CHANGING = frozenset("work education health skill schedule plan event possession other".split())
"""Types of facts that end or move: not who a person is, or likes."""


def _may_change(record: Record, one: Extracted) -> bool:
    own = one.turn.id in record.provenance.parents
    weaker = record.provenance.trust <= one.turn.provenance.trust
    may_end = not record.negated and not _CHANGING.isdisjoint(record.tags)
    return weaker and not own and may_end


def _is_noted(record: Record) -> bool:
    return statement_of(record).predicate == NOTED


def _with_day(record: Record) -> str:
    """A plan with the day until which it is known."""
    until = record.valid_to
    return (
        record.text if until is None or _is_noted(record) else f"{record.text} ({until:%d %B %Y})"
    )


def _codes(text: str) -> list[str]:
    """Numbers and single capitals: "revision B" is not "revision C" in other words."""
    return re.findall(r"\d+|\b[A-HJ-Z]\b", text)


def _as_worded(one: Extracted) -> Extracted:
    """A sentence that ends or denies nothing known: it holds, if it is worded as an end."""
    statement = one.candidate.statement
    if statement is None or statement.predicate != NOTED or one.candidate.mode is Mode.DENIED:
        return one
    if not says_it_is_over(statement.object):
        return one
    return one._replace(candidate=replace(one.candidate, mode=Mode.HOLDS))


def _is_repeated(one: Extracted, slot: str, store: UserStore) -> bool:
    """True if a sentence that is to end or deny is known as such: it does not end itself."""
    if one.candidate.mode is Mode.HOLDS:
        return False
    known = store.stated(Stated(slots=(slot,), states=NOT_ENDED))
    return any(record.metadata.get("extractor") == one.candidate.extractor for record in known)


def _with_the_only_one(one: Extracted, statement: Statement, store: UserStore) -> Extracted:
    """Understand "I sold my car": the one that is known, if there is just one."""
    within = (slot_of(statement.subject, statement.predicate),)
    wanted = Stated(within=within, states=ACTIVE, limit=COMPARED)
    known = [record for record in store.stated(wanted) if not record.negated]
    if predicate(statement.predicate).many:
        known = [r for r in known if shared(statement.object, statement_of(r).object) == 1.0]
    return reworded(one, object=statement_of(known[0]).object) if len(known) == 1 else one


def _with_full_name(one: Extracted, statement: Statement, store: UserStore) -> Extracted:
    """Understand "I am Ruth" of Ruth Keller: a part of the known name is no new one."""
    wanted = Stated(slots=(slot_of_statement(statement),), states=ACTIVE)
    for record in store.stated(wanted):
        known, words = statement_of(record).object, set(normal_name(statement.object).split())
        if not record.negated and words < set(normal_name(known).split()):
            return _in_other_words(one, known)
    return one


def _in_other_words(one: Extracted, known: str) -> Extracted:
    """The object as it is known; the turn does not have all of its words."""
    same = reworded(one, object=known)
    return same._replace(candidate=replace(same.candidate, other_words=True))


def _nearest(statement: Statement, workspace: Workspace) -> list[str]:
    """Objects of the same subject and predicate whose sentences lie near, among the newest."""
    within = slot_of(statement.subject, statement.predicate)
    numbers = workspace.store.slot_numbers(within, COMPARED)
    if not numbers:
        return []
    try:
        vector = workspace.embedder.embed([sentence(statement)])[0]
    except ProviderError:
        return []
    found, matrix = workspace.store.vectors(numbers, workspace.embedder.space)
    cosines = matrix @ vector
    best = np.argsort(-cosines)[:_LOOKED_AT]
    near = found[best[cosines[best] >= LOOK_COSINE]]
    records = workspace.store.fetch(near.tolist())
    return [statement_of(r).object for r in records if r.standing.state in NOT_ENDED]


class _ByVector:
    """`Alike` by the embedder's vectors; finds nothing if the embedder fails."""

    def __init__(self, workspace: Workspace) -> None:
        self._embedder, self._store = workspace.embedder, workspace.store
        self.stored: dict[str, int] = {}
        """Record numbers by text: their vectors are read instead of computed."""

    def __call__(self, one: str, others: Sequence[str], least: float) -> int | None:
        if not others:
            return None
        try:
            vectors = self._vectors([one, *others])
        except ProviderError:
            return None
        cosines = vectors[1:] @ vectors[0]
        best = int(np.argmax(cosines))
        return best if float(cosines[best]) >= least else None

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        wanted = [self.stored[text] for text in texts if text in self.stored]
        space, held = self._embedder.space, dict[int, NDArray[np.float32]]()
        if wanted:
            numbers, vectors = self._store.vectors(wanted, space)
            held = dict(zip(numbers.tolist(), vectors, strict=True))
        places = [held.get(self.stored.get(text, 0)) for text in texts]
        unknown = [text for text, vector in zip(texts, places, strict=True) if vector is None]
        new = iter(self._embedder.embed(unknown))
        return np.stack([next(new) if vector is None else vector for vector in places])


def _is_echo(one: Extracted, draft: Draft, store: UserStore) -> bool:
    """True if anyone but the user repeats what was just recalled."""
    statement, trust = one.candidate.statement, one.turn.provenance.trust
    holds = one.candidate.mode is Mode.HOLDS  # that something is over was not recalled
    if statement is None or trust >= Trust.USER or not ECHO_HOURS or not holds:
        return False
    recently = draft.now - timedelta(hours=ECHO_HOURS)
    for record in draft.in_slot(slot_of_statement(statement)):
        if same_object(statement.predicate, statement_of(record).object, statement.object):
            parents = store.find(record.provenance.parents)
            seen = [each.standing.accessed_at for each in (record, *parents)]
            if any(moment is not None and moment >= recently for moment in seen):
                return True
    return False


def _gone_stale(draft: Draft, store: UserStore) -> tuple[Revision, ...]:
    """What was derived from facts that are closed now, and is not closed itself."""
    if not draft.closed:
        return ()
    children = store.derived(draft.closed)
    ids = {child for group in children.values() for child in group} - set(draft.closed)
    revised = {revision.id for revision in draft.revisions}
    resting = store.find(sorted(ids - revised))
    return tuple(
        Revision(record.id, replace(record.standing, state=State.STALE), record.valid_to)
        for record in resting
        if record.standing.state is State.ACTIVE
    )
