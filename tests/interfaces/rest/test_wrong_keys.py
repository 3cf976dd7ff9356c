"""Wrong keys are slowed, sign-in links expire, and errors hold no path of the server."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from tests.interfaces.rest.serving import EVERYTHING, Served, serving

from sharpwave.errors import InvalidSettings, StorageError, Unauthorized
from sharpwave.interfaces.mcp.server import explain_error
from sharpwave.interfaces.rest.limits import WRONG_KEYS_AT_ONCE
from sharpwave.interfaces.rest.problems import of_error
from sharpwave.interfaces.web import sessions

WRONG = {"Authorization": "Bearer sw_wrong"}


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path / "m.db") as door:
        yield door


@pytest.mark.parametrize("path", ["/v1/profile", "/mcp", "/metrics", "/v1/nothing"])
def test_many_wrong_keys_of_one_address_have_to_wait(own: Served, path: str) -> None:
    elsewhere = httpx2.HTTPTransport(local_address="127.0.0.2")
    with httpx2.Client(base_url=own.url, transport=elsewhere) as http:
        tries = [http.get(path, headers=WRONG) for _ in range(WRONG_KEYS_AT_ONCE + 2)]
        assert [one.status_code for one in tries[:2]] == [401, 401]
        assert tries[-1].status_code == 429 and int(tries[-1].headers["retry-after"]) >= 1
        assert tries[-1].json()["code"] == "too_many_requests"
        right = {"Authorization": f"Bearer {own.key('mia', *EVERYTHING)}"}
        assert http.get("/v1/profile", headers=right).status_code == 200
        assert http.get("/v1/profile").status_code == 401, "no key is not a wrong key"
    with own.http("sw_wrong") as http:
        assert http.get("/v1/profile").status_code == 401, "only that address waits"


def test_a_sign_in_link_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(sessions, "time", SimpleNamespace(monotonic=lambda: now))
    opened = sessions.BrowserSessions()
    in_time, late = opened.invite("Bearer a"), opened.invite("Bearer b")
    now += sessions.INVITATION_S - 1
    assert opened.accept(in_time).authorization == "Bearer a"
    now += 2
    with pytest.raises(Unauthorized, match="expired"):
        opened.accept(late)
    with pytest.raises(Unauthorized):
        opened.accept(in_time)


def every(error: type[Exception]) -> list[type[Exception]]:
    return [error, *(one for child in error.__subclasses__() for one in every(child))]


@pytest.mark.parametrize("kind", [*every(StorageError), *every(InvalidSettings)])
def test_errors_of_the_server_hold_no_path(kind: type[StorageError]) -> None:
    error = kind("no space left for /srv/tenants/m.db; role@db.internal:5432 refused")
    told = of_error(error)
    for text in (bytes(told.body).decode(), explain_error(error)):
        assert "/srv" not in text and "internal" not in text and kind.code in text
    assert len(json.loads(bytes(told.body))["detail"]) > 10
