"""Small marks: of which kind, how far it can be trusted, how it stands."""

from enum import StrEnum

from nicegui import html

from sharpwave.types.answers import Decision
from sharpwave.types.records import State, Trust


class Tone(StrEnum):
    """How a mark feels."""

    PLAIN = ""
    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


_STATES = {
    State.ACTIVE: Tone.GOOD,
    State.UNCERTAIN: Tone.WARN,
    State.STALE: Tone.WARN,
    State.QUARANTINED: Tone.BAD,
    State.INVALIDATED: Tone.BAD,
}
_TRUSTS = {
    Trust.USER: ("said by you", Tone.GOOD),
    Trust.VERIFIED: ("verified", Tone.GOOD),
    Trust.INFERRED: ("inferred", Tone.WARN),
    Trust.UNTRUSTED: ("untrusted", Tone.BAD),
}
_DECISIONS = {
    Decision.ASSERT: ("can be said outright", Tone.GOOD),
    Decision.HEDGE: ("say it with a hedge", Tone.ACCENT),
    Decision.CLARIFY: ("ask back", Tone.WARN),
    Decision.VERIFY: ("check it first", Tone.WARN),
    Decision.ABSTAIN: ("not known", Tone.BAD),
}


def badge(words: str, tone: Tone = Tone.PLAIN) -> None:
    """A mark."""
    html.span(words).classes(f"sw-badge {tone.value}")


def state(found: State) -> None:
    """How a record stands."""
    badge(found.value, _STATES.get(found, Tone.PLAIN))


def trust(found: Trust) -> None:
    """How far a record can be believed."""
    badge(*_TRUSTS[found])


def decision(found: Decision | str) -> None:
    """What can be done with what was recalled."""
    badge(*_DECISIONS[Decision(found)])
