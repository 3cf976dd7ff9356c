"""Step 8: one text for a prompt, in stable sections under hard caps [PRM-01…04].

    System · Skill · User Profile · Active Goals · Learned Preferences · Reflective Notes
    · Relevant Facts · Episodic Highlights

A section that is over its cap loses its items of least priority; what a section leaves unused goes
to those that depend on the question. Everything remembered is quoted, with where it came from; only
the user's own standing instructions, which are to be followed, stand outside the fence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sharpwave.formulas.token_estimate import token_estimate
from sharpwave.rendering.fence import RULE, code_of, fenced, new_code
from sharpwave.rendering.quoting import quoted
from sharpwave.rendering.rules import PREAMBLE, rule_line
from sharpwave.rendering.rules import TITLE as RULES
from sharpwave.tunables.context import ContextSettings
from sharpwave.types.answers import Recalled, Recollection
from sharpwave.types.behavior.steering import Behavior
from sharpwave.types.contexts import Background, Context, Section
from sharpwave.types.known import Fact, Note, Task
from sharpwave.types.records import Kind, Record, Trust

PROFILE = "User Profile"
GOALS = "Active Goals"
NOTES = "Reflective Notes"
FACTS = "Relevant Facts"
EPISODES = "Episodic Highlights"
SYSTEM = "System"
SKILL = "Skill"
OUTDATED = "no longer so"
"""Stands beside what was said and has been superseded since."""

GUESS = "a guess"
"""Stands beside a note that we came to ourselves, and not often enough yet [REF-06]."""


@dataclass(frozen=True, slots=True)
class Line:
    """One item of a section, ready to be shown."""

    text: str
    id: str | None
    tokens: int


def assemble(
    known: Background, found: Recollection, budget: int | None, settings: ContextSettings
) -> Context:
    """The sections, filled in order of what may least be left out."""
    shown = {fact.id for fact in known.profile} | {rule.id for rule in known.behaviors}
    items = _one_each_untrusted([i for i in found.items if i.record.id not in shown])
    facts = [_recalled(item, settings) for item in items if _is_fact(item.record)]
    turns = [_recalled(item, settings) for item in items if not _is_fact(item.record)]
    stable = [
        (PROFILE, [_fact(fact, settings) for fact in known.profile], settings.profile_tokens),
        (GOALS, [_task(task, settings) for task in known.goals], settings.goals_tokens),
        (RULES, [_rule(one, settings) for one in known.behaviors], settings.rules_tokens),
        (NOTES, [_note(note, settings) for note in known.notes], settings.notes_tokens),
    ]
    asked = [
        (FACTS, facts, settings.facts_tokens),
        (EPISODES, turns, settings.episodes_tokens),
    ]
    frame, way = _frame(known.system, settings), _way(known.skill, settings)
    room = (budget or settings.budget_tokens) - frame.tokens - way.tokens
    first = _filled(stable, room, _scale(stable + asked, room), settings)
    rest = room - sum(section.tokens for section, _ in first)
    second = _filled(asked, rest, _scale(asked, rest), settings, greedy=True)
    return _joined((frame, way), first, second, found, settings)


Plan = list[tuple[str, list[Line], int]]
Filled = list[tuple[Section, list[Line]]]


def _scale(plan: Plan, room: int) -> float:
    """How far all caps shrink to fit into the room there is."""
    return min(1.0, max(0, room) / sum(cap for _, _, cap in plan))


def _filled(
    plan: Plan, room: int, scale: float, settings: ContextSettings, greedy: bool = False
) -> Filled:
    """Each section up to its cap; of greedy ones the last may use all that the others left."""
    filled: Filled = []
    left = room
    for place, (title, lines, cap) in enumerate(plan):
        last = greedy and place == len(plan) - 1
        allowed = left if last else min(left, int(cap * scale))
        heading = _tokens("\n".join(_heading(title)) + "\n", settings)
        kept: list[Line] = []
        used = heading
        for line in lines:
            if used + line.tokens <= allowed:
                kept.append(line)
                used += line.tokens
        if kept:
            texts = tuple(line.text for line in kept)
            filled.append((Section(title, texts, used, len(lines) - len(kept)), kept))
            left -= used
    return filled


def _way(skill: str, settings: ContextSettings) -> Section:
    """How to answer: our own words or the user's, so they stand outside the data [PRM-12]."""
    text = _cut(skill, settings.skill_tokens, settings) if skill.strip() else ""
    return Section(
        SKILL, (text,) if text else (), _tokens(text, settings), int(text != skill.strip())
    )


