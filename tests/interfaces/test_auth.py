"""Keys and tokens: what opens, what does not, and what is kept of them."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from tests.cpu import seconds

from sharpwave import Conflict, InvalidInput, InvalidSettings, Memory, NotFound, Settings
from sharpwave.api.keys import Keys
from sharpwave.errors import Forbidden, ProviderUnavailable, StoreFull, Unauthorized
from sharpwave.interfaces import auth as gate_module
from sharpwave.interfaces.auth import Authenticator, acting_for, require
from sharpwave.ports import KeyRing
from sharpwave.settings.server import OidcSettings, ServerSettings
from sharpwave.testing import FrozenClock
from sharpwave.types.access import ApiKey, Principal, Scope


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings.model_validate({"embedder": {"provider": "hash"}})
    with Memory.open(tmp_path / "memory.db", settings=settings, clock=FrozenClock()) as opened:
        yield opened


def gate(memory: Memory, **settings: object) -> Authenticator:
    return Authenticator(memory.admin.keys, ServerSettings.model_validate(settings))


def test_a_key_opens_its_users_memory_and_no_more(memory: Memory) -> None:
    made = memory.admin.keys.create("laptop", "ana", ["read"])
    principal = gate(memory).admit(f"Bearer {made.secret}")
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
        gate(memory).admit(header)


def test_the_secret_is_kept_nowhere(memory: Memory, tmp_path: Path) -> None:
    made = memory.admin.keys.create("laptop", "ana")
    assert len(made.secret) >= 43 + len("sw_"), "256 bits"
    gate(memory).admit(f"Bearer {made.secret}")
    memory.close()
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert made.secret.encode() not in content and made.secret[3:].encode() not in content


def test_a_revoked_key_opens_nothing_at_once(memory: Memory) -> None:
    made = memory.admin.keys.create("laptop", "ana")
    door = gate(memory)
    door.admit(f"Bearer {made.secret}")
    memory.admin.keys.revoke("laptop")
    with pytest.raises(Unauthorized):
        door.admit(f"Bearer {made.secret}")
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
        gate(memory).admit(header)


def test_checking_a_key_is_cheap(memory: Memory) -> None:
    made = memory.admin.keys.create("laptop", "ana")
    door, header = gate(memory), f"Bearer {made.secret}"
    door.admit(header)
    limit = 1000 * 50e-6
    assert seconds(lambda: [door.admit(header) for _ in range(1000)], limit) < limit


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


class Provider:
    """An identity provider of our own: a key pair, and the tokens it signs."""

    def __init__(self, folder: Path) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.private.public_key()))
        self.file = folder / "jwks.json"
        self.file.write_text(json.dumps({"keys": [{**public, "kid": "k1", "alg": "ES256"}]}))
        self.settings = OidcSettings(
            issuer="https://id.test", audience="sharpwave", jwks=str(self.file)
        )

    def token(self, key: Any = None, algorithm: str = "ES256", **claims: object) -> str:
        now = int(time.time())
        fields = {"iss": "https://id.test", "aud": "sharpwave", "sub": "ana", "exp": now + 60}
        kept = {name: value for name, value in {**fields, **claims}.items() if value is not None}
        return jwt.encode(kept, key or self.private, algorithm, headers={"kid": "k1"})


def test_tokens_of_a_provider(memory: Memory, tmp_path: Path) -> None:
    provider = Provider(tmp_path)
    door = gate(memory, oidc=provider.settings)
    token = provider.token(scope="openid sharpwave:read sharpwave:write admin")
    assert door.admit(f"Bearer {token}") == Principal(
        "ana", frozenset({Scope.READ, Scope.WRITE}), "oidc:ana"
    )
    assert door.admit(f"Bearer {provider.token()}").scopes == frozenset()
    listed = provider.token(scope=["sharpwave:admin", "sharpwave:rea"])
    assert door.admit(f"Bearer {listed}").scopes == {Scope.ADMIN}
    assert door.admit(f"Bearer {provider.token(scope=7)}").scopes == frozenset()
    made = memory.admin.keys.create("laptop", "bob")
    assert door.admit(f"Bearer {made.secret}").user_id == "bob"


def test_bad_tokens(memory: Memory, tmp_path: Path) -> None:
    provider = Provider(tmp_path)
    door = gate(memory, oidc=provider.settings)
    stranger = ec.generate_private_key(ec.SECP256R1())
    now = int(time.time())
    for token in (
        provider.token(exp=now - 600),
        provider.token(iss="https://evil.test"),
        provider.token(aud="others"),
        provider.token(sub=None),
        provider.token(sub=""),
        provider.token(sub="ana/@/langgraph/memories"),
        provider.token(exp=None),
        provider.token(nbf=now + 600),
        provider.token(key=stranger),
        provider.token(key="s" * 64, algorithm="HS256"),
        jwt.encode({"sub": "ana"}, cast(Any, None), "none", headers={"kid": "k1"}),
        "nonsense",
        provider.token()[:-4],
    ):
        with pytest.raises(Unauthorized):
            door.admit(f"Bearer {token}")


def test_clocks_may_be_a_little_apart(memory: Memory, tmp_path: Path) -> None:
    provider, now = Provider(tmp_path), int(time.time())
    door = gate(memory, oidc=provider.settings.model_dump())
    assert door.admit(f"Bearer {provider.token(exp=now - 10)}").user_id == "ana"
    with pytest.raises(Unauthorized):
        door.admit(f"Bearer {provider.token(exp=now - 60)}")


def test_a_secret_among_the_public_keys_signs_nothing(memory: Memory, tmp_path: Path) -> None:
    provider, secret = Provider(tmp_path), b"s" * 64
    key = json.loads(jwt.algorithms.HMACAlgorithm.to_jwk(secret))
    provider.file.write_text(json.dumps({"keys": [{**key, "kid": "k1", "alg": "HS256"}]}))
    door = gate(memory, oidc=provider.settings)
    with pytest.raises(Unauthorized):
        door.admit(f"Bearer {provider.token(key=secret, algorithm='HS256')}")


class Address:
    """Where a provider's keys are fetched from: how often, and whether it answers."""

    def __init__(self, file: Path) -> None:
        self.asked, self.answers = 0, threading.Event()
        self.answers.set()
        address = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address.asked += 1
                address.answers.wait(20.0)
                with suppress(OSError):  # who asked may have gone
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(file.read_bytes())

            def log_message(self, format: str, *args: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def settings(self) -> dict[str, object]:
        url = f"http://127.0.0.1:{self.server.server_port}/keys"
        return {"issuer": "https://id.test", "audience": "sharpwave", "jwks": url}


@pytest.fixture
def fetched(tmp_path: Path) -> Iterator[tuple[Provider, Address]]:
    provider = Provider(tmp_path)
    address = Address(provider.file)
    yield provider, address
    address.answers.set()
    address.server.shutdown()
    address.server.server_close()


def test_a_key_that_was_withdrawn_is_not_trusted_for_long(
    memory: Memory, fetched: tuple[Provider, Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    provider, address = fetched
    patient = gate(memory, oidc=address.settings())
    monkeypatch.setattr(gate_module, "JWKS_CACHE_S", 1e-9)
    strict = gate(memory, oidc=address.settings())
    for door in (patient, strict, patient):
        assert door.admit(f"Bearer {provider.token()}").user_id == "ana"
    assert address.asked == 2, "once each"
    provider.file.write_text(provider.file.read_text().replace("k1", "k2"))
    assert patient.admit(f"Bearer {provider.token()}").user_id == "ana"
    with pytest.raises(Unauthorized):
        strict.admit(f"Bearer {provider.token()}")


def test_a_provider_that_does_not_answer_is_not_waited_for(
    memory: Memory, fetched: tuple[Provider, Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    provider, address = fetched
    address.answers.clear()
    monkeypatch.setattr(gate_module, "JWKS_TIMEOUT_S", 0.05)
    door = gate(memory, oidc=address.settings())
    began = time.monotonic()
    with pytest.raises(ProviderUnavailable, match="try again"):
        door.admit(f"Bearer {provider.token()}")
    assert time.monotonic() - began < 10


def test_a_provider_needs_an_audience_and_keys(memory: Memory, tmp_path: Path) -> None:
    for oidc in (
        {"issuer": "https://id.test"},
        {"issuer": "https://id.test", "audience": "sharpwave"},
        {"issuer": "i", "audience": "a", "jwks": str(tmp_path / "none.json")},
    ):
        with pytest.raises(InvalidSettings):
            gate(memory, oidc=oidc)
