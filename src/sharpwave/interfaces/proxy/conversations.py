"""Which conversation a request belongs to, without a name for it and without keeping a list.

It is known by its first exchange: what the user said first, and what the assistant said to it. The
first request comes without the answer, and is named when that is there; later requests bring both.
"""

import hashlib

from sharpwave.interfaces.proxy.dialects.talk import Talk

_NAME_CHARS = 100
"""A longer name stands in the memory as a digest."""
_REPLY_CHARS = 1000
"""Of an answer, so many tell it from others."""


def opened_by(given: str | None, talk: Talk) -> str:
    """The session by its name, or by what the user said first."""
    if given and given.isprintable() and len(given) <= _NAME_CHARS:
        return f"proxy:{given}"
    return _digest(given or talk.beginning)


def session_of(given: str | None, talk: Talk, answer: str = "") -> str:
    """The session by its name, or by its first exchange; `answer` is the one to this request."""
    reply = " ".join((answer if talk.reply is None else talk.reply).split())
    if given or not reply:
        return opened_by(given, talk)
    return _digest(f"{talk.beginning}\x1f{reply[:_REPLY_CHARS]}")


def _digest(known_by: str) -> str:
    written = known_by.encode("utf-8", "surrogatepass")
    return f"proxy:{hashlib.blake2b(written, digest_size=12).hexdigest()}"
