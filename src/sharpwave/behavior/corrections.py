"""Learn from a correction: store it, and turn its differences into preferences and rules [UPR-04].

`differences` names them: language, format, tone, code style, length, words.
"""

from collections.abc import Sequence

from sharpwave import checks
from sharpwave.behavior import preferences, rules, user_records
from sharpwave.behavior.differences import Difference, differences
from sharpwave.privacy.redaction import redact
from sharpwave.types.steering import (
    CorrectionLearned,
    Preference,
    PreferenceSource,
    Signal,
    SteeringType,
)
from sharpwave.workspace import Workspace

INFERRED_CONFIDENCE = 0.7
"""Confidence of a preference inferred from a correction [UPR-04]."""
_TOOL_STEP = 0.2
"""How far a correction moves a tool's score to 1 or 0."""
_MAX_DIFFERENCES = 5
"""Maximum number of differences that count; a rewrite has more."""
_MAX_KEY_CHARS = 200


def learn(
    workspace: Workspace,
    original: str,
    corrected: str,
    context: str,
    scope: str,
    tools: Sequence[str] = (),
) -> CorrectionLearned:
    """Store a correction and learn preferences and rules from it [UPR-02, UPR-04].

    `tools` are the names of the caller's tools: if one replaces another, their scores move apart.
    """
    if not workspace.consents.may_learn:
        return CorrectionLearned(None, note=workspace.consents.learning_refusal)
    policy = workspace.settings.privacy.stored
    texts = {
        name: redact(checks.text(text, name), policy).text
        for name, text in {"original": original, "corrected": corrected}.items()
    }
    texts["context"] = redact(context, policy).text
    slot = f"{preferences.CORRECTIONS}{scope}"
    text = f"{texts['original']} → {texts['corrected']}"
    record = preferences.new_record(workspace, text, slot, {**texts})
    workspace.retried(lambda fresh: user_records.commit(fresh, record.recorded_at, {}, [record]))
    named = differences(texts["original"], texts["corrected"], workspace.embedder)
    shown = named[:_MAX_DIFFERENCES]
    stored = [
        preferences.put(workspace, preference, [record.id])
        for preference in _preferences(workspace, shown, tools, scope)
    ]
    signals = [
        Signal(SteeringType.CORRECTION, difference.rule, INFERRED_CONFIDENCE)
        for difference in shown
    ]
    learned = rules.learn(workspace, signals, record.id, scope) if signals else ()
    return CorrectionLearned(record.id, tuple(stored), learned)


def _preferences(
    workspace: Workspace, shown: Sequence[Difference], tools: Sequence[str], scope: str
) -> list[Preference]:
    def inferred(category: str, key: str, value: object) -> Preference:
        source = PreferenceSource.INFERRED.value
        return preferences.validated(
            workspace, category, key, value, source, INFERRED_CONFIDENCE, scope
        )

    result = [
        inferred(difference.category, difference.key[:_MAX_KEY_CHARS], difference.value)
        for difference in shown
    ]
    known = preferences.current(workspace, preferences.TOOL, scope)
    scores = {preference.key: float(str(preference.value)) for preference in known}
    for difference in shown:
        if difference.category == "wording" and {difference.key, str(difference.value)} <= set(
            tools
        ):
            for tool, aim in ((str(difference.value), 1.0), (difference.key, 0.0)):
                score = scores.get(tool, 0.5)
                moved = round(score + _TOOL_STEP * (aim - score), 6)
                result.append(inferred(preferences.TOOL, tool, moved))
    return result
