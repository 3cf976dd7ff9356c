"""Insights: lessons in plain words, drawn in five stages [SLP-20].

    1 mine         patterns that succeed                -> best practices        [INS-06]
    2 errors       errors that recur                    -> warnings              [INS-07]
    3 optimise     tools that do better somewhere, or   -> optimisations
                   with some parameter
    4 synthesise   what belongs together, by a model if there is one
    5 validate     against the newest evidence, ranked  -> stored in versions    [INS-10]

Each has a stable name: drawing the same insight again updates its numbers and adds no duplicate
[resolution 56]. Stages 1 to 3 are `statements`. A drawn insight is shown as the counts are at that
moment, and no more once they speak against it; the stored versions are its history.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from sharpwave import checks
from sharpwave.errors import ProviderError
from sharpwave.experience import intake, patterns, publish, statements
from sharpwave.experience.learners import progress, tools
from sharpwave.experience.statements import InsightDraft
from sharpwave.formulas.statistics import evidence_strength
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts import sleep as prompts
from sharpwave.llm.prompts.transcript import TranscriptLine, new_nonce
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.tallies import Sheet
from sharpwave.types.experience import Insight, InsightType
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Kind, Record, Role, State
from sharpwave.types.storing import EXPERIENCE, Revision
from sharpwave.workspace import Workspace

_MOST_EVIDENCE = 20
_MOST_LESSONS = 40
VALID_EVIDENCE = 3
"""Pieces of evidence that validate an insight."""
VALID_CONFIDENCE = 0.7
"""Confidence that validates an insight."""
UNUSED_DAYS = 30.0
"""Days after which an unsure and unused insight of an agent or user is dropped [INS-09]."""
STRENGTH_HALF = 3.0
"""Pieces of evidence for half strength."""
MAX_LISTED = 500
"""Most insights that are ranked and listed: those with the highest confidence."""
SYNTHESIS = "synthesis|"
"""How the names of what a model drew begin."""


def learn(workspace: Workspace) -> list[Insight]:
    """Draw insights from all that is known; returns the current ones, the best first."""
    sheet = Sheet.of(workspace.store, EXPERIENCE)
    drafts = statements.drawn(patterns.every(sheet), tools.records(sheet))
    drafts = _unrefuted(drafts, sheet)
    stored = publish.published(workspace, Kind.INSIGHT)
    drafts = _synthesised(workspace, drafts, stored)
    own = [record for record in stored if record.metadata.get(publish.GENERATED)]
    today = workspace.clock.now().date()
    publish.write(workspace, [page(draft, today) for draft in drafts], own)
    _validate(workspace, sheet)
    return current(workspace)


def _unrefuted(drafts: Sequence[InsightDraft], sheet: Sheet) -> list[InsightDraft]:
    """The drafts, without those that failed when they were used."""
    sheet.fetch(progress.OUTCOME, (draft.name for draft in drafts))
    return [draft for draft in drafts if not _is_refuted(draft.name, sheet)]


def _validate(workspace: Workspace, sheet: Sheet) -> None:
    """Stage 5: drop what proved wrong, or is unsure and was unused for long [INS-09]."""
    now = workspace.clock.now()
    long_ago = now - timedelta(days=UNUSED_DAYS)
    revisions = []
    for record in publish.published(workspace, Kind.INSIGHT):
        insight = _view(record, sheet)
        unsure = insight.confidence < statements.MIN_CONFIDENCE
        unused = not insight.usage_count and insight.last_updated < long_ago
        if (unsure and unused) or _is_refuted(insight.id, sheet):
            revisions.append(Revision.closing(record, State.INVALIDATED, now))
    if revisions:
        publish.commit(workspace, (), revisions, now)


def _is_refuted(name: str, sheet: Sheet) -> bool:
    """Whether it failed more often than it worked when used, and often enough to tell."""
    outcome = sheet.row(progress.OUTCOME, name)
    bad, good = outcome.get("bad", 0), outcome.get("ok", 0)
    return bool(bad >= VALID_EVIDENCE and bad > good)


def current(workspace: Workspace) -> list[Insight]:
    """The current insights, ranked: confidence first, then evidence, use and novelty."""
    records = publish.published(workspace, Kind.INSIGHT, most=MAX_LISTED)
    return [insight for insight, _ in ranked(workspace, records)]


def ranked(workspace: Workspace, records: Sequence[Record]) -> list[tuple[Insight, int]]:
    """Records of insights as the counts are now, the best first, with the records' numbers.

    What the counts no longer say is left out.
    """
    sheet = Sheet.of(workspace.store, EXPERIENCE)
    sheet.fetch(progress.OUTCOME, map(publish.name_of, records))
    drafts = drafts_of(sheet, records)
    numbered = [
        (_view(record, sheet, drafts.get(publish.name_of(record))), record.number)
        for record in records
        if publish.name_of(record) in drafts or not record.metadata.get(publish.GENERATED)
    ]
    return sorted(numbered, key=lambda pair: rank(pair[0]))


def drafts_of(sheet: Sheet, records: Sequence[Record]) -> dict[str, InsightDraft]:
    """What the counts say now, by the names of stored insights; those no longer true left out."""
    own = [record for record in records if record.metadata.get(publish.GENERATED)]
    about = [_about(record) for record in own]
    parents = [
        dict(parent["about"]) for source in about for parent in source.get(statements.PARENTS, ())
    ]
    found = statements.drawn_about(sheet, [*about, *parents])
    found = {draft.name: draft for draft in _unrefuted(list(found.values()), sheet)}
    drawn = [_still_drawn(record, found) for record in own if _is_synthesis(record)]
    found |= {draft.name: draft for draft in drawn if draft}
    return {name: found[name] for record in own if (name := publish.name_of(record)) in found}


def _still_drawn(record: Record, found: Mapping[str, InsightDraft]) -> InsightDraft | None:
    """A model's insight, if all it follows from still holds much as the model read it."""
    parents = _about(record).get(statements.PARENTS, ())
    for parent in parents:
        now = found.get(parent["name"])
        if now is None or not publish.is_as_stated(parent.get("stated"), now.stated):
            return None
    confidences = [found[parent["name"]].confidence for parent in parents]
    return replace(_as_stored(record), confidence=min([record.standing.confidence, *confidences]))


