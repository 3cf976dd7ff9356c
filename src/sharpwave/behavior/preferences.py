"""Preferences by category and key, in versions; the narrower scope wins [UPR-01, UPR-05, UPR-06].

Four categories have a fixed meaning: `tool` (a score from 0 to 1 for each tool), `parameter` (a
default value), `workflow` (steps in order) and `error_handling` (strict or lenient). Callers may
add others.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

from sharpwave import checks, strict_json
from sharpwave.behavior import rules, user_records
from sharpwave.errors import InvalidInput, NoConsent
from sharpwave.formulas.rules import holds_in, width
from sharpwave.privacy.redaction import redact, redact_values
from sharpwave.settings.privacy import Policy
from sharpwave.temporal.clock import digest, new_id
from sharpwave.types.records import Kind, Record, Source, Stage, State, Trust
from sharpwave.types.steering import (
    Behavior,
    Correction,
    Preference,
    PreferenceSource,
    UserPreferences,
)
from sharpwave.types.storing import Stated
from sharpwave.workspace import Workspace

PREFERENCES = "preference|"
CORRECTIONS = "correction|"
TOOL, PARAMETER, WORKFLOW, ERRORS = "tool", "parameter", "workflow", "error_handling"
_MODES = ("strict", "lenient")
_SLOT_CHARS, _CUT_CHARS = 240, 200
_IMPORTANCE = 0.7
_PREFERRED_FROM = 0.5
"""Minimum score of a preferred tool; one with a lower score is avoided."""


def validated(
    workspace: Workspace,
    category: str,
    key: str,
    value: object,
    source: str,
    confidence: float,
    scope: str,
) -> Preference:
    """A preference from a caller's values, redacted; raises InvalidInput."""
    try:
        origin = PreferenceSource(source)
    except ValueError:
        raise InvalidInput(f"source must be explicit or inferred, not {source!r}") from None
    try:
        text = strict_json.dumps(value)
    except strict_json.InvalidJson as error:
        raise InvalidInput(f"the value must be plain JSON: {error}") from None
    checks.text(text, "the value", checks.MAX_METADATA_BYTES)
    name = checks.name(category, "category")
    if name == TOOL and not (isinstance(value, int | float) and 0 <= value <= 1):
        raise InvalidInput(f"the score of a tool is a number from 0 to 1, not {value!r}")
    if name == ERRORS and value not in _MODES:
        raise InvalidInput(f"error_handling is strict or lenient, not {value!r}")
    clean = _redacted(text, workspace.settings.privacy.stored)
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


def _redacted(text: str, policy: Policy) -> object:
    """The redacted value of a JSON text; part by part if redaction breaks the JSON."""
    try:
        return strict_json.loads(redact(text, policy).text)
    except strict_json.InvalidJson:
        return redact_values(strict_json.loads(text), policy)[0]


def put(workspace: Workspace, preference: Preference, parents: Sequence[str] = ()) -> Preference:
    """Store a preference as a new version; an inferred one never replaces an explicit one.

    Returns the preference that is in force now.
    """
    return workspace.retried(lambda fresh: _put(fresh, preference, parents))


def _put(workspace: Workspace, preference: Preference, parents: Sequence[str]) -> Preference:
    if not workspace.consents.may_learn:
        raise NoConsent(workspace.consents.learning_refusal)
    slot = _slot(preference)
    seen = workspace.store.slot_heads([slot])
    versions = workspace.store.stated(Stated(slots=(slot,)))
    old = next((record for record in versions if record.standing.state is State.ACTIVE), None)
    if old is not None:
        before = as_preference(old)
        explicit = before.source is PreferenceSource.EXPLICIT
        inferred = preference.source is PreferenceSource.INFERRED
        if before.value == preference.value and (explicit or inferred):
            return _reinforce(workspace, old, preference, seen)
        if explicit and inferred:
            return before
    record = _record(workspace, replace(preference, version=len(versions) + 1), slot, parents)
    replaced = [rules.superseded(old, record.id, record.valid_from)] if old else []
    user_records.commit(workspace, preference.updated_at, seen, [record], replaced)
    return as_preference(record)


def _slot(preference: Preference) -> str:
    """The slot of all versions of a preference; long ones end in a digest."""
    slot = f"{PREFERENCES}{preference.scope}|{preference.category}|{preference.key}"
    return slot if len(slot) <= _SLOT_CHARS else f"{slot[:_CUT_CHARS]}…{digest(slot)}"


def _reinforce(
    workspace: Workspace, old: Record, repeated: Preference, seen: dict[str, int]
) -> Preference:
    standing = replace(
        old.standing,
        seen_count=old.standing.seen_count + 1,
        last_seen_at=repeated.updated_at,
        confidence=max(old.standing.confidence, repeated.confidence),
    )
    revised = replace(old, standing=standing)
    user_records.commit(workspace, repeated.updated_at, seen, revised=[revised])
    return as_preference(revised)


