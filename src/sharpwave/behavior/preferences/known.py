"""Preferences by category and key, in versions; the narrower scope wins [UPR-01, UPR-05, UPR-06].

Four categories have a fixed meaning: `tool` (a score from 0 to 1 for each tool), `parameter` (a
default value), `workflow` (steps in order) and `error_handling` (strict or lenient). Any other is
yours.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

from sharpwave import checks
from sharpwave.behavior.commit import WITHDRAWN, commit
from sharpwave.errors import InvalidInput
from sharpwave.formulas.behavior.scope import GLOBAL, holds_in, width
from sharpwave.privacy.redaction import redact
from sharpwave.temporal.ids import new_id
from sharpwave.types.records import (
    Channel,
    Kind,
    Provenance,
    Record,
    Source,
    Stage,
    Standing,
    State,
    Temperature,
    Trust,
)
from sharpwave.types.steering import (
    Behavior,
    Correction,
    Preference,
    PreferenceSource,
    UserPreferences,
)
from sharpwave.types.storing import Revision, Stated
from sharpwave.workspace import Workspace

WITHIN = "preference|"
CORRECTIONS = "correction|"
TOOL, PARAMETER, WORKFLOW, ERRORS = "tool", "parameter", "workflow", "error_handling"
_MODES = ("strict", "lenient")
_SLOT_CHARS = 240


def given(
    category: str,
    key: str,
    value: object,
    source: str,
    confidence: float,
    scope: str,
    workspace: Workspace,
) -> Preference:
    """What a caller hands in, checked and without secrets."""
    try:
        origin = PreferenceSource(source)
    except ValueError:
        raise InvalidInput(f"source must be explicit or inferred, not {source!r}") from None
    try:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the value must be plain JSON: {error}") from None
    checks.text(text, "the value", checks.MAX_METADATA_BYTES)
    name = checks.name(category, "category")
    if name == TOOL and not (isinstance(value, int | float) and 0 <= value <= 1):
        raise InvalidInput(f"the score of a tool is a number from 0 to 1, not {value!r}")
    if name == ERRORS and value not in _MODES:
        raise InvalidInput(f"error_handling is strict or lenient, not {value!r}")
    clean = json.loads(redact(text, workspace.settings.privacy.stored).text)
    return Preference(
        id=new_id(workspace.clock.now()),
        category=name,
        key=checks.name(key, "key"),
        value=clean,
        source=origin,
        confidence=checks.share(confidence, "confidence"),
        scope=checks.name(scope, "scope"),
        version=1,
        updated_at=workspace.clock.now(),
    )


def put(workspace: Workspace, wanted: Preference, parents: Sequence[str] = ()) -> Preference:
    """Store a preference in the place of the one before; what was inferred yields to what was said.

    Returns the preference that holds now.
    """
    if not workspace.consents.may_learn:
        raise InvalidInput(WITHDRAWN)
    slot = _slot(wanted)
    seen = workspace.store.slot_heads([slot])
    versions = workspace.store.stated(Stated(slots=(slot,)))
    old = next((one for one in versions if one.standing.state is State.ACTIVE), None)
    if old is not None:
        held = view(old)
        told = held.source is PreferenceSource.EXPLICIT
        if held.value == wanted.value and (told or wanted.source is PreferenceSource.INFERRED):
            return _again(workspace, old, wanted, seen)
        if told and wanted.source is PreferenceSource.INFERRED:
            return held
    record = _record(replace(wanted, version=len(versions) + 1), slot, workspace, parents)
    revisions = [] if old is None else [_superseded(old, record)]
    commit(workspace, wanted.updated_at, seen, [record], revisions)
    return view(record)


def _again(
    workspace: Workspace, old: Record, wanted: Preference, seen: dict[str, int]
) -> Preference:
    standing = replace(
        old.standing,
        seen_count=old.standing.seen_count + 1,
        last_seen_at=wanted.updated_at,
        confidence=max(old.standing.confidence, wanted.confidence),
    )
    commit(workspace, wanted.updated_at, seen, revisions=[Revision(old.id, standing, old.valid_to)])
    return view(replace(old, standing=standing))


def held(
    workspace: Workspace, category: str | None = None, place: str | None = None, every: bool = False
) -> list[Preference]:
    """What is preferred at a place, by category and key; of two scopes the narrower wins."""
    found = [view(one) for one in _stored(workspace, WITHIN)]
    found = [one for one in found if category in (None, one.category)]
    if not every:
        best: dict[tuple[str, str], Preference] = {}
        for one in sorted(found, key=lambda each: width(each.scope)):
            if holds_in(one.scope, place):
                best[one.category, one.key] = one
        found = list(best.values())
    return sorted(found, key=lambda one: (one.category, one.key, width(one.scope)))


def together(workspace: Workspace, rules: Sequence[Behavior], place: str | None) -> UserPreferences:
    """All that is preferred at a place, in one value."""
    found = held(workspace, None, place)
    of = {
        name: {one.key: one.value for one in found if one.category == name}
        for name in (TOOL, PARAMETER, WORKFLOW, ERRORS)
    }
    modes = [str(mode) for mode in of[ERRORS].values()]
    moments = [one.updated_at for one in found] + [rule.last_seen for rule in rules]
    return UserPreferences(
        tools={tool: float(str(score)) for tool, score in of[TOOL].items()},
        parameter_defaults=of[PARAMETER],
        workflows=tuple(_steps(value) for value in of[WORKFLOW].values()),
        error_handling=modes[-1] if modes else _MODES[0],
        corrections=tuple(corrections(workspace)),
        patterns=tuple(rules),
        updated_at=max(moments, default=None),
    )


def told(workspace: Workspace, tools: Sequence[str] = ()) -> list[str]:
    """What is preferred everywhere, in words, tools first; of tools those at hand, if given."""
    found = [
        one for one in held(workspace) if one.category != TOOL or not tools or one.key in tools
    ]
    return [_told(one) for one in sorted(found, key=lambda one: one.category != TOOL)]


def _told(one: Preference) -> str:
    if one.category == TOOL:
        score = float(str(one.value))
        return f"{'Prefer' if score >= _LIKED else 'Avoid'} the tool {one.key} ({score:g} of 1)"
    if one.category == ERRORS:
        return f"Handle errors in a {one.value} way: {one.key}"
    return f"{one.category} {one.key}: {_steps(one.value)}"


_LIKED = 0.5


def _steps(value: object) -> str:
    return " → ".join(map(str, value)) if isinstance(value, list) else str(value)


def corrections(workspace: Workspace) -> list[Correction]:
    """What was corrected, oldest first."""
    return [
        Correction(
            original=str(one.metadata["original"]),
            corrected=str(one.metadata["corrected"]),
            context=str(one.metadata["context"]),
            at=one.recorded_at,
        )
        for one in _stored(workspace, CORRECTIONS)
    ]


def stored_ids(workspace: Workspace) -> list[str]:
    """Every record of preferences and corrections, in every version."""
    wanted = Stated(within=(WITHIN, CORRECTIONS), kinds=frozenset({Kind.BEHAVIOR}))
    return [one.id for one in workspace.store.stated(wanted)]


def _stored(workspace: Workspace, within: str) -> list[Record]:
    active = frozenset({State.ACTIVE})
    wanted = Stated(within=(within,), kinds=frozenset({Kind.BEHAVIOR}), states=active)
    return workspace.store.stated(wanted)


def _slot(one: Preference) -> str:
    return f"{WITHIN}{one.scope}|{one.category}|{one.key}"[:_SLOT_CHARS]


def _record(one: Preference, slot: str, workspace: Workspace, parents: Sequence[str]) -> Record:
    shown = json.dumps(one.value, ensure_ascii=False, sort_keys=True)
    told = one.source is PreferenceSource.EXPLICIT
    metadata = {
        "category": one.category,
        "key": one.key,
        "value": one.value,
        "source": one.source.value,
        "version": one.version,
    }
    made = stored_as(workspace, f"{one.category}: {one.key} = {shown}", slot, metadata, parents)
    trust = Trust.USER if told else Trust.INFERRED
    source = Source.USER_MESSAGE if told else Source.INFERRED
    return replace(
        made,
        id=one.id,
        scope=one.scope,
        provenance=replace(made.provenance, source=source, trust=trust),
        standing=replace(made.standing, confidence=one.confidence),
    )


def stored_as(
    workspace: Workspace,
    text: str,
    slot: str,
    metadata: dict[str, object],
    parents: Sequence[str] = (),
) -> Record:
    """The record of a preference, or of a correction."""
    now = workspace.clock.now()
    return Record(
        id=new_id(now),
        user_id=workspace.user_id,
        kind=Kind.BEHAVIOR,
        text=text,
        provenance=Provenance(
            source=Source.USER_MESSAGE,
            channel=Channel.LIBRARY,
            trust=Trust.USER,
            author=workspace.user_id,
            parents=tuple(parents),
        ),
        standing=Standing(
            stage=Stage.SEMANTIC,
            temperature=Temperature.HOT,
            importance=workspace.settings.steering.preference_importance,
            confidence=1.0,
            seen_count=1,
            last_seen_at=now,
        ),
        valid_from=now,
        recorded_at=now,
        scope=GLOBAL,
        metadata=metadata,
        slot=slot,
    )


def _superseded(old: Record, by: Record) -> Revision:
    standing = replace(old.standing, state=State.SUPERSEDED, superseded_by=by.id)
    return Revision(old.id, standing, max(by.valid_from, old.valid_from))


def view(record: Record) -> Preference:
    """A stored preference as a reader wants it."""
    said = record.metadata
    return Preference(
        id=record.id,
        category=str(said["category"]),
        key=str(said["key"]),
        value=said["value"],
        source=PreferenceSource(str(said["source"])),
        confidence=record.standing.confidence,
        scope=record.scope,
        version=int(str(said["version"])),
        updated_at=record.standing.last_seen_at,
    )
