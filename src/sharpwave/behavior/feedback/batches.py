"""What is learned in the background: comments are read, reactions noticed, odds computed anew.

Each step can be repeated or interrupted at any point: what was done is in the records.
"""

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Mapping

from sharpwave.behavior.feedback import live, records, trajectories
from sharpwave.behavior.intent.classifier import FeedbackClassifier
from sharpwave.behavior.intent.implicit import implicit_reward
from sharpwave.behavior.skills import learned, learning
from sharpwave.behavior.skills.learned import FEEDBACK, READING, TRAJECTORY
from sharpwave.errors import ProviderError
from sharpwave.types.records import Record, State
from sharpwave.types.skills import BatchReport
from sharpwave.types.storing import Change, Space, Tally
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)
_SECONDS_PER_MINUTE = 60
_AT_ONCE = 64
_ODDS = "/odds/"


def learn(workspace: Workspace, even_if_few: bool = False) -> BatchReport:
    """Everything of one person, in order: comments, reactions, odds, retention."""
    if not learned.may_learn(workspace):
        return BatchReport(notes=(live.NOT_AGREED,))
    report = read_comments(workspace, even_if_few)
    hinted = notice_reactions(workspace)
    odds = recompute(workspace, even_if_few)
    archived, deleted = trajectories.keep_tidy(workspace)
    return BatchReport(
        read=report.read,
        categories=report.categories,
        by_skill=report.by_skill,
        hinted=hinted,
        trajectories=odds.trajectories,
        skills_updated=odds.skills_updated,
        mean_alpha_change=odds.mean_alpha_change,
        mean_beta_change=odds.mean_beta_change,
        archived=archived,
        deleted=deleted,
        notes=report.notes,
    )


def read_comments(workspace: Workspace, even_if_few: bool = False) -> BatchReport:
    """Classify comments that nobody has read yet; style follows what they say [FB-13]."""
    done = {str(one.metadata["feedback_id"]) for one in learned.teaching(workspace, READING)}
    done |= learned.taken_back(workspace)
    waiting = [
        one
        for one in learned.teaching(workspace, FEEDBACK)
        if one.id not in done and (one.metadata.get("has_text") or _reason(one))
    ]
    numbers = workspace.settings.skills.feedback
    if len(waiting) < numbers.min_feedback_count and not even_if_few:
        told = "1 comment waits" if len(waiting) == 1 else f"{len(waiting)} comments wait"
        return BatchReport(notes=(f"{told} for more",) if waiting else ())
    reader = _reader(workspace)
    until = time.monotonic() + numbers.max_processing_minutes * _SECONDS_PER_MINUTE
    found: Counter[str] = Counter()
    by_skill: dict[str, Counter[str]] = defaultdict(Counter)
    read = 0
    for start in range(0, len(waiting), _AT_ONCE):
        batch = waiting[start : start + _AT_ONCE]
        if time.monotonic() > until:
            break
        try:
            classified = reader.classify([_words(one) for one in batch])
        except ProviderError as error:
            return BatchReport(read, found, by_skill, notes=(f"not all was read: {error}",))
        for one, read_as in zip(batch, classified, strict=True):
            _keep_reading(workspace, one, read_as.categories, read_as.signals, read_as.language)
            found.update(list(read_as.categories))
            by_skill[str(one.metadata["skill"])].update(list(read_as.categories))
        read += len(batch)
    return BatchReport(read, dict(found), {skill: dict(of) for skill, of in by_skill.items()})


def notice_reactions(workspace: Workspace) -> int:
    """What people said next to answers they did not rate, as a weak sign; returns how many."""
    rated = trajectories.rewards_of(workspace)
    left_alone = rated.keys() | learned.taken_back(workspace)
    noticed = 0
    for turn in learned.teaching(workspace, TRAJECTORY):
        if turn.id in left_alone or turn.standing.state is not State.ACTIVE:
            continue
        asked, answer, reply = trajectories.exchange(workspace, turn)
        if not asked or not answer or not reply:
            continue
        try:
            hint = implicit_reward(reply, asked, answer, workspace.embedder)
        except ProviderError:
            break
        if hint is not None and hint.reward:
            given = live.Given(
                str(turn.metadata["message_id"]), hint.reward, hint.reason, implicit=True
            )
            live.give(workspace, given)
            noticed += 1
    return noticed


