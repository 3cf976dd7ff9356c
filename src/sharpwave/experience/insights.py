"""A lesson as it is drawn, before it is published."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sharpwave import checks
from sharpwave.errors import InvalidInput, ProviderError
from sharpwave.experience import intake, patterns, publish
from sharpwave.experience.learners import progress, tools
from sharpwave.experience.lessons import GENERAL
from sharpwave.formulas.experience.track_record import evidence_strength
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts import sleep as prompt
from sharpwave.llm.prompts.transcript import Line, new_nonce
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.settings.experience import ExperienceSettings, InsightSettings
from sharpwave.settings.tree import Settings
from sharpwave.tallies import Sheet
from sharpwave.types.experience import Insight, InsightType, LearnedPattern, PatternType, ToolRecord
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Kind, Record, Role, State
from sharpwave.types.storing import EXPERIENCE, Revision
from sharpwave.workspace import Workspace


@dataclass(frozen=True, slots=True)
class InsightDraft:
    """A lesson as it is drawn."""

    name: str
    type: InsightType
    text: str
    confidence: float
    support: int
    evidence: tuple[str, ...]
    contexts: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    rule: str | None = None
    conditions: Mapping[str, object] | None = None


_MOST_EVIDENCE = 20
_PRACTICES = frozenset(
    {
        PatternType.WORKFLOW,
        PatternType.ACTION_SEQUENCE,
        PatternType.QUERY,
        PatternType.PLAN,
        PatternType.TOOL_SEQUENCE,
    }
)


def learn(workspace: Workspace) -> list[Insight]:
    """Draw lessons from all that is known; returns those that hold, the best first."""
    settings = workspace.settings.experience
    sheet = Sheet.of(workspace.store, EXPERIENCE)
    found = patterns.every(sheet, settings)
    records = tools.records(sheet, settings)
    lessons = [
        *_mined(found, settings.insights),
        *_warnings(records, settings.insights),
        *_optimisations(records),
    ]
    pages = [_page(lesson) for lesson in synthesise(lessons, workspace)]
    publish.write(pages, (Kind.INSIGHT,), workspace)
    _validate(workspace, sheet)
    return current(workspace, settings)


def _mined(found: Sequence[LearnedPattern], settings: InsightSettings) -> Iterator[InsightDraft]:
    """Stage 1: what is used often and nearly always succeeds is a best practice."""
    for pattern in found:
        rate = pattern.success_rate
        if pattern.type not in _PRACTICES or pattern.support < settings.best_uses:
            continue
        if rate is None or rate <= settings.best_rate:
            continue
        shown = " → ".join(pattern.steps) if pattern.steps else pattern.name
        known = pattern.successes + pattern.failures
        about = f'For "{pattern.name}": ' if pattern.type is PatternType.QUERY else ""
        yield InsightDraft(
            name=f"best_practice:{pattern.id}",
            type=InsightType.BEST_PRACTICE,
            text=f"{about}{shown} succeeded {pattern.successes} of {known} times.",
            confidence=rate,
            support=pattern.support,
            evidence=pattern.evidence,
            contexts=tuple(each for each in pattern.contexts if each != GENERAL),
            rule=f"steps: {shown}",
        )


def _warnings(tools: Sequence[ToolRecord], settings: InsightSettings) -> Iterator[InsightDraft]:
    """Stage 2: errors that recur, with what worked."""
    for tool in tools:
        for error in tool.errors:
            if error.count < settings.min_errors:
                continue
            common = error.percentage > settings.common_percent
            sure = settings.common_confidence if common else settings.rare_confidence
            cure = f" What worked: {error.solutions[0]}." if error.solutions else ""
            share = f"{error.percentage:.0f} % of its {tool.executions} executions"
            yield InsightDraft(
                name=f"warning:{tool.name}|{error.error}",
                type=InsightType.WARNING,
                text=f'{tool.name} failed {error.count} times ({share}): "{error.error}".{cure}',
                confidence=sure,
                support=error.count,
                evidence=error.evidence,
                contexts=tuple(each for each in error.contexts if each != GENERAL),
                rule=f"before {tool.name}: {error.solutions[0]}" if error.solutions else None,
            )


def _optimisations(tools: Sequence[ToolRecord]) -> Iterator[InsightDraft]:
    """Stage 3: what the track records recommend beyond their errors."""
    for tool in tools:
        for place, each in enumerate(tool.recommendations):
            if any(error.error in each.message for error in tool.errors):
                continue  # told in stage 2
            yield InsightDraft(
                name=f"{each.type}:{tool.name}|{each.message.split(':')[0]}|{place}",
                type=each.type,
                text=each.message,
                confidence=each.confidence,
                support=tool.executions,
                evidence=(),
                contexts=tuple(c.context for c in tool.contexts if c.context != GENERAL),
            )


def _validate(workspace: Workspace, sheet: Sheet) -> None:
    """Stage 5: drop what proved wrong, or what nobody believes or used for long [INS-09]."""
    settings, now = workspace.settings.experience, workspace.clock.now()
    long_ago = now - timedelta(days=workspace.settings.retention.insights_days)
    revisions = []
    for record in publish.published(workspace, Kind.INSIGHT):
        insight = view(record, sheet, settings)
        dead = _is_dead(insight, long_ago, settings.insights)
        if dead or _is_refuted(insight, sheet, settings):
            standing = replace(record.standing, state=State.INVALIDATED)
            revisions.append(Revision(record.id, standing, max(now, record.valid_from)))
    if revisions:
        publish.commit(workspace, (), revisions, now)


def _is_refuted(insight: Insight, sheet: Sheet, settings: ExperienceSettings) -> bool:
    """It failed more often than it worked when it was used, and often enough to tell."""
    told = progress.outcome_of(sheet, insight.id)
    bad, good = told.get("bad", 0), told.get("ok", 0)
    return bool(bad >= settings.insights.valid_evidence and bad > good)


def _is_dead(insight: Insight, long_ago: datetime, settings: InsightSettings) -> bool:
    unsure = insight.confidence < settings.prune_below
    return unsure and not insight.usage_count and insight.last_updated < long_ago


def current(workspace: Workspace, settings: ExperienceSettings) -> list[Insight]:
    """The insights that hold, ranked: confidence first, then evidence, use and novelty."""
    store = workspace.store
    sheet = Sheet.of(store, EXPERIENCE)
    return [insight for insight, _ in numbered(workspace, sheet, settings)]


def numbered(
    workspace: Workspace, sheet: Sheet, settings: ExperienceSettings
) -> list[tuple[Insight, int]]:
    """The same with the numbers of their records."""
    most = settings.insights.listed
    found = publish.published(workspace, Kind.INSIGHT, most=most)
    return ranked(found, sheet, settings)


def ranked(
    records: Sequence[Record], sheet: Sheet, settings: ExperienceSettings
) -> list[tuple[Insight, int]]:
    """Records of insights as insights, the best first, with their numbers."""
    sheet.fetch(progress.OUTCOME, (str(record.slot).partition("|")[2] for record in records))
    found = [(view(record, sheet, settings), record.number) for record in records]
    return sorted(found, key=lambda each: rank(each[0]))


def rank(insight: Insight) -> tuple[float, float, int, str]:
    """Order of insights, the best first [INS-10]."""
    worth = insight.confidence * (0.5 + 0.5 * insight.evidence_strength)
    return (-worth, -insight.evidence_strength, -insight.usage_count, insight.id)


def add(workspace: Workspace, lesson: InsightDraft, by: str) -> Insight:
    """Store an insight of an agent's or a user's own; the same words again make no second."""
    page = replace(_page(lesson), generated=False, author=by)
    known = {each.slot: each for each in publish.published(workspace, Kind.INSIGHT)}
    now = workspace.clock.now()
    record = publish.made(page, workspace.user_id, now)
    old = known.get(page.slot)
    revisions = [publish.superseded(old, record.id, now)] if old else []
    publish.commit(workspace, [record], revisions, now)
    return view(record, Sheet.blank(EXPERIENCE), None)


def draft_of(
    text: str,
    kind: str,
    applies_to: Mapping[str, object] | None,
    evidence: Sequence[Mapping[str, object]],
    confidence: float,
    settings: Settings,
) -> InsightDraft:
    """What a caller hands in, checked and redacted."""
    clean = redact(checks.text(text, "the insight", 10_000), settings.privacy.stored)
    if refused := refusal(clean):
        raise refused
    words = clean.text
    try:
        type_ = InsightType(kind)
    except ValueError:
        known = ", ".join(InsightType)
        raise InvalidInput(f"insight_type must be one of {known}, not {kind!r}") from None
    where = intake.cleaned({"where": dict(applies_to or {})}, settings)["where"]
    digest = hashlib.blake2b(f"{type_}|{words.strip().lower()}".encode(), digest_size=8).hexdigest()
    conditions = where.get("conditions")
    return InsightDraft(
        name=f"told:{digest}",
        type=type_,
        text=words,
        confidence=checks.share(confidence, "confidence"),
        support=max(1, len(evidence)),
        evidence=tuple(str(each.get("task_id", each.get("taskId", ""))) for each in evidence),
        contexts=_names(where.get("contexts")),
        agents=_names(where.get("agents")),
        conditions=conditions if isinstance(conditions, Mapping) else None,
    )


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(each) for each in value) if isinstance(value, (list, tuple)) else ()


def _page(lesson: InsightDraft) -> publish.Page:
    return publish.Page(
        kind=Kind.INSIGHT,
        name=lesson.name,
        text=lesson.text,
        support=lesson.support,
        confidence=lesson.confidence,
        evidence=lesson.evidence[-_MOST_EVIDENCE:],
        content={
            "insight_type": lesson.type.value,
            "rule": lesson.rule,
            "contexts": list(lesson.contexts),
            "agents": list(lesson.agents),
            "conditions": dict(lesson.conditions or {}),
        },
    )


def view(record: Record, sheet: Sheet, settings: ExperienceSettings | None) -> Insight:
    """An insight as a reader wants it, with how it turned out."""
    said: dict[str, Any] = dict(record.metadata)
    id_ = str(record.slot).partition("|")[2]
    told = progress.outcome_of(sheet, id_)
    limits = settings.insights if settings else InsightSettings()
    sure = float(told.get("conf", record.standing.confidence))
    pieces = int(said.get("support", 1)) + told.get("n", 0)
    by = told.get("by") if told.get("ok", 0) >= limits.valid_evidence else None
    enough = pieces >= limits.valid_evidence and sure >= limits.valid_confidence
    validator = by or ("system" if enough else None)
    since = datetime.fromisoformat(told["last"]) if by else record.standing.last_seen_at
    return Insight(
        id=id_,
        type=InsightType(said["insight_type"]),
        text=record.text,
        rule=said.get("rule"),
        agents=tuple(said.get("agents", ())),
        contexts=tuple(said.get("contexts", ())),
        conditions=said.get("conditions", {}),
        evidence=tuple({"task_id": parent} for parent in record.provenance.parents),
        confidence=sure,
        evidence_strength=evidence_strength(pieces, limits.strength_half),
        validated=validator is not None,
        validated_by=validator,
        usage_count=record.standing.access_count,
        last_used=record.standing.accessed_at,
        created_at=record.recorded_at,
        last_updated=record.standing.last_seen_at,
        generated=bool(said.get("generated", True)),
        validated_at=since if validator else None,
    )


_MOST_LESSONS = 40


def synthesise(lessons: Sequence[InsightDraft], workspace: Workspace) -> list[InsightDraft]:
    """The lessons, each once, and what they say together."""
    best: dict[str, InsightDraft] = {}
    for lesson in sorted(lessons, key=lambda each: each.support):
        best[lesson.text] = lesson
    merged = sorted(best.values(), key=lambda each: (-each.confidence, each.name))
    return [*merged, *_by_model(merged[:_MOST_LESSONS], workspace)]


def _by_model(lessons: Sequence[InsightDraft], workspace: Workspace) -> list[InsightDraft]:
    llm, now = AllowedLLM(workspace), workspace.clock.now()
    if len(lessons) < 2 or not llm.may_ask():
        return []
    lines = [Line(Role.SYSTEM, llm.redacted(lesson.text), now) for lesson in lessons]
    try:
        answer = llm.ask(
            prompt.render_insights(lines, new_nonce()), prompt.InsightsOutput, LLMRole.ANALYZER
        )
    except ProviderError:
        return []
    if answer is None:
        return []
    return [made for each in answer.value.insights if (made := _synthesised(each, lessons))]


def _synthesised(
    drawn: prompt.DrawnInsight, lessons: Sequence[InsightDraft]
) -> InsightDraft | None:
    """A lesson of the model's; it is as sure as the least sure of those it follows from."""
    places = sorted({place for place in drawn.turns if 1 <= place <= len(lessons)})
    parents = [lessons[place - 1] for place in places]
    if len(parents) < 2 or not drawn.text.strip():
        return None
    told = "\x1f".join(parent.name for parent in parents)
    digest = hashlib.blake2b(told.encode(), digest_size=8).hexdigest()
    evidence = [id_ for parent in parents for id_ in parent.evidence]
    return InsightDraft(
        name=f"synthesis:{digest}",
        type=InsightType.RULE,
        text=drawn.text.strip(),
        confidence=min(parent.confidence for parent in parents),
        support=min(parent.support for parent in parents),
        evidence=tuple(dict.fromkeys(evidence)),
    )
