"""How alike two sequences of actions are, what they have in common, and what comes next."""

from collections.abc import Mapping, Sequence


def levenshtein(first: Sequence[str], second: Sequence[str]) -> int:
    """Fewest insertions, deletions and substitutions that turn one sequence into another [PAT-07].

        d(i, j) = d(i-1, j-1)                                     if first[i] = second[j]
        d(i, j) = 1 + min(d(i-1, j), d(i, j-1), d(i-1, j-1))      otherwise

    >>> levenshtein(["read", "edit", "test"], ["read", "test"])
    1
    """
    row = list(range(len(second) + 1))
    for i, first_step in enumerate(first, start=1):
        before, row[0] = row[0], i
        for j, second_step in enumerate(second, start=1):
            above = row[j]
            row[j] = before if first_step == second_step else 1 + min(above, row[j - 1], before)
            before = above
    return row[-1]


def sequence_similarity(first: Sequence[str], second: Sequence[str]) -> float:
    """Likeness of two sequences in [0, 1]; age has no part in it [PAT-07].

        similarity = 1 - levenshtein / max(|first|, |second|)        0 if either is empty

    >>> sequence_similarity(["read", "edit", "test", "commit"], ["read", "edit", "commit"])
    0.75
    >>> sequence_similarity([], ["read"])
    0.0
    """
    longest = max(len(first), len(second))
    return 1.0 - levenshtein(first, second) / longest if longest else 0.0


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """The longest sequence that both hold in this order, with anything in between [PAT-10].

        c(i, j) = c(i-1, j-1) + 1                  if first[i] = second[j]
        c(i, j) = max(c(i-1, j), c(i, j-1))        otherwise

    >>> common_subsequence(["read", "look", "edit", "test"], ["read", "edit", "wait", "test"])
    ['read', 'edit', 'test']
    """
    lengths = [[0] * (len(second) + 1)]
    for first_step in first:
        above, row = lengths[-1], [0]
        for j, second_step in enumerate(second):
            row.append(above[j] + 1 if first_step == second_step else max(above[j + 1], row[j]))
        lengths.append(row)
    common, i, j = [], len(first), len(second)
    while i and j:
        if first[i - 1] == second[j - 1]:
            common.append(first[i - 1])
            i, j = i - 1, j - 1
        elif lengths[i - 1][j] >= lengths[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return common[::-1]


def common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence, many times faster than finding it [PAT-10].

        one bit a place of `first`; a row of zeros grows by each match (Hyyrö's recurrence)

    >>> common_length(["read", "look", "edit", "test"], ["read", "edit", "wait", "test"])
    3
    """
    places: dict[str, int] = {}
    for position, first_step in enumerate(first):
        places[first_step] = places.get(first_step, 0) | 1 << position
    full = (1 << len(first)) - 1
    row = full
    for second_step in second:
        matched = row & places.get(second_step, 0)
        row = (row + matched) | (row - matched)
    return len(first) - (row & full).bit_count()


def holds(sequence: Sequence[str], steps: Sequence[str]) -> bool:
    """True if all steps occur in this order, with anything in between [PAT-10].

        for each step in order: found behind the one before

    >>> holds(["read", "look", "edit"], ["read", "edit"])
    True
    """
    rest = iter(sequence)
    return all(step in rest for step in steps)


def next_share(counts: Mapping[str, float], step: str, shorter: float) -> float:
    """Probability of a step after a context, backed off to the shorter context [AGT-08].

        share = (n(step) + kinds·shorter) / (n + kinds)        kinds: how many followed it

    A context that was followed by many different steps leaves more to the shorter one
    (Witten-Bell).

    >>> next_share({"edit": 3, "test": 1}, "edit", shorter=0.5)
    0.6666666666666666
    >>> next_share({}, "edit", shorter=0.2)
    0.2
    """
    kinds = len(counts)
    total = sum(counts.values())
    return (counts.get(step, 0.0) + kinds * shorter) / (total + kinds) if kinds else shorter
