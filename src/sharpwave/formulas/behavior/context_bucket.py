"""Which of the kinds of context a message belongs to [TS-03]."""

import hashlib

_DIGEST_BYTES = 8


def context_key(intent: str, sentiment: str, time_of_day: str) -> str:
    """The context in words.

    >>> context_key("question", "neutral", "morning")
    'question_neutral_morning'
    """
    return f"{intent}_{sentiment}_{time_of_day}"


def context_bucket(key: str, buckets: int) -> int:
    """A number below `buckets`, the same in every process and for all time.

    >>> context_bucket("question_neutral_morning", 100)
    68
    """
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES)
    return int.from_bytes(digest.digest(), "big") % buckets
