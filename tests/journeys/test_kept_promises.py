"""Promises over time: dates come, consents are withdrawn, files are brought in, policies change."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Kind, Memory, Settings, Source
from sharpwave.errors import KeyReused, NoConsent
from sharpwave.settings.privacy import Policy, PrivacySettings
from sharpwave.testing import FrozenClock
from sharpwave.types.privacy import PolicyAction
from sharpwave.types.records import Trust
from sharpwave.types.working import Purpose

START = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", clock=clock) as opened:
        yield opened


@pytest.mark.spec("PRO-03")
def test_what_ends_on_a_date_is_not_current_after_it(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I am staying in Porto until March 20.")
    assert [fact.object for fact in memory.facts.history("user", "staying_in").current] == ["Porto"]
    clock.advance(days=30)
    history = memory.facts.history("user", "staying_in")
    assert history.current == () and [fact.object for fact in history.versions] == ["Porto"]
    assert memory.facts.list(predicate="staying_in") == [], "as everywhere else"


def test_a_file_is_believed_only_if_somebody_vouches_for_it(memory: Memory, tmp_path: Path) -> None:
    memory.remember("I live in Porto.", idempotency_key="next")
    memory.remember("Remind me to call Ana.")
    lines = list(memory.export())
    with Memory.open(tmp_path / "other.db") as other:
        brought = other.admin.import_(lines)
        assert (brought.added, brought.left_out) == (2, 2), "the words, not what they teach"
        assert not (
            other.facts.profile()
            or other.facts.list()
            or other.tasks.list()
            or other.behavior.notes()
        )
        for item in other.recall("Where do I live?").items:
            assert item.record.kind is Kind.TURN
            assert item.record.provenance.trust is Trust.UNTRUSTED
            assert item.record.provenance.source is Source.IMPORT
        own = other.remember("I like tea.", idempotency_key="next")
        assert own.replayed == (), "a file cannot take a key away"
    with Memory.open(tmp_path / "other.db") as other:
        later = other.admin.import_(lines, own=True)
        assert (later.added, later.already_there, later.left_out) == (2, 2, 0)
        assert [fact.object for fact in other.facts.profile() if fact.predicate == "lives_in"] == [
            "Porto"
        ]
        again = other.admin.import_(lines)
        assert (again.added, again.already_there) == (0, 2)


def test_a_forged_fact_reaches_nothing(memory: Memory, tmp_path: Path) -> None:
    memory.remember("I live in Porto.")
    head, *records = [json.loads(line) for line in memory.export()]
    assert head["format"] and {one["provenance"]["trust"] for one in records} == {"user"}
    with Memory.open(tmp_path / "victim.db") as victim:
        victim.remember("I live in Rome.")
        victim.admin.import_(list(memory.export()))
        assert [fact.object for fact in victim.facts.profile()] == ["Rome"]
        assert "Porto" not in victim.context("Where do I live?", trusted_only=True).text


def test_a_withdrawn_consent_survives_erasure(memory: Memory, tmp_path: Path) -> None:
    memory.remember("I live in Porto.")
    memory.admin.consent("memory", False)
    memory.forget(everything=True)
    assert memory.admin.consents()[Purpose.MEMORY] is False
    assert memory.remember("I live in Porto.").ids == ()
    with pytest.raises(NoConsent):
        memory.admin.import_([])
    memory.close()
    assert memory.user_id.encode() not in (tmp_path / "memory.db").read_bytes()
    with Memory.open(tmp_path / "memory.db") as later:
        assert later.admin.consents()[Purpose.MEMORY] is False
        later.admin.consent("memory", True)
        assert later.remember("I live in Porto.").ids


TEXT = "Write to ana@example.org about my card 4111 1111 1111 1111."
POLICIES = [
    (Policy(), Policy(contact=PolicyAction.REDACT)),
    (Policy(contact=PolicyAction.REDACT), Policy()),
    (Policy(), Policy(contact=PolicyAction.REFUSE)),
    (Policy(financial=PolicyAction.STORE), Policy()),
]


@pytest.mark.parametrize(("before", "after"), POLICIES)
def test_a_replay_is_known_whatever_the_policy(
    tmp_path: Path, before: Policy, after: Policy
) -> None:
    def opened(policy: Policy) -> Memory:
        settings = Settings(privacy=PrivacySettings(stored=policy))
        return Memory.open(tmp_path / "memory.db", settings=settings)

    with opened(before) as memory:
        first = memory.remember(TEXT, idempotency_key="k")
        stored = memory.explain(first.ids[0]).record.text
    with opened(after) as memory:
        again = memory.remember(TEXT, idempotency_key="k")
        assert again.ids == again.replayed == first.ids
        assert memory.explain(first.ids[0]).record.text == stored
        with pytest.raises(KeyReused):
            memory.remember("Something else.", idempotency_key="k")
