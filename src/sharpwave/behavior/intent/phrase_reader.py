"""How likely a text has each sense, and which language it is in, by what was learned."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.intent.learned import Meant, Spelled
from sharpwave.behavior.intent.spelling import Spelling
from sharpwave.formulas.linear import centred_units, pair_scores, softmax
from sharpwave.ports import Embedder
from sharpwave.settings.reading import ReadingSettings


class PhraseReader:
    """Reads texts by numbers that were learned with the same embedder. Safe to share."""

    def __init__(
        self,
        spelled: Spelled,
        meant: Meant,
        languages: Sequence[str],
        embedder: Embedder,
        settings: ReadingSettings,
    ) -> None:
        self._spelled = spelled
        self._meant = meant
        self._languages = languages
        self._embedder = embedder
        self._settings = settings
        self._spelling = Spelling(spelled.runs, spelled.rarity)

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One row a text, one column a sense."""
        spelled, meant = self._spelled, self._meant
        units = centred_units(self._embedder.embed(texts), meant.middle)
        scores = units @ meant.by_vector
        scores += pair_scores(units @ meant.directions, meant.by_pair)
        scores += np.array([self._of_runs(text, spelled.by_run) for text in texts])
        return softmax(scores + spelled.usual, self._settings.sharpness)

    def language(self, text: str) -> str | None:
        """The language whose phrases are spelled alike; None if that does not tell."""
        shares = self._of_runs(text, self._spelled.tongues)
        if shares.size < 2 or not shares.any():
            return None
        second, first = np.sort(shares)[-2:]
        sure = (first - second) / shares.sum() >= self._settings.language_margin
        return self._languages[int(shares.argmax())] if sure else None

    def _of_runs(self, text: str, by_run: NDArray[np.float32]) -> NDArray[np.float32]:
        columns, weights = self._spelling.row(text)
        total: NDArray[np.float32] = weights @ by_run[columns]
        return total
