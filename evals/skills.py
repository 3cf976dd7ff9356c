"""`skills`: skills and feedback on simulated people; how fast the right way to answer is found.

    learning    share of liked answers over the first ten, at the eighth to tenth, and later; regret
                (chances of a like that were missed against the best skill) over all interactions
    drift       the same after people changed their minds, and how many answers until 9 of 10 parts
                of what they liked before are liked again
    isolation   whether what one person says changes anything for another
    settling    variance of a skill's confidence after 50 uses
    speed       processor time of a choice among 100 skills, and of a rating without its commit

Ours runs through `Memory`, twice: as shipped, and with the formulas to the letter of the seed
(absolute alignment, nothing shared between contexts, no change of mind noticed). Beside it, on the
same people with the same luck: any skill, ε-greedy, LinUCB, and an oracle.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from unittest.mock import patch

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from evals import cli
from evals.cli import Json
from evals.parts import skill_learning, skill_scoring, skill_select
from evals.progress import Progress
from evals.simulated import (
    CONTEXTS,
    MOODY,
    QUIET,
    STEADY,
    Chooser,
    EpsilonGreedy,
    LinUCB,
    Oracle,
    Ours,
    Person,
    PersonKind,
    Uniform,
    people,
)
from sharpwave import Memory, Settings, Skill

Floats = NDArray[np.float64]
SEED = 2026
STEPS, FIRST = 30, 10
BEFORE, AFTER = 30, 30
RECOVERED = 0.9
Make = Callable[[Sequence[Skill], np.random.Generator], Chooser]
_OTHERS: dict[str, Make] = {
    "uniform": Uniform,
    "ε-greedy": EpsilonGreedy,
    "LinUCB": LinUCB,
    "oracle": Oracle,
}
SHIPPED, LETTER, PRIOR = "ours", "ours, to the letter", "ours, with what others liked"


@dataclass(frozen=True, slots=True)
class Learned:
    """How one chooser did with one kind of people."""

    people: str
    contexts: int
    chooser: str
    first_ten: float
    """Share of liked answers among the first ten."""
    at_ten: float
    """Chance of a like at the eighth to tenth interaction: what ten have taught."""
    at_thirty: float
    regret: float
    reached: float
    """Share of people who like at least seven of the eighth to seventeenth answer."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How one chooser did when people changed their minds."""

    chooser: str
    before: float
    just_after: float
    within_twenty: float
    """Chance of a like at the 16th to 20th interaction after the change."""
    recovered_after: int | None
    """Interactions until a stretch of five is at nine tenths of what it was before."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Processor milliseconds."""

    skills: int
    select_p50: float
    select_p95: float
    feedback_p50: float
    feedback_p95: float


@dataclass(frozen=True, slots=True)
class SkillsReport:
    """Everything."""

    seed: int
    learned: tuple[Learned, ...]
    drift: tuple[Drift, ...]
    isolated: bool
    confidence_variance: float
    """The largest among people, over their last 20 of 50 uses."""
    bytes_per_person: int
    speed: Speed


@dataclass(frozen=True, slots=True)
class Simulation:
    """One chooser on some people: a row a person, a column an interaction."""

    chances: Floats
    best: Floats
    liked: Floats


