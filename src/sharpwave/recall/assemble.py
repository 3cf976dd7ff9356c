"""Step 8: one text for a prompt, in stable sections under hard caps [PRM-01…04].

    System · Skill · User Profile · Active Goals · Learned Preferences · Reflective Notes
    · Relevant Facts · Episodic Highlights

A section over its cap loses its items of lowest priority; what a section leaves unused goes to
those that depend on the question. Their items compete for it by worth per token. A turn can be
shown in part, sentences that something was learned from first, so that more turns fit. Items of one
day and source are grouped and name both once. If all caps do not fit into the budget, the user's
standing instructions keep theirs, up to RULES_SHARE of the budget; the other sections shrink, those
that do not depend on the question more than those that do, and what is left over in the end goes
back to them in their order. A note says how many instructions did not fit. The budget is never
exceeded: what is remembered gives way to the skill, the skill to the caller's own words, and if not
even these fit that is an error.

Everything remembered is quoted, with its source if that is not the user; only the user's own
standing instructions, which are to be followed, stand outside the fence.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from sharpwave.errors import InvalidInput
from sharpwave.formulas.budget import BudgetItem, BudgetPart, bought, rank_worth, token_estimate
from sharpwave.rendering import (
    LEFT_OUT,
    PREAMBLE,
    RULE,
    code_of,
    excerpt,
    fenced,
    new_code,
    quoted,
    rule_line,
)
from sharpwave.rendering import TITLE as RULES
from sharpwave.types.answers import Recalled, Recollection
from sharpwave.types.contexts import Background, Context, KeySentence, Section
from sharpwave.types.known import Fact, Note, Task
from sharpwave.types.records import Kind, Record, Source, Trust
from sharpwave.types.statements import TaskStatus
from sharpwave.types.steering import Behavior

SYSTEM_TOKENS, SKILL_TOKENS, PROFILE_TOKENS, GOALS_TOKENS = 300, 200, 200, 120
RULES_TOKENS, NOTES_TOKENS, FACTS_TOKENS, EPISODES_TOKENS = 200, 120, 400, 600
"""Maximum tokens of each section [PRM-01, PRM-12, PRO-10, TSK-05, REF-08, resolution 70]."""
MIN_PROFILE_TOKENS = 30
"""Tokens that the profile may take of a small budget, if its unreduced share is as large."""
RULES_SHARE = 0.75
"""Maximum share of a small budget that the rules take; the rest is for the question."""
PROFILE_FACT_TOKENS, GOAL_TOKENS = 10, 5
"""Minimum number of tokens of a line."""
FENCE_TOKENS = 12
"""Tokens of a fence around data, with the lines around it."""
ITEM_TOKENS = 160
"""Maximum number of tokens of one recalled text."""
RANK_POWER = 1.5
"""Exponent by which the worth of an item falls with its rank [PRM-02]."""
GIST_LOSS = 0.8
"""Share of a turn's worth that is lost if next to nothing of it is shown."""
PROFILE = "User Profile"
GOALS = "Active Goals"
NOTES = "Reflective Notes"
FACTS = "Relevant Facts"
EPISODES = "Episodic Highlights"
SYSTEM = "System"
SKILL = "Skill"
OUTDATED = "no longer so"
"""Mark of what was said and has been superseded since."""

GUESS = "a guess"
"""Mark of a note that we inferred, and not often enough yet [REF-06]."""


