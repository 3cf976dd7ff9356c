"""People and moments written for this project; where they are, and which are kept apart."""

import json
from pathlib import Path
from typing import Any

from evals.people import is_kept_apart as is_validation

__all__ = [
    "LATER",
    "MOMENTS",
    "PAIRS",
    "PEOPLE",
    "PLAN",
    "QUESTIONS",
    "is_validation",
    "later_messages",
    "more_questions",
]

HERE = Path(__file__).parent
PEOPLE, MOMENTS, PLAN = HERE / "people", HERE / "moments", HERE / "plan.tsv"
QUESTIONS, PAIRS, LATER = HERE / "questions", HERE / "pairs", HERE / "later"


def more_questions(person_id: str) -> list[dict[str, Any]]:
    """What the person asks besides, and what of their talk changed: one line each."""
    return _lines(QUESTIONS / f"{person_id}.jsonl")


def later_messages(person_id: str) -> list[dict[str, Any]]:
    """What the person says after the last session, and which earlier words it changes."""
    return _lines(LATER / f"{person_id}.jsonl")


def _lines(file: Path) -> list[dict[str, Any]]:
    return (
        [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    )
