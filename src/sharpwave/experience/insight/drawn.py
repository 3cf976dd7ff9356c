"""A lesson as it is drawn, before it is published."""

from collections.abc import Mapping
from dataclasses import dataclass

from sharpwave.types.experience import InsightType


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as it is drawn."""

    name: str
    type: InsightType
    text: str
    confidence: float
    support: int
    evidence: tuple[str, ...]
    contexts: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    rule: str | None = None
    conditions: Mapping[str, object] | None = None
