"""How a statement settles among what is known: again, new, newer, weaker, denied or contradicted.

    same value                          -> reinforced: seen once more, a little surer
    new value, several may hold         -> accepted beside the others
    new value, only one may hold        -> said by the user: the old is closed, the new opened
    the same from a weaker source       -> a variant, uncertain, at most a few
    no longer                           -> closed at that time
    contradiction or denial             -> by the better source, or if what is known is old, the
                                           newer; otherwise both are uncertain, and we ask

Nothing is ever deleted here: what is closed keeps its time, its successor and its evidence.
"""

from dataclasses import replace
from datetime import timedelta

from sharpwave.knowledge import predicates
from sharpwave.knowledge.case import Case, Court
from sharpwave.knowledge.draft import Draft, Heard
from sharpwave.knowledge.slots import competing_slots
from sharpwave.types.answers import Verdict
from sharpwave.types.records import Record, Standing, State
from sharpwave.types.statements import Mode

_TRUE_ONCE = frozenset({State.ACTIVE, State.SUPERSEDED})


def settle(draft: Draft, heard: Heard, court: Court) -> None:
    """Decide on one statement; the draft then holds what is to be written."""
    case = _Judged(draft, heard, court)
    if (before := case.heard_before()) is not None:
        draft.say(Verdict.REINFORCED, heard, before, "these very words were read before")
    elif heard.candidate.mode is Mode.HOLDS:
        case.holds()
    elif heard.candidate.mode is Mode.ENDED:
        case.ended()
    else:
        case.denied()


def stale(standing: Standing) -> Standing:
    """How something stands whose ground has gone."""
    return replace(standing, state=State.STALE)


