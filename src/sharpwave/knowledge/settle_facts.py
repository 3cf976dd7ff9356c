"""Settle a new statement against the known facts: new, repeated, newer, ended, denied, disputed."""

from dataclasses import replace
from datetime import datetime, timedelta

from sharpwave.knowledge import predicates
from sharpwave.knowledge.draft import (
    Draft,
    Extracted,
    competing_slots,
    learned,
    slot_of_statement,
    statement_of,
)
from sharpwave.knowledge.predicates import same_object, sentence
from sharpwave.types.answers import Verdict
from sharpwave.types.records import (
    ACTIVE_OR_UNCERTAIN,
    EVER_TRUE,
    Kind,
    Record,
    Stage,
    State,
    Trust,
)
from sharpwave.types.statements import Mode

CHANGE_OF_MIND_DAYS = 30.0
"""Days since a fact was last stated after which its contradiction is a change of mind."""
MAX_VARIANTS = 3
"""Variants kept beside a fact; the weakest is replaced [REC-04]."""


class Comparison:
    """A statement, and the known records that it may repeat, replace or contradict."""

    def __init__(self, draft: Draft, extracted: Extracted) -> None:
        self.draft = draft
        self.extracted, self.candidate = extracted, extracted.candidate
        self.statement = statement_of(self.candidate)
        self.row = predicates.predicate(self.statement.predicate)
        self.slot = slot_of_statement(self.statement)
        self.said_at = draft.said_at(extracted)
        self.since = self.candidate.valid_from or self.said_at
        if self.candidate.valid_to is not None:
            self.since = min(self.since, self.candidate.valid_to)
        self.trust = extracted.turn.provenance.trust

    def known_from_same_words(self) -> Record | None:
        """The record that an earlier reading of the same turn made of this statement."""
        if not self.extracted.turn.number:
            return None
        mode = self.candidate.mode
        for record in reversed(self.draft.in_slot(self.slot)):
            over = record.metadata.get("mode") == Mode.ENDED
            fits = {Mode.HOLDS: not over, Mode.ENDED: record.valid_to is not None}
            if (
                self.draft.supports(self.extracted, record)
                and record.provenance.trust >= self.trust
                and record.negated is (mode is Mode.DENIED)
                and self.has_object(record, self.statement.object)
                and fits.get(mode, True)
            ):
                return record
        return None

    def same(self, negated: bool) -> Record | None:
        """The newest active or uncertain record that says the same."""
        same = [
            record
            for record in self.draft.in_slot(self.slot)
            if record.standing.state in ACTIVE_OR_UNCERTAIN
            and record.negated is negated
            and (self.open(record) or record.valid_to == self.candidate.valid_to)
            and self.has_object(record, self.statement.object)
        ]
        return same[-1] if same else None

    def past(self) -> Record | None:
        """The newest superseded record that says this, of the stated time if there is one."""
        ended = self.candidate.valid_to
        since = self.candidate.valid_from and min(self.since, self.said_at)
        for record in reversed(self.draft.in_slot(self.slot)):
            if (
                record.standing.state is State.SUPERSEDED
                and not record.negated
                and record.valid_to is not None
                and (ended is None or record.valid_from <= ended)
                and (since is None or record.valid_to >= since)
                and self.has_object(record, self.statement.object)
            ):
                return record
        return None

    def competing(self) -> list[Record]:
        """Active records of the slot with another value."""
        return [
            record
            for record in self.draft.in_slot(self.slot)
            if record.standing.state is State.ACTIVE
            and not record.negated
            and self.open(record)
            and not self.has_object(record, self.statement.object)
        ]

    def contradicted(self) -> list[Record]:
        """Active records that exclude this statement: its denial, or its opposite."""
        opposite = [
            record
            for name in self.row.excludes
            for record in self.in_slot_with(predicate=name)
            if not record.negated
        ]
        denials = [record for record in self.draft.in_slot(self.slot) if record.negated]
        return [
            record
            for record in [*denials, *opposite]
            if record.standing.state is State.ACTIVE
            and self.open(record)
            and self.has_object(record, self.statement.object)
        ]

    def corrected(self) -> list[Record]:
        """Records that the text itself corrects: "not Lisbon but Porto"."""
        wrong = self.candidate.instead_of
        if wrong is None:
            return []
        return [
            record
            for record in self.in_slot_with(object=wrong)
            if record.standing.state in ACTIVE_OR_UNCERTAIN
            and not record.negated
            and self.has_object(record, wrong)
        ]

    def in_slot_with(self, **parts: str) -> list[Record]:
        """Records in the slot that the statement would have with some parts replaced."""
        return self.draft.in_slot(slot_of_statement(self.statement._replace(**parts)))

    def open(self, record: Record) -> bool:
        """True unless a record had already ended when this was stated."""
        return record.valid_to is None or record.valid_to > self.said_at

    def said_after(self, record: Record) -> bool:
        """True if a record was last stated after this."""
        return self.draft.is_after(record.standing.last_seen_at, self.extracted)

    def ran_ahead(self, record: Record) -> bool:
        """True if a record begins in the future because the sender's clock ran ahead."""
        now = self.draft.now
        return record.valid_from > now and record.standing.last_seen_at > now

    def has_object(self, record: Record, value: str) -> bool:
        """True if a record has this object, in these words or equivalent ones."""
        return same_object(self.statement.predicate, statement_of(record).object, value)

    def long_ago(self, records: list[Record]) -> bool:
        """True if all were last stated at least CHANGE_OF_MIND_DAYS ago."""
        patience = timedelta(days=CHANGE_OF_MIND_DAYS)
        return all(self.said_at - r.standing.last_seen_at >= patience for r in records)

    def prevails_over(self, records: list[Record]) -> bool:
        """True if this statement has a better source than all of the records, or all are old."""
        weaker = all(record.provenance.trust < self.trust for record in records)
        return weaker or self.long_ago(records)

    def is_past(self) -> bool:
        """True if the statement had already ended when it was made."""
        ended = self.candidate.valid_to
        return ended is not None and ended <= self.said_at

    def new(
        self,
        *,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        state: State | None = None,
        superseded_by: str | None = None,
    ) -> Record:
        """The record of this statement."""
        since = valid_from or self.since
        until = valid_to or self.candidate.valid_to
        if until is None and self.row.expires_days is not None:
            until = max(since, self.said_at) + timedelta(days=self.row.expires_days)
        unsure = State.UNCERTAIN if self.trust is Trust.UNTRUSTED else State.ACTIVE
        mode = Mode.DENIED if self.candidate.mode is Mode.DENIED else Mode.HOLDS
        fact = learned(self.draft, self.extracted, Kind.FACT, self.statement)
        worded = self.candidate.is_worded and self.candidate.mode is not Mode.ENDED
        return replace(
            fact,
            text=self.candidate.text if worded else sentence(self.statement, mode),
            standing=replace(
                fact.standing,
                stage=Stage.SEMANTIC if self.trust >= Trust.VERIFIED else Stage.EPISODIC,
                importance=self.row.importance,
                state=state or unsure,
                superseded_by=superseded_by,
            ),
            valid_from=since,
            valid_to=until,
            tags=(self.row.type,),
            metadata={**fact.metadata, "mode": self.candidate.mode.value},
            negated=mode is Mode.DENIED,
            slot=self.slot,
        )


