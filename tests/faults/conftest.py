"""What holds for every fault test."""

import pytest
from tests.faults.harness import CHEAP_VECTORS


@pytest.fixture(autouse=True)
def cheap_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CHEAP_VECTORS.items():
        monkeypatch.setenv(name, value)
