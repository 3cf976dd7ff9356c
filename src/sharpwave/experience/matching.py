"""Normal forms of actions, queries, errors and values; keywords; feedback type."""

import re
from collections.abc import Sequence
from itertools import pairwise

from sharpwave.types.experience import FeedbackType

# Names that editors use for the same action; a verb is never dropped [PAT-13].
_SAME = {
    "edit_file": "modify",
    "save_file": "modify",
    "write_file": "modify",
    "read_file": "read",
    "open_file": "read",
    "view_file": "read",
}
_PREFIXES = ("get_", "set_", "update_", "create_", "delete_")
_SHOWN_STEPS = 5


def step_name(action: str) -> str:
    """The name of an action in a workflow.

    >>> step_name("edit_file"), step_name("delete_file"), step_name("Run-Tests")
    ('modify', 'delete_file', 'run_tests')
    """
    name = action.strip().lower().replace("-", "_").replace(" ", "_")
    return _SAME.get(name, name)


def step_names(actions: Sequence[str]) -> list[str]:
    """The names of actions in a workflow."""
    return [step_name(action) for action in actions]


def stem(action: str) -> str:
    """What an action is about, without its verb: a weak hint only [PAT-08].

    >>> stem("get_user"), stem("Run-Tests"), stem("update_set_x")
    ('user', 'runtests', 'setx')
    """
    name = action.lower()
    prefix = next((candidate for candidate in _PREFIXES if name.startswith(candidate)), "")
    return name[len(prefix) :].replace("_", "").replace("-", "")


def extensions(files: Sequence[str]) -> list[str]:
    """The kinds of files, in order of the alphabet; apart from the steps."""
    ends = (file.rpartition("/")[2].rpartition(".")[2].lower() for file in files)
    return sorted({end for end in ends if end})


def workflow_name(actions: Sequence[str], files: Sequence[str] = ()) -> str:
    """A short name of a workflow.

    >>> workflow_name(["read_file", "edit_file", "run_tests"], ["a.py"])
    'read → modify → run_tests [py]'
    """
    shown = " → ".join(step_names(actions)[:_SHOWN_STEPS])
    kinds = extensions(files)
    return f"{shown} [{','.join(kinds)}]" if kinds else shown


STAR = "*"
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_UUID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)
_HEX = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b", re.IGNORECASE)
_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[A-Z])[A-Z0-9]+(?:[-_][A-Z0-9]+)*\b")
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_NAMED_ID = re.compile(r"\b\w*_\w*\d\w*\b")
_NUMBER = re.compile(r"(?<![\w*])[-+]?\d+(?:[.,:]\d+)*\b")
_DIGITS = re.compile(r"\b\d+\b")
_QUOTED = re.compile(r"""(["'`])(?:(?!\1).)*\1""")
_SPACE = re.compile(r"\s+")
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
_STARS = re.compile(r"\*(?:[_ ]\*)+")
_DOMAIN_NOUN = re.compile(r"(?<![a-z])an?_[a-z]+(?=_(?:for|of|in|to|with|from)_)")
_MAX_CHARS = 400
_VALUE_CHARS = 32


def query_pattern(query: str) -> str:
    """Ids, numbers, e-mail addresses, URLs and codes as stars, words joined by `_`.

    >>> query_pattern("Create a shipment for facility HAN")
    'create_a_shipment_for_facility_*'
    >>> query_pattern("Send report 42 to jane.doe@acme.com")
    'send_report_*_to_*'
    """
    text = query.strip()[:_MAX_CHARS]
    for expression in (_URL, _EMAIL, _UUID, _HEX, _NAMED_ID, _CODE, _CAPITALS, _NUMBER, _DIGITS):
        text = expression.sub(STAR, text)
    return _SPACE.sub("_", text.lower())


def loose_pattern(query: str) -> str:
    """As `query_pattern`, with names of people and places, and what is made, as stars too [AGT-02].

    >>> loose_pattern("Create a shipment for facility HAN")
    'create_*_for_facility_*'
    >>> loose_pattern("book a flight from New York to Seattle")
    'book_*_from_*_to_*'
    """
    starred = query_pattern(_NAMES.sub(STAR, query.strip()[:_MAX_CHARS]))
    return _STARS.sub(STAR, _DOMAIN_NOUN.sub(STAR, starred))


def error_pattern(error: str) -> str:
    """An error without its particulars.

    >>> error_pattern("Facility 507f1f77bcf86cd799439011 not found")
    'facility * not found'
    >>> error_pattern("Invalid value 'HAN' for field 'code'")
    "invalid value '*' for field '*'"
    """
    text = error.strip()[:_MAX_CHARS]
    text = _QUOTED.sub(lambda found: f"{found[1]}{STAR}{found[1]}", text)
    for expression in (_URL, _EMAIL, _UUID, _HEX, _NAMED_ID, _CODE, _NUMBER, _DIGITS):
        text = expression.sub(STAR, text)
    return _SPACE.sub(" ", text.lower())


def value_pattern(value: object) -> str:
    """A parameter's value as it is counted: unchanged if it is short, or else its form.

    >>> value_pattern("economy"), value_pattern(True), value_pattern([1, 2])
    ('economy', 'true', 'a list of 2')
    >>> value_pattern("user_3668"), value_pattern(3.5)
    ('*', '3.5')
    """
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    text = query_pattern(str(value)).replace("_", " ")
    return text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}…"


_WORD = re.compile(r"[^\W\d_][\w'-]*")
STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be because been before but by can could did do
    does done for from get give had has have hello help her here hey hi him his how i i'd i'll i'm
    i've if in into is it it's its just let like look looking make me more my need no not now of off
    on one or our out over please really should so some sure tell than thank thanks that that's the
    their them then there these they this those to today too up us use want was way we were what
    when where which while who will with would yes you your""".split()
)
_MAX_KEYWORDS, _MAX_PHRASES = 24, 10


def keywords(text: str) -> list[str]:
    """The words that carry meaning, in order, each once [INTP-04].

    >>> keywords("Please fix the auth bug in the auth module")
    ['fix', 'auth', 'bug', 'module']
    """
    words = (found[0].lower() for found in _WORD.finditer(text))
    kept = dict.fromkeys(w for w in words if w not in STOP_WORDS and len(w) > 1)
    return list(kept)[:_MAX_KEYWORDS]


def key_phrases(text: str) -> list[str]:
    """Keywords and pairs of neighbours among them, pairs first [INTP-05].

    >>> key_phrases("fix the auth bug")
    ['fix auth', 'auth bug', 'fix', 'auth', 'bug']
    """
    words = keywords(text)
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    return [*pairs[: _MAX_PHRASES // 2], *words][:_MAX_PHRASES]


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
_NOT_BAD = re.compile(
    r"\b(?:no problem|no worries|not bad|nothing wrong|not wrong)\b", re.IGNORECASE
)
_NOT_GOOD = re.compile(
    r"\bnot (?:great|perfect|good|nice|correct|exactly|fine|ok)\b", re.IGNORECASE
)


def feedback_type(text: str | None) -> FeedbackType:
    """How a user reacted, by the words of the answer [LOG-04].

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
    ):
        if signs.search(read):
            return kind
    return FeedbackType.FOLLOWUP
