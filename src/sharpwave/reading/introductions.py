"""Detect what introduces a text of others: "Eve:", "X wrote:", "Summarize this:", "thoughts?".

Word lists (`data/words.toml`) are in eight languages. They only make the defence stricter, except
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
"""Verbs with only a text as their object."""
_VERBS = _TEXT_VERBS | word_list("editing_verbs")
_EDITS = frozenset("improve fix format simplify continue render convert sort align decode".split())
_TELLING_VERBS = frozenset(
    "tell write text send reply sign message schreib sag dis dile escribe".split()
)
"""Verbs that ask to tell another person something."""
_DEMONSTRATIVE = re.compile(
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


def is_name(quoted: str) -> bool:
    """True for a quoted word, name or title rather than quoted speech.

    >>> [is_name(quoted) for quoted in ("smart home", "The Lord of the Rings", "I live in Rome")]
    [True, True, False]
    """
    words = quoted.split()
    if "\n" in quoted or len(quoted) > _NAME_CHARS:
        return False
    if len(words) <= 2:
        return max(quoted, default="") < "\u3000" or len(quoted) <= _UNSPACED_CHARS
    capitalised = [word[:1].isupper() for word in words]
    only_small_lower = all(
        is_capital or len(word) <= 3 for word, is_capital in zip(words, capitalised, strict=True)
    )
    return (
        only_small_lower
        and capitalised[0]
        and sum(capitalised) * 2 >= len(words)
        and quoted[-1] not in ".,"
    )


_NAME_CHARS = 60
_UNSPACED_CHARS = 12
"""Maximum characters of a name in a script without spaces between words."""
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
    """The label of the speaker of a line, or None: "Eve: …", "[bob]: …", "<xenia> …".

    A label of several words is a name only if all are capitalised, unlike "Quick update:".
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
    """Whether words may be the name of a person: a few, all capitalised."""
    return 0 < len(words) <= _NAME_WORDS and all(_LABEL_WORD.fullmatch(word) for word in words)


def is_label(line: str) -> bool:
    """Whether a line is a label that people put over their own words: "IMPORTANT"."""
    return not _OWN_LABELS.isdisjoint(line.lower().split())


def is_sure(label: str) -> bool:
    """Whether a single label is enough to be a speaker's; "people: Ana and Tom" is not."""
    return not label.isalpha() or label[0].isupper() or label in _ROLES


_NAME_WORDS = 4
_EXERCISES = frozenset("exercise example question lesson".split())
_ROLES = frozenset("user assistant human ai system bot model agent q a".split())
_LATIN = re.compile(r"[A-Za-z\d]|^\s*$")
_IN_USERS_VOICE = re.compile(
    r"[\s*_(-]*(?:i|i['\u2019]\w+|my|we|our|me|please|always|never|from now|remember|remind|call"
    r"|don['\u2019]t"
    r"|ich|mein\w*|wir|je|j['\u2019]\w+|mon|ma|nous|yo|mi|soy|vivo|io|sono|eu|sou|ik|mijn)\b",
    re.IGNORECASE,
)
"""Beginning of words that would be read as the user's: in the first person, or an order."""
_ADDRESS = re.compile(
    r"https?://\S|www\.\S|\b[\w-]+\.(?:[a-z]{2,4}|docx|html|json)\s*$|^\+?[\d ()-]{6,20}$"
)
_MY_ADDRESS = re.compile(
    r"(?:my|mein\w*|mon|ma|mi|mio|mia) (?:e-?mail|mail|site|website|page)", re.IGNORECASE
)


def introduces(lead: str, following: str) -> bool:
    """Whether words before a colon introduce a text of others; `following` is the text after it.

    A text in the first person, with orders or on a new line is of others, unless the words before
    are personal ("My rules for you:") or label own words ("Update:").
    """
    lead = _SENTENCE.split(lead)[-1]
    words = [word.lower() for word in _WORD.findall(lead)]
    if _ADDRESS.search(lead) or _says(words):
        return True
    if _names_text(words) and not _MY_ADDRESS.fullmatch(lead.strip()):
        return True
    if _asks(words, _TEXT_VERBS) or (_asks(words, _VERBS) and len(words) <= _BARE_WORDS):
        return True
    if not _LATIN.search(lead):
        return True  # in a script whose words are not known here
    if _LIST.match(following) or (
        following[:1] not in {"", "\n"} and not _IN_USERS_VOICE.match(following)
    ):
        return False
    if _asks(words, _TELLING_VERBS) and "for" not in words:
        return True
    is_own_label = not words or not _OWN_LABELS.isdisjoint((*words[:2], words[-1]))
    return not is_own_label and _PERSONAL.isdisjoint(words)


_LIST = re.compile(r"\s*\n\s{0,3}(?:\d{1,2}[.)]|[-*\u2022])\s")


