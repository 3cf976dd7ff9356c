"""What experience has to say before thinking, planning and acting [RD-17…RD-21].

1 similar     past tasks like this one, by the recall index
2 weigh       how they ended, what was done in those that went well and in those that did not
3 look up     tools, errors, parameters, insights and corrections that bear on it
4 choose      the best few of each, each with why
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidInput, ProviderError
from sharpwave.experience import insights, warnings
from sharpwave.experience.learners import intents, next_steps, rows, task_patterns, tools
from sharpwave.experience.lessons import Lesson, lesson, teaches
from sharpwave.experience.matching import keywords, query_pattern
from sharpwave.formulas.statistics import shrunk
from sharpwave.formulas.text import keyword_similarity
from sharpwave.tallies import Sheet
from sharpwave.types.experience import (
    Advice,
    AdviceStage,
    Advised,
    Insight,
    PatternType,
    ToolRecord,
)
from sharpwave.types.records import Kind, Record
from sharpwave.types.searching import Filter, Rankings
from sharpwave.workspace import Workspace

_MOST_TOOLS = 10
MAX_ADVICE = 5
"""Most pieces of advice of each sort."""
MAX_SIMILAR = 16
"""Most similar tasks that are considered."""
MIN_LIKENESS = 0.25
"""Least likeness of a task that counts as similar."""
SIMILAR_WEIGHT = 0.3
"""Weight of what followed in similar tasks, beside what follows in general."""
PRIOR_WEIGHT = 2.0
"""Number of tasks that the general success rate counts for."""
MIN_INSIGHT_CONFIDENCE = 0.3
"""Least confidence of an insight that is given."""
WITHDRAWN = "nothing was learned, and nothing learned is used: this user does not agree to it"


@dataclass(frozen=True, slots=True)
class Situation:
    """What the agent is about to do, and what it has done so far."""

    query: str
    stage: AdviceStage
    context: str | None = None
    done: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    """The tools it can choose from; empty for any."""
    agent: str | None = None
    preferences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Similar:
    """A past task and how like this one it is."""

    lesson: Lesson
    likeness: float

    @property
    def weight(self) -> float:
        """What it counts for: the most alike count for far more."""
        return self.likeness**4


def situation(query: str, context: object, stage: str, preferences: Sequence[str]) -> Situation:
    """The situation a caller describes, validated."""
    try:
        when = AdviceStage(stage)
    except ValueError:
        raise InvalidInput(f"stage must be think, plan or act, not {stage!r}") from None
    fields: Mapping[str, object] = (
        context if isinstance(context, Mapping) else {} if context is None else {"context": context}
    )
    named = fields.get("context")
    agent = fields.get("agent")
    return Situation(
        query=query,
        stage=when,
        context=None if named is None else str(named),
        done=_names(fields.get("done")),
        tools=_names(fields.get("tools")),
        agent=None if agent is None else str(agent),
        preferences=tuple(preferences),
    )


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, (list, tuple)) else ()


def advise(workspace: Workspace, about: Situation, sheet: Sheet) -> Advice:
    """Patterns, tools, insights, preferences, warnings and next steps, each with its reason."""
    notes: list[str] = []
    vector = _vector(workspace, about, notes)
    similar = similar_tasks(workspace, about.query, vector)
    likely = tools.records(sheet, _likely_tools(about, similar, sheet))
    near = insights.ranked(workspace, _near_insights(workspace, about, vector))
    numbers = {insight.id: number for insight, number in near}
    fitting = _fitting(about, [insight for insight, _ in near])[:MAX_ADVICE]
    workspace.store.touch([numbers[each.id] for each in fitting], workspace.clock.now())
    cases = [(each.lesson, each.weight) for each in similar]
    return Advice(
        query=about.query,
        stage=about.stage,
        success_chance=success_chance(similar, sheet),
        patterns=tuple(_patterns(about, sheet)[:MAX_ADVICE]),
        tools=tuple(_tools(about, likely, similar)[:MAX_ADVICE]),
        insights=tuple(_insight(each) for each in fitting),
        preferences=tuple(_preferences(about, sheet)[:MAX_ADVICE]),
        warnings=tuple(warnings.find(cases, usual_failures(sheet), likely)[:MAX_ADVICE]),
        next_steps=tuple(_next(about, similar, sheet)[:MAX_ADVICE]),
        plans=tuple(plans(similar)[:MAX_ADVICE]),
        notes=tuple(notes),
    )


def withheld(about: Situation) -> Advice:
    """The answer for a user who does not agree to learning."""
    return Advice(about.query, about.stage, success_chance=None, notes=(WITHDRAWN,))


def _vector(workspace: Workspace, about: Situation, notes: list[str]) -> NDArray[np.float32]:
    try:
        return workspace.embedder.embed_question(about.query)
    except ProviderError as error:
        notes.append(f"similar tasks were looked for by keywords only: {error}")
        return np.zeros(workspace.embedder.space.dimension, dtype=np.float32)


def _near_insights(
    workspace: Workspace, about: Situation, vector: NDArray[np.float32]
) -> list[Record]:
    """The insights nearest to the query, whether they apply or not."""
    only = Filter(kinds=frozenset({Kind.INSIGHT.value}))
    text = " ".join([about.query, about.context or "", *about.done[-1:]]).replace("_", " ")
    found = workspace.index.rank(text, vector, 2 * MAX_ADVICE, only)
    numbers = [*found.keyword.numbers.tolist(), *found.vector.numbers.tolist()]
    return workspace.store.fetch(list(dict.fromkeys(numbers)))


def _likely_tools(about: Situation, similar: Sequence[Similar], sheet: Sheet) -> list[str]:
    """Tools that may be used: those at hand, of similar tasks, and of the words of the query."""
    votes: Counter[str] = Counter()
    for each in similar:
        for name in set(each.lesson.order):
            votes[name] += 1
    phrases = keywords(about.query)
    sheet.fetch(intents.INTENT, phrases)
    sheet.fetch(rows.RARE + intents.INTENT, phrases)
    for phrase in phrases:
        for action in rows.tiered(sheet, intents.INTENT, phrase).get("a", {}):
            votes[action] += 1
    found = [name for name, _ in votes.most_common(_MOST_TOOLS)]
    return list(dict.fromkeys([*about.tools, *about.done[-1:], *found]))[: 3 * _MOST_TOOLS]


def _tools(
    about: Situation, likely: Sequence[ToolRecord], similar: Sequence[Similar]
) -> list[Advised]:
    """Tools that did well here, with their record in this context [TOOL-08]."""
    wins: Counter[str] = Counter()
    for each in similar:
        if each.lesson.success is not False:
            wins.update(set(each.lesson.order))
    advised = []
    for tool in likely:
        name = tool.name
        if about.tools and name not in about.tools:
            continue
        worth = tools.in_context(tool, about.context)
        hints = [each.message for each in tool.recommendations[:1]]
        rate = f"{tool.successes} of {tool.executions} executions succeeded"
        where = next((c for c in tool.contexts if c.context == about.context), None)
        if where:
            rate += f", {where.success_rate:.0%} of {where.uses} for {where.context}"
        why = f"used in {wins[name]} similar tasks that went well; {rate}"
        text = " ".join([f"Use {name}.", *hints])
        score = worth * (1 + wins[name])
        advised.append(Advised("tool", text, why, score, name=name))
    return sorted(advised, key=lambda each: (-each.score, str(each.name)))


def _patterns(about: Situation, sheet: Sheet) -> list[Advised]:
    """The pattern of the query itself, and what its words usually lead to."""
    found = []
    name = rows.short(query_pattern(about.query))
    row = rows.tiered(sheet, task_patterns.TOPICS[PatternType.QUERY], name)
    if row:
        pattern = task_patterns.pattern(PatternType.QUERY, name, row)
        why = f"the query has the pattern {name}, seen {pattern.support} times"
        steps = " → ".join(pattern.steps)
        text = f"{pattern.description} Best so far: {steps}." if steps else pattern.description
        found.append(
            Advised("pattern", text, why, pattern.confidence, pattern.evidence, pattern.id)
        )
    words = set(keywords(about.query))
    for pattern in intents.patterns_of(sheet, words):
        why = f"the query speaks of {' '.join(pattern.contexts)}"
        found.append(
            Advised(
                "pattern",
                pattern.description,
                why,
                pattern.confidence,
                pattern.evidence,
                pattern.id,
            )
        )
    return found


def _fitting(about: Situation, found: Sequence[Insight]) -> list[Insight]:
    """Insights that apply here: to this agent, context or wording."""
    words = set(keywords(about.query)) | set(about.done)
    scored = []
    for insight in found:
        if insight.confidence < MIN_INSIGHT_CONFIDENCE:
            continue
        if insight.agents and about.agent not in insight.agents:
            continue
        here = about.context is not None and about.context in insight.contexts
        overlap = keyword_similarity(words, set(keywords(insight.text.replace("_", " "))))
        if here or overlap > 0 or not insight.contexts:
            scored.append((insight.confidence * (1.0 + here + overlap), insight))
    return [insight for _, insight in sorted(scored, key=lambda each: (-each[0], each[1].id))]


def _insight(insight: Insight) -> Advised:
    rests = f"{insight.type.value}, confidence {insight.confidence:.2f}"
    checked = f", validated by {insight.validated_by}" if insight.validated else ""
    ids = tuple(str(each["task_id"]) for each in insight.evidence)
    return Advised("insight", insight.text, rests + checked, insight.confidence, ids, insight.id)


def _preferences(about: Situation, sheet: Sheet) -> list[Advised]:
    """What the user prefers, and what was meant when such a query was misunderstood [UPR-04]."""
    name = rows.short(query_pattern(about.query))
    row = sheet.row(intents.CORRECTION, name)
    found = [Advised("preference", text, "the user said so", 1.0) for text in about.preferences]
    if row:
        text = f'"{row["query"]}" was taken for: {row["did"]}. Meant was: {row["meant"][-1]}'
        found.insert(
            0, Advised("preference", text, "the user corrected this", 1.0, tuple(row["ev"]))
        )
    return found


def _next(about: Situation, similar: Sequence[Similar], sheet: Sheet) -> list[Advised]:
    """Which step usually comes next, after what was done and in tasks like this."""
    shares = next_shares(about.done, similar, sheet)
    after = " → ".join(about.done[-next_steps.ORDER :]) or "the start"
    return [
        Advised("next", step, f"{share:.0%} of what follows {after} here", share, name=step)
        for step, share in sorted(shares.items(), key=lambda each: (-each[1], each[0]))
    ]


_L0 = frozenset({Kind.INTERACTION.value, Kind.OBSERVATION.value})


def similar_tasks(workspace: Workspace, query: str, vector: NDArray[np.float32]) -> list[Similar]:
    """The tasks most like this one."""
    found = workspace.index.rank(query, vector, MAX_SIMILAR * 2, Filter(kinds=_L0))
    scores = _likeness(found)
    near = {number: score for number, score in scores.items() if score >= MIN_LIKENESS}
    chosen = sorted(near, key=lambda number: -near[number])[:MAX_SIMILAR]
    records = filter(teaches, workspace.store.fetch(chosen))
    read = [(lesson(record), near[record.number]) for record in records]
    return [Similar(each, score) for each, score in read if each.acts and each.is_cycle]


def _likeness(found: Rankings) -> dict[int, float]:
    """Meaning and wording, half each: the names in a query matter as much as what it is about."""
    vector = dict(zip(found.vector.numbers.tolist(), found.vector.scores.tolist(), strict=True))
    words = dict(zip(found.keyword.numbers.tolist(), found.keyword.scores.tolist(), strict=True))
    most = max(words.values(), default=0.0) or 1.0
    return {
        number: (max(0.0, vector.get(number, 0.0)) + words.get(number, 0.0) / most) / 2.0
        for number in {*vector, *words}
    }


def success_chance(similar: Sequence[Similar], sheet: Sheet) -> float | None:
    """How such tasks ended, with how tasks end at all behind it."""
    good, total = task_patterns.totals(sheet)
    if not total:
        return None
    judged = [each for each in similar if each.lesson.success is not None]
    raw = [each.likeness**2 for each in judged]
    weights = [each * len(raw) / sum(raw) for each in raw]
    wins = sum(w for w, each in zip(weights, judged, strict=True) if each.lesson.success)
    return shrunk(wins, sum(weights), good / total, PRIOR_WEIGHT)


def usual_failures(sheet: Sheet) -> float:
    """The share of all tasks that failed."""
    good, total = task_patterns.totals(sheet)
    return 1.0 - good / total if total else 0.0


def next_shares(done: Sequence[str], similar: Sequence[Similar], sheet: Sheet) -> dict[str, float]:
    """How likely each step comes next; the end of the task is left out."""
    general = next_steps.shares(done, sheet)
    cases = [
        (each.lesson.order, each.weight) for each in similar if each.lesson.success is not False
    ] or [(each.lesson.order, each.weight) for each in similar]
    close = next_steps.of_sequences(done, cases)
    share = SIMILAR_WEIGHT if close else 0.0
    mixed = {
        step: share * close.get(step, 0.0) + (1.0 - share) * general.get(step, 0.0)
        for step in {*general, *close} - {next_steps.END, next_steps.START}
    }
    total = sum(mixed.values())
    return {step: value / total for step, value in mixed.items()} if total else {}


def plans(similar: Sequence[Similar]) -> list[Advised]:
    """Plans that worked for tasks like this, as templates [BEH-17]."""
    best: dict[tuple[str, ...], list[Similar]] = {}
    for each in similar:
        if each.lesson.success:
            best.setdefault(tuple(each.lesson.order), []).append(each)
    plans = [
        Advised(
            "plan",
            " → ".join(steps),
            f"worked for {len(cases)} similar tasks, such as: {cases[0].lesson.query[:80]}",
            sum(each.weight for each in cases),
            tuple(each.lesson.id for each in cases),
        )
        for steps, cases in best.items()
    ]
    return sorted(plans, key=lambda each: (-each.score, each.text))
