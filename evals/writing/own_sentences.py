"""How well rules read the sentences that we wrote ourselves: `data/extraction_cases.toml`."""

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files

from evals.writing.extraction import GATE
from sharpwave.reading.extract import extract
from sharpwave.types.records import USER
from sharpwave.types.statements import Candidate, Mode, Spoken


@dataclass(frozen=True, slots=True)
class CasesReport:
    """On the sentences we wrote: exactly right, and found where there is nothing."""

    said: int
    exact: int
    silent: int
    false: int


def measure_cases() -> CasesReport:
    """Read every sentence of `data/extraction_cases.toml`."""
    text = (files("evals") / "data" / "extraction_cases.toml").read_text("utf-8")
    cases = tomllib.loads(text)
    said = [row for rows in cases["said"].values() for row in rows]
    silent = [sentence for rows in cases["silent"].values() for sentence in rows]
    exact = sum(_facts(sentence) == sorted(wanted) for sentence, *wanted in said)
    return CasesReport(len(said), exact, len(silent), sum(bool(_facts(one)) for one in silent))


def _facts(text: str) -> list[str]:
    found = extract(text, Spoken(USER, _ANY_DAY)).candidates
    kept = [one for one in found if one.confidence >= GATE and one.statement is not None]
    return sorted(case_line(one) for one in kept)


_ANY_DAY = datetime(2024, 3, 5, tzinfo=UTC)


def case_line(one: Candidate) -> str:
    """A fact as the cases write it: subject | predicate | object, then mode and correction."""
    assert one.statement is not None
    parts = [*one.statement]
    if one.mode is not Mode.HOLDS:
        parts.append(one.mode)
    if one.instead_of:
        parts.append(f"not {one.instead_of}")
    return " | ".join(parts)
