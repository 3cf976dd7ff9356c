"""How the user wants to be helped, as an agent reports it: "the user wants short answers"."""

import re

from sharpwave.reading.grammar.reported import in_first_person
from sharpwave.reading.grammar.tokens import tokenize

_ORDER = re.compile(
    r"\bi (?:always )?(?:asked|ask|told|said|instructed|want|wanted|requested|request)"
    r"(?: that)? (?:you )?(?:to )(?=\w+ )"
)
_WISH = re.compile(r"\bi (?:want|expect|requested|request|asked for)(?: that)? (?!you\b|to\b)")


def as_the_user_says_it(report: str) -> str:
    """The report in the user's own words; "" if it is not about the user.

    >>> as_the_user_says_it("The user wants answers in bullet points.")
    'i prefer answers in bullet points .'
    >>> as_the_user_says_it("The user told me to never push to main.")
    'never push to main .'
    """
    said = in_first_person(report, frozenset(), tokenize(report))
    return _WISH.sub("i prefer ", _ORDER.sub("", said))
