"""Write docs/screens: every page of the dashboard, dark and light, from made-up talks.

    python scripts/screenshots.py [FOLDER]

Needs a browser (see tests/interfaces/web/browser.py). The clock of the machine shows in the
pictures, so they are made anew by hand when a page changes, and not compared.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Page  # noqa: E402
from tests.interfaces.rest.serving import Served  # noqa: E402
from tests.interfaces.web import demo  # noqa: E402
from tests.interfaces.web.browser import browsing, serving_pages, sign_in, tab, visit  # noqa: E402

from sharpwave.interfaces.web import navigation  # noqa: E402

LOOKS = ("light", "dark")
SIZE = {"width": 1280, "height": 800}
_DRAWN = (
    """() => [...document.querySelectorAll(".sw-chart")].every(one => one.querySelector("path"))"""
)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screens"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, serving_pages(Path(data) / "memory.db") as served:
        for name, picture in pictures(served):
            (folder / name).write_bytes(picture)
            print(f"{name}: {len(picture) // 1024} KiB")


def pictures(served: Served) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each picture."""
    demo.load(served.memory.user("maya"))
    with browsing() as browser:
        for look in LOOKS:
            with tab(browser, served, color_scheme=look, viewport=SIZE) as page:
                sign_in(page, served, "maya")
                for one in navigation.every():
                    visit(page, one.path)
                    bring_to_life(page, one.path)
                    page.wait_for_function(_DRAWN)
                    page.mouse.move(0, 0)
                    page.wait_for_timeout(400)  # until a button that was pressed looks at rest
                    yield f"{one.path.strip('/') or 'today'}-{look}.png", page.screenshot()


def bring_to_life(page: Page, path: str) -> None:
    """Do on a page what shows what it is for."""
    if path == "/ask":
        page.get_by_label("Ask your memory").fill("Where do I live?")
        page.keyboard.press("Enter")
        page.get_by_text("Why: ").first.click()
    elif path == "/chat":
        page.get_by_label("Message").fill("What am I allergic to?")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Good answer").click()
        page.get_by_text("Thanks.").wait_for()
    elif path == "/profile":
        page.get_by_role("button", name="Timeline: The user lives in Lisbon").click()
        page.get_by_text("learned").first.wait_for()


if __name__ == "__main__":
    main()
