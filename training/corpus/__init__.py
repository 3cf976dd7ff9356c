"""People and moments written for this project; where they are, and which are kept apart."""

import hashlib
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PEOPLE, MOMENTS, PLAN = HERE / "people", HERE / "moments", HERE / "plan.tsv"
QUESTIONS = HERE / "questions"
VALIDATION_SHARE = 4
"""One person in so many is kept for validation."""


def is_validation(person_id: str) -> bool:
    """Which part a person belongs to, fixed by the id."""
    return hashlib.blake2b(person_id.encode()).digest()[0] % VALIDATION_SHARE == 0


def more_questions(person_id: str) -> list[dict[str, Any]]:
    """What the person asks besides, and what of their talk changed: one line each."""
    file = QUESTIONS / f"{person_id}.jsonl"
    return (
        [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    )
