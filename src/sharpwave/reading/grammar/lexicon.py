"""Shared word lists, verb forms, and cue words of many languages."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sharpwave.formulas.relevance import mood


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def _data(file: str) -> str:
    return (files("sharpwave") / "data" / file).read_text("utf-8")


@cache
def _word_lists() -> dict[str, Any]:
    return tomllib.loads(_data("words.toml"))


def word_list(name: str) -> frozenset[str]:
    """A list of `data/words.toml`."""
    return words(_word_lists()[name])


FIRST = words("i we")
MINE = words("my our")
BE = words("am is are was were be been being")
HAVE = words("have has had having")
DO = words("do does did")
MODALS = words("would could should might may can must")
ADVERBS = word_list("adverbs")
HEDGES = words(
    "probably maybe perhaps possibly kinda sorta apparently supposedly presumably likely might may"
)

DAYS = words("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = words(
    """january february march april may june july august september october november december"""
)
TIME_WORDS = DAYS | MONTHS | word_list("time_words")
FEMALE_KIN = "mother sister daughter wife girlfriend grandmother aunt niece stepmother"
MALE_KIN = "father brother son husband boyfriend grandfather uncle nephew stepfather"


def _by_word(table: str) -> dict[str, str]:
    """Map each word of a table to its kind: "mum" to `mother`."""
    base_words = word_list(f"{table}_by_one_word")
    synonyms: dict[str, str] = _word_lists()[table]
    return {word: word for word in base_words} | {
        word: kind for kind, words_of_kind in synonyms.items() for word in words_of_kind.split()
    }


RELATIONS = _by_word("relations")
ANIMALS = _by_word("animals")
NEGATIVE = words("not never no nobody none neither nor cannot without hardly")
DEICTIC_TIMES = words(
    """today yesterday tomorrow tonight now lately recently nowadays currently soon later earlier
    afterwards ago once already again anymore too either though yet still also"""
)

NUMBERS = words(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty"""
)
NATIONALITIES = word_list("nationalities")
LANGUAGES = NATIONALITIES | word_list("languages")
FAITHS = word_list("faiths")

PRONOUNS = word_list("pronouns")
STOP = PRONOUNS | ADVERBS | word_list("stop_words")

_IRREGULAR: list[list[str]] = [row.split() for row in _word_lists()["irregular_verbs"].split("|")]
"""Base form, past and participle; a missing participle is the same as the past."""
_PASTS = {"was", "were"} | {row[1] for row in _IRREGULAR}
_PARTICIPLES = {"been", "got"} | {row[-1] for row in _IRREGULAR}
_NOT_PAST = words("need feed speed seed breed bleed embed exceed proceed succeed indeed")
_NOT_ING = words("king thing something anything nothing everything ring bring string spring sing")


_FORMS = {form: row[0] for row in reversed(_IRREGULAR) for form in row} | {
    **dict.fromkeys(BE, "be"),
    **dict.fromkeys(HAVE, "have"),
    "does": "do", "doing": "do", "goes": "go", "going": "go", "died": "die", "dying": "die",
    "used": "use", "using": "use", "cancelled": "cancel", "cancelling": "cancel",
}  # fmt: skip
_DOUBLE = re.compile(r"([bdgmnprt])\1$")


def lemma(word: str) -> str:
    """The base form of a verb as far as the rules need it: `works`, `worked`, `working` → `work`.

    >>> [lemma(word) for word in ("went", "works", "studied", "planning", "hoping", "allergic")]
    ['go', 'work', 'study', 'plan', 'hope', 'allergic']
    """
    known = _FORMS.get(word)
    if known is not None:
        return known
    if word.endswith("ing") and len(word) > 5 and word not in _NOT_ING:
        return _stem(word[:-3])
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ed") and len(word) > 4 and word not in _NOT_PAST:
        return word[:-1] if word.endswith("eed") else _stem(word[:-2])
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_TOKEN = re.compile(r"\w+")


def meaning_words(text: str) -> set[str]:
    """The content words of a text, each in its base form.

    >>> sorted(meaning_words("We hiked to the lakes"))
    ['hike', 'lake']
    """
    return {lemma(word) for word in _TOKEN.findall(text.lower()) if word not in STOP}