@dataclass(frozen=True, slots=True)
class Line:
    """One item of a section, ready to be shown."""

    text: str
    id: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A recalled record on its way into a section, with its date and source [EPI-07]."""

    record: Record
    rank: int
    section: str
    day: str
    marks: str
    """Its source, unless it is the user, and remarks such as OUTDATED."""
    gist: tuple[KeySentence, ...]
    """Its sentences, the most informative first; none if it is shown whole or not at all."""
    whole: str
    """Its text as it is shown if nothing is left out."""

    @property
    def group(self) -> Hashable:
        """Key of the group in which it is shown; an untrusted record is a group of its own."""
        alone = self.record.id if self.record.provenance.trust is Trust.UNTRUSTED else ""
        return self.section, self.day, self.marks, alone


Gists = Mapping[str, tuple[KeySentence, ...]]


def assemble(
    background: Background,
    recollection: Recollection,
    gists: Gists,
    budget: int,
) -> Context:
    """The prompt, its sections filled in order of importance."""
    stable = [
        (PROFILE, [_fact(fact) for fact in background.profile], PROFILE_TOKENS),
        (GOALS, [_task(task) for task in background.goals], GOALS_TOKENS),
        (RULES, [_rule(behavior) for behavior in background.behaviors], RULES_TOKENS),
        (NOTES, [_note(note) for note in background.notes], NOTES_TOKENS),
    ]
    frame = _system_section(background.system, budget)
    skill = _skill_section(background.skill, budget - frame.tokens)
    fences = 1 + bool(background.profile or background.goals) + bool(background.notes)
    available = budget - frame.tokens - skill.tokens - fences * FENCE_TOKENS
    shown = _to_shown(_without_repeated_untrusted(recollection.items), gists)
    first = _filled(stable, available, _question_caps(shown))
    new = _not_in(shown, {line.id for _, lines, _ in stable for line in lines})
    second = _question_sections(new, available - _used(first))
    first = _topped_up(stable, first, available - _used(first) - _used(second))
    not_shown = _not_in(shown, _ids(first))
    if len(not_shown) > len(new):  # in the background, but did not fit into its section
        second = _question_sections(not_shown, available - _used(first))
    context = _joined((frame, skill), first, second, recollection)
    return replace(
        context, notes=(*context.notes, *_left_out(background.behaviors, context, budget))
    )


def _left_out(rules: Sequence[Behavior], context: Context, budget: int) -> Sequence[str]:
    """A note on rules that did not fit, if there are any."""
    section = context.section(RULES)
    cut = section.cut if section else len(rules)
    note = f"{cut} of {len(rules)} standing instructions did not fit into {budget} tokens"
    return (note,) if cut else ()


Plan = list[tuple[str, list[Line], int]]
Filled = list[tuple[Section, list[Line]]]


def _question_caps(shown: Sequence[Shown]) -> int:
    """The caps of the sections that depend on the question and have something to show."""
    titles = {item.section for item in shown}
    caps = {FACTS: FACTS_TOKENS, EPISODES: EPISODES_TOKENS}
    return sum(caps[title] for title in titles)


def _scale(plan: Plan, question_caps: int, available: int) -> float:
    """Factor by which the caps shrink to fit the available tokens; empty sections need none."""
    caps = sum(cap for _, lines, cap in plan if lines) + question_caps
    return min(1.0, max(0, available) / caps) if caps else 1.0


def _filled(plan: Plan, available: int, question_caps: int) -> Filled:
    """Rules first, then the other sections, each up to its cap or its share of what is left."""
    rules = next(lines for title, lines, _ in plan if title == RULES)
    rules_section = _section(RULES, rules, min(RULES_TOKENS, int(available * RULES_SHARE)))
    available -= _used(rules_section)
    rest = [entry for entry in plan if entry[0] != RULES]
    scale = _scale(rest, question_caps, available)
    filled: Filled = []
    for title, lines, cap in plan:
        if title == RULES:
            filled += rules_section
        else:
            used = sum(section.tokens for section, _ in filled if section.title != RULES)
            minimum = MIN_PROFILE_TOKENS if title == PROFILE else 0
            # the fewer tokens there are, the larger the share of the question
            allowed = max(int(cap * scale**2), min(int(cap * scale), minimum))
            filled += _section(title, lines, min(available - used, allowed))
    return filled


def _topped_up(plan: Plan, filled: Filled, spare: int) -> Filled:
    """The sections, enlarged by what is left over, the most important first, each up to its cap."""
    filled_by_title = {section.title: (section, lines) for section, lines in filled}
    topped: Filled = []
    for title, lines, cap in plan:
        current = [filled_by_title[title]] if title in filled_by_title else []
        larger = _section(title, lines, min(cap, _used(current) + spare))
        best = larger if _used(larger) > _used(current) else current
        spare -= _used(best) - _used(current)
        topped += best
    return topped


def _section(title: str, lines: Sequence[Line], allowed: int) -> Filled:
    """A section of the first lines that fit; an empty list if none does."""
    kept: list[Line] = []
    used = token_estimate("\n".join(_heading(title)) + "\n")
    for line in lines:
        if used + line.tokens <= allowed:
            kept.append(line)
            used += line.tokens
    texts = tuple(line.text for line in kept)
    return [(Section(title, texts, used, len(lines) - len(kept)), kept)] if kept else []


def _used(filled: Filled) -> int:
    return sum(section.tokens for section, _ in filled)


def _not_in(shown: Sequence[Shown], ids: Collection[str]) -> list[Shown]:
    return [item for item in shown if item.record.id not in ids]


def _ids(filled: Filled) -> tuple[str, ...]:
    return tuple(line.id for _, lines in filled for line in lines)


# ---- what depends on the question


def _to_shown(items: Sequence[Recalled], gists: Gists) -> list[Shown]:
    shown = []
    for rank, item in enumerate(items):
        record = item.record
        marks = _source(record.provenance.source, record.provenance.trust)
        if record.provenance.trust is Trust.UNTRUSTED:
            marks.append("untrusted")
        if item.outdated_by is not None:
            marks.append(OUTDATED)
        elif item.outdated:
            marks.append(f"{OUTDATED}: {quoted('; '.join(item.outdated))}")
        if record.kind is Kind.TASK and (status := Task.of(record).status) is not TaskStatus.ACTIVE:
            marks.append(status.value)
        section = FACTS if _is_fact(record) else EPISODES
        gist = gists.get(record.id, ())
        day, whole = f"{record.valid_from:%Y-%m-%d}", quoted(_cut(record.text, ITEM_TOKENS))
        shown.append(Shown(record, rank, section, day, _marked(marks), gist, whole))
    return shown


def _question_sections(shown: Sequence[Shown], available: int) -> Filled:
    """The items worth most per token that fit; facts within their cap."""
    titles = {item.section for item in shown}
    headings = sum(token_estimate(_heading(title)[0] + "\n") for title in titles)
    frames = cache(token_estimate)  # the same for all of one day and source
    offers = [_budget_item(item, frames) for item in shown]
    caps = {FACTS: FACTS_TOKENS}
    lines: Lines = {}
    order = bought(offers, available - headings, GIST_LOSS, caps)
    filled = _sections(shown, order, lines)
    spare = available - _used(filled)
    if spare > 0:
        order = bought(offers, available - headings + spare, GIST_LOSS, caps)
        filled = _sections(shown, order, lines)
    while order and _used(filled) > available:
        order = order[:-1]  # tokens of parts are estimates
        filled = _sections(shown, order, lines)
    return filled


def _budget_item(item: Shown, frames: Callable[[str], int]) -> BudgetItem:
    text, used = item.record.text, 0
    parts: list[BudgetPart] = []
    for start, end, share in item.gist:
        words = text[start:end]
        tokens = token_estimate(words if parts else quoted(f"{LEFT_OUT} {words}"))
        used += tokens
        if parts and used > ITEM_TOKENS:
            break
        parts.append(BudgetPart(share, tokens))
    return BudgetItem(
        value=rank_worth(item.rank, RANK_POWER),
        section=item.section,
        group=item.group,
        alone=frames(_rendered(item, "", alone=True) + "\n"),
        beside=frames(_rendered(item, "", alone=False) + "\n"),
        parts=tuple(parts) or (BudgetPart(1.0, token_estimate(item.whole)),),
    )


Lines = dict[tuple[str, int, bool], Line]
"""Lines made for this prompt so far, by id, number of parts, and whether it heads its group."""


def _sections(shown: Sequence[Shown], order: Sequence[int], lines: Lines) -> Filled:
    """Sections of the chosen items, the best first, with others of the same group beneath it."""
    counts = Counter(order)
    filled: Filled = []
    for title in (FACTS, EPISODES):
        groups: dict[Hashable, list[tuple[Shown, int]]] = {}
        for index in sorted(counts):
            if shown[index].section == title:
                groups.setdefault(shown[index].group, []).append((shown[index], counts[index]))
        kept = [
            _item_line(item, parts, position == 0, lines)
            for group in groups.values()
            for position, (item, parts) in enumerate(group)
        ]
        if kept:
            used = token_estimate(_heading(title)[0] + "\n") + sum(line.tokens for line in kept)
            cut = sum(item.section == title for item in shown) - len(kept)
            filled.append((Section(title, tuple(line.text for line in kept), used, cut), kept))
    return filled


def _item_line(item: Shown, parts: int, alone: bool, lines: Lines) -> Line:
    key = item.record.id, parts, alone
    if key not in lines:
        lines[key] = _line(_rendered(item, _item_text(item, parts), alone), item.record.id)
    return lines[key]


def _rendered(item: Shown, text: str, alone: bool) -> str:
    """A line with day and source, or one beneath another line of the same day and source."""
    speaker = f"{quoted(item.record.speaker)}: " if item.record.speaker else ""
    return f"- [{item.day}] {speaker}{text}{item.marks}" if alone else f"  - {speaker}{text}"


def _item_text(item: Shown, parts: int) -> str:
    """The whole text, or this many of its most informative sentences."""
    if parts < len(item.gist):
        spans = [(sentence.start, sentence.end) for sentence in item.gist[:parts]]
        return quoted(excerpt(item.record.text, spans))
    return item.whole


def _skill_section(skill: str, available: int) -> Section:
    """The skill section: our own words or the user's, so it stands outside the data [PRM-12]."""
    text = _cut(skill, SKILL_TOKENS)
    if token_estimate(text) > available:
        text = ""  # half a skill is useless
    return Section(SKILL, (text,) if text else (), token_estimate(text), int(text != skill.strip()))


