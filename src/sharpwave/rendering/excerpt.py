"""Some sentences of a text, word for word, with a mark wherever something was left out."""

from collections.abc import Iterable

LEFT_OUT = "…"


def excerpt(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The parts of the text between these places, in its order.

    >>> excerpt("Hi! I moved to Porto. It rains. How are you?", [(22, 31), (4, 21)])
    '… I moved to Porto. It rains. …'
    """
    shown: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        if text[end:start].strip():
            shown.append(LEFT_OUT)
        shown.append(text[start:stop])
        end = stop
    if text[end:].strip():
        shown.append(LEFT_OUT)
    return " ".join(shown)
