"""Forms of verbs: the instruction in "I prefer seeing it before you commit" is said in others.

A form is undone only if what comes out is a verb that an assistant can be told to do.
"""

from sharpwave.reading.steering.lexicon import GIVING, MANNER, PLACING, TASKS

KNOWN = MANNER | GIVING | PLACING | TASKS
_IRREGULAR = {
    "wrote": "write",
    "gave": "give",
    "kept": "keep",
    "put": "put",
    "made": "make",
    "told": "tell",
    "showed": "show",
    "left": "leave",
    "spoke": "speak",
    "began": "begin",
    "ran": "run",
    "took": "take",
    "went": "go",
    "did": "do",
    "got": "get",
    "were": "be",
    "was": "be",
    "had": "have",
    "let": "let",
    "set": "set",
    "cut": "cut",
}
_VOWELS = "aeiou"


def gerund(base: str) -> str:
    """The form in -ing.

    >>> [gerund(verb) for verb in ("commit", "write", "show", "be", "run", "lie")]
    ['committing', 'writing', 'showing', 'being', 'running', 'lying']
    """
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    return base + base[-1] + "ing" if _doubles(base) else base + "ing"


def _doubles(base: str) -> bool:
    """A stressed short vowel doubles what follows: run, commit; not visit or show."""
    if len(base) < 3 or base[-1] in "wxy" or base[-1] in _VOWELS or base[-2] not in _VOWELS:
        return False
    if base[-3] in _VOWELS:
        return False
    syllables = sum(
        1
        for place, one in enumerate(base)
        if one in _VOWELS and (place == 0 or base[place - 1] not in _VOWELS)
    )
    return syllables == 1 or base.endswith(("mit", "fer", "gin", "get", "put", "cur"))


def base_of_gerund(form: str) -> str | None:
    """The plain form of a verb in -ing; None if it is none that is known."""
    return _GERUNDS.get(form)


def base_of_past(form: str) -> str | None:
    """The plain form of a verb in the past; None if it is none that is known."""
    return _IRREGULAR.get(form) or _PASTS.get(form)


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if _doubles(base) else base + "ed"


def third(base: str) -> str:
    """The form of the third person.

    >>> [third(verb) for verb in ("use", "deploy", "push", "carry", "do", "have")]
    ['uses', 'deploys', 'pushes', 'carries', 'does', 'has']
    """
    if base == "have":
        return "has"
    if base == "be":
        return "is"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


_GERUNDS = {gerund(base): base for base in sorted(KNOWN)}
_PASTS = {_past(base): base for base in sorted(KNOWN)}
