"""Advice from experience before thinking, planning and acting [RD-17…RD-21].

1 similar     past tasks like this one, by the recall index
2 weigh       how they ended, what was done in those that went well and in those that did not
3 look up     tools, errors, parameters, insights and corrections that bear on it
4 choose      what the stage needs, the best few of each, each with why

    think     patterns and insights                                     [RD-19]
    plan      tools, plans and patterns, with the insights              [RD-20]
    act       warnings from the tools' records, next steps, insights    [RD-21]

What the user prefers or corrected goes with each; without a stage everything is looked up.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharpwave import checks
from sharpwave.errors import InvalidInput, ProviderError
from sharpwave.experience import conditions, corrections, insights, publish, similar, warnings
from sharpwave.experience.learners import intents, next_steps, rows, task_patterns, tools
from sharpwave.experience.matching import keywords, query_pattern
from sharpwave.experience.similar import Similar
from sharpwave.experience.statements import MIN_CONFIDENCE, TOOL
from sharpwave.tallies import Sheet
from sharpwave.types.experience import (
    Advice,
    AdviceStage,
    Advised,
    Insight,
    LearnedPattern,
    PatternType,
    ToolRecord,
)
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.searching import Filter
from sharpwave.types.storing import Stated
from sharpwave.workspace import Workspace

_MOST_TOOLS = 10
ADVICE_LIMIT = 5
"""Most pieces of advice of each sort, unless the caller says otherwise."""
MAX_LIMIT = 50
"""Largest `limit` that a caller may ask for."""
WITHDRAWN = "nothing was learned, and nothing learned is used: this user does not agree to it"
_NEEDED = {
    AdviceStage.THINK: frozenset({"patterns", "insights", "preferences"}),
    AdviceStage.PLAN: frozenset({"tools", "plans", "patterns", "insights", "preferences"}),
    AdviceStage.ACT: frozenset({"warnings", "next_steps", "insights", "preferences"}),
}


@dataclass(frozen=True, slots=True)
class Situation:
    """What the agent is about to do, and what it has done so far."""

    query: str
    stage: AdviceStage | None
    context: str | None = None
    done: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    """The tools it can choose from; empty for any."""
    agent: str | None = None
    given: Mapping[str, object] = field(default_factory=dict)
    """All that the caller gives; the conditions of insights are compared with this."""
    limit: int = ADVICE_LIMIT
    preferences: tuple[str, ...] = ()

    def needs(self, section: str) -> bool:
        """Whether the stage needs this section of the advice."""
        return self.stage is None or section in _NEEDED[self.stage]


def situation(
    query: str, context: object, stage: str | None, limit: int, preferences: Sequence[str] = ()
) -> Situation:
    """The situation a caller describes, validated."""
    try:
        when = None if stage is None else AdviceStage(stage)
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
        given=fields if when is None else {"stage": when.value, **fields},
        limit=checks.count(limit, "limit", MAX_LIMIT, at_least=1),
        preferences=tuple(preferences),
    )


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, (list, tuple)) else ()


def advise(workspace: Workspace, about: Situation, sheet: Sheet) -> Advice:
    """Patterns, tools, insights, preferences, warnings and next steps, each with its reason."""
    notes: list[str] = []
    vector = _vector(workspace, about, notes)
    near = similar.similar_tasks(workspace, about.query, vector)
    steps = _next(about, near, sheet)
    likely = tools.records(sheet, _likely_tools(about, near, steps, sheet))
    usual = similar.usual_failures(sheet)

    def found(section: str, find: Callable[[], Sequence[Advised]]) -> tuple[Advised, ...]:
        return tuple(find()[: about.limit]) if about.needs(section) else ()

    return Advice(
        query=about.query,
        stage=about.stage,
        success_chance=similar.success_chance(near, sheet),
        patterns=found("patterns", lambda: _patterns(about, sheet)),
        tools=found("tools", lambda: _tools(about, likely, near)),
        insights=found("insights", lambda: _insights(workspace, about, vector, likely)),
        preferences=found("preferences", lambda: _preferences(workspace, about, sheet)),
        warnings=found("warnings", lambda: warnings.find(near, usual, likely, about.given)),
        next_steps=found("next_steps", lambda: steps),
        plans=found("plans", lambda: similar.plans(near)),
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


def _likely_tools(
    about: Situation, near: Sequence[Similar], steps: Sequence[Advised], sheet: Sheet
) -> list[str]:
    """Names of tools that may be used: given, named in the query, next, or of similar tasks."""
    votes: Counter[str] = Counter()
    for case in near:
        votes.update(set(case.lesson.order))
    phrases = keywords(about.query)
    sheet.fetch(intents.INTENT, phrases)
    sheet.fetch(rows.RARE + intents.INTENT, phrases)
    for phrase in phrases:
        votes.update(list(rows.tiered(sheet, intents.INTENT, phrase).get("a", ())))
    named = named_in(about.query, tools.names_by_use(sheet))
    next_advice = steps[: about.limit] if about.stage is AdviceStage.ACT else []
    following = [step.text for step in next_advice]
    found = [name for name, _ in votes.most_common(_MOST_TOOLS)]
    likely = [*about.tools, *named, *about.done[-1:], *following, *found]
    return list(dict.fromkeys(likely))[: max(3 * _MOST_TOOLS, about.limit)]


_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")


def named_in(text: str, names: Sequence[str]) -> list[str]:
    """The names that a text holds, word for word, however they are written.

    >>> named_in("why does send invoice fail?", ["sendInvoice", "send_mail", "fail-over"])
    ['sendInvoice']
    """
    joined = f" {' '.join(_parts(text))} "
    return [name for name in names if (parts := _parts(name)) and f" {' '.join(parts)} " in joined]


def _parts(name: str) -> list[str]:
    return [part.lower() for part in _PART.findall(name)]


def _tools(
    about: Situation, likely: Sequence[ToolRecord], near: Sequence[Similar]
) -> list[Advised]:
    """Tools that did well here, with their record in this context [TOOL-08]."""
    wins: Counter[str] = Counter()
    for case in near:
        if case.lesson.success:
            wins.update(set(case.lesson.order))
    named = named_in(about.query, [tool.name for tool in likely])
    advised = []
    for tool in likely:
        if about.tools and tool.name not in about.tools:
            continue
        hints = tool.recommendations[:1]
        text = " ".join([*_use(tool), *(hint.message for hint in hints)])
        reasons = ["named in the query"] if tool.name in named else []
        if wins[tool.name]:
            reasons.append(f"used in {wins[tool.name]} similar tasks that went well")
        where = next((c for c in tool.contexts if c.context == about.context), None)
        outcomes_there = ""
        if where and (judged := where.successes + where.failures):
            outcomes_there = f", {where.successes} of {judged} for {where.context}"
        why = "; ".join([*reasons, tools.outcomes(tool) + outcomes_there])
        score = tools.in_context(tool, about.context) * (1 + wins[tool.name])
        score += tool.name in named
        advised.append(Advised("tool", text, why, score, name=tool.name))
    return sorted(advised, key=lambda advice: (-advice.score, str(advice.name)))


def _use(tool: ToolRecord) -> list[str]:
    """The advice to use a tool, or not to if it never succeeded; nothing if its record says so."""
    if any(hint.about == "failing" for hint in tool.recommendations[:1]):
        return []
    if tool.failures and not tool.successes:
        return [f"{tool.name} never succeeded yet: check its input first, or use something else."]
    return [f"Use {tool.name}."]


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
        found.append(_pattern(pattern, text, why))
    words = set(keywords(about.query))
    for pattern in intents.patterns_of(sheet, words):
        why = f"the query speaks of {' '.join(pattern.contexts)}"
        found.append(_pattern(pattern, pattern.description, why))
    return found


def _pattern(pattern: LearnedPattern, text: str, why: str) -> Advised:
    return Advised("pattern", text, why, pattern.confidence, pattern.evidence, pattern.id)


def _insights(
    workspace: Workspace,
    about: Situation,
    vector: NDArray[np.float32],
    likely: Sequence[ToolRecord],
) -> list[Advised]:
    """Insights that apply to this agent, context and query, with their conditions met."""
    near = _near_insights(workspace, about, vector, likely)
    numbered = insights.ranked(workspace, [candidate.record for candidate in near.values()])
    scored = []
    for insight, number in numbered:
        if insight.confidence >= MIN_CONFIDENCE and _applies(insight, about, near[number]):
            is_in_context = about.context is not None and about.context in insight.contexts
            score = insight.confidence * (1.0 + is_in_context + near[number].likeness)
            scored.append((score, insight, number))
    best = sorted(scored, key=lambda entry: (-entry[0], entry[1].id))[: about.limit]
    workspace.store.touch([number for _, _, number in best], workspace.clock.now())
    return [_insight(insight) for _, insight, _ in best]


class _Near(NamedTuple):
    record: Record
    likeness: float
    is_about_query: bool
    """By its meaning, its words, or a tool that may be used."""


def _near_insights(
    workspace: Workspace,
    about: Situation,
    vector: NDArray[np.float32],
    likely: Sequence[ToolRecord],
) -> dict[int, _Near]:
    """The insights nearest to the query, and those about the likely tools, by record number."""
    only = Filter(kinds=frozenset({Kind.INSIGHT.value}))
    text = " ".join([about.query, about.context or "", *about.done[-1:]]).replace("_", " ")
    ranked = workspace.index.rank(text, vector, 2 * about.limit, only)
    alike = dict(zip(ranked.vector.numbers.tolist(), ranked.vector.scores.tolist(), strict=True))
    worded = set(ranked.keyword.numbers.tolist())
    subject = publish.SUBJECTS[Kind.INSIGHT]
    within = tuple(f"{subject}|{TOOL}:{tool.name}|" for tool in likely[:_MOST_TOOLS])
    wanted = Stated(within=within, states={State.ACTIVE})
    of_tools = workspace.store.stated(wanted) if within else []
    worded |= {record.number for record in of_tools}
    records = [*workspace.store.fetch(list({*worded, *alike})), *of_tools]
    found = {}
    for record in records:
        likeness = max(0.0, alike.get(record.number, 0.0))
        is_about = record.number in worded or likeness >= similar.MIN_LIKENESS
        found[record.number] = _Near(record, likeness, is_about)
    return found


def _applies(insight: Insight, about: Situation, near: _Near) -> bool:
    """Whether it is meant for this agent and context, and its conditions are met [INS-02]."""
    if insight.agents and about.agent not in insight.agents:
        return False
    if not conditions.are_met(insight.conditions, about.given):
        return False
    if not insight.contexts or about.context in insight.contexts:
        return True
    # a generated insight was seen in these contexts, a stored one is meant for them
    return near.is_about_query and (insight.generated or about.context is None)


def _insight(insight: Insight) -> Advised:
    basis = f"{insight.type.value}, confidence {insight.confidence:.2f}"
    checked = f", validated by {insight.validated_by}" if insight.validated else ""
    ids = tuple(str(item["task_id"]) for item in insight.evidence)
    return Advised("insight", insight.text, basis + checked, insight.confidence, ids, insight.id)


def _preferences(workspace: Workspace, about: Situation, sheet: Sheet) -> list[Advised]:
    """What was meant when such a query was misunderstood, and what the user prefers [UPR-04]."""
    name = rows.short(query_pattern(about.query))
    row = sheet.row(intents.CORRECTION, name)
    found = []
    if row:
        text = intents.correction(row)
        found.append(Advised("preference", text, "the user corrected this", 1.0, tuple(row["ev"])))
    known = {row["query"]} if row else set()
    for case in corrections.alike(workspace, about.query):
        if case.lesson.query not in known:
            known.add(case.lesson.query)
            text = intents.correction(intents.correction_row(case.lesson))
            why = f"the user corrected a query like this ({case.likeness:.2f} alike)"
            ids = (case.lesson.id,)
            found.append(Advised("preference", text, why, case.likeness, ids))
    stated = [Advised("preference", text, "the user said so", 1.0) for text in about.preferences]
    return [*found, *stated]


def _next(about: Situation, near: Sequence[Similar], sheet: Sheet) -> list[Advised]:
    """Which step usually comes next, after what was done and in tasks like this."""
    if not (about.done or near):
        return []
    shares = similar.next_shares(about.done, near, sheet)
    after = " → ".join(about.done[-next_steps.ORDER :]) or "the start"
    return [
        Advised("next", step, f"estimated {share:.0%} likely after {after}", share, name=step)
        for step, share in sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
