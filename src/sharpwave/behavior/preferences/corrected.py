"""Learning from a correction: it is stored, and what it shows becomes preferences and a rule."""

from collections.abc import Sequence

from sharpwave import checks
from sharpwave.behavior.preferences import known
from sharpwave.behavior.preferences.differences import Difference, differences
from sharpwave.behavior.room import WITHDRAWN, Room
from sharpwave.behavior.rules import settle
from sharpwave.privacy.redaction import redact
from sharpwave.types.steering import (
    CorrectionLearned,
    Preference,
    PreferenceSource,
    Signal,
    SteeringType,
)

_MOST = 5
"""More differences than this are a rewrite, of which only the first are believed."""


def learn(
    room: Room,
    original: str,
    corrected: str,
    context: str,
    scope: str,
    tools: Sequence[str] = (),
) -> CorrectionLearned:
    """Store a correction and learn what it shows [UPR-02, UPR-04].

    `tools` are the names of tools: one named for another moves their scores apart.
    """
    if not room.may_learn():
        return CorrectionLearned(None, note=WITHDRAWN)
    limit, policy = room.settings.remember.max_text_bytes, room.settings.privacy.stored
    given = {"original": original, "corrected": corrected}
    texts = {
        name: redact(checks.text(text, name, limit), policy).text for name, text in given.items()
    }
    texts["context"] = redact(context, policy).text
    slot = f"{known.CORRECTIONS}{scope}"
    record = known.stored_as(room, f"{texts['original']} → {texts['corrected']}", slot, {**texts})
    room.commit(record.recorded_at, {}, [record])
    found = differences(texts["original"], texts["corrected"])[:_MOST]
    preferences = [
        known.put(room, one, [record.id]) for one in _preferences(room, found, tools, scope)
    ]
    signals = [
        Signal(SteeringType.CORRECTION, one.rule, room.settings.steering.inferred_confidence)
        for one in found
    ]
    rules = settle.settle(room, signals, record.id, scope) if signals else ()
    return CorrectionLearned(record.id, tuple(preferences), rules)


def _preferences(
    room: Room, found: Sequence[Difference], tools: Sequence[str], scope: str
) -> list[Preference]:
    sure = room.settings.steering.inferred_confidence
    inferred = PreferenceSource.INFERRED.value
    made = [
        known.given(one.category, one.key[:200], one.value, inferred, sure, scope, room)
        for one in found
    ]
    scores = {one.key: float(str(one.value)) for one in known.held(room, known.TOOL, scope)}
    step = room.settings.steering.tool_step
    for one in found:
        if one.category == "wording" and {one.key, str(one.value)} <= set(tools):
            for tool, aim in ((str(one.value), 1.0), (one.key, 0.0)):
                score = scores.get(tool, 0.5)
                moved = round(score + step * (aim - score), 6)
                made.append(known.given(known.TOOL, tool, moved, inferred, sure, scope, room))
    return made
