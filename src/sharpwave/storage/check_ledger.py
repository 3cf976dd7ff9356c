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
    alice, new = store.for_user("alice"), store.for_user("new")
    today = date(2026, 3, 14)
    assert alice.spent(today) == Spending() and alice.consents() == {}
    add(store, example(1))
    alice.charge(today, Spending(1, 100, 10, 0.5))
    alice.charge(today, Spending(2, 50, 5, 0.25))
    assert alice.spent(today) == Spending(3, 150, 15, 0.75)
    assert alice.spent(date(2026, 3, 15)) == Spending() == store.for_user("bob").spent(today)
    alice.consent(Purpose.EGRESS, True, NOW)
    alice.consent(Purpose.EGRESS, False, NOW)
    new.consent(Purpose.MEMORY, False, NOW)
    assert alice.consents() == {Purpose.EGRESS: False}
    assert new.consents() == {Purpose.MEMORY: False}
    alice.forget(Selection(everything=True), NOW)
    assert alice.spent(today) == Spending()


def check_what_was_withdrawn_stays_withdrawn(store: Store) -> None:
    """No erasure brings back a consent that was withdrawn; what was given goes, and may return."""
    alice = store.for_user("alice")
    add(store, example(1))
    for purpose, granted in ((Purpose.MEMORY, False), (Purpose.EGRESS, True)):
        alice.consent(purpose, granted, NOW)
    alice.forget(Selection(everything=True), NOW)
    assert alice.consents() == {Purpose.MEMORY: False}
    assert store.users() == [] and store.for_user("bob").consents() == {}
    add(store, example(2))
    alice.consent(Purpose.EGRESS, False, NOW)
    alice.forget(Selection(everything=True), NOW)
    assert alice.consents() == {Purpose.MEMORY: False, Purpose.EGRESS: False}
    alice.consent(Purpose.MEMORY, True, NOW)
    assert alice.consents() == {Purpose.MEMORY: True, Purpose.EGRESS: False}
    alice.forget(Selection(everything=True), NOW)
    assert alice.consents() == {Purpose.EGRESS: False}
    assert store.verify().ok
