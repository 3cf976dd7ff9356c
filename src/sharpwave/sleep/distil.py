"""Distil: what can be learned from what happened, by one learner after the other [SLP-23].

    experience   what agents did            -> patterns, tool records, insights
    feedback     comments and reactions     -> what they say of the answer
    odds         all that was rated         -> which skill to choose where, counted anew

Learners write by themselves. Their records are found by when they were written, so that they are
reported and can be undone also if the run was interrupted before.
"""

from collections.abc import Callable, Sequence

from sharpwave.behavior.feedback import batches
from sharpwave.behavior.skills import state
from sharpwave.experience import insights, publish, rebuild
from sharpwave.sleep.journal import Step
from sharpwave.sleep.run import SleepRun
from sharpwave.tallies import Sheet
from sharpwave.types.records import Kind
from sharpwave.types.sleep import ReportEntry
from sharpwave.types.storing import EXPERIENCE

_COUNTED = "the odds of skills are counted anew from ratings: undoing leaves them as they are"


def plan(run: SleepRun) -> list[str]:
    """The learners that have something to learn from, with the number of the last change before."""
    if not run.workspace.consents.may_learn:
        return []
    kinds = run.workspace.store.counts().by_kind
    seq = run.workspace.store.head().seq
    return [
        f"{name}@{seq}"
        for name, (wanted, _) in _LEARNERS.items()
        if any(kinds.get(kind.value) for kind in wanted)
    ]


def process(run: SleepRun, items: Sequence[str]) -> Step:
    """Run one learner."""
    ((name, seq),) = (item.split("@") for item in items)
    return _LEARNERS[name][1](run, int(seq))


def _experience(run: SleepRun, seq: int) -> Step:
    """Publish what was learned, and draw insights from it."""
    workspace = run.workspace.at(run.now)
    rebuild.up_to_date(workspace, Sheet.of(workspace.store, EXPERIENCE))
    publish.publish(workspace)
    insights.learn(workspace)
    new = [
        record
        for record in run.workspace.records(seq)
        if record.kind in publish.SUBJECTS and record.metadata.get(publish.GENERATED)
    ]
    return Step(
        published=tuple(record.id for record in new),
        entries=tuple(ReportEntry("learned", record.id, record.kind.value) for record in new),
    )


def _feedback(run: SleepRun, seq: int) -> Step:
    """Read pending comments, and notice reactions to unrated answers."""
    workspace = run.workspace.at(run.now)
    if not state.may_learn(workspace):
        return Step()
    report = batches.read_comments(workspace)
    batches.infer_reactions(workspace)
    new = [
        record
        for record in run.workspace.records(seq)
        if record.kind is Kind.FEEDBACK and record.recorded_at == run.now
    ]
    return Step(
        published=tuple(record.id for record in new),
        entries=tuple(
            ReportEntry("read", record.id, str(record.metadata["form"])) for record in new
        ),
        notes=report.notes,
    )


def _odds(run: SleepRun, seq: int) -> Step:
    """Recompute which skill was liked in which context."""
    workspace = run.workspace.at(run.now)
    if not state.may_learn(workspace):
        return Step()
    report = batches.recompute(workspace)
    if not report.skills_updated:
        return Step()
    why = f"{report.skills_updated} skills, from {report.trajectories} ratings"
    return Step(entries=(ReportEntry("counted", "skills", why),), notes=(_COUNTED,))


_LOGGED = (Kind.INTERACTION, Kind.OBSERVATION)
_RATED = (Kind.FEEDBACK, Kind.TRAJECTORY)
_LEARNERS: dict[str, tuple[Sequence[Kind], Callable[[SleepRun, int], Step]]] = {
    "experience": (_LOGGED, _experience),
    "feedback": (_RATED, _feedback),
    "odds": (_RATED, _odds),
}
"""The learners by name, each with the kinds of records that it learns from."""
