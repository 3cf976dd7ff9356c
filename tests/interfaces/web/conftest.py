"""One server and one browser for the tests of a file; each test has users of its own."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from tests.interfaces.rest.serving import Served
from tests.interfaces.web.browser import browsing, serving_pages, tab


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("pages") / "memory.db"
    with serving_pages(path) as door:  # a key that is revoked opens nothing at once
        yield door


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    with tab(browser, served) as found:
        yield found
