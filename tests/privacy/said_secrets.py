"""Secrets and numbers as people say them, and harmless sentences that look alike.

Written before the rules that find them. The value stands between « and », and ⏎ is a new line. Half
of each list is held out: rules are not developed on it.
"""

import hashlib
from pathlib import Path

_HERE = Path(__file__).parent
SECRETS = (_HERE / "said_secrets.txt").read_text("utf-8").splitlines()
HARMLESS = (_HERE / "harmless.txt").read_text("utf-8").splitlines()


def is_held(text: str) -> bool:
    """Whether a sentence belongs to the half that rules are not developed on."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def marked(text: str) -> tuple[str, list[str]]:
    """The sentence without its marks, and the values that stood between them."""
    text = text.replace("⏎", "\n")
    values = [part.split("»")[0] for part in text.split("«")[1:]]
    return text.replace("«", "").replace("»", ""), values
