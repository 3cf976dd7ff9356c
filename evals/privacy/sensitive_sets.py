"""Texts to look for sensitive content in: public ones with spans, everyday turns, injections.

The public ones are read from a folder and never part of the package. `halves` splits the texts
with spans by their template, so that a rule cannot have been fitted to the half it is judged on.
"""

import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.types.privacy import Sensitive
from sharpwave.types.statements import Span

Item = TypeVar("Item")

TYPES: Mapping[str, Sensitive] = {
    "CREDIT_CARD": Sensitive.CARD,
    "IBAN_CODE": Sensitive.IBAN,
    "EMAIL_ADDRESS": Sensitive.EMAIL,
    "PHONE_NUMBER": Sensitive.PHONE,
    "US_SSN": Sensitive.SSN,
    "US_DRIVER_LICENSE": Sensitive.LICENCE,
    "IP_ADDRESS": Sensitive.IP,
    "DOMAIN_NAME": Sensitive.URL,
    "PERSON": Sensitive.PERSON,
    "GPE": Sensitive.PLACE,
    "STREET_ADDRESS": Sensitive.ADDRESS,
    "ZIP_CODE": Sensitive.ZIP,
}
"""Types of the public set; its others (dates, ages, titles, organisations, nationalities) are not
sensitive to us and are left out."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A text and what in it is sensitive."""

    text: str
    spans: tuple[tuple[Sensitive, Span], ...]
    template: str = ""


def load_marked(folder: Path) -> list[Marked]:
    """The public texts with spans; NotFound says what is missing."""
    return _read(
        folder, "pii/*.json", lambda file: list(_marked(json.loads(file.read_text("utf-8"))))
    )


def halves(marked: Sequence[Marked]) -> tuple[list[Marked], list[Marked]]:
    """The half that rules may be developed on, and the half that is kept for the report."""
    held = [one for one in marked if hashlib.sha256(one.template.encode()).digest()[0] % 2]
    seen = [one for one in marked if not hashlib.sha256(one.template.encode()).digest()[0] % 2]
    return seen, held


def load_everyday(folder: Path) -> dict[str, list[str]]:
    """Turns of ordinary conversations, each text once: LoCoMo's, and LongMemEval's users'."""
    talks = _read(
        folder, "locomo/*.json", lambda file: list(_locomo(json.loads(file.read_text("utf-8"))))
    )
    asked = _read(folder, "longmemeval/*.jsonl.gz", lambda file: list(_longmemeval(file)))
    return {"locomo": list(dict.fromkeys(talks)), "longmemeval": list(dict.fromkeys(asked))}


def load_injections(folder: Path) -> dict[str, list[str]]:
    """Injected instructions, by file."""
    found = _read(folder, "injection/*/*.json", lambda file: [(file.stem, _texts(file))])
    return dict(found)


def _read(folder: Path, place: str, read: Callable[[Path], list[Item]]) -> list[Item]:
    files = sorted(folder.glob(place))
    if not files:
        raise NotFound(f"no {folder / place}; say where with --data")
    try:
        return [item for file in files for item in read(file)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{folder / place} is not in the expected form: {error!r}") from error


def _marked(content: Iterable[Any]) -> Iterable[Marked]:
    for sample in content:
        spans = tuple(
            (TYPES[each["entity_type"]], Span(each["start_position"], each["end_position"]))
            for each in sample["spans"]
            if each["entity_type"] in TYPES
        )
        yield Marked(sample["full_text"], spans, str(sample["template_id"]))


def _locomo(content: Iterable[Any]) -> Iterable[str]:
    for sample in content:
        for key, turns in sample["conversation"].items():
            if key.startswith("session_") and not key.endswith("_date_time"):
                yield from (turn["text"] for turn in turns)


def _longmemeval(file: Path) -> Iterable[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            for session in json.loads(line)["haystack_sessions"]:
                yield from (turn["content"] for turn in session if turn["role"] == "user")


def _texts(file: Path) -> list[str]:
    return [text for texts in json.loads(file.read_text("utf-8")).values() for text in texts]
