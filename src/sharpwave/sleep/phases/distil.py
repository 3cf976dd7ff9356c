"""Distil: what there is to learn from what happened, by one learner after the other [SLP-23].

    experience   what agents did          -> patterns, tool records, insights
    feedback     comments and reactions   -> what they say of the answer
    odds         all that was rated       -> which skill to choose where, counted anew
    questions    what is asked repeatedly -> notes (weekly)

Learners write by themselves. What they wrote is found again by when it was written, so that it is
named and can be taken back also if the night was interrupted.
"""

from collections.abc import Callable, Collection, Iterator, Sequence

from sharpwave.behavior.feedback import batches
from sharpwave.behavior.skills import learned
from sharpwave.experience import insights, publish, rebuild
from sharpwave.sleep.night import Night
from sharpwave.sleep.phases import reflective
from sharpwave.sleep.step import Step
from sharpwave.tallies import Sheet
from sharpwave.types.records import Kind, Record
from sharpwave.types.sleep import Entry
from sharpwave.types.storing import EXPERIENCE

_PAGE = 500
_LOGGED = frozenset({Kind.INTERACTION, Kind.OBSERVATION})
_RATED = frozenset({Kind.FEEDBACK, Kind.TRAJECTORY})
_COUNTED = "the odds of skills are counted anew from ratings: undoing leaves them as they are"


def find(night: Night) -> list[str]:
    """Which learners have something to learn from, and which record was the last before."""
    if not night.workspace.fresh().consents.may_learn:
        return []
    kinds = night.workspace.store.counts().by_kind
    seq = night.workspace.store.head().seq
    sources: dict[str, Collection[Kind]] = {
        "experience": _LOGGED,
        "feedback": _RATED,
        "odds": _RATED,
    }
    if night.heavy:
        sources["questions"] = frozenset({Kind.TURN})
    return [
        f"{name}@{seq}"
        for name, wanted in sources.items()
        if any(kinds.get(kind.value) for kind in wanted)
    ]


def work(items: Sequence[str], night: Night) -> Step:
    """Let one learner learn."""
    ((name, seq),) = (item.split("@") for item in items)
    return _LEARNERS[name](int(seq), night)


def _experience(seq: int, night: Night) -> Step:
    """Publish what was learned, and draw insights from it."""
    workspace = night.workspace.at(night.now)
    rebuild.up_to_date(workspace, Sheet.of(workspace.store, EXPERIENCE))
    publish.publish(workspace)
    insights.learn(workspace)
    new = [
        record
        for record in _written_after(seq, night)
        if record.kind in publish.SUBJECTS and record.metadata.get(publish.GENERATED)
    ]
    return Step(
        published=tuple(record.id for record in new),
        entries=tuple(Entry("learned", record.id, record.kind.value) for record in new),
    )


def _feedback(seq: int, night: Night) -> Step:
    """Read comments that wait, and notice how unrated answers were taken."""
    workspace = night.workspace.at(night.now)
    if not learned.may_learn(workspace):
        return Step()
    report = batches.read_comments(workspace)
    batches.notice_reactions(workspace)
    new = [
        record
        for record in _written_after(seq, night)
        if record.kind is Kind.FEEDBACK and record.recorded_at == night.now
    ]
    return Step(
        published=tuple(record.id for record in new),
        entries=tuple(Entry("read", record.id, str(record.metadata["form"])) for record in new),
        notes=report.notes,
    )


def _odds(seq: int, night: Night) -> Step:
    """Count anew which skill was liked where."""
    workspace = night.workspace.at(night.now)
    if not learned.may_learn(workspace):
        return Step()
    report = batches.recompute(workspace)
    if not report.skills_updated:
        return Step()
    told = f"{report.skills_updated} skills, from {report.trajectories} ratings"
    return Step(entries=(Entry("counted", "skills", told),), notes=(_COUNTED,))


_LEARNERS: dict[str, Callable[[int, Night], Step]] = {
    "experience": _experience,
    "feedback": _feedback,
    "odds": _odds,
    "questions": lambda seq, night: reflective.recurring(night),
}


def _written_after(number: int, night: Night) -> Iterator[Record]:
    """What was written tonight, also before an interruption."""
    while page := night.workspace.store.scan(number, _PAGE):
        yield from page
        number = page[-1].number
