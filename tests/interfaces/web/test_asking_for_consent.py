"""On a server, also on this machine, the first page asks once whether to remember."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.interfaces.rest.serving import Served, serving_memory, settings_for_tests
from tests.interfaces.web.browser import sign_in, tab

from sharpwave import Memory
from sharpwave.interfaces.rest.server import checked_settings
from sharpwave.types.working import Purpose

ASKED = "May Sharpwave remember you?"


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = checked_settings(settings_for_tests())
    path = tmp_path_factory.mktemp("pages") / "memory.db"
    with Memory.open(path, settings=settings, user="maya") as memory:
        with serving_memory(memory, settings, dashboard=True) as opened:
            yield opened


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    with tab(browser, served) as found:
        yield found


@pytest.mark.parametrize(("answer", "agreed"), [("Yes, remember me", True), ("No", False)])
def test_the_first_page_asks_once(served: Served, page: Page, answer: str, agreed: bool) -> None:
    sign_in(page, served, "maya")
    expect(page.get_by_role("heading", name=ASKED)).to_be_visible()
    page.get_by_role("button", name=answer, exact=True).click()
    expect(page.get_by_role("heading", name=ASKED)).to_have_count(0)
    maya = served.memory.user("maya")
    assert maya.admin.consents()[Purpose.MEMORY] is agreed
    assert maya.admin.consents()[Purpose.LEARNING] is agreed
    page.reload()
    expect(page.get_by_role("heading", name="Today")).to_be_visible()
    expect(page.get_by_role("heading", name=ASKED)).to_have_count(0)
