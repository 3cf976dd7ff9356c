"""What is known about each predicate: how it is worded, compared, asked about and outdated.

The table is `data/predicates.toml`. A predicate that is not in it, such as one that a model made
up, is treated as multi-valued free text, so no fact is closed by mistake.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from sharpwave.types.records import USER, Statement
from sharpwave.types.statements import EntityKind, Mode

NOTED = "noted"
"""The predicate of free statements in the person's own words, without a slot of their own."""


class Objects(StrEnum):
    """The kind of objects that a predicate has."""

    ENTITY = "entity"
    """People, places, organisations: edges of the graph."""
    VALUE = "value"
    """A word or a number to compare."""
    TEXT = "text"
    """Free words."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """How one predicate behaves; the fields are explained at the top of the table."""

    name: str
    type: str
    says: str
    denies: str
    ended: str
    asks: str
    many: bool = True
    object: Objects = Objects.TEXT
    importance: float = 0.3
    excludes: tuple[str, ...] = ()
    expires_days: int | None = None
    names: bool = False


@lru_cache(maxsize=4096)
def predicate(name: str) -> Predicate:
    """The predicate of that name; a cautious one if the table has none."""
    found = known().get(name)
    if found is not None:
        return found
    for start, pattern in _patterns():
        if len(name) > len(start) and name.startswith(start):
            return _filled(pattern, name, _in_words(name[len(start) :]))
    return _filled(_UNKNOWN, name, _in_words(name))


def predicate_name(text: str) -> str:
    """A predicate as the registry writes them.

    >>> [predicate_name(text) for text in ("lives in", "livesIn", "Lives-In!")]
    ['lives_in', 'lives_in', 'lives_in']
    """
    spaced = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", text)
    return re.sub(r"[\W_]+", "_", spaced).strip("_").lower()


def is_known(name: str) -> bool:
    """True for a predicate of the table, by its name or a known prefix."""
    starts = (start for start, _ in _patterns())
    return name in known() or any(name != start and name.startswith(start) for start in starts)


@cache
def known() -> Mapping[str, Predicate]:
    """Every predicate of the table by name; a name that ends in `*` matches by prefix."""
    types, rows = _table()["types"], _table()["predicates"]
    return {name: _read(name, types[row["type"]] | row) for name, row in rows.items()}


def entity_kind(name: str) -> EntityKind | None:
    """The kind of entity that the objects of a predicate are; None if they are not entities.

    >>> [str(entity_kind(name)) for name in ("lives_in", "lives_with", "pet", "likes")]
    ['place', 'person', 'animal', 'None']
    """
    row = predicate(name)
    if row.object is not Objects.ENTITY and not row.names:
        return None
    return _KINDS.get(name) or _KINDS.get(row.type, EntityKind.THING)


_KINDS = {  # by predicate, or by its type
    "name": EntityKind.PERSON,
    "lives_with": EntityKind.PERSON,
    "pet": EntityKind.ANIMAL,
    "location": EntityKind.PLACE,
    "family": EntityKind.PERSON,
    "work": EntityKind.ORGANISATION,
    "education": EntityKind.ORGANISATION,
}


def sentence(statement: Statement, mode: Mode = Mode.HOLDS) -> str:
    """A statement in plain words.

    >>> sentence(Statement("Ana", "lives_in", "Porto"), Mode.ENDED)
    'Ana no longer lives in Porto'
    """
    row = predicate(statement.predicate)
    form = {Mode.HOLDS: row.says, Mode.DENIED: row.denies, Mode.ENDED: row.ended}[mode]
    if row.type == "family" and _UNNAMED.match(statement.object):
        form = _HAS[mode]
    if _SEVERAL.search(statement.subject):
        form = _plural_form(form)
    if statement.predicate == "located_in" and _WHERE.match(statement.object):
        form = form.replace(" in {object}", " {object}")  # "under the mat" has its preposition
    text = form.format(subject=person(statement.subject), object=statement.object)
    return text[:1].upper() + text[1:]


def person(subject: str) -> str:
    """A subject in words: `the user`, `the user's sister`, `Ana`."""
    return f"the {subject}" if subject == USER or subject.startswith(f"{USER}'s ") else subject


def question(subject: str, name: str, old: str, new: str) -> str:
    """The question to ask about two conflicting values; it quotes both.

    >>> question("user", "lives_in", "Lisbon", "Porto")
    'Do you live in Porto, or still in Lisbon?'
    >>> question("Ana", "lives_in", "Lisbon", "Porto")
    'Which is right: "Ana lives in Porto" or "Ana lives in Lisbon"?'
    """
    if subject == USER:
        return predicate(name).asks.format(new=new, old=old)
    new_text, old_text = (sentence(Statement(subject, name, value)) for value in (new, old))
    return contradiction(new_text, old_text)


def contradiction(first: str, second: str) -> str:
    """The question to ask when two sentences contradict each other; it quotes both.

    >>> contradiction("The user likes tea", "The user dislikes tea")
    'Which is right: "The user likes tea" or "The user dislikes tea"?'
    """
    return f'Which is right: "{first}" or "{second}"?'


def same_object(name: str, first: str, second: str) -> bool:
    """True if two objects of a predicate are the same value; `Porto` is `Porto, Portugal`.

    >>> same_object("lives_in", "NYC", "New York City"), same_object("age", "thirty", "31")
    (True, False)
    """
    first_form, second_form = normal_object(name, first), normal_object(name, second)
    if first_form == second_form:
        return True
    if predicate(name).object is not Objects.ENTITY:
        return False
    short, long = sorted((first, second), key=len)
    return "," in long and normal_object(name, long.partition(",")[0]) == normal_object(name, short)


@lru_cache(maxsize=4096)
def normal_object(name: str, text: str) -> str:
    """An object normalized for comparison with others of the same predicate.

    >>> normal_object("leads", "a team of five engineers")
    'team of 5 engineers'
    """
    if predicate(name).object is Objects.ENTITY:
        return normal_name(text)
    words = [_NUMBERS.get(word, word) for word in _words(text)]
    kept = [word for word in words if word not in _EMPTY]
    joined = " ".join(kept or words)
    return _same().get(joined, joined)


@lru_cache(maxsize=4096)
def normal_name(name: str) -> str:
    """A name normalized for comparison: no case, article, possessive or dots.

    >>> normal_name("The U.S.A."), normal_name("my Mom"), normal_name("NYC")
    ('united states', 'mother', 'new york')
    """
    words = _words(name)
    while len(words) > 1 and words[0] in _ARTICLES:
        del words[0]
    joined = " ".join(words)
    return _same().get(joined, joined)


_FORMS = ("says", "denies", "ended", "asks")
_UNKNOWN = Predicate(
    name="",
    type="other",
    says="{subject} {rest} {object}",
    denies="It is not so that {subject} {rest} {object}",
    ended="It is no longer so that {subject} {rest} {object}",
    asks='Which is right: "{rest} {new}" or "{rest} {old}"?',
)

_SEVERAL = re.compile(r"'s (?:[a-z]+[^s\W]s|children)$")
_PLURALS = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "goes": "go",
    "studies": "study",
}


def _plural_form(form: str) -> str:
    """The form for a plural subject such as "the user's parents": they live, they are."""
    words = form.split(" ")
    at = 3 if words[1:3] == ["no", "longer"] else 1
    if words[0] == "{subject}" and words[at].endswith("s"):
        words[at] = _PLURALS.get(words[at], words[at][:-1])
    return " ".join(words)


_WHERE = re.compile(r"(?:on|under|above|below|behind|beside|inside|near|over|beneath|next to|by) ")
_UNNAMED = re.compile(r"(?:an?|two|three|four|five|six|\d+) ")
_HAS = {
    Mode.HOLDS: "{subject} has {object}",
    Mode.DENIED: "{subject} does not have {object}",
    Mode.ENDED: "{subject} no longer has {object}",
}
_WORD = re.compile(r"[^\W_]+(?:[.'&+#@-][^\W_]+)*[+#]*")
_ARTICLES = frozenset("a an the my our your his her their its".split())
_EMPTY = _ARTICLES | frozenset("some very really just new".split())
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100", "dozen": "12"}


def _words(text: str) -> list[str]:
    words = _WORD.findall(text.casefold().replace("\u2019", "'"))
    plain = [word.replace(".", "") if _DOTTED.fullmatch(word) else word for word in words]
    return plain or text.casefold().split()  # no word at all, such as a picture


_DOTTED = re.compile(r"(?:[a-z]\.)+[a-z]")


def _in_words(name: str) -> str:
    return name.replace("_", " ").replace("{", "(").replace("}", ")")


@cache
def _table() -> dict[str, dict[str, Any]]:
    text = (files("sharpwave") / "data" / "predicates.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def _same() -> Mapping[str, str]:
    return {name: str(normal) for name, normal in _table()["same"].items()}


@cache
def _patterns() -> tuple[tuple[str, Predicate], ...]:
    return tuple((name[:-1], row) for name, row in known().items() if name.endswith("*"))


def _read(name: str, row: Mapping[str, Any]) -> Predicate:
    """One row of the table, with the words of its name filled into the sentence forms."""
    word = _in_words(name)
    forms = {key: row[key].replace("{word}", word) for key in _FORMS if key in row}
    # A predicate that cannot end, such as a birthplace, can only turn out to be wrong.
    forms.setdefault("ended", forms["denies"])
    return Predicate(
        name=name,
        type=row["type"],
        many=row.get("many", False),
        object=Objects(row.get("object", "value")),
        importance=float(row["importance"]),
        excludes=tuple(row.get("excludes", ())),
        expires_days=row.get("expires_days"),
        names=row.get("names", False),
        **forms,
    )


def _filled(pattern: Predicate, name: str, rest: str) -> Predicate:
    forms: dict[str, Any] = {
        form: getattr(pattern, form).replace("{rest}", rest) for form in _FORMS
    }
    return replace(pattern, name=name, **forms)
