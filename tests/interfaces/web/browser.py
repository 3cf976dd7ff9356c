"""A real browser in front of a real server.

The browser is Debian's Chromium or Chrome: the program that `SHARPWAVE_TEST_CHROMIUM` names, or one
on the PATH; as root on Debian it is installed if there is none. `SHARPWAVE_TEST_CHROMIUM=none` says
to do without these tests, which the end of the report tells.
"""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from tests.interfaces.rest.serving import EVERYTHING, Served, settings_for_tests

from sharpwave import Memory
from sharpwave.interfaces.rest.server import Server

GIVEN = "TEST_CHROMIUM"
"""The variable as `conftest.py` passes it on, since no setting of ours is called so."""
NOT_WANTED = "none"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LONGEST_MS = 30_000
expect.set_options(timeout=LONGEST_MS)
_INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends", "chromium")


class NoBrowser(RuntimeError):
    """There is no browser to test with."""


@cache
def program() -> str:
    """Where the browser is."""
    given = os.environ.get(GIVEN)
    if given == NOT_WANTED:
        pytest.skip("SHARPWAVE_TEST_CHROMIUM=none")
    if given:
        return given
    found = _on_path()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update"], capture_output=True, timeout=300, check=False)
        subprocess.run(_INSTALL, capture_output=True, timeout=600, check=False)
        found = _on_path()
    if found is None:
        raise NoBrowser(
            "no browser to test with. Install one (`apt-get install chromium`), name one in "
            "SHARPWAVE_TEST_CHROMIUM, or set it to `none` to do without these tests."
        )
    return found


def _on_path() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def serving_pages(path: Path, user: str = "maya", **server: Any) -> Iterator[Served]:
    """Serve a file with its pages until the block ends."""
    settings = settings_for_tests(**server)
    with Memory.open(path, settings=settings, user=user) as memory:
        opened = threading.Event()
        door = Server(memory, settings, lambda url: opened.set(), dashboard=True)
        thread = threading.Thread(target=door.serve_until_stopped, daemon=True)
        thread.start()
        assert opened.wait(30), "the server did not start"
        try:
            yield Served(memory, door, settings)
        finally:
            door.should_exit = True
            thread.join(30)
            assert not thread.is_alive(), "the server did not stop"


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser until the block ends."""
    with sync_playwright() as playwright:
        # as root there is no sandbox, and it opens nothing but our own pages
        how = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=program(), args=how)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def tab(browser: Browser, served: Served, forgiven: str = "$^", **options: Any) -> Iterator[Page]:
    """A fresh tab; at the end, nothing must have gone wrong in it but what is `forgiven`."""
    context: BrowserContext = browser.new_context(
        base_url=served.url, reduced_motion="reduce", **options
    )
    context.set_default_timeout(LONGEST_MS)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    try:
        yield page
        unforgiven = [one for one in wrong if not re.search(forgiven, one)]
        assert not unforgiven, unforgiven
    finally:
        context.close()


def sign_in(page: Page, served: Served, user: str = "maya", *scopes: Any) -> None:
    """Sign in as a user, with every right unless some are named."""
    page.goto("/ui/login")
    page.get_by_label("Key").fill(served.key(user, *(scopes or EVERYTHING)))
    page.get_by_role("button", name="Sign in").click()
    visit(page, "/")


def let_in(page: Page, served: Served, user: str = "maya", *scopes: Any) -> None:
    """The same without a page of it, for tests of what comes after: the next visit is the first."""
    key = served.key(user, *(scopes or EVERYTHING))
    sent = {"Origin": served.url}
    answer = page.request.post("/ui/login", form={"key": key}, headers=sent, max_redirects=0)
    assert answer.status == 303, answer.text()


def visit(page: Page, path: str) -> None:
    """Open a page, and wait until it is alive: what is clicked before is lost."""
    page.goto(f"/ui{path}")
    page.wait_for_function("window.did_handshake === true")
