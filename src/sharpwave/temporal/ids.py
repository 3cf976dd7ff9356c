"""Names for records, in the order of time."""

import base64
import secrets
from datetime import datetime


def new_id(now: datetime) -> str:
    """A name for a record: 26 letters and digits, sorted by time, never the same twice."""
    milliseconds = max(0, int(now.timestamp() * 1000))
    octets = milliseconds.to_bytes(6, "big") + secrets.token_bytes(10)
    return base64.b32hexencode(octets)[:26].decode().lower()
