"""The contract of a store: what was spent, and what a user agreed to."""

from datetime import date

from sharpwave.ports import Store
from sharpwave.storage.check import NOW, Check, add, example
from sharpwave.types.storing import Selection
from sharpwave.types.working import Purpose, Spending


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def check_ledger(store: Store) -> None:
    """Costs add up by user and day; consents are as last given; they go with their user."""
    ledger, today = store.ledger, date(2026, 3, 14)
    assert ledger.spent("alice", today) == Spending() and ledger.consents("alice") == {}
    add(store, example(1))
    ledger.charge("alice", today, Spending(1, 100, 10, 0.5))
    ledger.charge("alice", today, Spending(2, 50, 5, 0.25))
    assert ledger.spent("alice", today) == Spending(3, 150, 15, 0.75)
    assert ledger.spent("alice", date(2026, 3, 15)) == Spending() == ledger.spent("bob", today)
    ledger.consent("alice", Purpose.EGRESS, True, NOW)
    ledger.consent("alice", Purpose.EGRESS, False, NOW)
    ledger.consent("new", Purpose.MEMORY, False, NOW)
    assert ledger.consents("alice") == {Purpose.EGRESS: False}
    assert ledger.consents("new") == {Purpose.MEMORY: False}
    store.forget("alice", Selection(everything=True), NOW)
    assert ledger.spent("alice", today) == Spending()


def check_what_was_withdrawn_stays_withdrawn(store: Store) -> None:
    """No erasure brings back a consent that was withdrawn; what was given goes, and may return."""
    ledger = store.ledger
    add(store, example(1))
    for purpose, granted in ((Purpose.MEMORY, False), (Purpose.EGRESS, True)):
        ledger.consent("alice", purpose, granted, NOW)
    store.forget("alice", Selection(everything=True), NOW)
    assert ledger.consents("alice") == {Purpose.MEMORY: False}
    assert store.users() == [] and ledger.consents("bob") == {}
    add(store, example(2))
    ledger.consent("alice", Purpose.EGRESS, False, NOW)
    store.forget("alice", Selection(everything=True), NOW)
    assert ledger.consents("alice") == {Purpose.MEMORY: False, Purpose.EGRESS: False}
    ledger.consent("alice", Purpose.MEMORY, True, NOW)
    assert ledger.consents("alice") == {Purpose.MEMORY: True, Purpose.EGRESS: False}
    store.forget("alice", Selection(everything=True), NOW)
    assert ledger.consents("alice") == {Purpose.EGRESS: False}
    assert store.verify().ok
