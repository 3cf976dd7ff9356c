"""What is agreed to, how long things are kept, what was erased and done, in words."""

from collections.abc import Sequence
from typing import NamedTuple

from sharpwave.settings.retention import RetentionSettings
from sharpwave.types.access import ApiKey
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import AuditEntry
from sharpwave.types.working import Purpose

PURPOSES = {
    Purpose.MEMORY: (
        "Remember",
        "That anything is stored at all. Off: nothing new is kept and nothing is recalled; what "
        "is there stays until you erase it.",
    ),
    Purpose.LEARNING: (
        "Learn how to help me",
        "That rules, style and skills are learned from what you say and how you rate answers.",
    ),
    Purpose.SENSITIVE: (
        "Keep secrets as they were said",
        "That cards, passwords and identity numbers are stored. Off: they are blacked out.",
    ),
    Purpose.EGRESS: (
        "Send words to a model elsewhere",
        "That redacted text goes to a language model on another machine, if one is set up.",
    ),
    Purpose.POPULATION: (
        "Count with others",
        "That counts of which skills you liked are added up with those of others; never words.",
    ),
}


class Kept(NamedTuple):
    """How long something is kept, and the setting that says so."""

    what: str
    how_long: str
    setting: str


def retention(found: RetentionSettings) -> Sequence[Kept]:
    """The table of how long things are kept."""
    told = (
        ("What was said", "turns_days"),
        ("What agents did", "interactions_days"),
        ("Choices of a skill without feedback, until they are set aside", "trajectories_days"),
        ("… and until they are erased", "trajectories_erased_days"),
        ("Rules seen once", "rules_days"),
        ("The journal of nights, so that they can be undone", "journal_days"),
    )
    return [Kept(what, _days(getattr(found, name)), f"retention.{name}") for what, name in told]


def receipt(found: Forgotten) -> Sequence[tuple[str, str]]:
    """What was erased, line by line."""
    return (
        ("Memories erased", f"{found.memories:,}"),
        ("… of these because they rested on the others", f"{found.derived:,}"),
        ("Interactions erased that were still going on", f"{found.unfinished:,}"),
        ("Vectors erased", f"{found.vectors:,}"),
        ("Snapshots of the index erased", f"{found.snapshots:,}"),
        ("Users erased", f"{found.users:,}"),
        (
            "Traces",
            "no byte of it is left in the file"
            if found.traces_cleared
            else "unused parts of the file still hold old copies until it is rewritten",
        ),
    )


def action(entry: AuditEntry) -> tuple[str, str, str, str]:
    """A line of the audit: number, what was done, by whom, how many."""
    counts = ", ".join(f"{what}: {count:,}" for what, count in entry.counts.items() if count)
    return f"{entry.seq:,}", entry.action.replace("_", " "), entry.actor[:8] or "—", counts or "—"


def rights(key: ApiKey) -> str:
    """What a key allows.

    >>> from types import SimpleNamespace
    >>> rights(SimpleNamespace(scopes={"write", "read"}, revoked_at=None))
    'read, write'
    """
    return ", ".join(sorted(key.scopes))


def _days(value: float | None) -> str:
    if value is None:
        return "for good"
    return f"{value:g} {'day' if value == 1 else 'days'}"