def _system_section(system: str, budget: int) -> Section:
    """The system section, outside the data: the caller's own words, and how to read the rest."""
    text = _cut(system, SYSTEM_TOKENS)
    lines = (text, RULE) if text else (RULE,)
    tokens = token_estimate("\n\n".join(lines))
    if tokens > budget:
        subject = (
            "your own words and how to read memories take" if text else "how to read them takes"
        )
        raise InvalidInput(f"a budget of {budget} tokens is too small: {subject} {tokens} already")
    return Section(SYSTEM, lines, tokens, int(text != system.strip()))


def _joined(
    frames: tuple[Section, Section],
    first: Filled,
    second: Filled,
    recollection: Recollection,
) -> Context:
    frame, skill = frames
    parts = ["\n\n".join((*frame.lines[:-1], *skill.lines, frame.lines[-1]))]
    for _, group in groupby(first, key=lambda entry: entry[0].title == RULES):
        lines = _shown(list(group))
        is_rules = lines[0] == f"## {RULES}"
        parts.append("\n".join(lines) if is_rules else fenced(lines, code_of(lines)))
    if second:
        parts.append(fenced(_shown(second), new_code()))
    text = "\n\n".join(parts)
    outside = [frame, skill] if skill.lines else [frame]
    sections = [*outside, *(section for section, _ in [*first, *second])]
    return Context(
        text=text,
        tokens=token_estimate(text),
        sections=tuple(sections),
        decision=str(recollection.decision),
        confidence=recollection.confidence,
        ids=_ids([*first, *second]),
        notes=recollection.notes,
    )