_INSTRUCTION_VERBS = word_list("manner_verbs") | word_list("giving_verbs") | word_list("task_verbs")
_WITH_E = word_list("verbs_with_e") | {
    verb[:-1] for verb in _INSTRUCTION_VERBS if verb.endswith("e")
}


def _stem(stem: str) -> str:
    if stem in _WITH_E or stem.endswith(("v", "z", "u", "c")):
        return stem + "e"
    if _DOUBLE.search(stem) and len(stem) > 3 and not stem.endswith(("ll", "ss")):
        return stem[:-1]
    return stem


def is_past(word: str) -> bool:
    """True if a word in verb position is in the past tense."""
    return word in _PASTS or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST)


def is_participle(word: str) -> bool:
    """True if a word after "have" makes it a perfect tense."""
    return word in _PARTICIPLES or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST)


def is_ing(word: str) -> bool:
    """True for the -ing form of a verb."""
    return word.endswith("ing") and len(word) > 4 and word not in _NOT_ING


_WORD = re.compile(
    "[\\w\u0300-\u036f\u064b-\u065f\u0900-\u0dff]+|[\u2600-\u27bf\U0001f300-\U0001faff]"
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")


class Cues:
    """Finds which kinds of cue a text has, and how many of each."""

    def __init__(self, by_kind: Mapping[str, Iterable[str]]) -> None:
        self._kinds: dict[str, list[str]] = {}
        for kind, cues in by_kind.items():
            for cue in cues:
                self._kinds.setdefault(cue, []).append(kind)
        self._lengths: dict[str, set[int]] = {}
        for cue in self._kinds:
            self._lengths.setdefault(cue[0], set()).add(len(cue))

    def found(self, text: str) -> dict[str, int]:
        """Number of different cues of each kind in a text that `spaced` returned."""
        seen = {
            text[start : start + length]
            for start in _starts(text)
            for length in self._lengths.get(text[start], ())
            if text[start : start + length] in self._kinds
        }
        counts: dict[str, int] = {}
        for cue in seen:
            for kind in self._kinds[cue]:
                counts[kind] = counts.get(kind, 0) + 1
        return counts


def spaced(text: str) -> str:
    """The words of a text in lower case, each followed by one space.

    >>> spaced("That's WRONG!")
    'that s wrong '
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(f"{word} " for word in _WORD.findall(folded))


def mood_of(text: str) -> float:
    """How positive a text sounds, from -1 to 1, by its cue words; 0 without any.

    >>> mood_of("I love it, thank you"), mood_of("That was awful"), mood_of("It is Monday")
    (1.0, -1.0, 0.0)
    """
    found = load_cues("sentiment").found(spaced(text))
    return mood(found.get("positive", 0), found.get("negative", 0))


@cache
def load_cues(table: str) -> Cues:
    """The cues of one table of the bundled file."""
    return Cues(tomllib.loads(_data("cues.toml"))[table])


def _starts(text: str) -> list[int]:
    """Indexes where a cue can begin: at words, and at any letter of a script without spaces."""
    return [
        index
        for index, letter in enumerate(text)
        if index == 0 or text[index - 1] == " " or _UNSPACED.match(letter)
    ]


@cache
def _common_words() -> frozenset[str]:
    """Words that several people of the training corpus write in lower case."""
    return words(_data("common_words.txt"))


_NO_ENDINGS = ("ing", "ly", "tion", "tions", "ness", "ment", "ments", "able", "ible", "in'")


def is_common(word: str) -> bool:
    """True for a word in lower case that is no name, though a sentence may begin with it.

    >>> [is_common(word) for word in ("surgery", "chickens", "naomi", "porto")]
    [True, True, False, False]
    """
    known = _common_words()
    return (
        word in known
        or word.removesuffix("s") in known
        or lemma(word) in known
        or (len(word) > 5 and word.endswith(_NO_ENDINGS))
    )


@cache
def well_known_names(kind: str) -> frozenset[str]:
    """Given names or places that come with the package, in lower case."""
    table = tomllib.loads(_data("names.toml"))
    names = table[kind].split("," if kind == "places" else None)
    return frozenset(name.strip().lower() for name in names)
