"""Rendering of memories: one quoted line each, and the same as data."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from sharpwave.interfaces.mcp.answers import Item, LearnedItem
from sharpwave.rendering import block, escaped_hidden, quoted
from sharpwave.types.answers import Outcome
from sharpwave.types.known import Fact, Note, Task
from sharpwave.types.records import Kind, Provenance, Record
from sharpwave.types.steering import Behavior, Preference, PreferenceSource

ANSWER_TOKENS = 1500
"""Maximum tokens of a tool's answer, which uses space in the context of an agent."""
_ITEM_CHARS = 800
"""Maximum characters shown of one remembered text."""
Origin = Provenance | Fact | Note | Task | Behavior
"""Objects with a source and a trust level."""


def shown(text: str) -> str:
    """The beginning of a text, with hidden characters spelt out."""
    return escaped_hidden(text if len(text) <= _ITEM_CHARS else f"{text[:_ITEM_CHARS].rstrip()}…")


def _item(id: str, kind: str, text: str, origin: Origin, since: datetime) -> Item:
    return Item(
        id=id,
        kind=kind,
        text=text,
        source=origin.source.value,
        trust=origin.trust.name.lower(),
        since=f"{since:%Y-%m-%d}",
    )


def of_record(record: Record, score: float | None = None) -> Item:
    """Any record, with its score for a question."""
    kind, text = record.kind.value, shown(record.text)
    item = _item(record.id, kind, text, record.provenance, record.valid_from)
    if record.kind is Kind.TASK:
        item = of_task(Task.of(record))
    item.score = None if score is None else round(score, 4)
    return item


def of_fact(fact: Fact) -> Item:
    """A fact, with its confidence as the score."""
    item = _item(fact.id, "fact", shown(fact.text), fact, fact.valid_from)
    item.score = round(fact.confidence, 4)
    return item


def of_note(note: Note) -> Item:
    """A rule of thumb."""
    return _item(note.id, "note", shown(note.text), note, note.created_at)


def of_rule(rule: Behavior) -> Item:
    """A rule, with its source, and how often it was observed."""
    often = f" (observed {rule.frequency} times)" if rule.frequency > 1 else ""
    kind = f"rule for {escaped_hidden(rule.scope)}"
    return _item(rule.id, kind, shown(rule.rule) + often, rule, rule.created_at)


def of_preference(preference: Preference) -> Item:
    """A preference: the value of a category and key, such as a tool's score."""
    stated = preference.source is PreferenceSource.EXPLICIT
    value = json.dumps(preference.value, ensure_ascii=False)
    return Item(
        id=preference.id,
        kind=f"preference for {escaped_hidden(preference.scope)}",
        text=shown(f"{preference.category} {preference.key}: {value}"),
        source=preference.source.value,
        trust="user" if stated else "inferred",
        since=f"{preference.updated_at:%Y-%m-%d}",
        score=round(preference.confidence, 4),
    )


def of_task(task: Task) -> Item:
    """A task, with the day it is due."""
    due = f" (due {task.due_text})" if task.due else ""
    return _item(task.id, f"task, {task.status}", shown(task.title) + due, task, task.created_at)


def learned(outcomes: Iterable[Outcome]) -> list[LearnedItem]:
    """The facts, tasks and rules found in a text, each with its outcome."""
    return [
        LearnedItem(
            verdict=item.verdict.value, text=shown(item.text), id=item.id, reason=shown(item.reason)
        )
        for item in outcomes
    ]


def line(item: Item) -> str:
    """One item as one line."""
    origin = item.source if item.trust == item.source else f"{item.source}, {item.trust}"
    return f"- {quoted(item.text)} [{item.kind} {item.id}, {origin}, {item.since}]"


def fenced(lines: Sequence[str], budget: int | None = None) -> tuple[str, int]:
    """Lines in a fenced block, and how many of them fit the budget."""
    fence = block(lines, min(budget or ANSWER_TOKENS, ANSWER_TOKENS))
    return fence.text, fence.shown
