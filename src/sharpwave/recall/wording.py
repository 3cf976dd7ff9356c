"""Step 4: what the words of each candidate tell beyond keywords: how it is said.

tokens          each piece of the question takes its best match in the text (late interaction)
tokens_window   the same in the text and its two neighbours
own             it speaks of the speaker: "I", "my", "we"
numbers         it has a number or a word of time
counted         the same, if the question asks when or how many; else 0
dated           1 if it was said in the time the question names, as far as it names one
"""

import re

import numpy as np
from numpy.typing import NDArray

from sharpwave.ports import TokenMatcher
from sharpwave.types.asking import Question
from sharpwave.types.searching import Shortlist, Worded
from sharpwave.workspace import Workspace

FEATURES = ("tokens", "tokens_window", "own", "numbers", "counted", "dated")

_QUANTITY = re.compile(
    r"^\W*when\b|\bhow (?:many|much|long|often|old|far)\b|\bwhat (?:date|day|month|year|time)\b",
    re.IGNORECASE,
)


def read(question: Question, listed: Shortlist, workspace: Workspace) -> Shortlist:
    """The shortlist with what the words of each candidate, and those around it, tell."""
    wanted = np.array(sorted({*listed.numbers.tolist(), *listed.beside.flat}), np.int64)
    worded = workspace.index.worded(wanted)
    own = np.searchsorted(wanted, listed.numbers)
    features = np.zeros((len(listed.numbers), len(FEATURES)), np.float32)
    if workspace.shared.tokens is not None:
        beside = np.searchsorted(wanted, listed.beside)
        features[:, :2] = _tokens(question.text, worded, own, beside, workspace.shared.tokens)
    numbers = worded.numbers[own]
    features[:, 2] = worded.own[own]
    features[:, 3] = numbers
    features[:, 4] = numbers & bool(_QUANTITY.search(question.text))
    for start, end in question.times:
        said_at = worded.said_at_us[own]
        features[(start <= said_at) & (said_at < end), 5] = 1
    return listed.with_columns(FEATURES, features)


def _tokens(
    text: str,
    worded: Worded,
    own: NDArray[np.intp],
    beside: NDArray[np.intp],
    tokens: TokenMatcher,
) -> NDArray[np.float32]:
    """How well the question's words are met in each text, and in it and its neighbours."""
    met = tokens.match(text, worded.pieces)
    around = np.maximum(met[own], met[beside].max(axis=1))
    return np.stack([met[own].sum(axis=1), around.sum(axis=1)], axis=1)
