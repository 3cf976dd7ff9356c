"""What is served first.  Design: SCO-05."""


def priority(relevance: float, confidence: float) -> float:
    """What a memory is worth as an answer.

        priority = relevance * confidence

    >>> priority(0.5, 0.5)
    0.25
    """
    return relevance * confidence
