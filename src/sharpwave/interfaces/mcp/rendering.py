"""How remembered things are shown: one quoted line each, and the same as data."""

import json
from collections.abc import Sequence

from sharpwave.interfaces.mcp.answers import Item, Learned
from sharpwave.interfaces.mcp.context import CallContext
from sharpwave.rendering import block, quoted, visible
from sharpwave.types.answers import Recalled, Receipt
from sharpwave.types.known import Fact, Note, Task
from sharpwave.types.records import Record
from sharpwave.types.steering import Behavior, Preference, PreferenceSource

_ITEM_CHARS = 800
"""Most characters shown of one remembered text."""


def cut(text: str, caller: CallContext) -> str:
    """The beginning of a text that is too long to show whole."""
    most = _ITEM_CHARS
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def of_record(record: Record, caller: CallContext, score: float | None = None) -> Item:
    """Any record."""
    said = record.provenance
    return Item(
        id=record.id,
        kind=record.kind.value,
        text=visible(cut(record.text, caller)),
        source=said.source.value,
        trust=said.trust.name.lower(),
        since=f"{record.valid_from:%Y-%m-%d}",
        score=score,
    )


def of_recalled(item: Recalled, caller: CallContext) -> Item:
    """A record that answers a question."""
    return of_record(item.record, caller, round(item.score, 4))


def of_fact(fact: Fact, caller: CallContext) -> Item:
    """A fact, with the share to which it is sure."""
    return Item(
        id=fact.id,
        kind="fact",
        text=visible(cut(fact.text, caller)),
        source=fact.source.value,
        trust=fact.trust.name.lower(),
        since=f"{fact.valid_from:%Y-%m-%d}",
        score=round(fact.confidence, 4),
    )


def of_note(note: Note, caller: CallContext) -> Item:
    """A rule of thumb."""
    return Item(
        id=note.id,
        kind="note",
        text=visible(cut(note.text, caller)),
        source=note.source.value,
        trust=note.trust.name.lower(),
        since=f"{note.created_at:%Y-%m-%d}",
    )


def of_rule(rule: Behavior, caller: CallContext) -> Item:
    """A rule, who reported it, and how often it was observed."""
    often = f" (observed {rule.frequency} times)" if rule.frequency > 1 else ""
    return Item(
        id=rule.id,
        kind=f"rule for {visible(rule.scope)}",
        text=visible(cut(rule.rule, caller)) + often,
        source=rule.source.value,
        trust=rule.trust.name.lower(),
        since=f"{rule.created_at:%Y-%m-%d}",
    )


def of_preference(preference: Preference, caller: CallContext) -> Item:
    """What was set under a category and key, such as a tool's score."""
    stated = preference.source is PreferenceSource.EXPLICIT
    value = json.dumps(preference.value, ensure_ascii=False)
    return Item(
        id=preference.id,
        kind=f"preference for {visible(preference.scope)}",
        text=visible(cut(f"{preference.category} {preference.key}: {value}", caller)),
        source=preference.source.value,
        trust="user" if stated else "inferred",
        since=f"{preference.updated_at:%Y-%m-%d}",
        score=round(preference.confidence, 4),
    )


def of_task(task: Task, caller: CallContext) -> Item:
    """A task, with the day it is due."""
    due = f" (due {task.due_text})" if task.due else ""
    return Item(
        id=task.id,
        kind=f"task, {task.status}",
        text=visible(cut(task.title, caller)) + due,
        source=task.source.value,
        trust=task.trust.name.lower(),
        since=f"{task.created_at:%Y-%m-%d}",
    )


def of_receipt(receipt: Receipt, caller: CallContext) -> list[Learned]:
    """What a text was found to say, and what became of it."""
    return [
        Learned(
            verdict=item.verdict.value,
            text=visible(cut(item.text, caller)),
            id=item.id,
            reason=visible(cut(item.reason, caller)),
        )
        for item in receipt.learned
    ]


def line(item: Item) -> str:
    """One item as one line."""
    origin = item.source if item.trust == item.source else f"{item.source}, {item.trust}"
    return f"- {quoted(item.text)} [{item.kind} {item.id}, {origin}, {item.since}]"


def listed(
    items: Sequence[Item], caller: CallContext, budget: int | None = None
) -> tuple[str, int]:
    """The items behind a fence, and how many of them the budget allowed."""
    return fenced([line(item) for item in items], caller, budget)


def fenced(lines: Sequence[str], caller: CallContext, budget: int | None = None) -> tuple[str, int]:
    """Lines behind a fence, and how many of them the budget allowed."""
    allowed = min(budget or caller.settings.mcp.answer_tokens, caller.settings.mcp.answer_tokens)
    made = block(lines, allowed)
    return made.text, made.shown
