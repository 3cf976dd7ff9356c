"""Tiny sets in the form of the public ones, written for these tests."""

import json
from pathlib import Path
from typing import Any

BEES = {"question": "Who keeps bees?", "evidence": ["D1:1"], "category": 4, "answer": "Ana"}
BOTH = {"question": "What about Porto?", "evidence": ["D1:02; D2:1"], "category": 1}
NOWHERE = {"question": "What about Mars?", "evidence": ["D9:9"], "category": 2}
TRICK = {"question": "Does Ben keep bees?", "evidence": ["D1:1"], "category": 5}


def turn(dia_id: str, speaker: str, text: str, field: str = "text") -> dict[str, str]:
    return {"dia_id": dia_id, "speaker": speaker, field: text}


def write(file: Path, content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")


def write_locomo(folder: Path) -> None:
    sessions = {
        "speaker_a": "Ana",
        "session_10": [turn("D10:1", "Ben", "The weather is dull.")],
        "session_1_date_time": "1 May 2026",
        "session_1": [
            turn("D1:1", "Ana", "I keep bees on the roof."),
            turn("D1:2", "Ben", "My sister moved to Porto."),
        ],
        "session_2": [turn("D2:1", "Ana", "Porto has a fine bridge.")],
    }
    talk = {"sample_id": "one", "conversation": sessions, "qa": [BEES, BOTH, NOWHERE, TRICK]}
    write(folder / "locomo" / "locomo_dev.json", [talk])


def write_realtalk(folder: Path) -> None:
    chat = {
        "name": {"speaker_1": "Ana", "speaker_2": "Ben"},
        "session_1": [
            turn("D1:1", "Ana", "I keep bees.", "clean_text"),
            turn("D1:2", "Ben", "Honey is sweet.", "clean_text"),
        ],
        "events_session_1": [{"Ana": ["bees"]}],
        "qa": [BEES],
    }
    write(folder / "realtalk" / "Chat_1_Ana_Ben.json", chat)


def write_prefeval(folder: Path) -> None:
    pairs = [
        {"preference": "I hate loud bars.", "question": "Which quiet bars?", "topic": "out"},
        {"preference": "I never eat meat.", "question": "What meat to eat?", "topic": "food"},
    ]
    write(folder / "preferences" / "prefeval_explicit_dev.json", pairs)


def write_all(folder: Path) -> Path:
    write_locomo(folder)
    write_realtalk(folder)
    write_prefeval(folder)
    return folder