def settle(draft: Draft, extracted: Extracted) -> None:
    """Decide on one statement; the draft then holds what is to be written."""
    case = _Settling(draft, extracted)
    if (before := case.known_from_same_words()) is not None:
        draft.say(Verdict.REINFORCED, extracted, before, "these very words were read before")
    elif extracted.candidate.mode is Mode.HOLDS:
        case.holds()
    elif extracted.candidate.mode is Mode.ENDED:
        case.ended()
    else:
        case.denied()


def is_known(draft: Draft, extracted: Extracted) -> bool:
    """True if the statement is known to hold."""
    return Comparison(draft, extracted).same(negated=False) is not None


class _Settling(Comparison):
    """A comparison, and the decision on the statement."""

    # ---- the three modes of a statement

    def holds(self) -> None:
        """Settle what holds: "I live in Porto"."""
        if self.is_past():
            self.ended()
            return
        repeated = self.same(negated=False)
        if repeated is not None:
            self._reinforce(repeated)
            return
        corrected = self.corrected()
        against = self.contradicted()
        replaced = [] if self.row.many else self.competing()
        opponents = [*corrected, *against, *replaced]
        if any(record.provenance.trust > self.trust for record in opponents):
            self._add_as_variant(max(opponents, key=lambda record: record.provenance.trust))
        elif any(map(self.said_after, opponents)):
            self._add_as_history(opponents)
        elif corrected or self.prevails_over(against):
            self._replace_known(corrected, [*against, *replaced])
        else:
            self._put_in_doubt(self.new(), max(against, key=lambda record: record.provenance.trust))

    def ended(self) -> None:
        """Settle what ended: "I no longer live in Porto", "I used to live in Porto"."""
        known = self.same(negated=False)
        ended_at = self.candidate.valid_to or self.said_at
        if known is None and (past := self.past()) is not None:
            supported = self.draft.support(past, self.extracted)
            self.draft.say(Verdict.REINFORCED, self.extracted, supported, "known as history")
        elif known is None:
            self._add_past(self.competing() if not self.row.many else [])
        elif known.provenance.trust > self.trust:
            self._add_as_variant(known)
        elif self.said_after(known):
            self._reject(known, "it was said again later")
        elif ended_at > self.said_at:
            self.draft.support(self.draft.revise(known, valid_to=ended_at), self.extracted)
            until = f"it holds until {ended_at.date().isoformat()}"
            self.draft.say(Verdict.CLOSED, self.extracted, known, until)
        else:
            ended = {"state": State.SUPERSEDED, "superseded_by": self.extracted.turn.id}
            closed = self.draft.close(known, ended_at, **ended)
            self.draft.support(closed, self.extracted)
            self.draft.say(Verdict.CLOSED, self.extracted, closed, "it no longer holds")

    def denied(self) -> None:
        """Settle a denial: "I don't live in Porto"."""
        denial, known = self.same(negated=True), self.same(negated=False)
        if known is not None and known.provenance.trust > self.trust:
            self._add_as_variant(known)
        elif denial is not None:
            self._reinforce(denial)
        elif known is None or self.is_past():
            self._accept(self.new())
        elif self.said_after(known):
            self._reject(known, "it was said again later")
        elif known.provenance.trust < self.trust:
            self._replace_known([known], [])
        elif self.candidate.instead_of or known.standing.rival or self.long_ago([known]):
            self._replace_known([], [known])
        else:
            self._put_in_doubt(self.new(), known)

    # ---- the possible decisions

    def _reinforce(self, record: Record) -> None:
        competitors = [] if self.row.many else self.competing()
        newer = [competitor for competitor in competitors if self.said_after(competitor)]
        if self.ran_ahead(record) and not newer:
            self._confirm(record, "its time was wrong")
            return
        if record.provenance.trust < self.trust:
            if newer and not record.negated:
                self._add_as_history(newer)
            else:
                self._confirm(record)
            return
        supported = self._extend(record, self.draft.support(record, self.extracted))
        doubted = supported.standing.state is State.UNCERTAIN and not newer
        if doubted and all(competitor.provenance.trust <= self.trust for competitor in competitors):
            self._activate(supported)
            return
        self.draft.say(Verdict.REINFORCED, self.extracted, supported)

    def _extend(self, before: Record, record: Record) -> Record:
        """Extend the end of a record as stated now; a default expiry starts anew."""
        until, days = self.candidate.valid_to, self.row.expires_days
        if until is None and days is not None and before.valid_to is not None:
            last_seen = max(before.valid_from, before.standing.last_seen_at)
            if before.valid_to == last_seen + timedelta(days=days):
                until = max(before.valid_to, self.said_at + timedelta(days=days))
        if until is None or until <= max(self.said_at, record.valid_from):
            return record
        return self.draft.revise(record, valid_to=until)

    def _confirm(self, record: Record, reason: str = "confirmed by a better source") -> None:
        """Replace a record that a better source, or a correct clock, has repeated."""
        new = self.new(valid_from=min(record.valid_from, self.since))
        self.draft.add(new)
        against = record.standing.rival
        slots = competing_slots(self.candidate)
        records = [record for slot in slots for record in self.draft.in_slot(slot)]
        for competitor in [r for r in records if r.id == against]:
            self._supersede(competitor, new)
        held = record.standing.state is State.ACTIVE
        state = State.SUPERSEDED if held else State.INVALIDATED  # without the new, it does not hold
        past = {"state": state, "superseded_by": new.id, "rival": None}
        self.draft.close(record, max(self.said_at, record.valid_from), **past)
        for competitor in self.competing() if not self.row.many else []:
            if competitor.provenance.trust <= self.trust:
                self._supersede(competitor, new)
        self.draft.say(Verdict.VERSIONED, self.extracted, new, reason)

    def _activate(self, record: Record) -> None:
        """Activate an uncertain record that was repeated, and supersede what contradicted it."""
        settled = self.draft.revise(record, state=State.ACTIVE, rival=None)
        records = [r for slot in competing_slots(self.candidate) for r in self.draft.in_slot(slot)]
        for competitor in records:
            against = competitor.standing.rival == record.id
            replaced = competitor in self.competing() and not self.row.many
            if competitor.id != record.id and (against or replaced):
                self._supersede(competitor, settled)
        self.draft.say(
            Verdict.REINFORCED, self.extracted, settled, "it was in doubt, and is not now"
        )

    def _accept(self, new: Record) -> None:
        self.draft.add(new)
        self.draft.say(Verdict.ACCEPTED, self.extracted, new)

    def _replace_known(self, wrong: list[Record], outdated: list[Record]) -> None:
        new = self.draft.add(self.new())
        for record in wrong:
            changes = {"state": State.INVALIDATED, "superseded_by": new.id, "rival": None}
            self.draft.close(record, self.said_at, **changes)
        for record in outdated:
            if record.id not in {mistake.id for mistake in wrong}:
                self._supersede(record, new)
        replaced = [*wrong, *outdated]
        reason = f"instead of: {replaced[0].text}" if replaced else ""
        verdict = Verdict.VERSIONED if replaced else Verdict.ACCEPTED
        self.draft.say(verdict, self.extracted, new, reason)

    def _supersede(self, record: Record, by: Record) -> None:
        """Close the old record when the new one begins, which may be in the future."""
        begins = max(by.valid_from, record.valid_from)
        if begins > self.said_at and begins > record.valid_from:
            ends = min(begins, record.valid_to or begins)
            self.draft.revise(record, valid_to=ends, superseded_by=by.id, rival=None)
            return
        successor = record.standing.superseded_by or by.id
        self.draft.close(record, begins, state=State.SUPERSEDED, superseded_by=successor)

    def _add_as_variant(self, known: Record) -> None:
        """Keep a weaker source's statement as an uncertain variant, up to MAX_VARIANTS.

        An end or a denial is kept likewise: the user has to decide which of the two holds.
        """
        closes, better = self.candidate.mode is not Mode.HOLDS, "a better source says: "
        if closes and (denial := self.same(negated=True)) is not None:
            supported = self.draft.support(denial, self.extracted)
            self.draft.say(Verdict.REINFORCED, self.extracted, supported, f"{better}{known.text}")
            return
        variants = [
            record
            for record in self.draft.in_slot(self.slot)
            if record.standing.state is State.UNCERTAIN and record.standing.rival is None
        ]
        new = self.new(state=State.UNCERTAIN)
        if closes:
            text = sentence(self.statement, self.candidate.mode)
            new = replace(new, text=text, negated=True, valid_to=None)
        if len(variants) >= MAX_VARIANTS:
            weakest = min(variants, key=lambda record: record.standing.confidence)
            if weakest.standing.confidence >= new.standing.confidence:
                self._reject(known, "a weaker source says otherwise, and so do stronger variants")
                return
            changes = {"state": State.INVALIDATED, "superseded_by": new.id}
            self.draft.close(weakest, self.said_at, **changes)
        self.draft.add(new)
        self.draft.say(Verdict.VARIANT, self.extracted, new, f"{better}{known.text}")

    def _add_as_history(self, newer: list[Record]) -> None:
        """Add a statement as history that was true before the known facts."""
        positive = [record for record in self.draft.in_slot(self.slot) if not record.negated]
        same = [record for record in positive if self.has_object(record, self.statement.object)]
        if any(r.standing.state is State.INVALIDATED and self.open(r) for r in same):
            self._reject(newer[-1], "it turned out to be wrong later")
            return
        before = [record for record in positive if record.standing.state in EVER_TRUE]
        after = [record for record in before if record.valid_from > self.since]
        successor = min(after or newer, key=lambda record: record.valid_from)
        around = [
            r for r in before if r.valid_to is not None and r.valid_from <= self.since < r.valid_to
        ]
        known = [r for r in same if r in before and (r in around or r.valid_from == self.since)]
        match = next((r for r in same if r is successor or r in known), None)
        if match is not None:
            supported = self.draft.support(match, self.extracted)
            self.draft.say(Verdict.REINFORCED, self.extracted, supported, "known as history")
            return
        spanned = any(record.valid_from <= self.since for record in newer)
        ends = self.since if spanned else max(successor.valid_from, self.since)
        past = self.new(valid_to=ends, state=State.SUPERSEDED, superseded_by=successor.id)
        new = self.draft.add(past)
        for record in [] if self.row.many else around:
            self.draft.close(record, self.since, state=State.SUPERSEDED, superseded_by=new.id)
        self.draft.say(
            Verdict.ACCEPTED, self.extracted, new, f"as history, before: {successor.text}"
        )

    def _add_past(self, current: list[Record]) -> None:
        """Add a statement that was once true and has ended."""
        ended = self.candidate.valid_to or min(
            [self.said_at, *(record.valid_from for record in current)]
        )
        start = self.candidate.valid_from or ended
        past = self.new(valid_from=min(start, ended), valid_to=ended, state=State.SUPERSEDED)
        self.draft.add(past)
        self.draft.say(Verdict.ACCEPTED, self.extracted, past, "as history: it no longer holds")

    def _put_in_doubt(self, new: Record, known: Record) -> None:
        """Mark both as uncertain until the user says which is right."""
        self.draft.add(new)
        self.draft.revise(new, state=State.UNCERTAIN, rival=known.id)
        self.draft.revise(known, state=State.UNCERTAIN, rival=new.id)
        reason = predicates.contradiction(known.text, new.text)
        self.draft.say(Verdict.QUEUED, self.extracted, new, reason)

    def _reject(self, known: Record, reason: str) -> None:
        self.draft.say(Verdict.REJECTED, self.extracted, reason=f"{reason}: {known.text}")
