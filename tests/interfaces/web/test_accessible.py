"""Every page, dark and light, as axe-core judges it: nothing serious, nothing critical."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from tests.interfaces.rest.serving import Served
from tests.interfaces.web.browser import let_in, tab, visit
from tests.interfaces.web.living import live

from sharpwave.interfaces.web import navigation

GRAVE = {"serious", "critical"}


LOOKS = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}
"""What is looked for: in the dark, only what differs there."""


def found_on(page: Page, path: str, look: str) -> list[str]:
    """What is wrong on a page, one line each."""
    visit(page, path)
    page.wait_for_function("!document.querySelector('.sw-later')")
    violations = Axe().run(page, options=LOOKS[look]).response["violations"]
    return [
        f"{path}: {one['id']} ({one['impact']}) {node['target']} {node['failureSummary']}"
        for one in violations
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]


@pytest.mark.timeout(180)
@pytest.mark.parametrize("look", LOOKS)
def test_no_page_shuts_anybody_out(served: Served, browser: Browser, look: str) -> None:
    user = f"abby {look}"
    live(served.memory.user(user))
    with tab(browser, served, color_scheme=look) as page:
        let_in(page, served, user)
        wrong = [line for one in navigation.every() for line in found_on(page, one.path, look)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(120)
def test_pages_fit_a_small_telephone(served: Served, browser: Browser) -> None:
    memory = served.memory.user("tiny")
    live(memory)
    memory.remember(f"Look at {'x' * 400}")
    with tab(browser, served, viewport={"width": 400, "height": 800}) as page:
        let_in(page, served, "tiny")
        visit(page, "/")
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("navigation").get_by_role("link").nth(4).wait_for()
        for one in navigation.every():
            visit(page, one.path)
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= 400, f"{one.path} is {width} wide"
