"""Replaying any stream of executions, no sentence contradicts the counts at that moment.

Sentences made for the reader (advice, insights, patterns, tool records) must be exact; those in
stored records, which `recall` shows, must lie within the interval of what they state.
"""

import random
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.experience.ledger import Event, Ledger, Sentence, Step, wrong
from tests.experience.looking import stored

from sharpwave import Action, Kind, Memory, TaskRun
from sharpwave.testing import FrozenClock, in_memory
from sharpwave.types.records import State

WORK = {
    "collect fuel prices": ("open_page", "parse_table", "store_rows"),
    "mail weekly digest": ("load_rows", "renderDigest", "send_mail"),
    "resize cover": ("open_image", "resize"),
}
ERRORS = ("timed out", "quota exceeded")
FILES = ("data/fuel.csv", "data/log.csv", "art/cover.png")
CONTEXTS = ("batch", "live")
PUBLISHED = (Kind.PATTERN, Kind.TOOL_RECORD, Kind.INSIGHT)
TOOLS = sorted({tool for tools in WORK.values() for tool in tools})


@dataclass(frozen=True)
class Phase:
    """A stretch in which the tools fail with certain rates: what was true may end."""

    length: int
    failing: tuple[float, ...]
    seconds: int
    """Between two events."""


def rates() -> st.SearchStrategy[float]:
    return st.sampled_from((0.0, 0.0, 0.05, 0.3, 0.9, 1.0))


def phases() -> st.SearchStrategy[Phase]:
    return st.builds(
        Phase,
        length=st.integers(1, 30),
        failing=st.tuples(*[rates() for _ in TOOLS]),
        seconds=st.sampled_from((20, 400)),
    )


@given(stream=st.lists(phases(), min_size=1, max_size=4), seed=st.integers(0, 2**32))
@settings(max_examples=12)
def test_no_sentence_contradicts_the_counts(stream: list[Phase], seed: int) -> None:
    assert replayed(stream, random.Random(seed)) == []


def replayed(stream: list[Phase], rng: random.Random) -> list[str]:
    """What was wrong while a stream was replayed."""
    clock, ledger = FrozenClock(), Ledger()
    with in_memory(clock=clock) as memory:
        for phase in stream:
            for _ in range(phase.length):
                clock.advance(seconds=phase.seconds)
                happen(memory, ledger, phase, rng, clock)
                if rng.random() < 0.05:
                    memory.agents.generate_insights()
                if rng.random() < 0.1 and (found := wrong(ledger, sentences(memory))):
                    return found
            clock.advance(days=1)
            memory.sleep()
        return wrong(ledger, sentences(memory))


def random_stream(rng: random.Random) -> list[Phase]:
    """A stream by a seed alone."""
    choices = (0.0, 0.0, 0.05, 0.3, 0.9, 1.0)
    return [
        Phase(rng.randint(1, 30), tuple(rng.choice(choices) for _ in TOOLS), rng.choice((20, 400)))
        for _ in range(rng.randint(1, 4))
    ]


def happen(
    memory: Memory, ledger: Ledger, phase: Phase, rng: random.Random, clock: FrozenClock
) -> None:
    """One task, interaction or single action."""
    form = rng.choice(("task", "task", "interaction", "action"))
    query = rng.choice(list(WORK))
    names = list(WORK[query])
    if rng.random() < 0.2:
        names.insert(rng.randrange(len(names)), rng.choice(TOOLS))
    if form == "action":
        names = names[:1]
    steps = tuple(done(name, phase, rng) for name in names)
    failed = any(step.ok is False for step in steps)
    success = rng.choice((not failed, not failed, not failed, None))
    context = rng.choice(CONTEXTS) if form == "task" else "general"
    number = len(ledger.events)
    if form == "task":
        run = TaskRun(
            f"{query} {number}", tuple(map(action, steps)), context=context, success=success
        )
        (logged,) = memory.agents.observe(run)
    elif form == "interaction":
        live = memory.agents.start(f"{query} {number}")
        for step in steps:
            live.action(action(step))
        logged = live.complete(success=success)
    else:
        success = steps[0].ok
        logged = memory.agents.log(action(steps[0]))
        query = steps[0].name
    event = Event(form, query, steps, success, context, clock.now())
    ledger.events[logged.interaction_id] = event


def done(name: str, phase: Phase, rng: random.Random) -> Step:
    failed = rng.random() < phase.failing[TOOLS.index(name)]
    ok = False if failed else rng.choice((True, True, True, None))
    mode = rng.choice(("fast", "safe"))
    ms = rng.choice((None, 20.0, 9000.0 if name == "resize" else 50.0))
    target = rng.choice((None, *FILES)) if name.startswith("open") else None
    return Step(name, ok, rng.choice(ERRORS) if failed else None, {"mode": mode}, ms, target)


def action(step: Step) -> Action:
    return Action(step.name, step.target, step.details, step.ok, step.error, step.ms)


def sentences(memory: Memory) -> list[Sentence]:
    """Every sentence that can be shown now."""
    found = [Sentence(each.text) for each in memory.agents.insights()]
    found += [Sentence(each.description) for each in memory.agents.patterns()]
    for tool in memory.agents.tools():
        found += [Sentence(each.message) for each in tool.recommendations]
    for query in WORK:
        context = {"context": "batch", "done": WORK[query][:1]}
        advice = memory.agents.advise(f"{query} 7", context, limit=50)
        shown = (*advice.patterns, *advice.tools, *advice.insights, *advice.warnings)
        found += [Sentence(each.text, each.name, each.evidence) for each in shown]
        found += [Sentence(each.why, each.name) for each in advice.tools]
        found += [Sentence(each.why, None, each.evidence) for each in advice.plans]
    for record in stored(memory):
        if record.kind in PUBLISHED and record.standing.state is State.ACTIVE:
            found.append(Sentence(record.text, is_stored=True))
    return found
