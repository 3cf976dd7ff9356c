"""Where doors note the requests that must not be done twice, and which of them are too old."""

from collections.abc import Mapping

from sharpwave.ports import UserStore
from sharpwave.types.storing import ANSWERS, NewTally

ASKED = "doors/asked"
KEPT_S = 86_400.0
"""How long the answer to a request with an Idempotency-Key is kept."""
DIGITS = 2
"""So many first digits of a name, which is a digest, say in which of 256 shares it is kept."""


def share_of(name: str) -> str:
    """The topic of a name: whoever asks often has many, which are never read all at once."""
    return f"{ASKED}/{name[:DIGITS]}"


def over(store: UserStore, share: str, before_us: int) -> dict[str, list[NewTally]]:
    """What drops the requests of a share that are older, by name: the note, and the answer."""
    asked = store.tallies(share)
    old = [name for name, tally in asked.items() if asked_at(tally.value) <= before_us]
    answers = store.tallies(ANSWERS, old) if old else {}
    return {
        name: [
            NewTally(topic, name, None, known[name].version)
            for topic, known in ((share, asked), (ANSWERS, answers))
            if name in known
        ]
        for name in old
    }


def asked_at(value: Mapping[str, object]) -> int:
    """When a request came, in microseconds."""
    return int(str(value["at"]))
