"""The adapters where their frameworks are missing; with them: `make test-frameworks`."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = {
    "anthropic_memory": "anthropic",
    "google_adk": "google.adk",
    "langchain": "langchain_core",
    "langgraph": "langgraph",
    "llama_index": "llama_index",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
}
"""Which package each adapter is for; its extra has the adapter's name."""

MISSING = """
import importlib, sys
sys.modules[sys.argv[2]] = None
from sharpwave.errors import InvalidSettings
try:
    importlib.import_module("sharpwave.interfaces.adapters." + sys.argv[1])
except InvalidSettings as error:
    print(error)
"""


@pytest.mark.parametrize("adapter", sorted(EXTRAS))
def test_a_missing_framework_is_named_with_its_extra(adapter: str) -> None:
    extra = adapter.replace("_", "-")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert extra in project["optional-dependencies"]
    done = subprocess.run(
        [sys.executable, "-c", MISSING, adapter, EXTRAS[adapter]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"pip install 'sharpwave[{extra}]'" in done.stdout, done.stderr


def test_every_adapter_has_an_example_and_a_place_on_the_page() -> None:
    page = (ROOT / "docs" / "how-to" / "frameworks.md").read_text("utf-8")
    for adapter in EXTRAS:
        assert f"sharpwave.interfaces.adapters.{adapter}" in page
        assert list((ROOT / "examples").glob(f"{adapter}*.py")), adapter
