"""How many there are of something, in words."""


def count(number: int, one: str, many: str = "") -> str:
    """A number and what it counts; `many` is the plural where an s does not make it.

    >>> count(1, "memory", "memories"), count(12_345, "memory", "memories"), count(0, "message")
    ('1 memory', '12,345 memories', '0 messages')
    """
    return f"{number:,} {noun(number, one, many)}"


def noun(number: int, one: str, many: str = "") -> str:
    """What is counted, without the number."""
    return one if number == 1 else many or f"{one}s"


def signed(value: float) -> str:
    """A number with its sign; a minus as it is set in print.

    >>> signed(2.714)
    '+2.71'
    """
    return f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")


def times(number: int) -> str:
    """How often.

    >>> times(0), times(1), times(1200)
    ('never', 'once', '1,200 times')
    """
    return {0: "never", 1: "once"}.get(number, f"{number:,} times")
