"""Step 4: what the words of each candidate tell beyond the index: how it is said.

tokens          each piece of the question takes its best match in the text (late interaction)
tokens_window   the same in the text and its two neighbours
own             it speaks of the speaker: "I", "my", "we"
numbers         it has a number or a word of time
counted         the same, if the question asks when or how many; else 0
dated           1 if it was said in the time the question names, as far as it names one
"""

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sharpwave.ports import Ports, TokenMatcher
from sharpwave.types.asking import Question
from sharpwave.types.searching import Shortlist
from sharpwave.types.storing import Heard

FEATURES = ("tokens", "tokens_window", "own", "numbers", "counted", "dated")

MAX_CHARS = 1200
"""Of a text, how much is looked at."""

_WORD = re.compile(r"[^\W_]+")
_QUANTITY = re.compile(
    r"^\W*when\b|\bhow (?:many|much|long|often|old|far)\b|\bwhat (?:date|day|month|year|time)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_OWN = frozenset("i me my mine we us our ours".split())
_NUMBERS = frozenset(
    """one two three four five six seven eight nine ten eleven twelve dozen twenty thirty
    forty fifty hundred thousand half couple few first second third once twice today tonight
    yesterday tomorrow ago last next weekend week weeks month months year years day days hour
    hours minutes monday tuesday wednesday thursday friday saturday sunday january february
    march april june july august september october november december morning evening night
    recently soon since summer winter spring autumn birthday christmas""".split()
)


def read(question: Question, listed: Shortlist, user_id: str, ports: Ports) -> Shortlist:
    """The shortlist with what the words of each candidate, and those around it, tell."""
    wanted = np.union1d(listed.numbers, listed.beside[listed.beside > 0])
    heard = {one.number: one for one in ports.store.heard(user_id, wanted.tolist())}
    features = np.zeros((len(listed.numbers), len(FEATURES)), np.float32)
    if ports.tokens is not None:
        features[:, :2] = _tokens(question.text, listed, heard, ports.tokens)
    asked = _Wanted(question)
    for place, number in enumerate(listed.numbers.tolist()):
        if number in heard:
            features[place, 2:] = asked.met_by(heard[number])
    return listed.with_columns(FEATURES, features)


def _tokens(
    text: str, listed: Shortlist, heard: Mapping[int, Heard], tokens: TokenMatcher
) -> NDArray[np.float32]:
    """How well the question's words are met in each text, and in it and its neighbours."""
    places = {number: place for place, number in enumerate(heard, start=1)}
    met = tokens.match(text, [_said(one) for one in heard.values()])
    met = np.vstack([np.zeros((1, met.shape[1]), np.float32), met])  # the first is nobody's
    own = met[[places.get(number, 0) for number in listed.numbers.tolist()]]
    around = own
    for side in listed.beside.T.tolist():
        around = np.maximum(around, met[[places.get(number, 0) for number in side]])
    return np.stack([own.sum(axis=1), around.sum(axis=1)], axis=1)


class _Wanted:
    """What is looked for in every text: read from the question once."""

    def __init__(self, question: Question) -> None:
        self._counts = bool(_QUANTITY.search(question.text))
        self._times = question.times

    def met_by(self, heard: Heard) -> tuple[float, ...]:
        text = heard.text[:MAX_CHARS]
        words = frozenset(_WORD.findall(text.lower()))
        numbers = not _NUMBERS.isdisjoint(words) or bool(_DIGIT.search(text))
        return (
            not _OWN.isdisjoint(words),
            numbers,
            numbers and self._counts,
            any(start <= heard.valid_from_us < end for start, end in self._times),
        )


def _said(heard: Heard) -> str:
    text = heard.text[:MAX_CHARS]
    return f"{heard.speaker}: {text}" if heard.speaker else text
