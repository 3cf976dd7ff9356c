"""One server for the tests of a file; each test has users of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.interfaces.rest.serving import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path: Path = tmp_path_factory.mktemp("served") / "memory.db"
    with serving(path) as door:
        yield door
