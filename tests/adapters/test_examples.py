"""Every example runs and shows what it promises."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOWN = {
    "anthropic_memory_tool": "refused: Path /memories/../etc/passwd would escape",
    "google_adk_memory": 'I remember: user: "I always want a seat by the window."',
    "langchain_retriever": "We deploy on Tuesdays, after the stand-up.",
    "langgraph_store": "You told me: My flight to Oslo leaves on Friday at nine.",
    "llama_index_block": "Ana lives in Porto",
    "openai_agents_session": "The user is allergic to peanuts",
    "pydantic_ai_capability": "In Porto, you told me.",
}


def test_every_example_is_shown() -> None:
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == set(SHOWN)


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_it_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    assert SHOWN[name] in capsys.readouterr().out
