"""Light reading of queries: keywords, key phrases, and how a user took an answer."""

import re
from itertools import pairwise

from sharpwave.types.experience import FeedbackType

_WORD = re.compile(r"[^\W\d_][\w'-]*")
STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be because been before but by can could did do
    does done for from get give had has have hello help her here hey hi him his how i i'd i'll i'm
    i've if in into is it it's its just let like look looking make me more my need no not now of off
    on one or our out over please really should so some sure tell than thank thanks that that's the
    their them then there these they this those to today too up us use want was way we were what
    when where which while who will with would yes you your""".split()
)
_MAX_KEYWORDS = 24


def keywords(text: str) -> list[str]:
    """The words that carry meaning, in order, each once [INTP-04].

    >>> keywords("Please fix the auth bug in the auth module")
    ['fix', 'auth', 'bug', 'module']
    """
    words = (found[0].lower() for found in _WORD.finditer(text))
    kept = dict.fromkeys(w for w in words if w not in STOP_WORDS and len(w) > 1)
    return list(kept)[:_MAX_KEYWORDS]


def key_phrases(text: str, most: int = 10) -> list[str]:
    """Keywords and pairs of neighbours among them, pairs first [INTP-05].

    >>> key_phrases("fix the auth bug")
    ['fix auth', 'auth bug', 'fix', 'auth', 'bug']
    """
    words = keywords(text)
    pairs = [f"{one} {other}" for one, other in pairwise(words)]
    half = max(1, most // 2)
    return [*pairs[:half], *words][:most]


_START = r"^\W*(?:{})\b"
_REJECTION = re.compile(
    r"\b(?:stop|cancel that|undo|revert|roll (?:it|that) back|never ?mind|forget it|abort|"
    r"useless|don't do that)\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"\b(?:wrong|incorrect|not what i|i meant|i said|i asked|should (?:be|have)|shouldn't|"
    r"instead|rather than|actually|that's not|that is not|doesn't work|does not work|"
    r"still (?:fails|broken|failing|wrong)|falsch|nicht richtig|incorrecto|mal|faux|pas ça)\b"
    r"|" + _START.format("no|nope|nein|non"),
    re.IGNORECASE,
)
_APPROVAL = re.compile(
    r"\b(?:thanks|thank you|great|perfect|works|worked|nice|excellent|awesome|lgtm|looks good|"
    r"well done|good job|exactly|correct|that's it|love it|danke|gracias|merci|super|"
    r"perfekt)\b|👍|✅"
    r"|" + _START.format("yes|yep|yeah|ok|okay|fine|good|ja|sí|oui"),
    re.IGNORECASE,
)
_FOLLOWUP = re.compile(
    r"\?|\b(?:also|next|then|and now|now|another|what about|can you|could you|one more)\b",
    re.IGNORECASE,
)
_NOT_BAD = re.compile(
    r"\b(?:no problem|no worries|not bad|nothing wrong|not wrong)\b", re.IGNORECASE
)
_NOT_GOOD = re.compile(
    r"\bnot (?:great|perfect|good|nice|correct|exactly|fine|ok)\b", re.IGNORECASE
)


def feedback_type(text: str | None) -> FeedbackType:
    """How a user took it, by the words of the answer [LOG-04].

    >>> feedback_type("No, I meant the other file").value
    'correction'
    >>> feedback_type("Perfect, thanks!").value, feedback_type("Can you also add a test?").value
    ('approval', 'followup')
    """
    if not text or not text.strip():
        return FeedbackType.NONE
    read = _NOT_BAD.sub("fine", text.strip())
    read = _NOT_GOOD.sub("wrong", read)
    for kind, signs in (
        (FeedbackType.REJECTION, _REJECTION),
        (FeedbackType.CORRECTION, _CORRECTION),
        (FeedbackType.APPROVAL, _APPROVAL),
        (FeedbackType.FOLLOWUP, _FOLLOWUP),
    ):
        if signs.search(read):
            return kind
    return FeedbackType.FOLLOWUP
