"""Step 4: one score for each candidate of the shortlist, every term kept for the reader.

Two ways, by the weights preset: the learned one, a weighted sum of features standardised over the
candidates; or the seed one, relevance times confidence by the formulas [SCO-01…10].
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import ProviderError
from sharpwave.formulas.confidence import ConfidenceTerms, confidence, vote_agreement
from sharpwave.formulas.decay import recency
from sharpwave.formulas.linear import softmax
from sharpwave.formulas.relevance import (
    RelevanceTerms,
    emotion_match,
    frequency,
    priority,
    relevance,
    standardised,
)
from sharpwave.knowledge.confidence import ENOUGH_VOTES, RELIABILITY
from sharpwave.knowledge.confidence import confidence as current_confidence
from sharpwave.reading.grammar.lexicon import mood_of
from sharpwave.settings.weights import Weights
from sharpwave.types.query import Question
from sharpwave.types.records import Kind, Record
from sharpwave.types.searching import AMONG_SPEAKERS, ANSWERS, Gathered, Ranked, Scored
from sharpwave.types.storing import SpokenText
from sharpwave.workspace import Workspace

RERANKED = 20
"""Number of best candidates that a cross-encoder, if configured, reorders."""
# these three act only in the formulas preset
RECENCY_DAYS, LASTING_DAYS = 7.0, 30.0
"""Days after which the recency of a turn, and of a fact, task or note, is 1/e [SCO-06]."""
FREQUENCY_SCALE = 3.0
"""Sightings after which most of the frequency is gained [SCO-07]."""
WORDS = "bm25"
EXACT_FROM, EXACT_LIFT = 0.7, 3.0
"""Share of the question's words from which on a text is raised, and the maximum of that."""
SPEAKER = ("speaker_named", "other_named", "other_role")
BEST = ("bm25", "cover", "cover_window1", "cosine", "meaning", "tokens", "tokens_window")
SECONDS_A_DAY = 86_400.0
GOAL = "goal"
DATED = "dated"
ONLY_WHEN_LIFT = 6.0
"""How far the score of what was said in the time asked for is raised, if only that is asked."""
MOOD_CHARS = 1000
"""Maximum number of characters, from the beginning of a text, that its mood is read from."""


def toward_goal(question: Question, listed: Gathered, workspace: Workspace) -> Gathered:
    """The shortlist with the similarity of each candidate to the goal, if one is given [TSK-04]."""
    near = _goal_cosines(question, listed, workspace)
    if not near:
        return listed
    column = [[near.get(number, 0.0)] for number in listed.numbers.tolist()]
    return listed.with_columns((GOAL,), np.array(column, np.float32))


def weighed(listed: Gathered, weights: Weights) -> Mapping[str, float]:
    """The weight of each feature; a goal counts beside the question as it does in the formulas.

    Where several people speak, a question names one and repeats their words; a user who asks about
    themself uses other words, and mostly means what holds now.
    """
    named = listed.names_speaker and bool(weights.among_speakers)
    features = weights.among_speakers if named else weights.features
    if GOAL not in listed.names or not weights.relevance.query:
        return features
    share = weights.relevance.goal / weights.relevance.query
    return {**features, GOAL: share * features.get("cosine", 0.0)}


def by_features(listed: Gathered, features: Mapping[str, float], lift: float) -> Ranked:
    """The candidates by the learned weights; on a tie the newer record first.

    What was said in the time that the question names is raised above what is not far better; and
    so is what has all its words, if all of them are known: then they are a name or a code.
    """
    columns = np.column_stack([listed.column(name) for name in features])
    parts = standardised(columns) * np.array(list(features.values()))
    if DATED in features:
        parts[:, list(features).index(DATED)] += lift * listed.column(DATED)
    if WORDS in features and not listed.names_speaker:
        shared = listed.column("cover") * listed.known
        parts[:, list(features).index(WORDS)] += EXACT_LIFT * _exact(shared)
    totals = parts.sum(axis=1)
    order = np.lexsort((-listed.numbers, -totals))
    ranked = (listed.numbers[order].tolist(), totals[order].tolist(), parts[order].tolist())
    scored = tuple(
        Scored(number, total, dict(zip(features, terms, strict=True)))
        for number, total, terms in zip(*ranked, strict=True)
    )
    speaker_columns = [place for place, name in enumerate(features) if name in SPEAKER]
    content = totals - parts[:, speaker_columns].sum(axis=1)
    return Ranked(scored, _signs(listed, order, totals, content))


def _exact(shared: NDArray[np.float32] | float) -> NDArray[np.float32]:
    """From 0 to 1, as the share of the question's words that match goes from EXACT_FROM to 1."""
    return np.clip((shared - EXACT_FROM) / (1 - EXACT_FROM), 0.0, 1.0)