class _Judged(Case):
    """A case, and what becomes of it."""

    # ---- the three things that can be said

    def holds(self) -> None:
        """Such as: I live in Porto."""
        if self.is_past():
            self.ended()
            return
        again = self.same(negated=False)
        if again is not None:
            self._again(again)
            return
        corrected = self.corrected()
        against = self.contradicted()
        replaced = [] if self.row.many else self.others()
        opponents = [*corrected, *against, *replaced]
        if any(record.provenance.trust > self.trust for record in opponents):
            self._as_variant(max(opponents, key=lambda record: record.provenance.trust))
        elif any(record.standing.last_seen_at > self.said_at for record in opponents):
            self._as_old_news(opponents)
        elif corrected or self.prevails_over(against):
            self._take_place(corrected, [*against, *replaced])
        else:
            self._ask(self.new(), max(against, key=lambda record: record.provenance.trust))

    def ended(self) -> None:
        """Such as: I no longer live in Porto, I used to live in Porto."""
        known = self.same(negated=False)
        ended_at = self.heard.candidate.valid_to or self.said_at
        if known is None and (past := self.past()) is not None:
            supported = self.draft.support(past, self.heard)
            self.draft.say(Verdict.REINFORCED, self.heard, supported, "known as history")
        elif known is None:
            self._remember_past(self.others() if not self.row.many else [])
        elif known.provenance.trust > self.trust:
            self._reject(known, "a weaker source cannot end it")
        elif known.standing.last_seen_at > self.said_at:
            self._reject(known, "it was said again later")
        elif ended_at > self.said_at:
            self.draft.support(self.draft.revise(known, valid_to=ended_at), self.heard)
            until = f"it holds until {ended_at.date().isoformat()}"
            self.draft.say(Verdict.CLOSED, self.heard, known, until)
        else:
            ended = {"state": State.SUPERSEDED, "superseded_by": self.heard.turn.id}
            closed = self.draft.close(known, ended_at, **ended)
            self.draft.support(closed, self.heard)
            self.draft.say(Verdict.CLOSED, self.heard, closed, "it no longer holds")

    def denied(self) -> None:
        """Such as: I don't live in Porto."""
        again = self.same(negated=True)
        if again is not None:
            self._again(again)
            return
        known = self.same(negated=False)
        if known is None or self.is_past():
            self._accept(self.new())
        elif known.provenance.trust > self.trust:
            self._reject(known, "a weaker source cannot deny it")
        elif known.standing.last_seen_at > self.said_at:
            self._reject(known, "it was said again later")
        elif known.provenance.trust < self.trust:
            self._take_place([known], [])
        elif self.heard.candidate.instead_of or known.standing.rival or self.long_ago([known]):
            self._take_place([], [known])
        else:
            self._ask(self.new(), known)

    # ---- what follows

    def _again(self, record: Record) -> None:
        others = [] if self.row.many else self.others()
        newer = [other for other in others if other.standing.last_seen_at > self.said_at]
        if record.provenance.trust < self.trust:
            if newer and not record.negated:
                self._as_old_news(newer)
            else:
                self._confirm(record)
            return
        supported = self._prolong(record, self.draft.support(record, self.heard))
        doubted = supported.standing.state is State.UNCERTAIN and not newer
        if doubted and all(other.provenance.trust <= self.trust for other in others):
            self._decide_for(supported)
            return
        self.draft.say(Verdict.REINFORCED, self.heard, supported)

    def _prolong(self, before: Record, record: Record) -> Record:
        """Let it hold as long as is said now; what is only taken for granted so long, once more."""
        until, days = self.heard.candidate.valid_to, self.row.expires_days
        if until is None and days is not None and before.valid_to is not None:
            last_seen = max(before.valid_from, before.standing.last_seen_at)
            if before.valid_to == last_seen + timedelta(days=days):
                until = max(before.valid_to, self.said_at + timedelta(days=days))
        if until is None or until <= max(self.said_at, record.valid_from):
            return record
        return self.draft.revise(record, valid_to=until)

    def _confirm(self, record: Record) -> None:
        """A better source says the same: its word takes the place of the weaker one's."""
        new = self.new(valid_from=min(record.valid_from, self.since))
        self.draft.add(new)
        against = record.standing.rival
        places = competing_slots(self.heard.candidate)
        stood = [record for place in places for record in self.draft.in_slot(place)]
        for other in [r for r in stood if r.id == against]:
            self._supersede(other, new)
        held = record.standing.state is State.ACTIVE
        state = State.SUPERSEDED if held else State.INVALIDATED  # without the new, it does not hold
        past = {"state": state, "superseded_by": new.id, "rival": None}
        self.draft.close(record, max(self.said_at, record.valid_from), **past)
        for other in self.others() if not self.row.many else []:
            if other.provenance.trust <= self.trust:
                self._supersede(other, new)
        self.draft.say(Verdict.VERSIONED, self.heard, new, "confirmed by a better source")

    def _decide_for(self, record: Record) -> None:
        """What was in doubt was said again: it holds, and what stood against it does not."""
        settled = self.draft.revise(record, state=State.ACTIVE, rival=None)
        stood = [
            r for place in competing_slots(self.heard.candidate) for r in self.draft.in_slot(place)
        ]
        for other in stood:
            against = other.standing.rival == record.id
            replaced = other in self.others() and not self.row.many
            if other.id != record.id and (against or replaced):
                self._supersede(other, settled)
        self.draft.say(Verdict.REINFORCED, self.heard, settled, "it was in doubt, and is not now")

    def _accept(self, new: Record) -> None:
        self.draft.add(new)
        self.draft.say(Verdict.ACCEPTED, self.heard, new)

    def _take_place(self, wrong: list[Record], outdated: list[Record]) -> None:
        new = self.draft.add(self.new())
        for record in wrong:
            changes = {"state": State.INVALIDATED, "superseded_by": new.id, "rival": None}
            self.draft.close(record, self.said_at, **changes)
        for record in outdated:
            if record.id not in {one.id for one in wrong}:
                self._supersede(record, new)
        replaced = [*wrong, *outdated]
        reason = f"instead of: {replaced[0].text}" if replaced else ""
        verdict = Verdict.VERSIONED if replaced else Verdict.ACCEPTED
        self.draft.say(verdict, self.heard, new, reason)

    def _supersede(self, record: Record, by: Record) -> None:
        """Close the old when the new begins; if that is still to come, it holds until then."""
        begins = max(by.valid_from, record.valid_from)
        if begins > self.said_at and begins > record.valid_from:
            ends = min(begins, record.valid_to or begins)
            self.draft.revise(record, valid_to=ends, superseded_by=by.id, rival=None)
            return
        successor = record.standing.superseded_by or by.id
        self.draft.close(record, begins, state=State.SUPERSEDED, superseded_by=successor)

    def _as_variant(self, known: Record) -> None:
        """Keep what a weaker source says beside what is known, as long as there is room."""
        variants = [
            record
            for record in self.draft.in_slot(self.slot)
            if record.standing.state is State.UNCERTAIN and record.standing.rival is None
        ]
        new = self.new(state=State.UNCERTAIN)
        if len(variants) >= self.court.settings.max_variants:
            weakest = min(variants, key=lambda record: record.standing.confidence)
            if weakest.standing.confidence >= new.standing.confidence:
                self._reject(known, "a weaker source says otherwise, and so do stronger variants")
                return
            changes = {"state": State.INVALIDATED, "superseded_by": new.id}
            self.draft.close(weakest, self.said_at, **changes)
        self.draft.add(new)
        self.draft.say(Verdict.VARIANT, self.heard, new, f"a better source says: {known.text}")

    def _as_old_news(self, newer: list[Record]) -> None:
        """What is said to have been true before what we know: history, not news."""
        told = [record for record in self.draft.in_slot(self.slot) if not record.negated]
        same = [record for record in told if self.has_object(record, self.statement.object)]
        if any(r.standing.state is State.INVALIDATED and self.open(r) for r in same):
            self._reject(newer[-1], "it turned out to be wrong later")
            return
        before = [record for record in told if record.standing.state in _TRUE_ONCE]
        after = [record for record in before if record.valid_from > self.since]
        successor = min(after or newer, key=lambda record: record.valid_from)
        around = [
            r for r in before if r.valid_to is not None and r.valid_from <= self.since < r.valid_to
        ]
        known = [r for r in same if r in before and (r in around or r.valid_from == self.since)]
        again = next((r for r in same if r is successor or r in known), None)
        if again is not None:
            supported = self.draft.support(again, self.heard)
            self.draft.say(Verdict.REINFORCED, self.heard, supported, "known as history")
            return
        spanned = any(record.valid_from <= self.since for record in newer)
        ends = self.since if spanned else max(successor.valid_from, self.since)
        past = self.new(valid_to=ends, state=State.SUPERSEDED, superseded_by=successor.id)
        new = self.draft.add(past)
        for record in [] if self.row.many else around:
            self.draft.close(record, self.since, state=State.SUPERSEDED, superseded_by=new.id)
        self.draft.say(Verdict.ACCEPTED, self.heard, new, f"as history, before: {successor.text}")

    def _remember_past(self, current: list[Record]) -> None:
        """Something that was true once, and is over."""
        ended = self.heard.candidate.valid_to or min(
            [self.said_at, *(record.valid_from for record in current)]
        )
        start = self.heard.candidate.valid_from or ended
        past = self.new(valid_from=min(start, ended), valid_to=ended, state=State.SUPERSEDED)
        self.draft.add(past)
        self.draft.say(Verdict.ACCEPTED, self.heard, past, "as history: it no longer holds")

    def _ask(self, new: Record, known: Record) -> None:
        """Both are in doubt until somebody says which is right."""
        self.draft.add(new)
        self.draft.revise(new, state=State.UNCERTAIN, rival=known.id)
        self.draft.revise(known, state=State.UNCERTAIN, rival=new.id)
        reason = predicates.contradiction(known.text, new.text)
        self.draft.say(Verdict.QUEUED, self.heard, new, reason)

    def _reject(self, known: Record, reason: str) -> None:
        self.draft.say(Verdict.REJECTED, self.heard, reason=f"{reason}: {known.text}")
