"""An independent count of what agents did, against which every sentence is checked.

It keeps the events themselves and counts them anew for each sentence. A sentence that no check
covers in full is an error, so that a new form of sentence needs a check here.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

CAUTION_Z, STATED_Z = 1.28, 1.96
"""Caution with few cases, and the interval that a stored rate stands for."""
ARROW = " → "


@dataclass(frozen=True)
class Step:
    name: str
    ok: bool | None = True
    error: str | None = None
    details: dict[str, object] = field(default_factory=dict)
    ms: float | None = None
    target: str | None = None


@dataclass(frozen=True)
class Event:
    form: str
    """`task`, `interaction` or `action`."""
    query: str
    """Without its number."""
    steps: tuple[Step, ...]
    success: bool | None
    context: str
    at: datetime
    session: str = ""

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps)


def lower(good: float, total: float, z: float) -> float:
    if not total:
        return 0.0
    p, spread = good / total, z * z / total
    root = math.sqrt(p * (1 - p) * spread + spread * spread / 4)
    return max(0.0, (p + spread / 2 - root) / (1 + spread))


def goes_on(seen: int, cases: int, misses: int) -> bool:
    """Whether the misses in a row do not yet outweigh what was seen, with 2 % for its end."""
    return not misses or 0.98 * (1 - lower(seen, cases, CAUTION_Z)) ** misses >= 0.02


class Ledger:
    """All events, by the id of their record, in order."""

    def __init__(self) -> None:
        self.events: dict[str, Event] = {}

    def acts(self, tool: str) -> list[tuple[Step, Event]]:
        every = self.events.values()
        return [(step, event) for event in every for step in event.steps if step.name == tool]

    def outcomes(self, tool: str, context: str | None = None) -> tuple[int, int, int]:
        """Successes, known outcomes and executions of a tool."""
        acts = [s for s, e in self.acts(tool) if context in (None, e.context)]
        known = [step for step in acts if step.ok is not None]
        return sum(step.ok is True for step in known), len(known), len(acts)

    def tasks(self, query: str | None = None, order: Sequence[str] | None = None) -> list[Event]:
        return [
            event
            for event in self.events.values()
            if event.form == "task"
            and (query is None or event.query == query)
            and (order is None or event.order == tuple(order))
        ]

    def cycles(self) -> list[Event]:
        return [event for event in self.events.values() if event.form != "action"]

    def segments(self) -> list[tuple[list[str], set[str]]]:
        """Steps and files of each stretch of work, as [PAT-12] cuts them."""
        found: list[tuple[list[str], set[str]]] = []
        last: dict[str, tuple[datetime, int]] = {}
        for event in self.events.values():
            if event.form == "task":
                continue
            before = last.get(event.session)
            pause = event.at - before[0] if before else None
            if before is None or (pause and pause > timedelta(minutes=5)):
                found.append(([], set()))
                last[event.session] = (event.at, len(found) - 1)
            steps, files = found[last[event.session][1]]
            steps += [name.lower() for name in event.order]
            files |= {step.target for step in event.steps if step.target}
            last[event.session] = (event.at, last[event.session][1])
        return found


@dataclass(frozen=True)
class Sentence:
    """A sentence, and where it stands."""

    text: str
    name: str | None = None
    evidence: tuple[str, ...] = ()
    is_stored: bool = False


Check = Callable[[Ledger, re.Match[str], Sentence], bool]


def wrong(ledger: Ledger, sentences: Iterable[Sentence]) -> list[str]:
    """The sentences that the counts contradict, or that no check covers."""
    found = []
    for each in sentences:
        rest = each.text
        while rest.strip(" ;"):
            rest = rest.strip(" ;")
            matched = [(m, check) for form, check in CHECKS if (m := form.match(rest))]
            if not matched:
                found.append(f"not covered: {rest!r} of {each.text!r}")
                break
            match, check = matched[0]
            if not check(ledger, match, each):
                found.append(f"contradicted: {match[0]!r} {'stored' if each.is_stored else ''}")
            rest = rest[match.end() :]
    return found


def _rate(sentence: Sentence, stated: tuple[int, int], now: tuple[int, int]) -> bool:
    """Equal when made for the reader; within the interval of what it states when stored."""
    if stated == now:
        return True
    if not sentence.is_stored or stated[1] > now[1]:
        return False
    share = now[0] / max(1, now[1])
    highest = 1 - lower(stated[1] - stated[0], stated[1], STATED_Z)
    return lower(*stated, STATED_Z) <= share + 1e-9 and share <= highest + 1e-9


def _error(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    tool, times, percent, executions, error, since = found.groups()
    acts = [step for step, _ in ledger.acts(tool)]
    places = [place for place, step in enumerate(acts) if step.error == error]
    if not places:
        return False
    misses = len(acts) - 1 - places[-1]
    stated = (int(times), int(executions))
    exact = int(since or 0) == misses and int(percent) == round(100 * len(places) / len(acts))
    held = goes_on(len(places), places[-1] - places[0] + 1, misses)
    return (
        held and (sentence.is_stored or exact) and _rate(sentence, stated, (len(places), len(acts)))
    )


def _practice(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    query, steps, good, total, last = found.groups()
    if query:
        tasks = ledger.tasks(query=query.removesuffix("_*").replace("_", " "))
    else:
        tasks = ledger.tasks(order=steps.split(ARROW))
    outcomes = [event.success for event in tasks if event.success is not None]
    stated, now = (int(good), int(total)), (sum(outcomes), len(outcomes))
    misses = 0
    while misses < len(outcomes) and not outcomes[-1 - misses]:
        misses += 1
    exact = sentence.is_stored or int(last or 0) == misses
    return exact and goes_on(now[0], now[1] - misses, misses) and _rate(sentence, stated, now)


def _work_like(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    """Work that has most of the steps in common counts: no more than there was of it."""
    first = found[1].split(ARROW)[0]
    return (
        int(found[2]) <= int(found[3])
        and bool(first)
        and int(found[3])
        <= max(len(ledger.segments()), sum(steps.count(first) for steps, _ in ledger.segments()))
    )


def _failing(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    tool, good, total = found.groups()
    known = [step.ok for step, _ in ledger.acts(tool) if step.ok is not None]
    misses = 0
    while misses < len(known) and known[-1 - misses]:
        misses += 1
    now = (sum(known), len(known))
    held = goes_on(now[1] - now[0], now[1] - misses, misses) and now[0] < 0.5 * now[1]
    return held and _rate(sentence, (int(good), int(total)), now)


def _never(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    good, known, _ = ledger.outcomes(found[1])
    return good == 0 and known > 0


def _slow(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    timed = [step.ms for step, _ in ledger.acts(found[1]) if step.ms is not None]
    mean = sum(timed) / len(timed) / 1000
    return sentence.is_stored or abs(mean - float(found[2])) < 0.06


def _when(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    acts = [step for step, _ in ledger.acts(found[1])]
    places = [place for place, step in enumerate(acts) if step.error == found[2]]
    misses = len(acts) - 1 - places[-1]
    return goes_on(len(places), places[-1] - places[0] + 1, misses)


def _parameter(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    tool, verdict, name, value, good, total, others, rest, better = found.groups()
    own, other = (int(good), int(total)), (int(others), int(rest))
    acts = ledger.acts(tool)
    by_step = [(step.details.get(name), step.ok) for step, _ in acts]
    by_task = [(step.details.get(name), event.success) for step, event in acts]
    for outcomes in (by_step, by_task):
        known = [(str(v), ok) for v, ok in outcomes if v is not None and ok is not None]
        mine = [ok for v, ok in known if v == value]
        theirs = [ok for v, ok in known if v != value]
        beats = not better or _share([ok for v, ok in known if v == better]) > _share(mine)
        is_best = (_share(mine) < _share(theirs)) == (verdict == "avoid ")
        same = (sum(mine), len(mine)) == own and (sum(theirs), len(theirs)) == other
        if is_best and beats and (same or sentence.is_stored):
            return True
    return False


def _share(outcomes: Sequence[bool]) -> float:
    return sum(outcomes) / len(outcomes) if outcomes else 0.0


def _context(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    tool, context, good, total, others, rest = found.groups()
    here, every = ledger.outcomes(tool, context), ledger.outcomes(tool)
    elsewhere = (every[0] - here[0], every[1] - here[1])
    same = elsewhere == (int(others), int(rest)) or sentence.is_stored
    better = here[0] / max(1, here[1]) > elsewhere[0] / max(1, elsewhere[1])
    return same and better and _rate(sentence, (int(good), int(total)), here[:2])


def _executions(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    name, good, total, unknown, good_here, here, context = found.groups()
    now = ledger.outcomes(name or str(sentence.name))
    if not _rate(sentence, (int(good), int(total)), now[:2]):
        return False
    if not sentence.is_stored and int(unknown or 0) != now[2] - now[1]:
        return False
    if context is None:
        return True
    return ledger.outcomes(name or str(sentence.name), context)[:2] == (int(good_here), int(here))


def _unknown(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    now = ledger.outcomes(found[1] or str(sentence.name))
    return sentence.is_stored or (now[1] == 0 and now[2] == int(found[2]))


def _mind(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    tool, failed, used, without = found.groups()
    of_tool = [e for e in ledger.cycles() if tool in e.order and e.success is not None]
    evidence = [ledger.events[id_] for id_ in sentence.evidence]
    truly = all(e.success is False and tool in e.order for e in evidence)
    fine = sum(e.success is True and tool not in e.order for e in ledger.cycles())
    enough = int(failed) <= int(used) <= len(of_tool) and int(without or 0) <= fine
    return truly and len(evidence) == int(failed) and enough


def _plan(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    cases = [ledger.events[id_] for id_ in sentence.evidence]
    good = sum(event.success is True for event in cases)
    return (good, len(cases)) == (int(found[1]), int(found[2]))


def _task_pattern(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    name, times, good, total = found.groups()
    tasks = ledger.tasks(query=name.removesuffix(" *")) or ledger.tasks(order=name.split(ARROW))
    known = [event.success for event in tasks if event.success is not None]
    counted = int(times) == len(tasks) or (sentence.is_stored and int(times) <= len(tasks))
    return counted and _rate(sentence, (int(good or 0), int(total or 0)), (sum(known), len(known)))


def _seen(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    tasks = ledger.tasks(query=found[1].removesuffix("_*").replace("_", " "))
    return len(tasks) == int(found[2])


def _error_pattern(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    times = sum(step.error == found[3] for step, _ in ledger.acts(found[1]))
    return int(found[2]) == times or (sentence.is_stored and int(found[2]) <= times)


def _intent(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    words = set(found[1].split())
    cases = [e for e in ledger.cycles() if words <= set(e.query.split()) and e.steps]
    for step, target, times, total in _LEADS.findall(found[2]):
        done = sum(
            any(s.name == step and target in ("", s.target) for s in event.steps) for event in cases
        )
        if not sentence.is_stored and (int(times), int(total)) != (done, len(cases)):
            return False
        if int(times) > done or int(total) > len(cases):
            return False
    return bool(_LEADS.findall(found[2]))


def _feature(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    feature, more, rate, usual = found.groups()
    judged = [e for e in ledger.events.values() if e.steps and e.success is not None]
    with_it = [bool(e.success) for e in judged if feature in _features(e)]
    every = [bool(e.success) for e in judged]
    now = (round(100 * _share(with_it)), round(100 * _share(every)))
    near = all(abs(a - b) <= 1 for a, b in zip(now, (int(rate), int(usual)), strict=True))
    return sentence.is_stored or (near and (int(rate) >= int(usual)) == (more == "more"))


def _features(event: Event) -> set[str]:
    size = "few" if len(event.order) <= 3 else "some" if len(event.order) <= 8 else "many"
    found = {f"did {name}" for name in event.order}
    return found | {f"ended with {event.order[-1]}", f"took {size} steps"}


def _holds(longer: Sequence[str], steps: Sequence[str]) -> bool:
    rest = iter(longer)
    return all(step in rest for step in steps)


def _workflow(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    steps = found[4].split(ARROW)
    whole = sum(_holds(segment, steps) for segment, _ in ledger.segments())
    return len(steps) == int(found[1]) and int(found[3]) <= whole


def _run(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    steps = found[2].split(ARROW)
    size = len(steps)
    times = sum(
        segment[at : at + size] == steps
        for segment, _ in ledger.segments()
        for at in range(len(segment))
    )
    return int(found[1]) <= times


def _together(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    files = set(found[3].split(", "))
    times = int(found[1] or found[2])
    whole = [opened for _, opened in ledger.segments()]
    if found[1]:
        return times <= sum(files <= opened for opened in whole)
    return all(
        any(sum({file, other} <= opened for opened in whole) >= times for other in files - {file})
        for file in files
    )


def _used(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    return int(found[1]) <= sum(
        sentence.name in e.order and e.success is True for e in ledger.cycles()
    )


def _true(ledger: Ledger, found: re.Match[str], sentence: Sentence) -> bool:
    """Says nothing that is counted."""
    return True


_LEADS = re.compile(r"(\w+) ?([^\s,(]*) \((\d+) of (\d+) times\)")
_DATED = r"(?: \(as of \d{4}-\d\d-\d\d\))?"
CHECKS: list[tuple[re.Pattern[str], Check]] = [
    (re.compile(form + _DATED), check)
    for form, check in (
        (
            r'(\S+) failed (\d+) times \((\d+) % of its (\d+) executions\): "([^"]+)"\.'
            r"(?: What worked: .+?\.(?=\s|$))?(?: Executions without it since: (\d+)\.)?",
            _error,
        ),
        (
            r'(\S+) failed (\d+) times with "([^"]+)"\.(?: What worked: .+?\.(?=\s|$))?',
            _error_pattern,
        ),
        (
            r"Work like ([^.:]+) succeeded (\d+) of (\d+) times\."
            r"(?: Failures in a row since: \d+\.)?",
            _work_like,
        ),
        (
            r'(?:For "([^"]+)": )?([^.:]+) succeeded (\d+) of (\d+) times'
            r"\.(?: Failures in a row since: (\d+)\.)?",
            _practice,
        ),
        (
            r"(\S+) fails often: (\d+) of (\d+) executions succeeded\. "
            r"Check its input first, or use something else\.",
            _failing,
        ),
        (
            r"(\S+) never succeeded yet: check its input first, or use something else\.",
            _never,
        ),
        (r"(\S+) is slow: ([\d.]+) s on average\. Call it once, or less often\.", _slow),
        (r'When (\S+) says "([^"]+)": .+?\.(?=\s|$)', _when),
        (
            r"(\S+): (avoid )?(\S+) = (\S+) (?:works better )?\((\d+) of (\d+) succeeded, "
            r"(\d+) of (\d+) otherwise\)(?:; (\S+) works better)?\.",
            _parameter,
        ),
        (
            r"(\S+) works better for (\S+) \((\d+) of (\d+) succeeded\) than elsewhere "
            r"\((\d+) of (\d+)\)\.",
            _context,
        ),
        (
            r"(?:(\S+): )?(\d+) of (\d+) executions succeeded(?: \((\d+) of unknown outcome\))?"
            r"(?:, (\d+) of (\d+) for (\w+))?(?:, \d+ ms on average)?\.?",
            _executions,
        ),
        (
            r"(?:(\S+): )?(\d+) executions of unknown outcome(?:, \d+ ms on average)?\.?",
            _unknown,
        ),
        (
            r"Mind (\S+): (\d+) of (\d+) similar tasks that used \1 failed"
            r"(?:; (\d+) succeeded without it)?(?:\. Parameters that differ: [^.]+)?\.",
            _mind,
        ),
        (r"worked for (\d+) of (\d+) similar tasks, such as: .+", _plan),
        (r"([^.:]+): (\d+) tasks(?:, (\d+) of (\d+) succeeded)?\.", _task_pattern),
        (r"the query has the pattern (\S+), seen (\d+) times", _seen),
        (r'A query about "([^"]+)" leads to (.+?\))\.(?!\w)', _intent),
        (
            r"Interactions that (.+) succeed (more|less) often: (\d+)% against (\d+)% of all\.",
            _feature,
        ),
        (r"(\d+) steps, done in this order (about )?(\d+) times: (.+?)\.(?= \(as|$)", _workflow),
        (r"These steps followed each other at least (\d+) times: (.+?)\.(?= \(as|$)", _run),
        (
            r"Worked on together(?: (\d+) times|, each with another of them at least (\d+) times)"
            r": (.+?)\.(?= \(as|$)",
            _together,
        ),
        (r"Best so far: [^.]+\.", _true),
        (r"Use \S+\.", _true),
        (r"named in the query", _true),
        (r"used in (\d+) similar tasks that went well", _used),
    )
]
