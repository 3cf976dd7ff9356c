"""How far a memory is in the mood of the question.  Design: SCO-11."""


def mood(positive: int, negative: int) -> float:
    """How glad a text sounds, by its signs of either mood; without any it is neutral.

        mood = (positive - negative) / (positive + negative)     range [-1, 1]

    >>> mood(3, 1), mood(0, 0)
    (0.5, 0.0)
    """
    signs = positive + negative
    return (positive - negative) / signs if signs else 0.0


def emotion_match(asked: float, told: float) -> float:
    """How far two moods are the same.

        emotion_match = max(0, asked told)     range [0, 1]

    >>> emotion_match(-1.0, -0.5), emotion_match(-1.0, 1.0), emotion_match(0.0, 1.0)
    (0.5, 0.0, 0.0)
    """
    return max(0.0, asked * told)
