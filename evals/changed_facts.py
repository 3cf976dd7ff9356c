"""What becomes of an answer that changed: the older statement, the newer one, and which holds.

A pair is settled if, after both turns were remembered in order, the newer statement is a fact that
holds and the older one, if it was found, no longer does. A newer statement that was not found
leaves its pair unsettled.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evals.observations import SpokenTurn, Update, content_words, knowledge_updates
from evals.parts import extract
from sharpwave import Memory
from sharpwave.types.statements import Candidate


class UpdatePair(NamedTuple):
    """Candidates of the older and the newer turn that bear on one question; None if not found."""

    question_id: str
    question: str
    older_turn: SpokenTurn
    newer_turn: SpokenTurn
    older: Candidate | None
    newer: Candidate | None

    @property
    def same_predicate(self) -> bool:
        """True if the newer would meet the older when reconciled."""
        if self.older is None or self.newer is None:
            return False
        if self.older.statement is None or self.newer.statement is None:
            return False
        return self.older.statement[:2] == self.newer.statement[:2]


class PairOutcome(NamedTuple):
    """What a memory holds of a pair after both turns."""

    pair: UpdatePair
    newer_holds: bool
    older_closed: bool

    @property
    def right(self) -> bool:
        """True if only the newer statement holds."""
        return self.newer_holds and self.older_closed


def outcomes(pairs: Sequence[UpdatePair]) -> list[PairOutcome]:
    """Remember the two turns of each pair in a memory of its own, and look at what holds."""
    return [_outcome(pair) for pair in pairs]


def _outcome(pair: UpdatePair) -> PairOutcome:
    with tempfile.TemporaryDirectory() as folder, Memory.open(f"{folder}/memory.db") as memory:
        for turn in (pair.older_turn, pair.newer_turn):
            memory.remember(turn.text, at=turn.spoken.at)
        holding = {(fact.subject, fact.predicate, fact.object) for fact in memory.facts.list()}
    older, newer = (
        candidate.statement if candidate else None for candidate in (pair.older, pair.newer)
    )
    return PairOutcome(pair, newer is not None and newer in holding, older not in holding)


def update_pairs(data: Path) -> list[UpdatePair]:
    """LongMemEval's knowledge updates where the rules found the older or the newer statement.

    Which candidate bears on a question: a pair of the same subject and predicate if there is one,
    else of each turn the one that shares most words with question and answer, and at least one.
    """
    pairs = [_pair(update) for update in knowledge_updates(data)]
    return [pair for pair in pairs if pair.older or pair.newer]


def _pair(update: Update) -> UpdatePair:
    first, last = update.evidence[0], update.evidence[-1]
    wanted = content_words(f"{update.question} {update.answer}")
    older, newer = (_found(turn) for turn in (first, last))
    both = [
        (earlier, other)
        for earlier in older
        for other in newer
        if earlier.statement
        and other.statement
        and earlier.statement[:2] == other.statement[:2]
        and _shared(earlier, wanted)
    ]
    chosen = both[0] if both else (_best(older, wanted), _best(newer, wanted))
    return UpdatePair(update.question_id, update.question, first, last, *chosen)


def _found(turn: SpokenTurn) -> list[Candidate]:
    return [
        candidate for candidate in extract(turn.text, turn.spoken).candidates if candidate.statement
    ]


def _shared(candidate: Candidate, wanted: set[str]) -> int:
    return len(wanted & content_words(candidate.text))


def _best(several: Sequence[Candidate], wanted: set[str]) -> Candidate | None:
    scored = [(_shared(candidate, wanted), candidate) for candidate in several]
    return max(scored, key=lambda pair: pair[0])[1] if any(score for score, _ in scored) else None
