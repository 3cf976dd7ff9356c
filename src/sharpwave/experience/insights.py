"""Insights: lessons in plain words, drawn in five stages [SLP-20].

    1 mine         patterns that succeed                -> best practices        [INS-06]
    2 errors       errors that recur                    -> warnings              [INS-07]
    3 optimise     tools that do better somewhere, or   -> optimisations
                   with some parameter
    4 synthesise   what belongs together, by a model if there is one
    5 validate     against the newest evidence, ranked  -> stored in versions    [INS-10]

Each has a stable name: drawing the same insight again updates its numbers and makes no second one
[resolution 56].
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sharpwave import checks
from sharpwave.errors import InvalidInput, ProviderError
from sharpwave.experience import intake, patterns, publish
from sharpwave.experience.learners import errors, progress, tools
from sharpwave.experience.lessons import GENERAL
from sharpwave.formulas.statistics import evidence_strength
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts import sleep as prompts
from sharpwave.llm.prompts.transcript import TranscriptLine, new_nonce
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.tallies import Sheet
from sharpwave.types.experience import Insight, InsightType, LearnedPattern, PatternType, ToolRecord
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Kind, Record, Role, State
from sharpwave.types.storing import EXPERIENCE, Revision
from sharpwave.workspace import Workspace

_MOST_EVIDENCE = 20
_MOST_LESSONS = 40
BEST_PRACTICE_RATE = 0.9
"""A best practice succeeds more often than this [INS-06]."""
COMMON_CONFIDENCE = 0.8
"""Confidence in the warning of a common error."""
RARE_CONFIDENCE = 0.5
"""Confidence in the warning of another error."""
VALID_EVIDENCE = 3
"""Pieces of evidence that validate an insight."""
VALID_CONFIDENCE = 0.7
"""Confidence that validates an insight."""
PRUNE_BELOW = 0.3
"""An unused insight below this confidence is dropped [INS-09]."""
UNUSED_DAYS = 30.0
"""… after so many days [INS-09]."""
STRENGTH_HALF = 3.0
"""Pieces of evidence for half strength."""
MAX_LISTED = 500
"""Most insights that are ranked and listed: those with the highest confidence."""
_PRACTICES = frozenset(
    {
        PatternType.WORKFLOW,
        PatternType.ACTION_SEQUENCE,
        PatternType.QUERY,
        PatternType.PLAN,
        PatternType.TOOL_SEQUENCE,
    }
)


@dataclass(frozen=True, slots=True)
class InsightDraft:
    """An insight before it is published."""

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


def learn(workspace: Workspace) -> list[Insight]:
    """Draw insights from all that is known; returns the current ones, the best first."""
    sheet = Sheet.of(workspace.store, EXPERIENCE)
    known, records = patterns.every(sheet), tools.records(sheet)
    drafts = [*_best_practices(known), *_warnings(records), *_optimisations(records)]
    pages = [_page(draft) for draft in _synthesised(workspace, drafts)]
    publish.write(workspace, pages, (Kind.INSIGHT,))
    _validate(workspace, sheet)
    return current(workspace)


def _best_practices(known: Sequence[LearnedPattern]) -> Iterator[InsightDraft]:
    """Stage 1: what is used often and nearly always succeeds is a best practice."""
    for pattern in known:
        rate = pattern.success_rate
        if pattern.type not in _PRACTICES or pattern.support < publish.BEST_PRACTICE_USES:
            continue
        if rate is None or rate <= BEST_PRACTICE_RATE:
            continue
        shown = " → ".join(pattern.steps) if pattern.steps else pattern.name
        judged = pattern.successes + pattern.failures
        about = f'For "{pattern.name}": ' if pattern.type is PatternType.QUERY else ""
        yield InsightDraft(
            name=f"best_practice:{pattern.id}",
            type=InsightType.BEST_PRACTICE,
            text=f"{about}{shown} succeeded {pattern.successes} of {judged} times.",
            confidence=rate,
            support=pattern.support,
            evidence=pattern.evidence,
            contexts=tuple(each for each in pattern.contexts if each != GENERAL),
            rule=f"steps: {shown}",
        )


def _warnings(tools: Sequence[ToolRecord]) -> Iterator[InsightDraft]:
    """Stage 2: errors that recur, with what worked."""
    for tool in tools:
        for error in tool.errors:
            if error.count < errors.MIN_ERRORS:
                continue
            common = error.percentage > errors.COMMON_PERCENT
            sure = COMMON_CONFIDENCE if common else RARE_CONFIDENCE
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
    """Stage 5: drop what proved wrong, or is unsure and was unused for long [INS-09]."""
    now = workspace.clock.now()
    long_ago = now - timedelta(days=UNUSED_DAYS)
    revisions = []
    for record in publish.published(workspace, Kind.INSIGHT):
        insight = _view(record, sheet)
        if _is_dead(insight, long_ago) or _is_refuted(insight, sheet):
            standing = replace(record.standing, state=State.INVALIDATED)
            revisions.append(Revision(record.id, standing, max(now, record.valid_from)))
    if revisions:
        publish.commit(workspace, (), revisions, now)


def _is_refuted(insight: Insight, sheet: Sheet) -> bool:
    """It failed more often than it worked when it was used, and often enough to tell."""
    outcome = progress.outcome_of(sheet, insight.id)
    bad, good = outcome.get("bad", 0), outcome.get("ok", 0)
    return bool(bad >= VALID_EVIDENCE and bad > good)


def _is_dead(insight: Insight, long_ago: datetime) -> bool:
    unsure = insight.confidence < PRUNE_BELOW
    return unsure and not insight.usage_count and insight.last_updated < long_ago


def current(workspace: Workspace) -> list[Insight]:
    """The current insights, ranked: confidence first, then evidence, use and novelty."""
    sheet = Sheet.of(workspace.store, EXPERIENCE)
    records = publish.published(workspace, Kind.INSIGHT, most=MAX_LISTED)
    return [insight for insight, _ in ranked(records, sheet)]


def ranked(records: Sequence[Record], sheet: Sheet) -> list[tuple[Insight, int]]:
    """Records of insights as insights, the best first, with the numbers of the records."""
    sheet.fetch(progress.OUTCOME, (str(record.slot).partition("|")[2] for record in records))
    numbered = [(_view(record, sheet), record.number) for record in records]
    return sorted(numbered, key=lambda each: rank(each[0]))


def rank(insight: Insight) -> tuple[float, float, int, str]:
    """Order of insights, the best first [INS-10]."""
    worth = insight.confidence * (0.5 + 0.5 * insight.evidence_strength)
    return (-worth, -insight.evidence_strength, -insight.usage_count, insight.id)


def add(
    workspace: Workspace,
    text: str,
    kind: str,
    applies_to: Mapping[str, object] | None,
    evidence: Sequence[Mapping[str, object]],
    confidence: float,
    by: str,
) -> Insight:
    """Store an insight of an agent or a user; the same words again replace the first."""
    stored = workspace.settings.privacy.stored
    clean = redact(checks.text(text, "the insight", 10_000), stored)
    if refused := refusal(clean):
        raise refused
    try:
        type_ = InsightType(kind)
    except ValueError:
        types = ", ".join(InsightType)
        raise InvalidInput(f"insight_type must be one of {types}, not {kind!r}") from None
    where = intake.cleaned(workspace, {"where": dict(applies_to or {})})["where"]
    conditions = where.get("conditions")
    draft = InsightDraft(
        name=f"told:{_digest(f'{type_}|{clean.text.strip().lower()}')}",
        type=type_,
        text=clean.text,
        confidence=checks.share(confidence, "confidence"),
        support=max(1, len(evidence)),
        evidence=tuple(str(each.get("task_id", each.get("taskId", ""))) for each in evidence),
        contexts=_names(where.get("contexts")),
        agents=_names(where.get("agents")),
        conditions=conditions if isinstance(conditions, Mapping) else None,
    )
    page = replace(_page(draft), generated=False, author=by)
    known = {each.slot: each for each in publish.published(workspace, Kind.INSIGHT)}
    now = workspace.clock.now()
    record = publish.made(page, workspace.user_id, now)
    old = known.get(page.slot)
    revisions = [publish.superseded(old, record.id, now)] if old else []
    publish.commit(workspace, [record], revisions, now)
    return _view(record, Sheet.blank(EXPERIENCE))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(each) for each in value) if isinstance(value, (list, tuple)) else ()


def _page(draft: InsightDraft) -> publish.PublishedPage:
    return publish.PublishedPage(
        kind=Kind.INSIGHT,
        name=draft.name,
        text=draft.text,
        support=draft.support,
        confidence=draft.confidence,
        evidence=draft.evidence[-_MOST_EVIDENCE:],
        content={
            "insight_type": draft.type.value,
            "rule": draft.rule,
            "contexts": list(draft.contexts),
            "agents": list(draft.agents),
            "conditions": dict(draft.conditions or {}),
        },
    )


def _view(record: Record, sheet: Sheet) -> Insight:
    """The insight of a record, with its outcomes."""
    content: dict[str, Any] = dict(record.metadata)
    id_ = str(record.slot).partition("|")[2]
    outcome = progress.outcome_of(sheet, id_)
    sure = float(outcome.get("conf", record.standing.confidence))
    pieces = int(content.get("support", 1)) + outcome.get("n", 0)
    by = outcome.get("by") if outcome.get("ok", 0) >= VALID_EVIDENCE else None
    enough = pieces >= VALID_EVIDENCE and sure >= VALID_CONFIDENCE
    validator = by or ("system" if enough else None)
    since = datetime.fromisoformat(outcome["last"]) if by else record.standing.last_seen_at
    return Insight(
        id=id_,
        type=InsightType(content["insight_type"]),
        text=record.text,
        rule=content.get("rule"),
        agents=tuple(content.get("agents", ())),
        contexts=tuple(content.get("contexts", ())),
        conditions=content.get("conditions", {}),
        evidence=tuple({"task_id": parent} for parent in record.provenance.parents),
        confidence=sure,
        evidence_strength=evidence_strength(pieces, STRENGTH_HALF),
        validated=validator is not None,
        validated_by=validator,
        usage_count=record.standing.access_count,
        last_used=record.standing.accessed_at,
        created_at=record.recorded_at,
        last_updated=record.standing.last_seen_at,
        generated=bool(content.get("generated", True)),
        validated_at=since if validator else None,
    )


def _synthesised(workspace: Workspace, drafts: Sequence[InsightDraft]) -> list[InsightDraft]:
    """Stage 4: each draft once, and what several say together.

    A language model, if there is one and the user agreed that redacted text may leave, adds what
    only reading them side by side shows. If it fails, the drafts themselves stand.
    """
    best: dict[str, InsightDraft] = {}
    for draft in sorted(drafts, key=lambda each: each.support):
        best[draft.text] = draft
    merged = sorted(best.values(), key=lambda each: (-each.confidence, each.name))
    return [*merged, *_by_model(workspace, merged[:_MOST_LESSONS])]


def _by_model(workspace: Workspace, drafts: Sequence[InsightDraft]) -> list[InsightDraft]:
    llm, now = AllowedLLM(workspace), workspace.clock.now()
    if len(drafts) < 2 or not llm.may_ask():
        return []
    lines = [TranscriptLine(Role.SYSTEM, llm.redacted(draft.text), now) for draft in drafts]
    try:
        answer = llm.ask(
            prompts.render_insights(lines, new_nonce()), prompts.InsightsOutput, LLMRole.ANALYZER
        )
    except ProviderError:
        return []
    if answer is None:
        return []
    return [made for each in answer.value.insights if (made := _combined(each, drafts))]


def _combined(drawn: prompts.DrawnInsight, drafts: Sequence[InsightDraft]) -> InsightDraft | None:
    """An insight of the model; it is as sure as the least sure of those it follows from."""
    places = sorted({place for place in drawn.turns if 1 <= place <= len(drafts)})
    parents = [drafts[place - 1] for place in places]
    if len(parents) < 2 or not drawn.text.strip():
        return None
    evidence = [id_ for parent in parents for id_ in parent.evidence]
    return InsightDraft(
        name=f"synthesis:{_digest(chr(31).join(parent.name for parent in parents))}",
        type=InsightType.RULE,
        text=drawn.text.strip(),
        confidence=min(parent.confidence for parent in parents),
        support=min(parent.support for parent in parents),
        evidence=tuple(dict.fromkeys(evidence)),
    )
