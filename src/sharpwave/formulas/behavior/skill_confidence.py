"""How sure we are of a skill after one more rating [SKL-12]."""


def skill_confidence(
    current: float, reward: float, rate: float, reach: float, low: float, high: float
) -> float:
    """Exponential moving average towards a target that the reward sets.

        target = 0.5 + reach·sign(reward)
        new    = a·target + (1 - a)·current   with a = rate·|reward|, clamped to [low, high]

    A reward of 0 changes nothing; one of less than 1 is a weaker sign and takes a smaller step.

    >>> round(skill_confidence(0.5, 1, rate=0.3, reach=0.3, low=0.2, high=0.9), 4)
    0.59
    >>> round(skill_confidence(0.5, -1, rate=0.1, reach=0.3, low=0.2, high=0.9), 4)
    0.47
    """
    if reward == 0:
        return current
    target = 0.5 + (reach if reward > 0 else -reach)
    step = rate * min(1.0, abs(reward))
    return max(low, min(high, step * target + (1.0 - step) * current))


def learning_rate(uses: int, new: float, settled: float, settled_after: int) -> float:
    """Fast while a skill is new, slow once it is settled.

    >>> [learning_rate(uses, 0.3, 0.1, 10) for uses in (0, 9, 10)]
    [0.3, 0.3, 0.1]
    """
    return new if uses < settled_after else settled
