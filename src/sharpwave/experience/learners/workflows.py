"""Workflows: stretches of work that hold the same steps in the same order [PAT-12…PAT-15].

A new stretch is compared with the workflows known so far, of which a bounded number is kept. What
it has in common with one of them becomes the workflow's core; what was done in between is noise.
So there is one pattern for each workflow, and none for its parts. Whether it is shown at all is
decided when it is read, by two tests against chance: would so many stretches hold these steps in a
log without order, and would these steps, which belong together, come in this order by accident?
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from math import comb

from sharpwave.experience import matching
from sharpwave.experience.learners import rows
from sharpwave.experience.learners.segments import ChanceModel, WorkSegment
from sharpwave.formulas.sequences import common_length, common_subsequence, holds
from sharpwave.formulas.significance import binomial_tail, order_chance
from sharpwave.tallies import Row, Sheet
from sharpwave.types.experience import LearnedPattern, PatternType

TOPIC = "workflow"
STATE, CORES = "state", "cores"
Core = tuple[list[str], int, str]
"""The core of a workflow, how often it was met, and when last: all that a new stretch needs."""
_MEMBERS = 6
_MOST_MOVES = 4 * _MEMBERS
_UNSURE = 2
"""Up to this many runs the core may hold noise; then a whole stretch is compared instead."""
_SHOWN_CONTEXTS = 8
MAX_WORKFLOWS = 96
"""Most workflows compared with each new segment."""
MAX_ORDER_CHANCE = 0.2
"""The same as MAX_CHANCE, for the order of steps that belong together anyway."""
SAME_WORKFLOW = 0.5
"""Share in common that makes two segments one workflow."""


def learn(segment: WorkSegment, sheet: Sheet) -> None:
    """Count a closed stretch of work: one more run of a known workflow, or a new one."""
    if len(segment.steps) < rows.MIN_STEPS:
        return
    waiting: list[tuple[WorkSegment, frozenset[str]]] = [(segment, frozenset())]
    for _ in range(_MOST_MOVES):
        if waiting:
            current, barred = waiting.pop(0)
            name, misfits = _assign(current, barred, sheet)
            waiting += [(misfit, barred | {name}) for misfit in misfits]


def _assign(
    segment: WorkSegment, barred: frozenset[str], sheet: Sheet
) -> tuple[str, list[WorkSegment]]:
    """Join a stretch to its workflow; returns its name, and the stretches that do not fit it."""
    steps = matching.step_names(segment.steps)
    state = sheet.edit(STATE, CORES)
    cores: dict[str, Core] = state.setdefault("cores", {})
    open_ = {key: core for key, core in cores.items() if key not in barred}
    name = _nearest(steps, open_)
    if name is None:
        name = _name(segment)
        _drop_rarest(sheet, cores)
    row = sheet.edit(TOPIC, name)
    _join(row, segment)
    misfits = _remove_misfits(row)
    core = row["core"] if row["n"] > _UNSURE else row["members"][-1]["core"]
    cores[name] = (core, row["n"], row["last"])
    return name, misfits


def _nearest(steps: Sequence[str], cores: dict[str, Core]) -> str | None:
    """The workflow that a stretch repeats, if any."""
    best, found = 0.0, None
    for name, (core, times, _) in cores.items():
        common = common_length(core, steps)
        if common < rows.MIN_STEPS:
            continue
        unsure = times <= _UNSURE
        share = common / (min(len(core), len(steps)) if unsure else len(core))
        needed = SAME_WORKFLOW if unsure else rows.MIN_SIMILARITY
        score = common * share
        if share >= needed and common / len(steps) >= SAME_WORKFLOW and score > best:
            best, found = score, name
    return found


def _name(segment: WorkSegment) -> str:
    text = "\x1f".join((segment.session, segment.started.isoformat(), *segment.steps))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _drop_rarest(sheet: Sheet, cores: dict[str, Core]) -> None:
    """Drop the workflow met least often, and longest ago among those."""
    if len(cores) >= MAX_WORKFLOWS:
        name = min(cores, key=lambda candidate: (cores[candidate][1], cores[candidate][2]))
        sheet.put(TOPIC, name, None)
        del cores[name]


def _join(row: Row, segment: WorkSegment) -> None:
    steps = matching.step_names(segment.steps)
    members = [member["core"] for member in row.get("members", ())]
    candidates = [common_subsequence(member, steps) for member in members]
    candidates += [row["core"]] if members else [steps]
    row["members"] = [*row.get("members", ()), _member(segment, steps)][-_MEMBERS:]
    members = [*members, steps][-_MEMBERS:]
    row["core"] = _best(candidates, members)
    row["raw"] = _raw(row["core"], segment.steps) or row.get("raw", list(segment.steps))
    rows.note(row, segment.ids[-1], segment.ended)
    row["ev"] = [*row["ev"][:-1], *segment.ids][-rows.MAX_EVIDENCE :]
    rows.outcome(row, segment.success)
    rows.average(row, "ms", (segment.ended - segment.started).total_seconds() * 1000.0)
    for kind in matching.extensions(segment.files):
        rows.count(row.setdefault("ext", {}), kind, _SHOWN_CONTEXTS)


def _member(segment: WorkSegment, steps: list[str]) -> Row:
    ends = [segment.started.isoformat(), segment.ended.isoformat(), segment.success]
    return {"core": steps, "ids": list(segment.ids), "told": ends}


def _remove_misfits(row: Row) -> list[WorkSegment]:
    """Remove stretches that no longer fit the core: they belong to another workflow."""
    core = row["core"]
    fitting: list[Row] = []
    misfits: list[Row] = []
    for member in row["members"]:
        share = common_length(core, member["core"]) / len(core)
        (fitting if share >= rows.MIN_SIMILARITY else misfits).append(member)
    if not misfits or len(fitting) < 2:
        return []
    row["members"] = fitting
    row["n"] -= len(misfits)
    for outcome in (member["told"][-1] for member in misfits):
        if outcome is not None:
            row["ok" if outcome else "bad"] -= 1  # counted where it belongs
    gone = {id_ for member in misfits for id_ in member["ids"]}
    row["ev"] = [id_ for id_ in row["ev"] if id_ not in gone]
    return [_segment(member) for member in misfits]


def _segment(member: Row) -> WorkSegment:
    started, ended, success = member["told"]
    moments = (datetime.fromisoformat(started), datetime.fromisoformat(ended))
    return WorkSegment(tuple(member["core"]), (), tuple(member["ids"]), "", *moments, success)


def _best(candidates: list[list[str]], members: Sequence[Sequence[str]]) -> list[str]:
    """The core that is worth most, or what it shares with a stretch that does not hold it."""

    def worth(core: Sequence[str]) -> float:
        """Prefers a long core that many stretches hold in full; one that few hold is noise."""
        times = sum(holds(member, core) for member in members)
        if len(core) < rows.MIN_STEPS or times < min(2, len(members)):
            return 0.0
        return float(times * len(core) ** 2)

    best = max(candidates, key=worth)
    shorter = [common_subsequence(best, member) for member in members if not holds(member, best)]
    return max([best, *shorter], key=worth)


def _raw(core: Sequence[str], actions: Sequence[str]) -> list[str] | None:
    """The actions by which the core was carried out this time; None if not all of it was."""
    wanted = list(core)
    raw = []
    for action in actions:
        if wanted and matching.step_name(action) == wanted[0]:
            raw.append(action)
            del wanted[0]
    return None if wanted else raw


def pattern(name: str, known: dict[str, Row], background: ChanceModel) -> LearnedPattern | None:
    """One of the known workflows, if chance does not explain it."""
    row = known[name]
    core: list[str] = row["core"]
    members = [member["core"] for member in row["members"]]
    whole = sum(holds(member, core) for member in members)
    support = round(row["n"] * whole / len(members))
    if support < rows.MIN_REPEATS or len(core) < rows.MIN_STEPS or len(set(core)) < 2:
        return None
    chance, lift = background.subsequence(core, support)
    if chance >= rows.MAX_CHANCE:
        return None
    if _order_chance(core, known.values()) >= MAX_ORDER_CHANCE:
        return None
    return _view(name, row, support, chance, lift)


def _order_chance(core: Sequence[str], known: Iterable[Row]) -> float:
    """How likely some order of some of the steps that belong together would recur so often.

    All stretches that hold these steps count, also those in which their order is another.
    """
    needed, distinct = Counter(core), set(core)
    holding = [
        member["core"]
        for row in known
        for member in row["members"]
        if distinct.issubset(member["core"]) and not needed - Counter(member["core"])
    ]
    whole = sum(holds(steps, core) for steps in holding)
    frequent = Counter(step for steps in holding for step in set(steps))
    together = max(sum(n >= whole for n in frequent.values()), len(needed))
    tail = binomial_tail(len(holding), order_chance(core), whole)
    return tail * comb(together, len(needed)) / order_chance(core)


def _view(name: str, row: Row, support: int, chance: float, lift: float) -> LearnedPattern:
    ms = rows.running(row, "ms")
    kinds = sorted(row.get("ext", {}))
    steps = " → ".join(row["core"])
    times = f"about {support}" if row["n"] > len(row["members"]) else str(support)
    return rows.pattern(
        PatternType.WORKFLOW,
        name,
        row,
        name=f"Workflow: {matching.workflow_name(row['core'])}"
        + (f" [{','.join(kinds)}]" if kinds else ""),
        description=f"{len(row['core'])} steps, done in this order {times} times: {steps}.",
        steps=tuple(row["raw"]),
        support=support,
        evidence=tuple(dict.fromkeys(row["ev"])),
        lift=lift,
        chance=chance,
        avg_duration_ms=ms.mean,
        avg_steps=float(len(row["core"])),
        contexts=tuple(kinds),
        streak=row.get("run", 0),
    )
