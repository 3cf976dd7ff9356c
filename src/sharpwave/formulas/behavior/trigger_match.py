"""How well a skill's trigger fits a message [SKL-14]."""


def trigger_match(
    fits: tuple[bool, bool, bool], cosine: float | None, weights: tuple[float, float, float, float]
) -> float:
    """Weighted share of what fits: intent, time of day, sentiment, and the topic's cosine.

        score = Σ w·fit + w_topic·max(0, cosine), divided by the weights that could count

    A trigger that does not name a key fits it. Without a topic on either side (`cosine` None) its
    weight is left out and the others make up for it.

    >>> weights = (0.4, 0.15, 0.15, 0.3)
    >>> round(trigger_match((True, False, True), 0.5, weights), 4)
    0.7
    >>> round(trigger_match((True, True, True), None, weights), 4)
    1.0
    >>> round(trigger_match((False, True, True), None, weights), 4)
    0.4286
    """
    *named, topic = weights
    score = sum(weight for weight, fit in zip(named, fits, strict=True) if fit)
    total = sum(named)
    if cosine is not None:
        score += topic * min(1.0, max(0.0, cosine))
        total += topic
    return score / total if total else 0.0