def current(
    workspace: Workspace, category: str | None = None, place: str | None = None
) -> list[Preference]:
    """Preferences in force at a place, by category and key; of two scopes the narrower wins."""
    narrowest: dict[tuple[str, str], Preference] = {}
    every = [as_preference(record) for record in _active(workspace, PREFERENCES)]
    for preference in sorted(every, key=lambda preference: width(preference.scope)):
        if category in (None, preference.category) and holds_in(preference.scope, place):
            narrowest[preference.category, preference.key] = preference
    return [narrowest[name] for name in sorted(narrowest)]


def summary(
    workspace: Workspace, behaviors: Sequence[Behavior], place: str | None
) -> UserPreferences:
    """All preferences at a place in one value, with the rules."""
    preferences = current(workspace, None, place)
    by_category = {
        category: {
            preference.key: preference.value
            for preference in preferences
            if preference.category == category
        }
        for category in (TOOL, PARAMETER, WORKFLOW, ERRORS)
    }
    modes = [str(mode) for mode in by_category[ERRORS].values()]
    moments = [preference.updated_at for preference in preferences] + [
        rule.last_seen for rule in behaviors
    ]
    return UserPreferences(
        tools={tool: float(str(score)) for tool, score in by_category[TOOL].items()},
        parameter_defaults=by_category[PARAMETER],
        workflows=tuple(_joined(value) for value in by_category[WORKFLOW].values()),
        error_handling=modes[-1] if modes else _MODES[0],
        corrections=tuple(corrections(workspace)),
        patterns=tuple(behaviors),
        updated_at=max(moments, default=None),
    )


def as_lines(workspace: Workspace, tools: Sequence[str] = ()) -> list[str]:
    """Global preferences as lines of text, tools first; only the named `tools` if there are any."""
    shown = [
        preference
        for preference in current(workspace)
        if preference.category != TOOL or not tools or preference.key in tools
    ]
    return [
        _as_line(preference)
        for preference in sorted(shown, key=lambda preference: preference.category != TOOL)
    ]


def _as_line(preference: Preference) -> str:
    if preference.category == TOOL:
        score = float(str(preference.value))
        verb = "Prefer" if score >= _PREFERRED_FROM else "Avoid"
        return f"{verb} the tool {preference.key} ({score:g} of 1)"
    if preference.category == ERRORS:
        return f"Handle errors in a {preference.value} way: {preference.key}"
    return f"{preference.category} {preference.key}: {_joined(preference.value)}"


def _joined(value: object) -> str:
    return " → ".join(map(str, value)) if isinstance(value, list) else str(value)


def corrections(workspace: Workspace) -> list[Correction]:
    """The corrections by the user, oldest first."""
    return [
        Correction(
            original=str(record.metadata["original"]),
            corrected=str(record.metadata["corrected"]),
            context=str(record.metadata["context"]),
            at=record.recorded_at,
        )
        for record in _active(workspace, CORRECTIONS)
    ]


def learned_ids(workspace: Workspace) -> tuple[list[str], list[str]]:
    """Ids of all rules, and of all preferences and corrections, in every version [SEC-13]."""
    query = Stated(within=(PREFERENCES, CORRECTIONS), kinds={Kind.BEHAVIOR})
    preferences = workspace.store.stated(query)
    every_rule = rules.stored(workspace, frozenset())
    return [rule.id for rule in every_rule], [record.id for record in preferences]


def _active(workspace: Workspace, within: str) -> list[Record]:
    query = Stated(within=(within,), kinds={Kind.BEHAVIOR}, states={State.ACTIVE})
    return workspace.store.stated(query)


def _record(
    workspace: Workspace, preference: Preference, slot: str, parents: Sequence[str]
) -> Record:
    value = json.dumps(preference.value, ensure_ascii=False, sort_keys=True)
    explicit = preference.source is PreferenceSource.EXPLICIT
    metadata = {
        "category": preference.category,
        "key": preference.key,
        "value": preference.value,
        "source": preference.source.value,
        "version": preference.version,
    }
    text = f"{preference.category}: {preference.key} = {value}"
    record = user_records.derived(new_record(workspace, text, slot, metadata), parents)
    trust = Trust.USER if explicit else Trust.INFERRED
    source = Source.USER_MESSAGE if explicit else Source.INFERRED
    return replace(
        record,
        id=preference.id,
        scope=preference.scope,
        provenance=replace(record.provenance, source=source, trust=trust),
        standing=replace(record.standing, confidence=preference.confidence),
    )


def new_record(workspace: Workspace, text: str, slot: str, metadata: dict[str, object]) -> Record:
    """The record of a preference or a correction."""
    now = workspace.clock.now()
    return user_records.new_record(
        workspace, Kind.BEHAVIOR, text, slot, metadata, now, Stage.SEMANTIC, _IMPORTANCE
    )


def as_preference(record: Record) -> Preference:
    """The preference that a record holds."""
    metadata = record.metadata
    return Preference(
        id=record.id,
        category=str(metadata["category"]),
        key=str(metadata["key"]),
        value=metadata["value"],
        source=PreferenceSource(str(metadata["source"])),
        confidence=record.standing.confidence,
        scope=record.scope,
        version=int(str(metadata["version"])),
        updated_at=record.standing.last_seen_at,
    )
