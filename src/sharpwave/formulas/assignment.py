"""Which side of an A/B test a user is on: stable across processes and machines [SCO-13]."""

import hashlib


def position(user_id: str, test: str) -> float:
    """A user's fixed place in [0, 1) for one test; those below the share get the B side.

        position = first 8 bytes of blake2b(test ‖ 0 ‖ user_id) / 2^64

    >>> position("alice", "spring") == position("alice", "spring")
    True
    >>> 0.0 <= position("bob", "spring") < 1.0
    True
    """
    digest = hashlib.blake2b(f"{test}\0{user_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