def measure(count: int, progress: Progress) -> SkillsReport:
    """All of it, with so many people of each kind."""
    learned: list[Learned] = []
    for kind, contexts in ((STEADY, 2), (STEADY, 4), (MOODY, 2), (QUIET, 2)):
        progress(f"{count} {kind.name} people in {contexts} contexts")
        learned += _learning(count, kind, contexts)
    progress("people who change their minds")
    drift = _drifts(count)
    progress("isolation, settling, speed")
    variance, size = settling(max(5, count // 10))
    return SkillsReport(SEED, tuple(learned), drift, is_isolated(), variance, size, speed())


def _learning(count: int, kind: PersonKind, contexts: int) -> list[Learned]:
    crowd = people(count, kind, STEPS, contexts, SEED)
    others = people(count, kind, STEPS, contexts, SEED + 1)
    found = []
    for name, run in _runs(crowd, others):
        likes = run.liked
        found.append(
            Learned(
                people=kind.name,
                contexts=contexts,
                chooser=name,
                first_ten=float(likes[:, :FIRST].mean()),
                at_ten=float(run.chances[:, FIRST - 3 : FIRST].mean()),
                at_thirty=float(run.chances[:, STEPS - 3 :].mean()),
                regret=float((run.best - run.chances).sum(axis=1).mean()),
                reached=float((likes[:, FIRST - 3 : FIRST + 7].mean(axis=1) >= 0.7).mean()),
            )
        )
    return found


def _runs(crowd: Sequence[Person], others: Sequence[Person]) -> Iterator[tuple[str, Simulation]]:
    for name in (SHIPPED, LETTER):
        with open_memory(name) as memory:
            yield name, play_ours(memory, crowd)
    with open_memory(SHIPPED) as memory:
        play_ours(memory, others)
        for person in others:
            memory.user(person.name).admin.consent("population", True)
        memory.skills.learn_population()
        new = [_renamed(person) for person in crowd]
        yield PRIOR, play_ours(memory, new)
    for name, make in _OTHERS.items():
        yield name, play_other(make, crowd)


def _drifts(count: int) -> tuple[Drift, ...]:
    crowd = people(count, STEADY, BEFORE + AFTER, 2, SEED + 2)
    found = []
    for name in (SHIPPED, LETTER):
        with open_memory(name) as memory:
            found.append(_drift(name, play_ours(memory, crowd, BEFORE)))
    for name, make in _OTHERS.items():
        found.append(_drift(name, play_other(make, crowd, BEFORE)))
    return tuple(found)


def _drift(name: str, run: Simulation) -> Drift:
    chances = run.chances.mean(axis=0)
    before = float(chances[BEFORE - 5 : BEFORE].mean())
    stretches = [float(chances[n : n + 5].mean()) for n in range(BEFORE, BEFORE + AFTER - 4)]
    back = [n + 5 for n, share in enumerate(stretches) if share >= RECOVERED * before]
    late = float(chances[BEFORE + 15 : BEFORE + 20].mean())
    return Drift(name, before, stretches[0], late, back[0] if back else None)


def play_ours(memory: Memory, crowd: Sequence[Person], change_at: int | None = None) -> Simulation:
    """Our choices for each person; after `change_at` interactions they change their minds."""
    skills = _skills(memory)
    places = {skill.id: place for place, skill in enumerate(skills)}
    return _played(crowd, skills, lambda p: Ours(memory.user(p.name), places), change_at)


def play_other(make: Make, crowd: Sequence[Person], change_at: int | None = None) -> Simulation:
    """The choices of another chooser for the same people."""
    with open_memory(SHIPPED) as memory:
        skills = _skills(memory)
    dice = np.random.default_rng(SEED)
    return _played(crowd, skills, lambda person: make(skills, dice), change_at)


def _played(
    crowd: Sequence[Person],
    skills: Sequence[Skill],
    make: Callable[[Person], Chooser],
    change_at: int | None,
) -> Simulation:
    """Simulate all interactions, person after person."""
    styles = np.array([skill.dimensions for skill in skills])
    steps = len(crowd[0].luck)
    chances, best, liked = (np.zeros((len(crowd), steps)) for _ in range(3))
    for row, person in enumerate(crowd):
        chooser, oracle = make(person), Oracle(skills, np.random.default_rng(0))
        for step in range(steps):
            changed = change_at is not None and step >= change_at
            likes = person.likes(step, styles, changed)
            context = person.context(step)
            place = chooser.choose(context, likes)
            chances[row, step] = likes[place]
            best[row, step] = likes[oracle.choose(context, likes)]
            liked[row, step] = person.luck[step] < likes[place]
            if person.speaks[step]:
                chooser.learn(context, place, 1 if liked[row, step] else -1)
    return Simulation(chances, best, liked)


def is_isolated() -> bool:
    """Whether one person's choices and numbers are the same with and without another person."""
    alice, bob = people(2, STEADY, STEPS, 2, SEED + 3)
    seen = []
    for crowd in ([alice], [bob, alice, bob]):
        with open_memory(SHIPPED) as memory:
            for person in crowd:
                run = play_ours(memory, [person])
                if person is alice:
                    chances = run.chances
            own = memory.user(alice.name)
            states = [
                (state.skill.id, state.confidence, state.usage_count) for state in own.skills.list()
            ]
            seen.append((chances.tolist(), states, own.skills.style()))
    return seen[0] == seen[1]


def settling(count: int) -> tuple[float, int]:
    """How much the confidence of the most used skill still moves after 50 uses."""
    crowd = people(count, STEADY, 50, 1, SEED + 4)
    variances, size = [], 0
    with open_memory(SHIPPED) as memory:
        for person in crowd:
            own = memory.user(person.name)
            history = []
            for step in range(50):
                choice = own.skills.select("…", context=person.context(step))
                style = np.array([choice.skill.dimensions])
                liked = person.luck[step] < person.likes(step, style)[0]
                history.append(own.feedback(choice.message_id, 1 if liked else -1).new_confidence)
            variances.append(float(np.var(history[-20:])))
            size = max(size, own.skills.metrics().storage_bytes)
    return max(variances), size


def speed(skills: int = 100, rounds: int = 300) -> Speed:
    """Processor time of choices and ratings of a person with so many skills."""
    chosen, rated = [], []
    with open_memory(SHIPPED) as memory:
        for n in range(skills - len(memory.skills.list())):
            share = (n % 10) / 10
            memory.skills.create(f"own_{n}", f"Answer in way {n}.", dimensions={"verbosity": share})
        for n in range(rounds):
            context = CONTEXTS[n % len(CONTEXTS)]
            start = time.thread_time()
            choice = memory.skills.select("Which way is best?", context=context)
            middle = time.thread_time()
            memory.feedback(choice.message_id, 1 if n % 3 else -1)
            chosen.append(middle - start)
            rated.append(time.thread_time() - middle)
    figures = [float(np.percentile(times, q)) * 1000 for times in (chosen, rated) for q in (50, 95)]
    return Speed(skills, *figures)


def _renamed(person: Person) -> Person:
    """The same person under a new name."""
    fields = {name: getattr(person, name) for name in person.__slots__}
    return Person(**{**fields, "name": f"new {person.name}"})


def _skills(memory: Memory) -> list[Skill]:
    return sorted((state.skill for state in memory.skills.list()), key=lambda skill: skill.id)


@contextmanager
def open_memory(name: str) -> Iterator[Memory]:
    """A fresh file; not synced to disk, since nothing of it is kept."""
    settings = Settings.model_validate({"store": {"synchronous": "OFF"}})
    with tempfile.TemporaryDirectory() as folder, ExitStack() as patches:
        patches.enter_context(patch.object(skill_select, "SEED", SEED))
        if name == LETTER:
            patches.enter_context(
                patch.object(skill_scoring, "relative", lambda alignment: alignment)
            )
            patches.enter_context(patch.object(skill_learning, "SHARED_EVIDENCE", 0))
            patches.enter_context(patch.object(skill_learning, "CHANGE_DISLIKES", 9))
        with Memory.open(Path(folder) / "skills.db", settings=settings) as memory:
            yield memory


# --- the command ----------------------------------------------------------------------------------


def skills(
    count: Annotated[
        int, typer.Option("--people", min=2, help="Simulated people of each kind.")
    ] = 100,
    as_json: Json = False,
) -> None:
    """Simulated people with hidden styles: how fast the right way to answer is found."""
    report = measure(count, cli.report_progress)
    if as_json:
        cli.print_json(report)
    else:
        _show(report)


def _show(report: SkillsReport) -> None:
    table = Table(
        "people",
        "contexts",
        "chooser",
        "first 10",
        "at 8-10",
        "at 28-30",
        "regret",
        "7 of 10 liked",
    )
    for learned in report.learned:
        shares = (
            f"{share:.3f}" for share in (learned.first_ten, learned.at_ten, learned.at_thirty)
        )
        name = (learned.people, str(learned.contexts), learned.chooser)
        table.add_row(*name, *shares, f"{learned.regret:.2f}", f"{learned.reached:.0%}")
    cli.console.print(table)
    table = Table("after a change of mind", "before", "first 5", "16-20", "recovered after")
    for each in report.drift:
        shares = (f"{share:.3f}" for share in (each.before, each.just_after, each.within_twenty))
        table.add_row(each.chooser, *shares, str(each.recovered_after or "not within 30"))
    cli.console.print(table)
    cli.say(f"one person's ratings change nothing for another: {report.isolated}")
    cli.say(
        f"variance of confidence after 50 uses: {report.confidence_variance:.4f}; running numbers "
        f"take {report.bytes_per_person} bytes a person"
    )
    fast = report.speed
    cli.say(
        f"processor time with {fast.skills} skills: choosing p50 {fast.select_p50:.2f} ms, p95 "
        f"{fast.select_p95:.2f} ms; rating p50 {fast.feedback_p50:.2f} ms, p95 "
        f"{fast.feedback_p95:.2f} ms (without the commit, which another thread does)"
    )
    cli.say(f"seed {report.seed}")
