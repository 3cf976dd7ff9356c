"""Which terms of a question count, and the best records by them: as `Postings` decide it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sharpwave.formulas.text import idf
from sharpwave.index.large.catalog import Reading
from sharpwave.index.postings import is_everywhere, is_frequent
from sharpwave.index.ranking import empty
from sharpwave.settings.storage import IndexSettings
from sharpwave.types.searching import Ranking, Statistics


class Told(NamedTuple):
    """What a question's terms are worth, and what they found."""

    idf: dict[str, float]
    """Of the terms that count."""
    known: float
    """Share of what the question asks, by how telling its terms are, that any record mentions."""
    best: Ranking


def by_words(
    reading: Reading,
    terms: Sequence[str],
    limit: int,
    statistics: Statistics,
    settings: IndexSettings,
) -> Told:
    """Rare terms if one is found in a record that passes, or else those that are not everywhere."""
    holding = reading.holding(list(dict.fromkeys(terms)))
    records = statistics.records
    average = average_length(statistics)
    frequent = {term for term, held in holding.items() if is_frequent(held, records, settings)}
    spread = [term for term in frequent if not is_everywhere(holding[term], records, settings)]
    rare = [term for term in holding if term not in frequent]
    chosen = _worth(rare, holding, records)
    found = reading.best(chosen, average, limit) if chosen else empty()
    if not len(found.numbers) and frequent:
        chosen = _worth([*rare, *(spread or frequent)], holding, records)
        found = reading.best(chosen, average, limit)
    ideal = sum(chosen.values())
    unknown = len(set(terms)) - len(holding)
    whole = ideal + unknown * float(idf(records, 0.0))
    return Told(chosen, ideal / whole if whole else 0.0, found)


def average_length(statistics: Statistics) -> float:
    """Terms of a record that counts."""
    return statistics.length / statistics.records if statistics.length else 1.0


def _worth(terms: Sequence[str], holding: Mapping[str, int], records: int) -> dict[str, float]:
    return {term: float(idf(records, float(holding[term]))) for term in terms}
