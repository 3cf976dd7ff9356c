"""Learning in the background: classify comments, infer reactions, recompute the odds.

Each step can be repeated or interrupted at any point: the records show what was done.
"""

import logging
import re
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from sharpwave.behavior.feedback import ratings, records
from sharpwave.behavior.feedback.classifier import FeedbackClassifier
from sharpwave.behavior.intent import implicit_reward
from sharpwave.behavior.skills import learning, state
from sharpwave.errors import NotFound, ProviderError
from sharpwave.ports import Embedder
from sharpwave.types.intent import Classified
from sharpwave.types.records import Record, State
from sharpwave.types.skills import BatchReport
from sharpwave.types.storing import Change, Space, Tally
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)
MIN_COMMENTS = 5
"""Minimum number of unread comments before any is read [FB-14]."""
MAX_READING_S = 30 * 60.0
"""Maximum time for reading comments, in seconds [FB-14]."""
_BATCH = 64
_ODDS = "/odds/"
_CLASSIFIERS: dict[Space, FeedbackClassifier] = {}
"""Shared by all users: loading takes longer than reading a day's comments."""


def learn(workspace: Workspace, even_if_few: bool = False) -> BatchReport:
    """Run all steps for one user, in order: comments, reactions, odds, retention."""
    if not state.may_learn(workspace):
        return BatchReport(notes=(ratings.NO_CONSENT,))
    comments = read_comments(workspace, even_if_few)
    hinted = infer_reactions(workspace)
    odds = recompute(workspace, even_if_few)
    archived, deleted = records.expire(workspace)
    return replace(
        odds,
        read=comments.read,
        categories=comments.categories,
        by_skill=comments.by_skill,
        hinted=hinted,
        archived=archived,
        deleted=deleted,
        notes=comments.notes,
    )


def read_comments(workspace: Workspace, even_if_few: bool = False) -> BatchReport:
    """Classify unread comments, and move the style accordingly [FB-13]."""
    readings = state.lesson_records(workspace, state.READING)
    done = {str(reading.metadata["feedback_id"]) for reading in readings}
    unread = [rating for rating in ratings.commented(workspace) if rating.id not in done]
    if len(unread) < MIN_COMMENTS and not even_if_few:
        count = "1 comment waits" if len(unread) == 1 else f"{len(unread)} comments wait"
        return BatchReport(notes=(f"{count} for more",) if unread else ())
    classifier = _classifier(workspace.shared.comment_embedder or workspace.embedder)
    until = time.monotonic() + MAX_READING_S
    categories: Counter[str] = Counter()
    by_skill: dict[str, Counter[str]] = defaultdict(Counter)
    read = 0
    for start in range(0, len(unread), _BATCH):
        batch = unread[start : start + _BATCH]
        if time.monotonic() > until or not state.may_learn(workspace.fresh()):
            break  # out of time, or consent was withdrawn meanwhile
        try:
            classified = _classified(classifier, [_words(rating) for rating in batch])
        except ProviderError as error:
            return BatchReport(read, categories, by_skill, notes=(f"not all was read: {error}",))
        for rating, result in zip(batch, classified, strict=True):
            _store_reading(workspace, rating, result)
            categories.update(list(result.categories))
            by_skill[str(rating.metadata["skill"])].update(list(result.categories))
        read += len(batch)
    return BatchReport(read, dict(categories), {skill: dict(of) for skill, of in by_skill.items()})


def infer_reactions(workspace: Workspace) -> int:
    """Store reactions to unrated answers as weak feedback; returns how many."""
    skipped = records.rewards_of(workspace).keys() | state.withdrawn_ids(workspace)
    inferred = 0
    for trajectory in state.lesson_records(workspace, state.TRAJECTORY):
        if trajectory.id in skipped or trajectory.standing.state is not State.ACTIVE:
            continue
        message, answer, reply = records.exchange(workspace, trajectory)
        if not message or not answer or not reply:
            continue
        reaction = implicit_reward(reply, message, answer, workspace.embedder)
        if reaction is not None:
            message_id = str(trajectory.metadata["message_id"])
            feedback = ratings.FeedbackInput(
                message_id, reaction.reward, reaction.reason, implicit=True
            )
            with suppress(NotFound):  # the message was forgotten meanwhile
                receipt = ratings.add(workspace.fresh(), feedback)
                inferred += receipt.status == ratings.STORED  # not if rated or refused meanwhile
    return inferred