def _as_stored(record: Record) -> InsightDraft:
    content: dict[str, Any] = dict(record.metadata)
    return InsightDraft(
        name=publish.name_of(record),
        type=InsightType(content["insight_type"]),
        text=record.text,
        confidence=record.standing.confidence,
        support=int(content.get("support", 1)),
        evidence=record.provenance.parents,
        contexts=tuple(content.get("contexts", ())),
        agents=tuple(content.get("agents", ())),
        rule=content.get("rule"),
        conditions=content.get("conditions"),
        about=_about(record),
    )


def _is_synthesis(record: Record) -> bool:
    return publish.name_of(record).startswith(SYNTHESIS)


def _about(record: Record) -> dict[str, Any]:
    found: Any = record.metadata.get("about")
    return found if isinstance(found, dict) else {}


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
    type_ = checks.choice(InsightType, kind, "insight_type")
    where = intake.cleaned(workspace, {"where": dict(applies_to or {})})["where"]
    conditions = where.get("conditions")
    draft = InsightDraft(
        name=f"told:{_digest(f'{type_}|{clean.text.strip().lower()}')}",
        type=type_,
        text=clean.text,
        confidence=checks.share(confidence, "confidence"),
        support=max(1, len(evidence)),
        evidence=tuple(str(item.get("task_id", item.get("taskId", ""))) for item in evidence),
        contexts=_names(where.get("contexts")),
        agents=_names(where.get("agents")),
        conditions=conditions if isinstance(conditions, Mapping) else None,
    )
    made = replace(page(draft), generated=False, author=by)
    now = workspace.clock.now()
    record = publish.made(made, workspace.user_id, now)
    revisions = [
        Revision.closing(old, State.SUPERSEDED, now, record.id)
        for old in publish.published(workspace, Kind.INSIGHT)
        if old.slot == made.slot
    ]
    publish.commit(workspace, [record], revisions, now)
    return _view(record, Sheet.blank(EXPERIENCE))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(name) for name in value) if isinstance(value, (list, tuple)) else ()


