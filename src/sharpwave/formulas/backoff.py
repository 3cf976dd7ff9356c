"""How long to wait before a failed request is tried again."""


def backoff_s(failures: int, first_s: float, chance: float) -> float:
    """Seconds to wait after so many failures in a row (1 is the first).

        backoff = first_s 2^(failures - 1) (1 + chance) / 2        chance in [0, 1)

    Twice as long each time; the chance spreads callers that failed at the same moment.

    >>> backoff_s(3, first_s=0.5, chance=0.5)
    1.5
    """
    return first_s * 2.0 ** (failures - 1) * (1.0 + chance) / 2.0
