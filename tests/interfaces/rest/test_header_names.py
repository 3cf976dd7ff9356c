"""Names of users in headers: what is sent is who is meant, or it is refused."""

import unicodedata
from urllib.parse import quote

import httpx2
import pytest
from tests.interfaces.rest.serving import EVERYTHING, Served

from sharpwave import Memory

NAMES = [
    "straße",
    "Zoë Müller",
    "李雷",
    "Анна",
    "محمد",
    "👩🏽‍💻",
    "50% off",
    "a%20b",
    "UTF-8''x",
    " leads with a space",
    "two\nlines",
    "tab\tbed",
]
SECRET = "My safe is behind the painting of the harbour."


def named(served: Served, key: str, value: bytes | str) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {key}".encode(), b"Sharpwave-User": value}
    with httpx2.Client(base_url=served.url, trust_env=False, timeout=30) as http:
        return http.post("/v1/forget", json={"everything": True}, headers=headers)  # type: ignore[arg-type]  # bytes


def texts(served: Served, user: str) -> list[str]:
    return [one.text for one in served.memory.user(user).admin.recent()]


@pytest.mark.parametrize("name", NAMES)
def test_the_client_reaches_the_user_it_names(served: Served, name: str) -> None:
    key = served.key("root", *EVERYTHING)
    with Memory.connect(served.url, key, user=name) as memory:
        memory.remember(SECRET)
        assert texts(served, name) == [SECRET]
        assert memory.user(name).forget(everything=True).memories
    assert texts(served, name) == []


def test_raw_utf8_is_read_as_utf8(served: Served) -> None:
    served.memory.user("straße").remember(SECRET)
    answer = named(served, served.key("root", *EVERYTHING), "straße".encode())
    assert answer.status_code == 200 and answer.json()["memories"]
    assert texts(served, "straße") == []


@pytest.mark.parametrize(
    "value",
    [
        "straße".encode("latin-1"),
        "Анна".encode("cp1251"),
        b"UTF-8''stra%DFe",
        b"UTF-8''stra%C3%9",
        b"UTF-8''%zz",
        b"UTF-8''",
        b"UTF-8''a%00b",
        b"",
        b"%20" * 300,
    ],
)
def test_a_name_that_cannot_be_read_is_refused(served: Served, value: bytes) -> None:
    for key in (served.key("root", *EVERYTHING), served.key("straße")):
        answer = named(served, key, value)
        assert answer.status_code == 422, answer.text
        assert answer.json()["code"] == "invalid_input" and "Sharpwave-User" in answer.text


def test_two_names_in_one_request_are_refused(served: Served) -> None:
    key = served.key("root", *EVERYTHING)
    headers = [("Authorization", f"Bearer {key}"), ("Sharpwave-User", "a"), ("Sharpwave-User", "b")]
    with httpx2.Client(base_url=served.url, trust_env=False, timeout=30) as http:
        answer = http.get("/v1/stats", headers=headers)
    assert answer.status_code == 422 and answer.json()["code"] == "invalid_input"


def test_composed_and_decomposed_spellings_are_one_user(served: Served) -> None:
    composed, decomposed = (unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD"))
    assert composed != decomposed
    served.memory.user(decomposed).remember(SECRET)
    own = served.key(composed)
    with Memory.connect(served.url, own, user=decomposed) as memory:  # no admin is needed
        assert memory.forget(everything=True).memories
    assert texts(served, composed) == []


@pytest.mark.parametrize("part", ["stra%DFe", "%C3%28", "%FF"])
def test_a_path_or_query_that_cannot_be_read_is_refused(served: Served, part: str) -> None:
    with served.http(served.key("root", *EVERYTHING)) as http:
        for answer in (
            http.get(f"/v1/facts/history?subject={part}&predicate=lives_in"),
            http.delete(f"/v1/admin/keys/{part}"),
        ):
            assert answer.status_code == 400 and answer.json()["code"] == "bad_request"
        assert http.delete(f"/v1/admin/keys/{quote('nø such key')}").status_code == 404


def test_a_session_named_in_a_header_key_is_plain(served: Served) -> None:
    with served.http(served.key("mia")) as http:
        body = {"messages": "I like tea."}
        for key in ("schlüssel".encode(), b"two words", b"a" * 257):
            headers = {b"Idempotency-Key": key}
            answer = http.post("/v1/remember", json=body, headers=headers)
            assert answer.status_code == 422, answer.text