def _heading(title: str) -> tuple[str, ...]:
    return (f"## {title}", PREAMBLE) if title == RULES else (f"## {title}",)


def _shown(filled: Filled) -> list[str]:
    return [line for section, _ in filled for line in (*_heading(section.title), *section.lines)]


# ---- one item, one line


def _rule(behavior: Behavior) -> Line:
    return _line(rule_line(behavior.rule, behavior.frequency), behavior.id)


def _fact(fact: Fact) -> Line:
    marks = [*_source(fact.source, fact.trust), f"since {fact.valid_from:%Y-%m-%d}"]
    return _line(f"- {quoted(fact.text)}{_marked(marks)}", fact.id)


def _task(task: Task) -> Line:
    due = [f"due {task.due_text}"] if task.due else []
    marks = [task.status.value, *due, *_source(task.source, task.trust)]
    return _line(f"- {quoted(task.title)}{_marked(marks)}", task.id)


def _note(note: Note) -> Line:
    marks = [*_source(note.source, note.trust), *([] if note.agreed else [GUESS])]
    return _line(f"- {quoted(note.text)}{_marked(marks)}", note.id)


def _source(source: Source, trust: Trust) -> list[str]:
    """The source as a mark; none for the user's own words."""
    return [] if trust is Trust.USER else [source.value]


def _marked(marks: Sequence[str]) -> str:
    return f" ({', '.join(marks)})" if marks else ""


def _line(text: str, id_: str) -> Line:
    return Line(text, id_, token_estimate(text + "\n"))


def _is_fact(record: Record) -> bool:
    return record.kind is not Kind.TURN and record.kind is not Kind.EPISODE


def _without_repeated_untrusted(items: Sequence[Recalled]) -> list[Recalled]:
    """The items with only the best of each untrusted source, which may not crowd out the rest."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for item in items:
        provenance = item.record.provenance
        origin = (provenance.source.value, provenance.author)
        if provenance.trust is Trust.UNTRUSTED and origin in seen:
            continue
        seen.add(origin)
        kept.append(item)
    return kept


def _cut(text: str, max_tokens: int) -> str:
    """The beginning of a text that is too long, up to a word."""
    stripped = text.strip()
    if token_estimate(stripped) <= max_tokens:
        return stripped
    words = stripped.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        fits = token_estimate(" ".join(words[:middle])) < max_tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return " ".join(words[:low]) + "…" if low else "…"
