"""Keys: what opens, what does not, and what is kept of them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
from tests.cpu import seconds

from sharpwave import Conflict, InvalidInput, Memory, NotFound, Settings
from sharpwave.api.keys import Keys
from sharpwave.errors import Forbidden, StoreFull, Unauthorized
from sharpwave.interfaces.auth import acting_for, admit, require
from sharpwave.ports import KeyRing
from sharpwave.testing import FrozenClock
from sharpwave.types.access import ApiKey, Principal, Scope


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings.model_validate({"embedder": {"provider": "hash"}})
    with Memory.open(tmp_path / "memory.db", settings=settings, clock=FrozenClock()) as opened:
        yield opened


def test_a_key_opens_its_users_memory_and_no_more(memory: Memory) -> None:
    made = memory.admin.keys.create("laptop", "ana", ["read"])
    principal = admit(memory.admin.keys, f"Bearer {made.secret}")
    assert principal == Principal("ana", frozenset({Scope.READ}), "laptop")
    require(principal, Scope.READ)
    with pytest.raises(Forbidden, match="write"):
        require(principal, Scope.WRITE)
    with pytest.raises(Forbidden, match="another user"):
        acting_for(principal, "bob")
    assert acting_for(principal, "ana") is principal
    admin = Principal("root", frozenset({Scope.ADMIN}), "boss")
    assert acting_for(admin, "bob").user_id == "bob"


class FullKeyRing:
    """One key, on a disk that takes no further write."""

    def __init__(self, key: ApiKey) -> None:
        self._key = key

    def find(self, digest: bytes) -> ApiKey:
        return self._key

    def used(self, name: str, at: datetime) -> None:
        raise StoreFull("no space left")


def test_a_full_disk_keeps_nobody_from_reading_and_forgetting() -> None:
    key = ApiKey("laptop", "ana", frozenset({Scope.READ}), datetime(2026, 1, 1, tzinfo=UTC))
    keys = Keys(cast("KeyRing", FullKeyRing(key)), FrozenClock())
    assert keys.principal("sw_secret").user_id == "ana"


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", "Basic YTpi", "sw_abc", "Bearer sw_wrong", "Bearer \ud800"],
)
def test_anything_else_opens_nothing(memory: Memory, header: str | None) -> None:
    memory.admin.keys.create("laptop", "ana")
    with pytest.raises(Unauthorized):
        admit(memory.admin.keys, header)


def test_the_secret_is_kept_nowhere(memory: Memory, tmp_path: Path) -> None:
    made = memory.admin.keys.create("laptop", "ana")
    assert len(made.secret) >= 43 + len("sw_"), "256 bits"
    admit(memory.admin.keys, f"Bearer {made.secret}")
    memory.close()
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert made.secret.encode() not in content and made.secret[3:].encode() not in content


def test_a_revoked_key_opens_nothing_at_once(memory: Memory) -> None:
    made = memory.admin.keys.create("laptop", "ana")
    keys = memory.admin.keys
    admit(keys, f"Bearer {made.secret}")
    memory.admin.keys.revoke("laptop")
    with pytest.raises(Unauthorized):
        admit(keys, f"Bearer {made.secret}")
    with pytest.raises(NotFound):
        memory.admin.keys.revoke("laptop")


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (None, "send a key"),
        ("Basic YTpi", "send the key as"),
        ("Bearer  ", "send the key as"),
        ("Bearer " + "x" * 8192, "opens nothing"),
        ("Bearer " + "x" * 8193, "send the key as"),
        ("bearer sw_wrong", "opens nothing"),
    ],
)
def test_the_reason_says_what_to_send(memory: Memory, header: str | None, reason: str) -> None:
    with pytest.raises(Unauthorized, match=reason):
        admit(memory.admin.keys, header)


def test_checking_a_key_is_cheap(memory: Memory) -> None:
    made = memory.admin.keys.create("laptop", "ana")
    keys, header = memory.admin.keys, f"Bearer {made.secret}"
    admit(keys, header)
    limit = 1000 * 50e-6
    assert seconds(lambda: [admit(keys, header) for _ in range(1000)], limit) < limit


def test_use_is_noted_to_the_minute(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    settings = Settings.model_validate({"embedder": {"provider": "hash"}})
    with Memory.open(tmp_path / "m.db", settings=settings, clock=clock) as memory:
        made = memory.admin.keys.create("laptop", "ana")
        for seconds in (1, 30, 40):
            clock.advance(seconds=seconds)
            memory.admin.keys.principal(made.secret)
        (key,) = memory.admin.keys.all()
    assert key.used_at == datetime(2026, 1, 1, 0, 1, 11, tzinfo=UTC)


def test_bad_keys_are_not_made(memory: Memory) -> None:
    memory.admin.keys.create("laptop", "ana")
    with pytest.raises(Conflict, match="laptop"):
        memory.admin.keys.create("laptop", "bob")
    apart = ("x", "ana/@/langgraph/memories", ["read"])
    for name, user, scopes in [
        ("", "a", ["read"]),
        ("x", "", ["read"]),
        ("x", "a", ["all"]),
        apart,
    ]:
        with pytest.raises(InvalidInput):
            memory.admin.keys.create(name, user, scopes)
    with pytest.raises(InvalidInput, match="without scopes"):
        memory.admin.keys.create("x", "a", [])
    for name in ("team/laptop", ".", ".."):
        with pytest.raises(InvalidInput, match="URLs"):
            memory.admin.keys.create(name, "a")
