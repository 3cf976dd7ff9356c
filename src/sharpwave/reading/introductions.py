"""What announces a text of others: a speaker's name, "X wrote:", "Summarize this:", "thoughts?".

Word lists (`data/words.toml`) are in eight languages. They only ever widen the wall, except
`_OWN_LABELS` and `_PERSONAL`, which let own words through after a colon.
"""

import re
from collections.abc import Sequence

from sharpwave.reading.grammar.lexicon import (
    DAYS,
    MONTHS,
    RELATIONS,
    is_common,
    well_known_names,
    word_list,
)

_SENTENCE = re.compile(r"[.!?;]\s+(?=\S)")
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
_SAYING = word_list("saying")
_TEXTS = word_list("texts")
_TEXT_VERBS = word_list("text_verbs")
"""What is only ever done to a text."""
_VERBS = _TEXT_VERBS | word_list("editing_verbs")
_EDITS = frozenset("improve fix format simplify continue render convert sort align decode".split())
_TELLING = frozenset("tell write text send reply sign message schreib sag dis dile escribe".split())
"""What is to be said to another person."""
_POINTING = re.compile(
    r"\b(?:this(?! (?:week|weekend|month|year|morning|evening|afternoon|time|summer|winter|spring"
    r"|autumn|fall|monday|tuesday|wednesday|thursday|friday|saturday|sunday))|these|following|below"
    r"|above|that(?=\W*$)|that sound|dies\w*|folgende\w*|obige\w*|das(?=\W*$)|ce|cet|cette|ceci"
    r"|suivant\w*|esto|este|esta"
    r"|siguiente|questo|questa|seguente|isto|seguinte|deze|dit|volgende)\b|[\u6b21\u4e0b\u3053\u8fd9]",
    re.IGNORECASE,
)
_PERSONAL = word_list("personal")
_FIRST_PERSON = _PERSONAL - {"you", "your", "yourself", "du", "dir"}
_OWN_LABELS = word_list("own_labels")
"""Labels that people put before words of their own."""


def is_name(inner: str) -> bool:
    """True for what stands in quotation marks as a word, a name or a title.

    >>> [is_name(one) for one in ("smart home", "The Lord of the Rings", "I live in Rome")]
    [True, True, False]
    """
    words = inner.split()
    if "\n" in inner or len(inner) > _NAME_CHARS:
        return False
    if len(words) <= 2:
        return max(inner, default="") < "\u3000" or len(inner) <= _UNSPACED_CHARS
    capital = [word[:1].isupper() for word in words]
    small = all(great or len(word) <= 3 for word, great in zip(words, capital, strict=True))
    return small and capital[0] and sum(capital) * 2 >= len(words) and inner[-1] not in ".,"


_NAME_CHARS = 60
_UNSPACED_CHARS = 12
"""Characters of a name in a script without spaces between words."""
_LABELLED = re.compile(
    r"[\s*_#\u21aa\u2192\u2022]*(?P<label>[^\s:\uff1a*][^:\uff1a\n*]{0,40}?)"
    r"\*{0,2} ?[:\uff1a]\*{0,2}\s*(?:[^\W\d_]|['\"(\u00bf\u00a1\x00])"
)
_IN_ANGLES = re.compile(r"<[@+~&]?[\w.| -]{1,30}>\s+\S")
_LABEL_WORD = re.compile(
    r"[A-Z\u00c0-\u00de][\w.'\u2019-]*|\d+|(?:de|da|di|du|van|von|der|la|le|al|bin)"
)
_HANDLE = re.compile(r"[@+\[(]?[\w.+-]+[\])]?|\+?[\d ()-]{6,20}|\(.{1,20}\)")


def speaker(line: str) -> str | None:
    """Who speaks, if a line says so: "Eve: …", "[bob]: …", "<xenia> …".

    A label of several words is a name only if all are capitalised; "Quick update:" is none.
    """
    if _IN_ANGLES.match(line):
        return line[: line.index(">") + 1]
    match = _LABELLED.match(line)
    if match is None:
        return None
    label = match["label"]
    words = label.lower().split()
    if (
        len(words) > _NAME_WORDS
        or words[-1].strip(".") in _OWN_LABELS
        or not _PERSONAL.isdisjoint(words)
    ):
        return None
    if len(words) == 1 or label.startswith(("+", "@", "[")):
        return label if _HANDLE.fullmatch(label) and not _is_heading(words[0]) else None
    return label if is_person(label.split()) and not all(map(_is_heading, words)) else None