def announces(line: str) -> bool:
    """Whether a line without a colon names the author of what follows: "posted by Wanda"."""
    words = [word.lower() for word in _WORD.findall(line)]
    is_heading = line.rstrip()[-1:].isalnum() and 0 < len(words) <= _HEAD_WORDS
    names_speaker = _says(words) or (
        words[:1] in (["from"], ["via"], ["source"]) and words[1:2] != ["now"]
    )
    return is_heading and names_speaker and _FIRST_PERSON.isdisjoint(words)


_HEAD_WORDS = 6


def _says(words: Sequence[str]) -> bool:
    """Whether another person says something; "I said" introduces one's own words."""
    return any(
        word in _SAYING and _FIRST_PERSON.isdisjoint(words[max(0, position - 1) : position])
        for position, word in enumerate(words)
    )


def _names_text(words: Sequence[str]) -> bool:
    """Whether a kind of text is named, with an article or the like, or in at most three words."""
    return any(
        _is_text(word)
        and (position == 0 or len(words) <= 3
             or not _BEFORE_NOUNS.isdisjoint(words[max(0, position - 2) : position])
             or words[position - 1].endswith("'s"))
        and words[position - 1 : position] not in (["you"], ["to"])
        for position, word in enumerate(words)
    )  # fmt: skip


_BEFORE_NOUNS = word_list("before_nouns")
_REQUEST_WORDS = 30
_ORDER_WORDS = 12
_NO_ORDERS = frozenset("this that these thanks thank love loving".split())
_BARE_WORDS = 3
"""Maximum words of a request that is about the text next to it: "proofread pls"."""


def requests_below(lines: str, is_separate: bool) -> bool:
    """Whether lines end with a request about what follows, after an empty line if `is_separate`."""
    request = _SENTENCE.split(lines.strip())[-1]
    words = _request_words(request)
    if not words:
        return False
    is_personal = not _FIRST_PERSON.isdisjoint(words)
    is_question = request.endswith(("?", ":", "\uff1a")) or words[0] in _QUESTIONS
    is_order = _asks(words, _VERBS)
    if _asks(words, _TEXT_VERBS) or (is_separate and not is_personal and (is_question or is_order)):
        return True
    names_text, points_to_text = (
        any(map(_is_text, words)),
        _DEMONSTRATIVE.search(request) is not None,
    )
    if is_separate and words[-1] in _DEMONSTRATIVES and words[0] not in _FIRST_PERSON:
        return True  # "Gemini gave me this"
    if names_text and words[0] in _HERE:
        return True  # "Here is the text for my homework"
    if (
        is_separate
        and names_text
        and not is_personal
        and request[-1].isalnum()
        and len(words) <= _ORDER_WORDS
    ):
        return True  # "write a second verse"
    if not is_separate or is_personal:
        has_editing_verb = not _VERBS.isdisjoint(words)
        return (names_text and (has_editing_verb or points_to_text)) or (
            points_to_text and (is_order or (is_separate and is_question))
        )
    return points_to_text and words[0] not in _NO_ORDERS and len(words) <= _ORDER_WORDS


_QUESTIONS = word_list("questions")


_HERE = frozenset("here here's below attached hier voici aquí ecco aqui".split())
_DEMONSTRATIVES = frozenset("this these following below das dies ceci esto questo isto dit".split())


def requests_above(paragraph: str) -> bool:
    """Whether a paragraph is a request about the text before it."""
    request = paragraph.strip()
    words = _request_words(request)
    if request.startswith("^"):
        return True
    is_personal = not _FIRST_PERSON.isdisjoint(words)
    is_bare_request = _asks(words, _TEXT_VERBS | _EDITS) and (
        len(words) <= _BARE_WORDS or not is_personal
    )
    points_to_text = _DEMONSTRATIVE.search(request) or _THAT_TEXT.search(request)
    about_text = any(map(_is_text, words)) or not _VERBS.isdisjoint(words)
    return is_bare_request or (points_to_text is not None and about_text)


def _request_words(request: str) -> list[str]:
    """The words of a request; none if it is too long, or about a problem of the user's."""
    words = [word.lower() for word in _WORD.findall(request)]
    return [] if len(words) > _REQUEST_WORDS or "help" in words else words


def _is_text(word: str) -> bool:
    return word in _TEXTS or word.removesuffix("s") in _TEXTS


_THAT_TEXT = re.compile(
    r"\bthat\b(?! (?:i|you|he|she|we|they|it|my|the|is|was|are|would|could|can|will)\b)",
    re.IGNORECASE,
)
"""Match "translate that dialogue", not "I think that it is"."""


def _asks(words: Sequence[str], verbs: frozenset[str]) -> bool:
    """Whether words begin with one of the verbs: "translate", "can you please translate"."""
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
