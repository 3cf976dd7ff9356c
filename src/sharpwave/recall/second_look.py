"""Step 5b, only where a reranker is set up: the very best in the order it sees them.

Its judgement and the score so far are standardised over the looked-at and added, so that neither
alone decides; the others keep their places behind.
"""

import numpy as np

from sharpwave.errors import ProviderError
from sharpwave.formulas.ranking.standard import standardised
from sharpwave.settings.recall import RecallSettings
from sharpwave.types.asking import Question
from sharpwave.types.searching import Ranked, Scored
from sharpwave.types.storing import Heard
from sharpwave.workspace import Workspace


def reranked(
    question: Question, ranked: Ranked, workspace: Workspace, settings: RecallSettings
) -> Ranked:
    """The ranking after a second look at its head; as it was without a reranker."""
    head, rest = ranked.best[: settings.looked_at], ranked.best[settings.looked_at :]
    if workspace.shared.reranker is None or len(head) < 2:
        return ranked
    heard = {one.number: one for one in workspace.store.heard([one.number for one in head])}
    texts = [_said(heard.get(one.number)) for one in head]
    try:
        judged = workspace.shared.reranker.score(question.text, texts)
    except ProviderError:  # the first look stands
        return ranked
    both = np.column_stack([[one.score for one in head], judged])
    gains = standardised(both)[:, 1] * max(float(np.std(both[:, 0])), 1e-6)
    moved = [
        Scored(one.number, one.score + gain, {**one.terms, "second_look": gain})
        for one, gain in zip(head, gains.tolist(), strict=True)
    ]
    moved.sort(key=lambda one: (-one.score, -one.number))
    lowest = moved[-1].score
    behind = [one._replace(score=min(one.score, lowest)) for one in rest]
    return Ranked((*moved, *behind), ranked.signs)


def _said(heard: Heard | None) -> str:
    if heard is None:
        return ""
    return f"{heard.speaker}: {heard.text}" if heard.speaker else heard.text
