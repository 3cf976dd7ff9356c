"""Nothing crosses from one user to another, and no key does more than its scopes say.

Every route of the document is asked with another user's key; what the other user said is marked
with a canary. The last test breaks the app on purpose: the same look must then find canaries.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests import places
from tests.interfaces.rest.requests_of import Asking, every_request
from tests.interfaces.rest.serving import EVERYTHING, Served, kept, serving

from sharpwave import Memory, Message, TaskRun
from sharpwave.types.access import Principal, Scope

CANARY = "Zanzibar4711"
QUERIES = [
    CANARY,
    f'"{CANARY}"',
    f"{CANARY}*",
    "where does the user live",
    "*",
    "%",
    "' OR '1'='1",
    "user_id:victim",
    "victim AND text",
    "NEAR(bees tea)",
]


def plant(memory: Memory) -> list[str]:
    """Everything that a user can have, each piece with the canary in it; returns its ids."""
    receipt = memory.remember(
        [
            Message(f"My name is {CANARY} and I live in {CANARY}.", session=CANARY, tags=(CANARY,)),
            Message(f"Call {CANARY}", kind="task"),
            Message(f"{CANARY} prefers tea", kind="note", metadata={"note": CANARY}),
        ],
        idempotency_key=CANARY,
    )
    memory.remember(f"{CANARY}, my sister, lives in Porto.")
    with memory.agents.start(f"Deploy {CANARY}", session=CANARY) as doing:
        doing.action(CANARY, f"{CANARY}.py")
    memory.agents.observe(TaskRun(f"Ship {CANARY}", plan=(CANARY,), context=CANARY, success=True))
    memory.admin.add_webhook(f"http://127.0.0.1:9/{CANARY}")
    insight = memory.agents.add_insight(f"Avoid {CANARY}")
    memory.behavior.add(f"Always mention {CANARY}.")
    preference = memory.behavior.set_preference("tool", CANARY, 0.9)
    memory.behavior.correct(f"Not {CANARY}.", f"Rather {CANARY}!")
    memory.skills.create(CANARY, f"Speak as {CANARY}.")
    choice = memory.skills.select(f"What about {CANARY}?", session=CANARY)
    memory.feedback(choice.message_id, 1, CANARY, f"Good, {CANARY}")
    night = memory.sleep()
    learned = [rule.id for rule in memory.behavior.rules()]
    others = [insight.id, preference.id, choice.message_id, choice.trajectory_id or "", night.run]
    facts = [fact.id for fact in memory.facts.list()]
    return [*receipt.ids, *facts, *learned, *others, *(task.id for task in memory.tasks.list())]


def attacks(document: dict[str, Any], ids: list[str]) -> Iterator[Asking]:
    """Every route as it is, with every id of the victim in its path, and with odd queries."""
    for asking in every_request(document):
        yield asking
        if "{" in asking.route:
            for one in ids:
                start, _, rest = asking.route.partition("{")
                path = start + one + rest.partition("}")[2]
                yield asking._replace(path=path)
        if asking.verb == "POST" and isinstance(asking.body, dict) and "query" in asking.body:
            for query in QUERIES:
                yield asking._replace(body={**asking.body, "query": query})
    for one in ids:
        yield Asking("POST", "/v1/forget", "/v1/forget", {}, {"ids": [one]}, "write")
        yield Asking("POST", "/v1/outcomes", "", {}, {"id": one, "success": False}, "write")
        yield Asking("POST", "/v1/texts", "", {}, {"ids": [one]}, "read")
        yield Asking("POST", "/v1/feedback", "", {}, {"message_id": one, "reward": -1}, "write")
        version = {"fact_id": one, "valid_to": "2999-01-01T00:00:00Z"}
        yield Asking("POST", "/memory/profile/version", "", {}, version, "write")
    session = {"session": CANARY}
    yield Asking("POST", "/v1/forget", "/v1/forget", {}, session, "write")
    yield Asking("GET", "/v1/facts", "", {"subject": CANARY}, None, "read")
    yield Asking("GET", "/v1/about", "", {"name": CANARY}, None, "read")
    yield Asking("GET", "/v1/recent", "", {"session": CANARY}, None, "read")
    yield Asking("GET", "/v1/trajectories", "", {"session": CANARY}, None, "read")
    yield Asking("GET", f"/v1/skills/{CANARY}", "", {}, None, "read")
    yield Asking("GET", "/v1/behaviors", "", {"everything": True}, None, "read")
    yield Asking("GET", "/v1/related", "", {"name": "victim", "hops": 5}, None, "read")
    yield Asking("GET", "/v1/events", "", {"after": 0, "limit": 1000}, None, "read")


def leaks(http: httpx2.Client, ids: list[str]) -> list[str]:
    """Answers in which something of the victim stands: the canary, or one of its ids.

    What the asker wrote into the request may come back, so it is taken out first.
    """
    found = []
    for asking in attacks(http.get("/openapi.json").json(), ids):
        answer = http.request(asking.verb, asking.path, **asking.options())
        assert answer.status_code < 500, (asking, answer.text)
        sent = f"{asking.path} {asking.query} {asking.body}"
        words = [word for word in (CANARY, *ids) if word not in sent]
        if any(word in answer.text for word in words):
            found.append(f"{asking.verb} {asking.path}: {answer.text[:100]}")
    return found


@pytest.fixture(scope="module", params=places.PLACES)
def planted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Served, list[str]]]:
    with serving(places.empty(request.param, tmp_path_factory.mktemp("tenants"))) as served:
        yield served, plant(served.memory.user("victim"))


def test_no_route_tells_of_another_user(planted: tuple[Served, list[str]]) -> None:
    """M1: with every scope but admin."""
    served, ids = planted
    before = kept(served.memory.user("victim"))
    with served.http(served.key("attacker", Scope.READ, Scope.WRITE)) as http:
        assert leaks(http, ids) == []
    assert kept(served.memory.user("victim")) == before, "and nothing was changed"


def test_foreign_and_absent_look_the_same(planted: tuple[Served, list[str]]) -> None:
    served, ids = planted
    with served.http(served.key("stranger")) as http:
        for one in ids:
            foreign, absent = http.get(f"/v1/memories/{one}"), http.get(f"/v1/memories/{one[::-1]}")
            assert foreign.status_code == absent.status_code == 404
            assert foreign.text.replace(one, "") == absent.text.replace(one[::-1], "")


def test_naming_another_user_is_for_admins(planted: tuple[Served, list[str]]) -> None:
    served, _ = planted
    with served.http(served.key("attacker"), **{"Sharpwave-User": "victim"}) as http:
        assert http.get("/v1/profile").status_code == 403
    with served.http(served.key("root", *EVERYTHING), **{"Sharpwave-User": "victim"}) as http:
        assert CANARY in http.get("/v1/facts").text
    for name in ("user_id", "user", "Sharpwave-User"):
        with served.http(served.key("attacker")) as http:
            assert CANARY not in http.get("/v1/facts", params={name: "victim"}).text


def test_a_broken_app_would_be_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: if the namespace did not come from the key, the look above finds canaries."""
    with serving(tmp_path / "m.db") as served:
        ids = plant(served.memory.user("victim"))
        honest: Memory = served.door.app.state.memory

        class Careless:
            """Gives everybody the memory of one."""

            admin = honest.admin

            def user(self, user: str) -> Memory:
                return honest.user("victim")

        monkeypatch.setattr(served.door.app.state, "memory", Careless())
        with served.http(served.key("attacker")) as http:
            assert len(leaks(http, ids)) > 20


@pytest.mark.parametrize("scope", list(Scope))
def test_each_scope_opens_its_own_routes_and_no_others(served: Served, scope: Scope) -> None:
    """M2: the matrix of keys and routes; what is refused is refused before it is looked at."""
    user = f"only-{scope}"
    served.memory.user(user).remember("I live in Porto.")
    before = kept(served.memory.user(user))
    with served.http(served.key(user, scope)) as http:
        for asking in every_request(http.get("/openapi.json").json()):
            answer = http.request(asking.verb, asking.path, **asking.options())
            if asking.scope in (None, scope):
                assert answer.status_code not in (401, 403), asking
            else:
                assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), asking
    if scope is Scope.READ:
        assert kept(served.memory.user(user)) == before, "a read key changes nothing"


def test_a_principal_says_what_it_may() -> None:
    assert not Principal("ana", frozenset(), "k").may(Scope.READ)