def _signs(
    listed: Gathered,
    order: NDArray[np.intp],
    totals: NDArray[np.float64],
    content: NDArray[np.float64],
) -> dict[str, float]:
    """Signs of whether the first candidates hold an answer.

    best_*          the best of the first, by each way to match
    among_speakers  1 if the question names one of those who speak
    known           share of the question's words that any record mentions
    exact           from 0 to 1, as one of the first has EXACT_FROM to all of its words
    lead            how far the very first is ahead of the others
    other_*         said by a person that the question does not name: the first, the share of the
                    first, of all belief (softmax of the scores); `others` is 1 if there are any
    speaker_gap     lead of the best by the named speaker over the best by others, words alone
    first_belief    how much of all belief the first get
    in_time         1 if one of the first was said in the time that the question names
    """
    if not len(order):
        return {}
    first = order[:ANSWERS]
    signs = {f"best_{name}": float(listed.column(name)[first].max()) for name in BEST}
    lead = totals[order[0]] - totals[order[1:ANSWERS]].mean() if len(order) > 1 else 0.0
    by_named = listed.column("speaker_named") > 0
    by_other = (listed.column("other_named") > 0) | (listed.column("other_role") > 0)
    gap = 0.0
    if by_named.any() and by_other.any():
        gap = float(content[by_named].max() - content[by_other].max())
    belief = softmax(totals, sharpness=1.0)
    return signs | {
        AMONG_SPEAKERS: float(listed.names_speaker),
        "known": listed.known,
        "exact": float(_exact(signs["best_cover"] * listed.known)),
        "in_time": float(listed.column(DATED)[first].max()) if DATED in listed.names else 0.0,
        "lead": float(lead),
        "other_first": float(by_other[order[0]]),
        "other_share": float(by_other[first].mean()),
        "speaker_gap": gap,
        "others": float(by_other.any()),
        "other_belief": float(belief[by_other].sum()),
        "first_belief": float(belief[first].sum()),
    }


def by_formulas(
    question: Question,
    listed: Gathered,
    workspace: Workspace,
    weights: Weights,
) -> Ranked:
    """The candidates by relevance times confidence; on a tie the newer record first."""
    records = workspace.store.fetch(listed.numbers.tolist())
    cosines = dict(zip(listed.numbers.tolist(), listed.column("cosine").tolist(), strict=True))
    goals = _goal_cosines(question, listed, workspace)
    scored = []
    for record in records:
        cosine = max(0.0, cosines[record.number])
        relevance_terms = _relevance_terms(question, record, cosine)
        relevance_terms = relevance_terms._replace(goal=goals.get(record.number, 0.0))
        base = current_confidence(record, question.asked_at)
        confidence_terms = _confidence_terms(record, cosine, base)
        relevance_score = relevance(
            relevance_terms, RelevanceTerms(**weights.relevance.model_dump())
        )
        confidence_score = confidence(
            confidence_terms, ConfidenceTerms(**weights.confidence.model_dump())
        )
        terms = {
            **relevance_terms._asdict(),
            **confidence_terms._asdict(),
            "relevance": relevance_score,
            "confidence": confidence_score,
        }
        scored.append(Scored(record.number, priority(relevance_score, confidence_score), terms))
    scored.sort(key=lambda candidate: (-candidate.score, -candidate.number))
    first = scored[0].terms if scored else {}
    signs = {name: first[name] for name in ("relevance", "confidence") if first}
    return Ranked(tuple(scored), signs)


def _relevance_terms(question: Question, record: Record, cosine: float) -> RelevanceTerms:
    tau_days = RECENCY_DAYS if record.kind == Kind.TURN else LASTING_DAYS
    age_days = (question.asked_at - record.standing.last_seen_at).total_seconds() / SECONDS_A_DAY
    return RelevanceTerms(
        query=cosine,
        goal=0.0,
        emotion=emotion_match(mood_of(question.text), mood_of(record.text[:MOOD_CHARS])),
        recency=recency(age_days, tau_days),
        frequency=frequency(record.standing.seen_count, FREQUENCY_SCALE),
        importance=record.standing.importance,
    )


def _confidence_terms(record: Record, cosine: float, base: float) -> ConfidenceTerms:
    return ConfidenceTerms(
        base=base,
        similarity=cosine,
        votes=vote_agreement(record.standing.seen_count, ENOUGH_VOTES),
        source=RELIABILITY[record.provenance.source],
    )


def _goal_cosines(question: Question, listed: Gathered, workspace: Workspace) -> dict[int, float]:
    """Similarity of each candidate to the goal, by number; empty without a goal."""
    if question.goal is None:
        return {}
    try:
        goal = workspace.embedder.embed_question(question.goal)
    except ProviderError:  # ranked without the goal
        return {}
    space = workspace.embedder.space
    numbers, vectors = workspace.store.vectors(listed.numbers.tolist(), space)
    return dict(zip(numbers.tolist(), np.maximum(vectors @ goal, 0.0).tolist(), strict=True))


def reranked(question: Question, ranked: Ranked, workspace: Workspace) -> Ranked:
    """The ranking with its head reordered by the reranker; unchanged without one."""
    head, rest = ranked.best[:RERANKED], ranked.best[RERANKED:]
    if workspace.shared.reranker is None or len(head) < 2:
        return ranked
    spoken = {
        text.number: text
        for text in workspace.store.spoken_texts([scored.number for scored in head])
    }
    texts = [_spoken_line(spoken.get(scored.number)) for scored in head]
    try:
        judged = workspace.shared.reranker.score(question.text, texts)
    except ProviderError:  # keep the first ranking
        return ranked
    both = np.column_stack([[scored.score for scored in head], judged])
    gains = standardised(both)[:, 1] * max(float(np.std(both[:, 0])), 1e-6)
    reordered = [
        Scored(scored.number, scored.score + gain, {**scored.terms, "second_look": gain})
        for scored, gain in zip(head, gains.tolist(), strict=True)
    ]
    reordered.sort(key=lambda candidate: (-candidate.score, -candidate.number))
    lowest = reordered[-1].score
    rest_below = [scored._replace(score=min(scored.score, lowest)) for scored in rest]
    return Ranked((*reordered, *rest_below), ranked.signs)


def _spoken_line(spoken: SpokenText | None) -> str:
    if spoken is None:
        return ""
    return f"{spoken.speaker}: {spoken.text}" if spoken.speaker else spoken.text
