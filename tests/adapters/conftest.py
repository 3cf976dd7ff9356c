"""These tests run with the frameworks themselves: `make test-frameworks`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sharpwave import Memory

FRAMEWORKS = ("ANTHROPIC_", "GOOGLE_", "GEMINI_", "LANGCHAIN_", "LANGGRAPH_", "LANGSMITH_")


@pytest.fixture(autouse=True)
def no_settings_of_frameworks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(FRAMEWORKS):
            monkeypatch.delenv(name)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", user="ana") as opened:
        yield opened
