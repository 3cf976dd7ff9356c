"""Names for records, in the order of time."""

import base64
import hashlib
import secrets
from datetime import datetime


def new_id(now: datetime) -> str:
    """A name for a record: 26 letters and digits, sorted by time, never the same twice."""
    return _text(_milliseconds(now) + secrets.token_bytes(10))


def time_part(moment: datetime) -> str:
    """How names begin that were given at a moment: earlier ones sort before it."""
    return _text(_milliseconds(moment) + bytes(10))[:8]


def digest(words: str) -> str:
    """What stands for words that must not be kept, such as the name of a session."""
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _milliseconds(moment: datetime) -> bytes:
    return max(0, int(moment.timestamp() * 1000)).to_bytes(6, "big")


def _text(octets: bytes) -> str:
    return base64.b32hexencode(octets)[:26].decode().lower()
