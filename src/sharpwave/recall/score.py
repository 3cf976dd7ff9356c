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

LOOKED_AT = 20
"""Candidates that a cross-encoder, if one is configured, reorders."""
# these three act only in the formulas preset
RECENCY_DAYS, LASTING_DAYS = 7.0, 30.0
"""A turn, and a fact, task or note, is worth 1/e as fresh after so long [SCO-06]."""
FREQUENCY_SCALE = 3.0
"""Sightings after which most of the frequency is gained [SCO-07]."""
WORDS = "bm25"
EXACT_FROM, EXACT_LIFT = 0.7, 3.0
"""From which share of the question's words on a text is lifted, and by how much at most."""
SPEAKER = ("speaker_named", "other_named", "other_role")
BEST = ("bm25", "cover", "cover_window1", "cosine", "meaning", "tokens", "tokens_window")
SECONDS_A_DAY = 86_400.0
GOAL = "goal"
DATED = "dated"
ONLY_WHEN_LIFT = 6.0
"""How far what was said in the time asked for is lifted, if nothing else is asked."""
MOOD_CHARS = 1000
"""Of a long text, the beginning tells its mood."""


def toward_goal(question: Question, listed: Gathered, workspace: Workspace) -> Gathered:
    """The shortlist with how near each is to what the asker is after, if that was said [TSK-04]."""
    near = _goal_cosines(question, listed, workspace)
    if not near:
        return listed
    column = [[near.get(number, 0.0)] for number in listed.numbers.tolist()]
    return listed.with_columns((GOAL,), np.array(column, np.float32))


def weighed(listed: Gathered, weights: Weights) -> Mapping[str, float]:
    """The weight of each feature; a goal counts beside the question as it does in the formulas.

    Of several people who talk, a question names one and repeats their words; a user who asks about
    themself puts it in other words, and mostly means what holds now.
    """
    named = listed.names_speaker and bool(weights.among_speakers)
    features = weights.among_speakers if named else weights.features
    if GOAL not in listed.names or not weights.relevance.query:
        return features
    share = weights.relevance.goal / weights.relevance.query
    return {**features, GOAL: share * features.get("cosine", 0.0)}


def by_features(listed: Gathered, features: Mapping[str, float], lift: float) -> Ranked:
    """The candidates by the learned weights; on a tie the newer record first.

    What was said in the time that the question names is lifted above what is no better by far; and
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
    spoken = [place for place, name in enumerate(features) if name in SPEAKER]
    content = totals - parts[:, spoken].sum(axis=1)
    return Ranked(scored, _signs(listed, order, totals, content))


def _exact(shared: NDArray[np.float32] | float) -> NDArray[np.float32]:
    """How far a share of the question's words is a match of all of them."""
    return np.clip((shared - EXACT_FROM) / (1 - EXACT_FROM), 0.0, 1.0)


def _signs(
    listed: Gathered,
    order: NDArray[np.intp],
    totals: NDArray[np.float64],
    content: NDArray[np.float64],
) -> dict[str, float]:
    """What tells whether the first candidates hold an answer.

    best_*          the best of the first, by each way to match
    among_speakers  1 if the question names one of those who speak
    known           share of the question's words that any record mentions
    exact           from 0 to 1, as one of the first has EXACT_FROM to all of its words
    lead            how far the very first is ahead of the others
    other_*         said by somebody whom the question does not name: the first, its share of them,
                    of all belief (softmax of the scores); `others` is 1 if there is any at all
    speaker_gap     how far the best by whom it names is ahead of the best by others, words alone
    first_belief    how much of all belief the first get
    in_time         1 if one of the first was said in the time that the question names
    """
    if not len(order):
        return {}
    first = order[:ANSWERS]
    signs = {f"best_{name}": float(listed.column(name)[first].max()) for name in BEST}
    lead = totals[order[0]] - totals[order[1:ANSWERS]].mean() if len(order) > 1 else 0.0
    own = listed.column("speaker_named") > 0
    other = (listed.column("other_named") > 0) | (listed.column("other_role") > 0)
    gap = 0.0
    if own.any() and other.any():
        gap = float(content[own].max() - content[other].max())
    belief = softmax(totals, sharpness=1.0)
    return signs | {
        AMONG_SPEAKERS: float(listed.names_speaker),
        "known": listed.known,
        "exact": float(_exact(signs["best_cover"] * listed.known)),
        "in_time": float(listed.column(DATED)[first].max()) if DATED in listed.names else 0.0,
        "lead": float(lead),
        "other_first": float(other[order[0]]),
        "other_share": float(other[first].mean()),
        "speaker_gap": gap,
        "others": float(other.any()),
        "other_belief": float(belief[other].sum()),
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
        relevant = _relevance_terms(question, record, cosine)
        relevant = relevant._replace(goal=goals.get(record.number, 0.0))
        left = current_confidence(record, question.asked_at)
        sure = _confidence_terms(record, cosine, left)
        by = relevance(relevant, RelevanceTerms(**weights.relevance.model_dump()))
        trust = confidence(sure, ConfidenceTerms(**weights.confidence.model_dump()))
        terms = {**relevant._asdict(), **sure._asdict(), "relevance": by, "confidence": trust}
        scored.append(Scored(record.number, priority(by, trust), terms))
    scored.sort(key=lambda one: (-one.score, -one.number))
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
    """How near each candidate is to the goal; nothing without one."""
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
    """The ranking after a second look at its head; as it was without a reranker."""
    head, rest = ranked.best[:LOOKED_AT], ranked.best[LOOKED_AT:]
    if workspace.shared.reranker is None or len(head) < 2:
        return ranked
    heard = {one.number: one for one in workspace.store.spoken_texts([one.number for one in head])}
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


def _said(heard: SpokenText | None) -> str:
    if heard is None:
        return ""
    return f"{heard.speaker}: {heard.text}" if heard.speaker else heard.text
