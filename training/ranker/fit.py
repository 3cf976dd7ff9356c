"""Weights that put evidence first, kept near a plain guess; and the calibration of confidence.

    loss = - mean over questions of mean over its evidence of log softmax(score)  +  pull |w - w0|^2
    score = sum of w times the feature, standardised over the shortlist

w0, the plain guess, is the cosine alone: fitted on few kinds of conversation, weights carry over to
other kinds only as far as they stay near it. Only features without which the people of the corpus,
or made chats, were ranked worse are here. What matches may only count for, what speaks against only
against. SciPy is needed here, and nowhere at run time.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sharpwave.formulas.relevance import standardised
from sharpwave.recall import score
from sharpwave.settings.core import RecallSettings
from sharpwave.settings.weights import Weights
from sharpwave.types.searching import ANSWERS, Ranked
from training.ranker.tables import Row

LIFT = RecallSettings().dated_lift

Floats = NDArray[np.float64]

GUESS = {
    "bm25": 0.0,
    "tokens_window": 0.0,
    "cosine": 1.0,
    "cosine_before": 0.0,
    "other_role": 0.0,
    "counted": 0.0,
    "dated": 0.0,
    "recency": 0.0,
    "length": 0.0,
}
LEAST = {"bm25": 0.1}
"""The very words count in any case: no table knows every name, code and number."""
AGAINST = {"other_role"}
EITHER = {"length"}
SIGNS = ("best_meaning", "exact")
"""What confidence rests on; more of each can only mean surer."""


def weights(rows: Sequence[Row], shares: Sequence[float], pull: float) -> dict[str, float]:
    """The weights for the questions that have an answer, each with its share of the loss."""
    pairs = zip(rows, shares, strict=True)
    kept = [(row, share) for row, share in pairs if row.answerable and row.right.any()]
    names = list(GUESS)
    columns = [kept[0][0].listed.names.index(name) for name in names]
    table = np.vstack([standardised(row.listed.features[:, columns]) for row, _ in kept])
    sizes = np.array([len(row.right) for row, _ in kept])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    each = np.repeat(np.arange(len(kept)), sizes)
    share = np.array([share for _, share in kept])
    share /= share.sum()
    target = np.concatenate([row.right / row.right.sum() for row, _ in kept]) * share[each]
    guess = np.array(list(GUESS.values()))

    def loss(w: Floats) -> tuple[float, Floats]:
        scores = table @ w
        scores -= np.maximum.reduceat(scores, starts)[each]
        powers = np.exp(scores)
        sums = np.add.reduceat(powers, starts)
        told = scores - np.log(sums)[each]
        value = -float(target @ told) + pull * float(((w - guess) ** 2).sum())
        slope = table.T @ (powers / sums[each] * share[each] - target) + 2 * pull * (w - guess)
        return value, slope

    bounds = [
        (None, None)
        if name in EITHER
        else (None, 0)
        if name in AGAINST
        else (LEAST.get(name, 0), None)
        for name in names
    ]
    found = minimize(loss, guess, jac=True, method="L-BFGS-B", bounds=bounds).x
    return {name: round(float(w), 4) for name, w in zip(names, found, strict=True)}


def ranked(row: Row, learned: Weights) -> Ranked:
    """The shortlist of a question in order."""
    return score.by_features(row.listed, score.weighed(row.listed, learned), LIFT)


def signs(row: Row, learned: Weights) -> tuple[dict[str, float], bool]:
    """The signs of one question, and whether its first items hold the answer."""
    found = ranked(row, learned)
    right = {int(number) for number in row.listed.numbers[row.right]}
    first = [one.number for one in found.best[:ANSWERS]]
    return found.signs, row.answerable and not right.isdisjoint(first)


def calibration(
    pairs: Sequence[tuple[Mapping[str, float], bool]], shares: Sequence[float], pull: float
) -> tuple[float, dict[str, float]]:
    """Bias and weights of a logistic regression from signs to being right."""
    table = np.array([[given.get(name, 0.0) for name in SIGNS] for given, _ in pairs])
    middle, spread = table.mean(axis=0), np.maximum(table.std(axis=0), 1e-6)
    inputs = np.column_stack([(table - middle) / spread, np.ones(len(table))])
    right = np.array([is_right for _, is_right in pairs], np.float64)
    share = np.array(shares) / sum(shares)

    def loss(w: Floats) -> tuple[float, Floats]:
        odds = inputs @ w
        value = float(share @ (np.logaddexp(0, odds) - right * odds))
        slope = inputs.T @ (share * (1 / (1 + np.exp(-odds)) - right))
        kept = np.append(w[:-1], 0)
        return value + pull * float(kept @ kept), slope + 2 * pull * kept

    bounds = [*[(0, None)] * len(SIGNS), (None, None)]
    start = np.zeros(len(SIGNS) + 1)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    plain = found[:-1] / spread
    bias = float(found[-1] - plain @ middle)
    return round(bias, 4), {name: round(float(w), 4) for name, w in zip(SIGNS, plain, strict=True)}
