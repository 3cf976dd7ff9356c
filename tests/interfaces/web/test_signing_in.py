"""The door of the dashboard: who comes in, what stays out, and when it is over."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.interfaces.rest.serving import EVERYTHING, Served
from tests.interfaces.web.browser import let_in, sign_in, tab, visit
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from sharpwave.interfaces.rest.limits import WRONG_KEYS_AT_ONCE
from sharpwave.types.access import Scope

SOCKET = "/ui/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def http(served: Served) -> Iterator[httpx2.Client]:
    with served.http() as found:
        yield found


def signed_in(served: Served, user: str = "mia") -> str:
    """The cookie of somebody who signed in."""
    with served.http() as http:
        key = served.key(user, *EVERYTHING)
        done = http.post("/ui/login", content=f"key={key}", headers={**FORM, "Origin": served.url})
    assert done.status_code == 303 and done.headers["location"] == "/ui/"
    cookie = done.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/ui" in cookie
    return str(cookie.partition(";")[0])


def test_a_wrong_key_stays_outside(served: Served, browser: Browser) -> None:
    with tab(browser, served, forgiven="status of 401") as page:
        page.goto("/ui/memories")
        expect(page).to_have_url(f"{served.url}/ui/login")
        page.get_by_label("Key").fill("sw_<b>wrong</b>")
        with page.expect_response("**/ui/login") as answer:
            page.get_by_role("button", name="Sign in").click()
        assert answer.value.status == 401
        expect(page.get_by_role("alert")).to_contain_text("opens nothing")
        page.get_by_label("Key").fill(served.key("mia", *EVERYTHING))
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Today")).to_be_visible()


def test_whoever_tries_many_keys_has_to_wait(served: Served) -> None:
    elsewhere = httpx2.HTTPTransport(local_address="127.0.0.2")
    sent = {**FORM, "Origin": served.url}
    with httpx2.Client(base_url=served.url, transport=elsewhere) as http:
        statuses = [
            http.post("/ui/login", content="key=sw_wrong", headers=sent).status_code
            for _ in range(WRONG_KEYS_AT_ONCE + 2)
        ]
        assert statuses[0] == 401 and statuses[-1] == 429
        refused = http.get("/ui/enter?token=guessed")
        assert refused.status_code == 429 and int(refused.headers["retry-after"]) >= 1
        assert "wait a moment" in refused.text
        key = served.key("mia", *EVERYTHING)
        assert http.post("/ui/login", content=f"key={key}", headers=sent).status_code == 303
    with served.http() as http:
        others = http.post("/ui/login", content="key=sw_wrong", headers=sent)
        assert others.status_code == 401, "only that address waits"


def test_a_form_too_long_for_a_key_is_not_parsed(served: Served, http: httpx2.Client) -> None:
    body = f"key={served.key('mia', *EVERYTHING)}" + "&a=1" * 4096
    refused = http.post("/ui/login", content=body, headers={**FORM, "Origin": served.url})
    assert refused.status_code == 413 and "too long" in refused.text


def test_the_cookie_stays_where_the_browser_speaks_tls(served: Served, http: httpx2.Client) -> None:
    body, page = f"key={served.key('mia', *EVERYTHING)}", served.url
    plain = http.post("/ui/login", content=body, headers={**FORM, "Origin": page})
    assert "Secure" not in plain.headers["set-cookie"]
    private = {**FORM, "Origin": page.replace("http:", "https:")}
    cookie = http.post("/ui/login", content=body, headers=private).headers["set-cookie"]
    assert "; Secure" in cookie
    path = served.door.app.state.dashboard.invite(served.key("lena", *EVERYTHING))
    behind = http.get(path, headers={"X-Forwarded-Proto": "https"})
    assert behind.status_code == 303 and "; Secure" in behind.headers["set-cookie"]


def test_a_wrong_word_of_a_proxy_locks_nobody_out(served: Served, http: httpx2.Client) -> None:
    """A browser drops a cookie that is `Secure` where it speaks no TLS; its origin says so."""
    sent = {**FORM, "Origin": served.url, "X-Forwarded-Proto": "https"}
    body = f"key={served.key('mia', *EVERYTHING)}"
    done = http.post("/ui/login", content=body, headers=sent)
    assert done.status_code == 303 and "Secure" not in done.headers["set-cookie"]


def test_signing_out_ends_what_is_open(served: Served, browser: Browser) -> None:
    with tab(browser, served) as page:
        sign_in(page, served, "olga")
        other = page.context.new_page()
        visit(other, "/ask")
        page.get_by_role("button", name="Sign out").click()
        expect(page).to_have_url(f"{served.url}/ui/login")
        other.reload()
        expect(other).to_have_url(f"{served.url}/ui/login")


def test_a_revoked_key_shows_nothing_more(served: Served, page: Page) -> None:
    let_in(page, served, "rita")
    visit(page, "/ask")
    name = next(key.name for key in served.memory.admin.keys.all() if key.user_id == "rita")
    served.memory.admin.keys.revoke(name)
    page.get_by_label("Ask your memory").fill("Where do I live?")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_text("Sign in again")).to_be_visible()
    page.reload()
    expect(page).to_have_url(f"{served.url}/ui/login")


def test_the_link_of_the_server_signs_in_once(served: Served, browser: Browser) -> None:
    path = served.door.app.state.dashboard.invite(served.key("lena", *EVERYTHING))
    with tab(browser, served) as page:
        page.goto(path)
        expect(page.get_by_role("heading", name="Today")).to_be_visible()
        expect(page).to_have_url(f"{served.url}/ui/")
    with served.http() as http:
        assert http.get(path).status_code == 401
        token = parse_qs(urlsplit(path).query)["token"][0]
        assert token not in http.get(path).text


@pytest.mark.parametrize("scopes", [EVERYTHING, [Scope.READ]])
def test_only_whoever_may_write_sees_how_to_forget_settle_choose_and_talk(
    served: Served, page: Page, scopes: list[Scope]
) -> None:
    reads = scopes == [Scope.READ]
    user = "reader" if reads else "writer"
    served.memory.user(user).remember(["I live in Porto.", "I work at Acme."])
    served.memory.user(user).remember("I don't work at Acme.")
    let_in(page, served, user, *scopes)

    def has(way: str) -> None:
        ways = page.get_by_role("button", name=way).locator("nth=0")
        expect(ways).to_have_count(0 if reads else 1)

    visit(page, "/memories")
    page.get_by_role("button", name="Open: The user lives in Porto").click()
    expect(page.get_by_text("Rests on")).to_be_visible()
    has("Forget")
    visit(page, "/")
    expect(page.get_by_text("Last sleep")).to_be_visible()
    has("The user works at Acme")
    visit(page, "/skills")
    expect(page.get_by_text("Concise response").first).to_be_visible()
    has("Set aside: Concise response")
    visit(page, "/chat")
    expect(page.get_by_text("This key may look only" if reads else "Say something")).to_be_visible()
    has("Send")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
@pytest.mark.parametrize("path", ["/ui/login", "/ui/logout"])
def test_forms_of_others_are_refused(
    served: Served, http: httpx2.Client, path: str, headers: dict[str, str], status: int
) -> None:
    cookie = signed_in(served)
    sent = {**FORM, **headers, "Cookie": cookie}
    body = f"key={served.key('mia', *EVERYTHING)}"
    assert http.post(path, content=body, headers=sent).status_code == status
    assert http.get("/ui/", headers={"Cookie": cookie}).status_code == 200, "still signed in"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Cookie": "sharpwave_session=nobody"}, 403),
        ({}, 101),
    ],
)
def test_the_websocket_is_behind_the_same_wall(
    served: Served, headers: dict[str, str], status: int
) -> None:
    address = served.url.replace("http", "ws", 1) + SOCKET
    sent = {"Cookie": signed_in(served), "Origin": served.url, **headers}
    try:
        with connect(address, additional_headers=sent, proxy=None) as socket:
            assert str(socket.recv(10)).startswith("0{")
            found = 101
    except InvalidStatus as error:
        found = error.response.status_code
    assert found == status


def test_pages_need_a_session_and_keys_do_not_open_them(
    served: Served, http: httpx2.Client
) -> None:
    bearer = {"Authorization": f"Bearer {served.key('mia', *EVERYTHING)}"}
    for path in ("/ui/", "/ui/memories", "/ui/_nicegui_ws/socket.io/?EIO=4&transport=polling"):
        assert http.get(path).headers["location"] == "/ui/login"
        assert http.get(path, headers=bearer).status_code == 303
    assert http.post("/ui/_nicegui_ws/socket.io/", content=b"x").status_code == 401
    assert http.get("/ui/static/%2e%2e/visit.py").status_code in (303, 404)
    assert http.get("/", headers={"Accept": "text/html"}).headers["location"] == "/ui/"
    assert http.get("/", headers={"Accept": "application/json"}).status_code == 401
    assert http.get("/v1/profile", headers={"Cookie": signed_in(served)}).status_code == 401


def test_only_our_own_scripts_run(served: Served, http: httpx2.Client) -> None:
    answer = http.get("/ui/", headers={"Cookie": signed_in(served), "X-Forwarded-Prefix": "/evil"})
    policy = answer.headers["content-security-policy"]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    (word,) = re.findall(r"'nonce-([\w-]+)'", scripts)
    assert "unsafe-inline" not in scripts and "/evil" not in answer.text
    assert "frame-ancestors 'none'" in policy and "default-src 'none'" in policy
    tags = re.findall(r"<script\b[^>]*>", answer.text)
    ours = re.compile(rf'nonce="{word}"|src="/ui/static/')
    assert tags and all(ours.search(tag) for tag in tags)
    assert answer.headers["cache-control"] == "no-store"
