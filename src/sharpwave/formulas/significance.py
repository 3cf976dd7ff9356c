"""What chance alone would do: tests before something is called a pattern or a trend."""

import math
from collections import Counter
from collections.abc import Sequence


def binomial_tail(trials: int, chance: float, successes: int) -> float:
    """The chance of at least so many successes [PAT-06].

        P(X >= k) = Σ_{i=k..n} C(n, i)·p^i·(1 - p)^(n - i)

    >>> round(binomial_tail(4, 0.5, 3), 4)
    0.3125
    """
    if successes <= 0:
        return 1.0
    if chance <= 0.0 or successes > trials:
        return 0.0
    if chance >= 1.0:
        return 1.0
    log_p, log_q = math.log(chance), math.log1p(-chance)
    total, odds = 0.0, chance / (1.0 - chance)
    term = math.exp(
        _log_choose(trials, successes) + successes * log_p + (trials - successes) * log_q
    )
    for k in range(successes, trials + 1):
        total += term
        term *= (trials - k) / (k + 1) * odds
        if term < total * 1e-12:
            break
    return min(1.0, total)


def subsequence_chances(steps: Sequence[float], longest: int) -> list[float]:
    """Chances that 0, 1, 2 … independent actions hold the steps in order, by their shares [PAT-06].

        after each action the next step is met with its share; P(all steps are met)

    >>> subsequence_chances([0.5, 0.5], 3)
    [0.0, 0.0, 0.25, 0.5]
    """
    reached = [1.0] + [0.0] * len(steps)
    chances = [reached[-1]]
    for _ in range(longest):
        for place in range(len(steps) - 1, -1, -1):
            moved = reached[place] * steps[place]
            reached[place] -= moved
            reached[place + 1] += moved
        chances.append(reached[-1])
    return chances


def order_chance(steps: Sequence[str]) -> float:
    """The chance that these steps come in just this order [PAT-06].

        1 / (k! / Π m_i!)        m_i: how often step i occurs among the k

    >>> order_chance(["read", "edit", "test"])
    0.16666666666666666
    """
    orders = math.factorial(len(steps))
    for times in Counter(steps).values():
        orders //= math.factorial(times)
    return 1.0 / orders


def lift(together: float, first: float, second: float, total: float) -> float:
    """How many times more often two things meet than if they were independent [PAT-06].

        lift = (together / total) / ((first / total)·(second / total))     0 if either never occurs

    >>> lift(together=4, first=4, second=5, total=20)
    4.0
    """
    return together / (first * second / total) if first and second else 0.0


def separation(
    with_ok: int, with_bad: int, rest_ok: int, rest_bad: int, limit: float = 1.0
) -> float:
    """Chance that two groups differ this much or more: Fisher's exact test [PAT-06, TOOL-04].

        p = Σ of the hypergeometric probabilities that are not larger than that of the table seen

    Above `limit` it is not worked out further: what is returned then is above the limit, too.

    >>> round(separation(8, 2, 1, 5), 4)
    0.035
    """
    ok, bad = with_ok + rest_ok, with_bad + rest_bad
    drawn = with_ok + with_bad
    all_tables = _log_choose(ok + bad, drawn)
    first, last = max(0, drawn - bad), min(drawn, ok)
    likeliest = min(last, max(first, (drawn + 1) * (ok + 1) // (ok + bad + 2)))

    def probability(k: int) -> float:
        return math.exp(_log_choose(ok, k) + _log_choose(bad, drawn - k) - all_tables)

    def tail(k: int, step: int) -> float:
        """From k outwards, each term from the one before, until they no longer count."""
        term, total = probability(k), 0.0
        while first <= k <= last and total <= limit and term > total * 1e-16:
            total += term
            if step > 0:
                term *= (ok - k) * (drawn - k) / ((k + 1) * (bad - drawn + k + 1))
            else:
                term *= k * (bad - drawn + k) / ((ok - k + 1) * (drawn - k + 1))
            k += step
        return total

    seen = probability(with_ok) * (1.0 + 1e-7)
    if probability(likeliest) <= seen:
        return 1.0
    side = 1 if with_ok > likeliest else -1
    near, far = likeliest, (first if side > 0 else last) - side
    while abs(far - near) > 1:  # on the other side: the first that is not more likely
        middle = (near + far) // 2
        near, far = (near, middle) if probability(middle) <= seen else (middle, far)
    return min(1.0, tail(with_ok, side) + (tail(far, -side) if first <= far <= last else 0.0))


def association(with_ok: int, with_bad: int, rest_ok: int, rest_bad: int) -> float:
    """How strongly two groups differ, from -1 to 1 (the phi coefficient) [TOOL-04].

        φ = (a·d - b·c) / √((a + b)(c + d)(a + c)(b + d))        0 if a margin is empty

    >>> association(5, 0, 0, 5)
    1.0
    """
    a, b, c, d = with_ok, with_bad, rest_ok, rest_bad
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    return (a * d - b * c) / math.sqrt(margins) if margins else 0.0


def perplexity(counts: Sequence[int]) -> float:
    """How many equally frequent kinds would surprise as much [PAT-06].

        exp(-Σ p·ln p)

    >>> round(perplexity([5, 5, 5, 5]), 6)
    4.0
    """
    total = sum(counts)
    if not total:
        return 1.0
    return math.exp(-sum(n / total * math.log(n / total) for n in counts if n))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def trend_chance(before: int, after: int) -> float:
    """The chance that two equal stretches of time differ so much, or more, by accident [TMP-08].

        p = min(1, 2 P(X >= max(before, after)))        X ~ Binomial(before + after, 1/2)

    >>> round(trend_chance(1, 9), 4)
    0.0215
    >>> trend_chance(5, 5)
    1.0
    """
    return min(1.0, 2.0 * binomial_tail(before + after, 0.5, max(before, after)))
