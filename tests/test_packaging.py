"""What an installation brings: the core alone, unless an extra is asked for."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=;! ]", one)[0].lower() for one in requirements}


@pytest.mark.spec("DEP-05")
def test_the_core_brings_nothing_of_an_extra() -> None:
    locked = names((ROOT / "requirements" / "core.lock").read_text().splitlines())
    extras = {name: names(given) for name, given in PROJECT["optional-dependencies"].items()}
    everything = extras.pop("all")
    assert everything == {"sharpwave"}
    shared = {"protobuf"}  # onnxruntime needs it too
    for name, packages in extras.items():
        assert not (packages - shared) & locked, f"{name} is in the core"
    assert names(PROJECT["dependencies"]) <= locked


def test_locks_name_no_place_and_have_a_hash_for_everything() -> None:
    for lock in (ROOT / "requirements").glob("*.lock"):
        text = lock.read_text("utf-8")
        pinned = re.findall(r"^[a-z0-9][^\n]*==[^\n]*$", text, re.MULTILINE)
        assert pinned and "://" not in text and all(line.endswith("\\") for line in pinned), (
            lock.name
        )


def test_workflows_run_what_there_is() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for file in (ROOT / ".github").rglob("*.yml"):
        workflow = yaml.safe_load(file.read_text("utf-8"))
        steps = [step for job in workflow.get("jobs", {}).values() for step in job["steps"]]
        for run in (step["run"] for step in steps if "run" in step):
            assert set(re.findall(r"\bmake ([a-z-]+)", run)) <= set(targets)
            assert all((ROOT / lock).exists() for lock in re.findall(r"requirements/\S+", run))
    assert (ROOT / ".ci" / "run").exists()