def _is_heading(word: str) -> bool:
    """Whether a word before a colon is a topic rather than a person: "House:", "Wed:"."""
    if word in _ROLES or word in RELATIONS or word in well_known_names("given"):
        return False
    day = len(word) >= 3 and any(name.startswith(word) for name in DAYS | MONTHS)
    return (word.isdigit() or day or is_common(word)) and word not in _EXERCISES


def is_person(words: Sequence[str]) -> bool:
    """Whether these may be the name of a person: a few words, all with capitals."""
    return 0 < len(words) <= _NAME_WORDS and all(_LABEL_WORD.fullmatch(word) for word in words)


def is_label(line: str) -> bool:
    """Whether people put a line like this over words of their own: "IMPORTANT"."""
    return not _OWN_LABELS.isdisjoint(line.lower().split())


def is_sure(label: str) -> bool:
    """Whether one such line alone is a speaker's; "people: Ana and Tom" is none."""
    return not label.isalpha() or label[0].isupper() or label in _ROLES


_NAME_WORDS = 4
_EXERCISES = frozenset("exercise example question lesson".split())
_ROLES = frozenset("user assistant human ai system bot model agent q a".split())
_LATIN = re.compile(r"[A-Za-z\d]|^\s*$")
_SPEAKS = re.compile(
    r"[\s*_(-]*(?:i|i['\u2019]\w+|my|we|our|me|please|always|never|from now|remember|remind|call"
    r"|don['\u2019]t"
    r"|ich|mein\w*|wir|je|j['\u2019]\w+|mon|ma|nous|yo|mi|soy|vivo|io|sono|eu|sou|ik|mijn)\b",
    re.IGNORECASE,
)
"""How words begin that would be read as the user's: in the first person, or as an order."""
_ADDRESS = re.compile(
    r"https?://\S|www\.\S|\b[\w-]+\.(?:[a-z]{2,4}|docx|html|json)\s*$|^\+?[\d ()-]{6,20}$"
)
_ABOUT_ME = re.compile(
    r"(?:my|mein\w*|mon|ma|mi|mio|mia) (?:e-?mail|mail|site|website|page)", re.IGNORECASE
)


def introduces(lead: str, said: str) -> bool:
    """Whether words before a colon introduce a text of others; `said` is what follows.

    If it speaks in the first person, gives orders or begins a new line, it is of others unless the
    words before are personal ("My rules for you:") or label own words ("Update:").
    """
    lead = _SENTENCE.split(lead)[-1]
    words = [word.lower() for word in _WORD.findall(lead)]
    if _ADDRESS.search(lead) or _says(words):
        return True
    if _names_text(words) and not _ABOUT_ME.fullmatch(lead.strip()):
        return True
    if _asks(words, _TEXT_VERBS) or (_asks(words, _VERBS) and len(words) <= _BARE):
        return True
    if not _LATIN.search(lead):
        return True  # in a script whose words are not known here
    if _LIST.match(said) or (said[:1] not in {"", "\n"} and not _SPEAKS.match(said)):
        return False
    if _asks(words, _TELLING) and "for" not in words:
        return True
    own = not words or not _OWN_LABELS.isdisjoint((*words[:2], words[-1]))
    return not own and _PERSONAL.isdisjoint(words)


_LIST = re.compile(r"\s*\n\s{0,3}(?:\d{1,2}[.)]|[-*\u2022])\s")


def announces(line: str) -> bool:
    """Whether a line by itself, without a colon, says whose words follow: "posted by Wanda"."""
    words = [word.lower() for word in _WORD.findall(line)]
    whole = line.rstrip()[-1:].isalnum() and 0 < len(words) <= _HEAD_WORDS
    says = _says(words) or (words[:1] in (["from"], ["via"], ["source"]) and words[1:2] != ["now"])
    return whole and says and _FIRST_PERSON.isdisjoint(words)


_HEAD_WORDS = 6


def _says(words: Sequence[str]) -> bool:
    """Whether another person says something; "I said" introduces one's own words."""
    return any(
        word in _SAYING and _FIRST_PERSON.isdisjoint(words[max(0, at - 1) : at])
        for at, word in enumerate(words)
    )