def _frame(system: str, settings: ContextSettings) -> Section:
    """What stands outside the data: the caller's own words, and how to read the rest."""
    own = _cut(system, settings.system_tokens, settings)
    lines = (own, RULE) if own else (RULE,)
    tokens = _tokens("\n\n".join(lines), settings) + settings.fence_tokens
    return Section(SYSTEM, lines, tokens, int(own != system.strip()))


def _joined(
    frames: tuple[Section, Section],
    first: Filled,
    second: Filled,
    found: Recollection,
    settings: ContextSettings,
) -> Context:
    frame, way = frames
    parts = ["\n\n".join((*frame.lines[:-1], *way.lines, frame.lines[-1]))]
    for _, group in groupby(first, key=lambda each: each[0].title == RULES):
        lines = _shown(list(group))
        is_rules = lines[0] == f"## {RULES}"
        parts.append("\n".join(lines) if is_rules else fenced(lines, code_of(lines)))
    if second:
        parts.append(fenced(_shown(second), new_code()))
    text = "\n\n".join(parts)
    outside = [frame, way] if way.lines else [frame]
    sections = [*outside, *(section for section, _ in [*first, *second])]
    return Context(
        text=text,
        tokens=_tokens(text, settings),
        sections=tuple(sections),
        decision=str(found.decision),
        confidence=found.confidence,
        ids=tuple(line.id for _, lines in [*first, *second] for line in lines if line.id),
        notes=found.notes,
    )


def _heading(title: str) -> tuple[str, ...]:
    return (f"## {title}", PREAMBLE) if title == RULES else (f"## {title}",)


def _shown(filled: Filled) -> list[str]:
    return [line for one, _ in filled for line in (*_heading(one.title), *one.lines)]


# ---- one item, one line


def _rule(one: Behavior, settings: ContextSettings) -> Line:
    return _line(rule_line(one.rule, one.frequency), one.id, settings)


def _fact(fact: Fact, settings: ContextSettings) -> Line:
    since = f"since {fact.valid_from:%Y-%m-%d}"
    return _line(f"- {quoted(fact.text)} ({fact.source.value}, {since})", fact.id, settings)


def _task(task: Task, settings: ContextSettings) -> Line:
    due = f", due {task.last_day}" if task.due else ""
    return _line(f"- {quoted(task.title)} ({task.status.value}{due})", task.id, settings)


def _note(note: Note, settings: ContextSettings) -> Line:
    guess = "" if note.agreed else f" ({GUESS})"
    return _line(f"- {quoted(note.text)}{guess}", note.id, settings)


def _recalled(item: Recalled, settings: ContextSettings) -> Line:
    """A recalled record, with its date first and its source last [EPI-07]."""
    record = item.record
    source = record.provenance.source.value
    if record.provenance.trust is Trust.UNTRUSTED:
        source += ", untrusted"
    if item.outdated_by is not None:
        source += f", {OUTDATED}"
    who = f"{quoted(record.speaker)}: " if record.speaker else ""
    text = _cut(record.text, settings.item_tokens, settings)
    date = f"{record.valid_from:%Y-%m-%d}"
    return _line(f"- [{date}] {who}{quoted(text)} ({source})", record.id, settings)


def _line(text: str, id_: str, settings: ContextSettings) -> Line:
    return Line(text, id_, _tokens(text + "\n", settings))


def _is_fact(record: Record) -> bool:
    return record.kind is not Kind.TURN and record.kind is not Kind.EPISODE


def _one_each_untrusted(items: Sequence[Recalled]) -> list[Recalled]:
    """Of each source that is not trusted only the best item: none may crowd out the rest."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for item in items:
        said = item.record.provenance
        origin = (said.source.value, said.author)
        if said.trust is Trust.UNTRUSTED and origin in seen:
            continue
        seen.add(origin)
        kept.append(item)
    return kept


def _cut(text: str, most: int, settings: ContextSettings) -> str:
    """The beginning of a text that is too long, up to a word."""
    whole = text.strip()
    if _tokens(whole, settings) <= most:
        return whole
    words = whole.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        fits = _tokens(" ".join(words[:middle]), settings) < most
        low, high = (middle, high) if fits else (low, middle - 1)
    return " ".join(words[:low]) + "…" if low else "…"


def _tokens(text: str, settings: ContextSettings) -> int:
    return token_estimate(text, settings.rates)