def recompute(workspace: Workspace, even_if_few: bool = False) -> BatchReport:
    """Recompute odds, confidence and style from the records [TS-06]. Idempotent."""
    rated = len(records.rewards_of(workspace))
    if rated < workspace.settings.skills.min_trajectories and not even_if_few:
        return BatchReport()
    started = time.monotonic()
    before = state.stored_rows(workspace)
    workspace.retried(state.rebuild)
    changes = _changes(before, state.stored_rows(workspace))
    count = max(1, len(changes))
    report = BatchReport(
        trajectories=rated,
        skills_updated=len({name for _, name in changes}),
        mean_alpha_change=sum(won for won, _ in changes.values()) / count,
        mean_beta_change=sum(lost for _, lost in changes.values()) / count,
    )
    fields = {
        "metric_type": "behavioral_memory_thompson_sampling",
        "trajectories_analyzed": rated,
        "skills_updated": report.skills_updated,
        "avg_alpha_change": report.mean_alpha_change,
        "avg_beta_change": report.mean_beta_change,
        "update_duration_seconds": time.monotonic() - started,
    }
    _LOG.info("odds computed anew", extra=fields)
    return report


def _changes(
    before: Mapping[tuple[str, str], Tally], after: Mapping[tuple[str, str], Tally]
) -> dict[tuple[str, str], tuple[float, float]]:
    """How far the odds changed, where they did."""
    changes = {}
    for key in {*before, *after}:
        if _ODDS not in key[0]:
            continue
        then, now = (_counts(rows.get(key)) for rows in (before, after))
        if then != now:
            changes[key] = (now[0] - then[0], now[1] - then[1])
    return changes


def _counts(tally: Tally | None) -> tuple[float, float]:
    if tally is None:
        return 0.0, 0.0
    won, lost = (float(str(tally.value[name])) for name in ("won", "lost"))
    return won, lost


def _classifier(embedder: Embedder) -> FeedbackClassifier:
    if embedder.space not in _CLASSIFIERS:
        _CLASSIFIERS.clear()
        _CLASSIFIERS[embedder.space] = FeedbackClassifier(embedder)
    return _CLASSIFIERS[embedder.space]


_SENTENCE_END = re.compile(r"[.!?;\n]+")


def _classified(classifier: FeedbackClassifier, comments: Sequence[str]) -> list[Classified]:
    """What each comment complains about, as a whole or in one of its sentences."""
    parts = [[comment, *_sentences(comment)] for comment in comments]
    found = iter(classifier.classify([part for texts in parts for part in texts]))
    return [_merged([next(found) for _ in texts]) for texts in parts]


def _sentences(comment: str) -> list[str]:
    sentences = [part for part in _SENTENCE_END.split(comment) if part.strip()]
    return sentences if len(sentences) > 1 else []


def _merged(found: Sequence[Classified]) -> Classified:
    """The result of the whole comment, with categories and signals that only sentences show."""
    categories: dict[str, float] = {}
    signals: dict[str, float] = {}
    for result in found:
        categories = {**result.categories, **categories}
        signals = {**result.signals, **signals}
    return replace(found[0], categories=categories, signals=signals)


def _store_reading(workspace: Workspace, rating: Record, result: Classified) -> None:
    now = workspace.clock.now()
    data = {
        "categories": dict(result.categories),
        "signals": dict(result.signals),
        "language": result.language,
    }

    def attempt(workspace: Workspace) -> None:
        sheet = state.load(workspace)
        record = records.reading(workspace, rating, data, now)
        slot = str(record.slot)
        if workspace.store.slot_heads([slot])[slot]:
            return  # another process has just read it
        learning.learn(record, sheet)
        change = Change("read_feedback", now, (record,), tallies=sheet.new())
        workspace.store.commit(replace(change, seen={slot: 0}, needs=(rating.id,)))

    workspace.retried(attempt)


def _words(rating: Record) -> str:
    """The text to classify: a reason from the list in words, and the comment."""
    given = rating.metadata.get("reason")
    reason = str(given).replace("_", " ") if given in ratings.REASONS else ""
    return f"{reason}. {rating.text}".strip(". ") if rating.metadata.get("has_text") else reason
