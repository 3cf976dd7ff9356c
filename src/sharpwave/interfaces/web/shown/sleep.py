"""Nights, as people read them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sharpwave.types.sleep import Phase, Report, SleepStatus

PHASES = {
    Phase.REPLAY: "going through the day again",
    Phase.RECONSOLIDATE: "letting facts settle",
    Phase.DOUBT: "looking for contradictions",
    Phase.PROMOTE: "keeping what came up often",
    Phase.SUMMARISE: "summing up conversations",
    Phase.EVOLVE: "noticing what changes",
    Phase.DISTIL: "drawing lessons",
    Phase.FADE: "letting go of what is old",
}
_ORDER = list(Phase)
_SHOWN_WORDS = 200


class Line(NamedTuple):
    """One thing that was done, to what, and why."""

    what: str
    words: str
    why: str


def progress(status: SleepStatus) -> tuple[float, str]:
    """How far a night is, and what it is at.

    >>> progress(SleepStatus(3, None, None, "run", "distil", 0.0))
    (0.75, 'drawing lessons')
    >>> progress(SleepStatus(3, None, None, "run", None, 0.0))
    (0.0, 'beginning')
    """
    try:
        phase = Phase(status.phase or "")
    except ValueError:
        return 0.0, "beginning"
    return _ORDER.index(phase) / len(_ORDER), PHASES[phase]


def counts(report: Report) -> Sequence[str]:
    """What was done how often, the most often first.

    >>> from types import SimpleNamespace
    >>> counts(SimpleNamespace(counts={"kept": 1, "replayed": 8, "dropped": 0}))
    ['8 replayed', '1 kept']
    """
    done = sorted(report.counts.items(), key=lambda each: (-each[1], each[0]))
    return [f"{count:,} {what}" for what, count in done if count]


def lines(report: Report, texts: Mapping[str, str]) -> Sequence[Line]:
    """What was done, with the words of each record that there still is."""
    return [
        Line(one.what, _short(texts.get(one.id, "")), one.why)
        for one in report.entries
        if one.id in texts or one.why
    ]


def can_undo(report: Report) -> bool:
    """Whether there is something to take back."""
    return bool(report.finished_at and not report.undone and any(report.counts.values()))


def spent(report: Report) -> str:
    """What a night cost."""
    words = f"{report.cpu_s:.2f} s of computing"
    return f"{words}, {report.tokens:,} tokens" if report.tokens else words


def _short(words: str) -> str:
    return words if len(words) <= _SHOWN_WORDS else f"{words[:_SHOWN_WORDS].rstrip()} …"