def recompute(workspace: Workspace, even_if_few: bool = False) -> BatchReport:
    """The odds, confidence and style of everything anew from the records [TS-06].

    Nothing is added to what stands there, so that running it twice changes nothing.
    """
    rated = len(trajectories.rewards_of(workspace))
    if rated < workspace.settings.skills.bandit.min_trajectories and not even_if_few:
        return BatchReport()
    started = time.monotonic()
    before = learned.stored_rows(workspace)
    learned.again(workspace, lambda: learned.rebuild(workspace))
    changes = _changes(before, learned.stored_rows(workspace))
    count = max(1, len(changes))
    report = BatchReport(
        trajectories=rated,
        skills_updated=len({name for _, name in changes}),
        mean_alpha_change=sum(won for won, _ in changes.values()) / count,
        mean_beta_change=sum(lost for _, lost in changes.values()) / count,
    )
    told = {
        "metric_type": "behavioral_memory_thompson_sampling",
        "trajectories_analyzed": rated,
        "skills_updated": report.skills_updated,
        "avg_alpha_change": report.mean_alpha_change,
        "avg_beta_change": report.mean_beta_change,
        "update_duration_seconds": time.monotonic() - started,
    }
    _LOG.info("odds computed anew", extra=told)
    return report


def _changes(
    before: Mapping[tuple[str, str], Tally], after: Mapping[tuple[str, str], Tally]
) -> dict[tuple[str, str], tuple[float, float]]:
    """How the odds moved, where they did."""
    moved = {}
    for key in {*before, *after}:
        if _ODDS not in key[0]:
            continue
        then, now = (_counts(rows.get(key)) for rows in (before, after))
        if then != now:
            moved[key] = (now[0] - then[0], now[1] - then[1])
    return moved


def _counts(tally: Tally | None) -> tuple[float, float]:
    if tally is None:
        return 0.0, 0.0
    won, lost = (float(str(tally.value[name])) for name in ("won", "lost"))
    return won, lost


def _reader(workspace: Workspace) -> FeedbackClassifier:
    """One for all people: learning its phrases takes longer than reading a night's comments."""
    embedder = workspace.embedder
    if embedder.space not in _READERS:
        _READERS.clear()
        _READERS[embedder.space] = FeedbackClassifier(embedder, workspace.settings.reading)
    return _READERS[embedder.space]


_READERS: dict[Space, FeedbackClassifier] = {}


def _keep_reading(
    workspace: Workspace,
    rated: Record,
    categories: Mapping[str, float],
    signals: Mapping[str, float],
    language: str | None,
) -> None:
    now = workspace.clock.now()
    said = {"categories": dict(categories), "signals": dict(signals), "language": language}

    def attempt() -> None:
        numbers = learned.known(workspace)
        record = records.reading(workspace.user_id, rated, said, now)
        slot = str(record.slot)
        if workspace.store.slot_heads([slot])[slot]:
            return  # somebody else has just read it
        learning.learn(record, numbers, workspace.settings.skills)
        change = Change(
            "read_feedback",
            now,
            (record,),
            tallies=numbers.new(),
            seen={slot: 0},
            needs=(rated.id,),
        )
        workspace.store.commit(change)

    learned.again(workspace, attempt)


def _reason(record: Record) -> str | None:
    """A reason from the list, which says as much as a comment."""
    reason = record.metadata.get("reason")
    return str(reason) if reason in live.REASONS else None


def _words(record: Record) -> str:
    """What is to be read: the comment, and the reason in words."""
    reason = (_reason(record) or "").replace("_", " ")
    return f"{reason}. {record.text}".strip(". ") if record.metadata.get("has_text") else reason
