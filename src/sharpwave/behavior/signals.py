"""What an agent reports of the user ("the user wants short answers"), in the user's words."""

import re

from sharpwave.reading.grammar.reported import in_first_person
from sharpwave.reading.grammar.tokens import tokenize

_ORDER = re.compile(
    r"\bi (?:always )?(?:asked|ask|told|said|instructed|want|wanted|requested|request)"
    r"(?: that)? (?:you )?(?:to )(?=\w+ )"
)
_WISH = re.compile(r"\bi (?:want|expect|requested|request|asked for)(?: that)? (?!you\b|to\b)")


def in_user_words(report: str) -> str:
    """An agent's report in the first person; "" if it is not about the user.

    >>> in_user_words("The user wants answers in bullet points.")
    'i prefer answers in bullet points .'
    >>> in_user_words("The user told me to never push to main.")
    'never push to main .'
    """
    text = in_first_person(report, frozenset(), tokenize(report))
    return _WISH.sub("i prefer ", _ORDER.sub("", text))
