"""What users say is shown, never run [A5]."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from tests.interfaces.rest.serving import Served
from tests.interfaces.web.browser import let_in, tab, visit
from tests.interfaces.web.hostile import PLAIN_TAGS, STRINGS
from tests.waiting import eventually

from sharpwave import Message

USER = "<img src=x onerror=window.pwned()>"
"""Even the name of the user is hostile."""


@pytest.fixture
def watched(browser: Browser, served: Served) -> Iterator[tuple[Page, list[str]]]:
    """A page that counts how often one of the strings was run."""
    with tab(browser, served, forgiven=".") as page:
        run: list[str] = []
        page.expose_function("pwned", lambda: run.append(page.url))
        page.on("dialog", lambda dialog: run.append(dialog.message))
        yield page, run


def test_nothing_that_was_said_is_run(served: Served, watched: tuple[Page, list[str]]) -> None:
    page, run = watched
    assert len(STRINGS) == 100 == len(set(STRINGS))
    memory = served.memory.user(USER)
    memory.remember([_said(place, text) for place, text in enumerate(STRINGS)])
    assert any("onload" in fact.text for fact in memory.facts.profile()), "some became facts"
    let_in(page, served, USER)
    visit(page, "/")
    seen = _look_at_everything(page)
    assert all(text in seen for text in ("<script>window.pwned()</script>", "<svg onload="))
    assert run == []


def _said(place: int, text: str) -> Message:
    """Sentences are said by the user; whoever says the others has a hostile name, too."""
    speaker = None if text.endswith(".") else text[:60]
    return Message(text, speaker=speaker, session=f"{place} {text[:40]}", tags=(text[:30],))


def _look_at_everything(page: Page) -> str:
    """Every page of the menu, every page of the list, and some opened: all words that are shown."""
    links = page.get_by_role("navigation").get_by_role("link")
    seen = [page.inner_text("body")]
    for path in [one.get_attribute("href") or "" for one in links.all()]:
        visit(page, path.removeprefix("/ui"))
        seen.append(page.inner_text("body"))
    visit(page, "/memories")
    while True:
        seen.append(page.inner_text("#content"))
        after = page.get_by_role("button", name="Next page")
        if not after.is_visible() or after.is_disabled():
            break
        number = int(page.inner_text(".sw-pager span").split()[-1])
        after.click()
        page.get_by_text(f"Page {number + 1}").wait_for()
    page.get_by_role("button", name="Open: ").first.click()
    page.get_by_role("button", name="Forget").wait_for()
    page.get_by_text("More").click()
    visit(page, "/ask")
    page.get_by_label("Ask your memory").fill(STRINGS[0])
    page.keyboard.press("Enter")
    page.get_by_text("Can it be answered?").wait_for()
    seen.append(page.inner_text("#content"))
    visit(page, "/profile")
    page.get_by_role("button", name="Timeline").first.click()
    page.get_by_text("learned").first.wait_for()
    visit(page, "/chat")
    page.get_by_label("Message").fill(STRINGS[5])
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Good answer").wait_for()
    return "\n".join(seen)


def test_the_check_would_notice(watched: tuple[Page, list[str]]) -> None:
    """A page without our walls runs many of the same strings: the check can fail."""
    page, run = watched
    page.goto("about:blank")
    for text in PLAIN_TAGS:
        page.set_content(f"<!doctype html><body>{text}</body>")
    assert eventually(lambda: page.title() is not None and len(run) >= 10)


def test_a_script_that_is_smuggled_in_is_stopped_by_the_policy(
    served: Served, watched: tuple[Page, list[str]]
) -> None:
    """The second wall: even in the middle of our page, a script without our word does not run."""
    page, run = watched
    let_in(page, served, "mia")
    visit(page, "/")
    page.evaluate(
        """() => {
            const script = document.createElement('script');
            script.textContent = 'window.pwned()';
            document.body.append(script);
            const place = document.createElement('div');
            place.innerHTML = '<img src=x onerror="window.pwned()">';
            const image = place.firstChild;
            document.body.append(place);
            return new Promise((loaded) => image.addEventListener('error', () => loaded()));
        }"""
    )
    assert run == []
