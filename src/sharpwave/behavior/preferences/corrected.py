"""Learning from a correction: it is stored, and what it shows becomes preferences and a rule."""

from collections.abc import Sequence

from sharpwave import checks
from sharpwave.behavior.commit import WITHDRAWN, commit
from sharpwave.behavior.preferences import known
from sharpwave.behavior.preferences.differences import Difference, differences
from sharpwave.behavior.rules import settle
from sharpwave.privacy.redaction import redact
from sharpwave.types.steering import (
    CorrectionLearned,
    Preference,
    PreferenceSource,
    Signal,
    SteeringType,
)
from sharpwave.workspace import Workspace

_MOST = 5
"""More differences than this are a rewrite, of which only the first are believed."""


def learn(
    workspace: Workspace,
    original: str,
    corrected: str,
    context: str,
    scope: str,
    tools: Sequence[str] = (),
) -> CorrectionLearned:
    """Store a correction and learn what it shows [UPR-02, UPR-04].

    `tools` are the names of tools: one named for another moves their scores apart.
    """
    if not workspace.consents.may_learn:
        return CorrectionLearned(None, note=WITHDRAWN)
    limit, policy = workspace.settings.remember.max_text_bytes, workspace.settings.privacy.stored
    given = {"original": original, "corrected": corrected}
    texts = {
        name: redact(checks.text(text, name, limit), policy).text for name, text in given.items()
    }
    texts["context"] = redact(context, policy).text
    slot = f"{known.CORRECTIONS}{scope}"
    record = known.stored_as(
        workspace, f"{texts['original']} → {texts['corrected']}", slot, {**texts}
    )
    commit(workspace, record.recorded_at, {}, [record])
    found = differences(texts["original"], texts["corrected"])[:_MOST]
    preferences = [
        known.put(workspace, one, [record.id])
        for one in _preferences(workspace, found, tools, scope)
    ]
    signals = [
        Signal(SteeringType.CORRECTION, one.rule, workspace.settings.steering.inferred_confidence)
        for one in found
    ]
    rules = settle.settle(workspace, signals, record.id, scope) if signals else ()
    return CorrectionLearned(record.id, tuple(preferences), rules)


def _preferences(
    workspace: Workspace, found: Sequence[Difference], tools: Sequence[str], scope: str
) -> list[Preference]:
    sure = workspace.settings.steering.inferred_confidence
    inferred = PreferenceSource.INFERRED.value
    made = [
        known.given(one.category, one.key[:200], one.value, inferred, sure, scope, workspace)
        for one in found
    ]
    scores = {one.key: float(str(one.value)) for one in known.held(workspace, known.TOOL, scope)}
    step = workspace.settings.steering.tool_step
    for one in found:
        if one.category == "wording" and {one.key, str(one.value)} <= set(tools):
            for tool, aim in ((str(one.value), 1.0), (one.key, 0.0)):
                score = scores.get(tool, 0.5)
                moved = round(score + step * (aim - score), 6)
                made.append(known.given(known.TOOL, tool, moved, inferred, sure, scope, workspace))
    return made