def page(draft: InsightDraft, today: date | None = None) -> publish.PublishedPage:
    """The insight as it is published; with the day, if not every lesson is compared with it."""
    text = f"{draft.text} (as of {today})" if today and draft.is_dated else draft.text
    return publish.PublishedPage(
        kind=Kind.INSIGHT,
        name=draft.name,
        text=text,
        support=draft.support,
        confidence=draft.confidence,
        evidence=draft.evidence[-_MOST_EVIDENCE:],
        content={
            "insight_type": draft.type.value,
            "rule": draft.rule,
            "contexts": list(draft.contexts),
            "agents": list(draft.agents),
            "conditions": dict(draft.conditions or {}),
            "about": dict(draft.about),
        },
        stated=draft.stated,
    )


def _view(record: Record, sheet: Sheet, draft: InsightDraft | None = None) -> Insight:
    """The insight of a record, with its outcomes; by the draft, if it was drawn."""
    made = draft or _as_stored(record)
    outcome = sheet.row(progress.OUTCOME, made.name)
    confidence = float(outcome.get("conf", made.confidence))
    if draft is not None:
        confidence = min(confidence, draft.confidence)
    pieces = made.support + outcome.get("n", 0)
    by = outcome.get("by") if outcome.get("ok", 0) >= VALID_EVIDENCE else None
    enough = pieces >= VALID_EVIDENCE and confidence >= VALID_CONFIDENCE
    validator = by or ("system" if enough else None)
    since = datetime.fromisoformat(outcome["last"]) if by else record.standing.last_seen_at
    return Insight(
        id=made.name,
        type=made.type,
        text=made.shown,
        rule=made.rule,
        agents=made.agents,
        contexts=made.contexts,
        conditions=made.conditions or {},
        evidence=tuple({"task_id": parent} for parent in made.evidence[-_MOST_EVIDENCE:]),
        confidence=confidence,
        evidence_strength=evidence_strength(pieces, STRENGTH_HALF),
        validated=validator is not None,
        validated_by=validator,
        usage_count=record.standing.access_count,
        last_used=record.standing.accessed_at,
        created_at=record.recorded_at,
        last_updated=record.standing.last_seen_at,
        generated=bool(record.metadata.get(publish.GENERATED, True)),
        validated_at=since if validator else None,
    )


def _synthesised(
    workspace: Workspace, drafts: Sequence[InsightDraft], stored: Sequence[Record]
) -> list[InsightDraft]:
    """Stage 4: each draft once, and what several say together.

    A language model, if there is one and the user agreed that redacted text may leave, adds what
    only reading them side by side shows. What it drew before stays while the drafts it follows
    from do: next time the model may be away.
    """
    best: dict[str, InsightDraft] = {}
    for draft in sorted(drafts, key=lambda candidate: candidate.support):
        best[draft.text] = draft
    merged = sorted(best.values(), key=lambda draft: (-draft.confidence, draft.name))
    found = {draft.name: draft for draft in drafts}
    kept = [_still_drawn(record, found) for record in stored if _is_synthesis(record)]
    drawn = {draft.name: draft for draft in kept if draft}
    drawn |= {draft.name: draft for draft in _by_model(workspace, merged[:_MOST_LESSONS])}
    return [*merged, *drawn.values()]


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
    return [made for insight in answer.value.insights if (made := _combined(insight, drafts))]


def _combined(drawn: prompts.DrawnInsight, drafts: Sequence[InsightDraft]) -> InsightDraft | None:
    """An insight of the model; it is as sure as the least sure of those it follows from."""
    places = sorted({place for place in drawn.turns if 1 <= place <= len(drafts)})
    parents = [drafts[place - 1] for place in places]
    if len(parents) < 2 or not drawn.text.strip():
        return None
    evidence = [id_ for parent in parents for id_ in parent.evidence]
    return InsightDraft(
        name=f"{SYNTHESIS}{_digest(chr(31).join(parent.name for parent in parents))}",
        type=InsightType.RULE,
        text=drawn.text.strip(),
        confidence=min(parent.confidence for parent in parents),
        support=min(parent.support for parent in parents),
        evidence=tuple(dict.fromkeys(evidence)),
        about={
            statements.PARENTS: [
                {"name": parent.name, "about": dict(parent.about), "stated": parent.stated}
                for parent in parents
            ]
        },
    )
