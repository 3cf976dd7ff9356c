"""Stage 4 of the insight pipeline: what several lessons say together.

By rules, lessons with the same words become one. A language model, where there is one and the user
agreed that redacted text may leave, adds what only reading them side by side shows. If it fails,
nothing is lost: the rules' lessons stand.
"""

import hashlib
from collections.abc import Sequence

from sharpwave.errors import ProviderError
from sharpwave.experience.insight.drawn import Lesson
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts import insights as prompt
from sharpwave.llm.prompts.transcript import Line, new_nonce
from sharpwave.types.experience import InsightType
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Role
from sharpwave.workspace import Workspace

_MOST_LESSONS = 40


def synthesise(lessons: Sequence[Lesson], workspace: Workspace) -> list[Lesson]:
    """The lessons, each once, and what they say together."""
    best: dict[str, Lesson] = {}
    for lesson in sorted(lessons, key=lambda each: each.support):
        best[lesson.text] = lesson
    merged = sorted(best.values(), key=lambda each: (-each.confidence, each.name))
    return [*merged, *_by_model(merged[:_MOST_LESSONS], workspace)]


def _by_model(lessons: Sequence[Lesson], workspace: Workspace) -> list[Lesson]:
    llm, now = AllowedLLM(workspace), workspace.clock.now()
    if len(lessons) < 2 or not llm.may_ask():
        return []
    lines = [Line(Role.SYSTEM, llm.redacted(lesson.text), now) for lesson in lessons]
    try:
        answer = llm.ask(prompt.render(lines, new_nonce()), prompt.Output, LLMRole.ANALYZER)
    except ProviderError:
        return []
    if answer is None:
        return []
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
