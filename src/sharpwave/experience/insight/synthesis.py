"""Stage 4 of the insight pipeline: what several lessons say together.

By rules, lessons with the same words become one. A language model, where there is one and the user
agreed that redacted text may leave, adds what only reading them side by side shows. If it fails,
nothing is lost: the rules' lessons stand.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from sharpwave.errors import ProviderError
from sharpwave.experience.insight.drawn import Lesson
from sharpwave.experience.room import Room
from sharpwave.formulas.llm_cost import is_used_up, one_call
from sharpwave.privacy.redaction import redact
from sharpwave.prompts import insights as prompt
from sharpwave.prompts.transcript import Line, new_nonce
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Role
from sharpwave.types.work.experience import InsightType
from sharpwave.types.working import Purpose

_MOST_LESSONS = 40


def synthesise(lessons: Sequence[Lesson], room: Room) -> list[Lesson]:
    """The lessons, each once, and what they say together."""
    best: dict[str, Lesson] = {}
    for lesson in sorted(lessons, key=lambda each: each.support):
        best[lesson.text] = lesson
    merged = sorted(best.values(), key=lambda each: (-each.confidence, each.name))
    return [*merged, *_by_model(merged[:_MOST_LESSONS], room)]


def _by_model(lessons: Sequence[Lesson], room: Room) -> list[Lesson]:
    llm, now = room.ports.llm, room.ports.clock.now()
    if llm is None or len(lessons) < 2 or not _may_ask(room, now):
        return []
    egress = room.settings.privacy.egress
    lines = [Line(Role.SYSTEM, redact(lesson.text, egress).text, now) for lesson in lessons]
    try:
        answer = llm.structured(prompt.render(lines, new_nonce()), prompt.Output, LLMRole.ANALYZER)
    except ProviderError as error:
        _charge(room, now, error.input_tokens, error.output_tokens)
        return []
    _charge(room, now, answer.usage.input_tokens, answer.usage.output_tokens)
    return [made for each in answer.value.insights if (made := _lesson(each, lessons))]


def _lesson(drawn: prompt.Drawn, lessons: Sequence[Lesson]) -> Lesson | None:
    """A lesson of the model's; it is as sure as the least sure of those it follows from."""
    places = sorted({place for place in drawn.turns if 1 <= place <= len(lessons)})
    parents = [lessons[place - 1] for place in places]
    if len(parents) < 2 or not drawn.text.strip():
        return None
    told = "\x1f".join(parent.name for parent in parents)
    digest = hashlib.blake2b(told.encode(), digest_size=8).hexdigest()
    evidence = [id_ for parent in parents for id_ in parent.evidence]
    return Lesson(
        name=f"synthesis:{digest}",
        type=InsightType.RULE,
        text=drawn.text.strip(),
        confidence=min(parent.confidence for parent in parents),
        support=min(parent.support for parent in parents),
        evidence=tuple(dict.fromkeys(evidence)),
    )


def _may_ask(room: Room, now: datetime) -> bool:
    """Whether the user agreed, and something of today's allowance is left."""
    ledger, settings = room.ports.store.ledger, room.settings
    agreed = ledger.consents(room.user_id).get(Purpose.EGRESS, settings.privacy.egress_assumed)
    spent = ledger.spent(room.user_id, now.date())
    caps = settings.llm
    used_up = is_used_up(spent, caps.daily_calls, caps.daily_tokens, caps.daily_cost)
    return agreed and room.may_remember() and not used_up


def _charge(room: Room, now: datetime, sent: int, answered: int) -> None:
    prices = room.settings.llm
    spent = one_call(sent, answered, prices.input_price, prices.output_price)
    room.ports.store.ledger.charge(room.user_id, now.date(), spent)
