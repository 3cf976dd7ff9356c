"""How remembered things are shown: one quoted line each, and the same as data."""

from collections.abc import Sequence

from sharpwave.interfaces.mcp.answers import Item, Learned
from sharpwave.interfaces.mcp.visit import Visit
from sharpwave.rendering.quoting import block, quoted, visible
from sharpwave.types.answers import Recalled, Receipt
from sharpwave.types.known import Fact, Note, Task
from sharpwave.types.records import Record
from sharpwave.types.steering import Behavior


def cut(text: str, visit: Visit) -> str:
    """The beginning of a text that is too long to show whole."""
    most = visit.limits.item_chars
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def of_record(record: Record, visit: Visit, score: float | None = None) -> Item:
    """Any record."""
    said = record.provenance
    return Item(
        id=record.id,
        kind=record.kind.value,
        text=visible(cut(record.text, visit)),
        source=said.source.value,
        trust=said.trust.name.lower(),
        since=f"{record.valid_from:%Y-%m-%d}",
        score=score,
    )


def of_recalled(found: Recalled, visit: Visit) -> Item:
    """A record that answers a question."""
    return of_record(found.record, visit, round(found.score, 4))


def of_fact(fact: Fact, visit: Visit) -> Item:
    """A fact, with the share to which it is sure."""
    return Item(
        id=fact.id,
        kind="fact",
        text=visible(cut(fact.text, visit)),
        source=fact.source.value,
        trust=fact.trust.name.lower(),
        since=f"{fact.valid_from:%Y-%m-%d}",
        score=round(fact.confidence, 4),
    )


def of_note(note: Note, visit: Visit) -> Item:
    """A rule of thumb."""
    text = visible(cut(note.text, visit))
    since = f"{note.created_at:%Y-%m-%d}"
    return Item(
        id=note.id, kind="note", text=text, source="inferred", trust="inferred", since=since
    )


def of_rule(rule: Behavior, visit: Visit) -> Item:
    """A rule that the user taught, and how often."""
    often = f" (observed {rule.frequency} times)" if rule.frequency > 1 else ""
    text = visible(cut(rule.rule, visit)) + often
    since = f"{rule.created_at:%Y-%m-%d}"
    kind = f"rule for {visible(rule.scope)}"
    return Item(id=rule.id, kind=kind, text=text, source="user", trust="", since=since)


def of_task(task: Task, visit: Visit) -> Item:
    """A task, with the day by which it is due."""
    due = f" (due {task.last_day})" if task.due else ""
    text = visible(cut(task.title, visit)) + due
    since = f"{task.created_at:%Y-%m-%d}"
    return Item(
        id=task.id, kind=f"task, {task.status}", text=text, source="user", trust="", since=since
    )


def of_receipt(receipt: Receipt, visit: Visit) -> list[Learned]:
    """What a text was found to say, and what became of it."""
    return [
        Learned(
            verdict=one.verdict.value,
            text=visible(cut(one.text, visit)),
            id=one.id,
            reason=visible(cut(one.reason, visit)),
        )
        for one in receipt.learned
    ]


def line(item: Item) -> str:
    """One item as one line."""
    origin = item.source if item.trust in ("", item.source) else f"{item.source}, {item.trust}"
    return f"- {quoted(item.text)} [{item.kind} {item.id}, {origin}, {item.since}]"


def listed(items: Sequence[Item], visit: Visit, budget: int | None = None) -> tuple[str, int]:
    """The items behind a fence, and how many of them the budget allowed."""
    return fenced([line(item) for item in items], visit, budget)


def fenced(lines: Sequence[str], visit: Visit, budget: int | None = None) -> tuple[str, int]:
    """Lines behind a fence, and how many of them the budget allowed."""
    allowed = min(budget or visit.limits.answer_tokens, visit.limits.answer_tokens)
    made = block(lines, allowed, visit.rates)
    return made.text, made.shown