def _names_text(words: Sequence[str]) -> bool:
    """Whether a text is named: with an article or the like, or by hardly more than its name."""
    return any(
        _is_text(word)
        and (at == 0 or len(words) <= 3 or not _BEFORE_NOUNS.isdisjoint(words[max(0, at - 2) : at])
             or words[at - 1].endswith("'s"))
        and words[at - 1 : at] not in (["you"], ["to"])
        for at, word in enumerate(words)
    )  # fmt: skip


_BEFORE_NOUNS = word_list("before_nouns")
_REQUEST_WORDS = 30
_ORDER_WORDS = 12
_NO_ORDERS = frozenset("this that these thanks thank love loving".split())
_BARE = 3
"""Requests of up to this many words are about the text beside them: "proofread pls"."""


def requests_below(lines: str, apart: bool) -> bool:
    """Whether lines end with a request about what follows; `apart` if an empty line is between."""
    said = _SENTENCE.split(lines.strip())[-1]
    words = _request_words(said)
    if not words:
        return False
    personal = not _FIRST_PERSON.isdisjoint(words)
    question = said.endswith(("?", ":", "\uff1a")) or words[0] in _QUESTIONS
    orders = _asks(words, _VERBS)
    if _asks(words, _TEXT_VERBS) or (apart and not personal and (question or orders)):
        return True
    named, points = any(map(_is_text, words)), _POINTING.search(said) is not None
    if apart and words[-1] in _THESE and words[0] not in _FIRST_PERSON:
        return True  # "Gemini gave me this"
    if named and words[0] in _HERE:
        return True  # "Here is the text for my homework"
    if apart and named and not personal and said[-1].isalnum() and len(words) <= _ORDER_WORDS:
        return True  # "write a second verse"
    if not apart or personal:
        edits = not _VERBS.isdisjoint(words)
        return (named and (edits or points)) or (points and (orders or (apart and question)))
    return points and words[0] not in _NO_ORDERS and len(words) <= _ORDER_WORDS


_QUESTIONS = word_list("questions")


_HERE = frozenset("here here's below attached hier voici aquí ecco aqui".split())
_THESE = frozenset("this these following below das dies ceci esto questo isto dit".split())


def requests_above(paragraph: str) -> bool:
    """Whether a paragraph is a request about the text before it."""
    said = paragraph.strip()
    words = _request_words(said)
    if said.startswith("^"):
        return True
    personal = not _FIRST_PERSON.isdisjoint(words)
    bare = _asks(words, _TEXT_VERBS | _EDITS) and (len(words) <= _BARE or not personal)
    points = _POINTING.search(said) or _THAT.search(said)
    about_text = any(map(_is_text, words)) or not _VERBS.isdisjoint(words)
    return bare or (points is not None and about_text)


def _request_words(said: str) -> list[str]:
    """The words of a request; none if it is too long for one, or about a problem of the user's."""
    words = [word.lower() for word in _WORD.findall(said)]
    return [] if len(words) > _REQUEST_WORDS or "help" in words else words


def _is_text(word: str) -> bool:
    return word in _TEXTS or word.removesuffix("s") in _TEXTS


_THAT = re.compile(
    r"\bthat\b(?! (?:i|you|he|she|we|they|it|my|the|is|was|are|would|could|can|will)\b)",
    re.IGNORECASE,
)
"""As in "translate that dialogue", not as in "I think that it is"."""


def _asks(words: Sequence[str], verbs: frozenset[str]) -> bool:
    """Whether it begins with such a verb: "translate", "can you please translate"."""
    return not verbs.isdisjoint(words[:5]) and "always" not in words and "never" not in words


_LETTER = re.compile(
    r"(?!dear (?:assistant|machine|computer|ai|bot)\b)"
    r"(?:dear|sehr geehrte[rs]?|liebe[rs]?|cher|chère|estimad[oa]s?|querid[oa]s?|gentile|car[oa]"
    r"|prezad[oa]|geachte|beste) [^\n]{0,60}?,",
    re.IGNORECASE,
)


def is_letter(line: str) -> bool:
    """True for the salutation of a letter."""
    return _LETTER.match(line) is not None
