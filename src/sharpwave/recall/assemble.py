"""Step 8: one text for a prompt, in stable sections under hard caps [PRM-01…04].

    System · Skill · User Profile · Active Goals · Learned Preferences · Reflective Notes
    · Relevant Facts · Episodic Highlights

A section that is over its cap loses its items of least priority; what a section leaves unused goes
to those that depend on the question. These compete for it: what is worth most a token is shown. Of
a turn that can be some of its sentences, those that something was learned from first, so that more
turns fit. Items of one day and source stand together and name both once. If all caps do not fit
into the budget, the user's standing instructions keep theirs, up to RULES_SHARE of what there is;
the other sections shrink, those that do not depend on the question more than those that do, and
what is left over in the end goes back to them in their order. A note says how many instructions did
not fit. The budget holds: what is remembered gives way to the skill, the skill to the caller's own
words, and if not even these fit that is an error.

Everything remembered is quoted, with where it came from if that is not the user; only the user's
own standing instructions, which are to be followed, stand outside the fence.
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
"""Most tokens of each section [PRM-01, PRM-12, PRO-10, TSK-05, REF-08, resolution 70]."""
LEAST_PROFILE_TOKENS = 30
"""What a profile may take of a small budget in any case, if its share is as large."""
RULES_SHARE = 0.75
"""Most that the rules take of a small budget; the rest is for what was asked."""
PROFILE_FACT_TOKENS, GOAL_TOKENS = 10, 5
"""Tokens that a line takes at least."""
FENCE_TOKENS = 12
"""Tokens of a fence around data, and of the lines around it."""
ITEM_TOKENS = 160
"""Most tokens of one recalled text."""
RANK_POWER = 1.5
"""How fast an item is worth less with its rank [PRM-02]."""
GIST_LOSS = 0.8
"""What is lost of a turn if next to nothing of it is shown."""
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
    """Where it comes from, unless from the user, and what is to be known of it."""
    gist: tuple[KeySentence, ...]
    """Its sentences, the most telling first; none if it is shown whole or not at all."""
    whole: str
    """Its text as it is shown if nothing is left out."""

    @property
    def group(self) -> Hashable:
        """What it stands together with; what is not trusted stands alone."""
        alone = self.record.id if self.record.provenance.trust is Trust.UNTRUSTED else ""
        return self.section, self.day, self.marks, alone


Gists = Mapping[str, tuple[KeySentence, ...]]


def assemble(
    known: Background,
    found: Recollection,
    gists: Gists,
    budget: int,
) -> Context:
    """The sections, filled in order of what may least be left out."""
    stable = [
        (PROFILE, [_fact(fact) for fact in known.profile], PROFILE_TOKENS),
        (GOALS, [_task(task) for task in known.goals], GOALS_TOKENS),
        (RULES, [_rule(one) for one in known.behaviors], RULES_TOKENS),
        (NOTES, [_note(note) for note in known.notes], NOTES_TOKENS),
    ]
    frame = _frame(known.system, budget)
    way = _way(known.skill, budget - frame.tokens)
    fences = 1 + bool(known.profile or known.goals) + bool(known.notes)
    room = budget - frame.tokens - way.tokens - fences * FENCE_TOKENS
    shown = _showing(_one_each_untrusted(found.items), gists)
    first = _filled(stable, room, _caps(shown))
    new = _without(shown, {line.id for _, lines, _ in stable for line in lines})
    second = _asked(new, room - _used(first))
    first = _topped_up(stable, first, room - _used(first) - _used(second))
    untold = _without(shown, _ids(first))
    if len(untold) > len(new):  # known anyway, but there was no room to tell it as such
        second = _asked(untold, room - _used(first))
    made = _joined((frame, way), first, second, found)
    return replace(made, notes=(*made.notes, *_left_out(known.behaviors, made, budget)))


def _left_out(rules: Sequence[Behavior], made: Context, budget: int) -> Sequence[str]:
    """A note on rules that did not fit, if there are any."""
    section = made.section(RULES)
    cut = section.cut if section else len(rules)
    note = f"{cut} of {len(rules)} standing instructions did not fit into {budget} tokens"
    return (note,) if cut else ()


Plan = list[tuple[str, list[Line], int]]
Filled = list[tuple[Section, list[Line]]]


def _caps(shown: Sequence[Shown]) -> int:
    """The caps of the sections that depend on the question and have something to show."""
    titles = {one.section for one in shown}
    caps = {FACTS: FACTS_TOKENS, EPISODES: EPISODES_TOKENS}
    return sum(caps[title] for title in titles)


def _scale(plan: Plan, others: int, room: int) -> float:
    """How far the caps shrink to fit into the room there is; empty sections need none."""
    caps = sum(cap for _, lines, cap in plan if lines) + others
    return min(1.0, max(0, room) / caps) if caps else 1.0


def _filled(plan: Plan, room: int, others: int) -> Filled:
    """Rules first, then the other sections, each up to its cap or its share of what is left."""
    rules = next(lines for title, lines, _ in plan if title == RULES)
    kept = _section(RULES, rules, min(RULES_TOKENS, int(room * RULES_SHARE)))
    room -= _used(kept)
    rest = [each for each in plan if each[0] != RULES]
    scale = _scale(rest, others, room)
    filled: Filled = []
    for title, lines, cap in plan:
        if title == RULES:
            filled += kept
        else:
            used = sum(section.tokens for section, _ in filled if section.title != RULES)
            least = LEAST_PROFILE_TOKENS if title == PROFILE else 0
            # the less room there is, the more of it goes to what was asked
            allowed = max(int(cap * scale**2), min(int(cap * scale), least))
            filled += _section(title, lines, min(room - used, allowed))
    return filled


def _topped_up(plan: Plan, filled: Filled, spare: int) -> Filled:
    """The sections with what is left over, the most important first; none beyond its cap."""
    before = {section.title: (section, lines) for section, lines in filled}
    topped: Filled = []
    for title, lines, cap in plan:
        had = [before[title]] if title in before else []
        more = _section(title, lines, min(cap, _used(had) + spare))
        best = more if _used(more) > _used(had) else had
        spare -= _used(best) - _used(had)
        topped += best
    return topped


def _section(title: str, lines: Sequence[Line], allowed: int) -> Filled:
    """A section of the first lines that fit; nothing if none does."""
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


def _without(shown: Sequence[Shown], ids: Collection[str]) -> list[Shown]:
    return [one for one in shown if one.record.id not in ids]


def _ids(filled: Filled) -> tuple[str, ...]:
    return tuple(line.id for _, lines in filled for line in lines)


# ---- what depends on the question


def _showing(items: Sequence[Recalled], gists: Gists) -> list[Shown]:
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


def _asked(shown: Sequence[Shown], room: int) -> Filled:
    """What is worth most a token, as far as it fits; facts within their cap."""
    titles = {one.section for one in shown}
    headings = sum(token_estimate(_heading(title)[0] + "\n") for title in titles)
    frames = cache(token_estimate)  # the same for all of one day and source
    offers = [_offer(one, frames) for one in shown]
    caps = {FACTS: FACTS_TOKENS}
    lines: Lines = {}
    order = bought(offers, room - headings, GIST_LOSS, caps)
    filled = _sections(shown, order, lines)
    spare = room - _used(filled)
    if spare > 0:
        order = bought(offers, room - headings + spare, GIST_LOSS, caps)
        filled = _sections(shown, order, lines)
    while order and _used(filled) > room:
        order = order[:-1]  # tokens of parts are estimates
        filled = _sections(shown, order, lines)
    return filled


def _offer(one: Shown, frames: Callable[[str], int]) -> BudgetItem:
    text, spent = one.record.text, 0
    parts: list[BudgetPart] = []
    for start, end, share in one.gist:
        words = text[start:end]
        tokens = token_estimate(words if parts else quoted(f"{LEFT_OUT} {words}"))
        spent += tokens
        if parts and spent > ITEM_TOKENS:
            break
        parts.append(BudgetPart(share, tokens))
    return BudgetItem(
        value=rank_worth(one.rank, RANK_POWER),
        section=one.section,
        group=one.group,
        alone=frames(_placed(one, "", alone=True) + "\n"),
        beside=frames(_placed(one, "", alone=False) + "\n"),
        parts=tuple(parts) or (BudgetPart(1.0, token_estimate(one.whole)),),
    )


Lines = dict[tuple[str, int, bool], Line]
"""The lines made for this prompt so far: of which record, with how many parts, whether alone."""


def _sections(shown: Sequence[Shown], order: Sequence[int], lines: Lines) -> Filled:
    """What was chosen, the best first, with what is of the same day beneath it."""
    counts = Counter(order)
    filled: Filled = []
    for title in (FACTS, EPISODES):
        groups: dict[Hashable, list[tuple[Shown, int]]] = {}
        for place in sorted(counts):
            if shown[place].section == title:
                groups.setdefault(shown[place].group, []).append((shown[place], counts[place]))
        kept = [
            _placed_line(one, parts, place == 0, lines)
            for group in groups.values()
            for place, (one, parts) in enumerate(group)
        ]
        if kept:
            used = token_estimate(_heading(title)[0] + "\n") + sum(one.tokens for one in kept)
            cut = sum(one.section == title for one in shown) - len(kept)
            filled.append((Section(title, tuple(one.text for one in kept), used, cut), kept))
    return filled


def _placed_line(one: Shown, parts: int, alone: bool, lines: Lines) -> Line:
    key = one.record.id, parts, alone
    if key not in lines:
        lines[key] = _line(_placed(one, _said(one, parts), alone), one.record.id)
    return lines[key]


def _placed(one: Shown, said: str, alone: bool) -> str:
    """A line of its own, or one beneath another of the same day and source."""
    who = f"{quoted(one.record.speaker)}: " if one.record.speaker else ""
    return f"- [{one.day}] {who}{said}{one.marks}" if alone else f"  - {who}{said}"


def _said(one: Shown, parts: int) -> str:
    """The text whole, or so many of the sentences that tell most."""
    if parts < len(one.gist):
        spans = [(sentence.start, sentence.end) for sentence in one.gist[:parts]]
        return quoted(excerpt(one.record.text, spans))
    return one.whole


def _way(skill: str, room: int) -> Section:
    """How to answer: our own words or the user's, so they stand outside the data [PRM-12]."""
    text = _cut(skill, SKILL_TOKENS)
    if token_estimate(text) > room:
        text = ""  # half a skill is none
    return Section(SKILL, (text,) if text else (), token_estimate(text), int(text != skill.strip()))


def _frame(system: str, most: int) -> Section:
    """What stands outside the data: the caller's own words, and how to read the rest."""
    own = _cut(system, SYSTEM_TOKENS)
    lines = (own, RULE) if own else (RULE,)
    tokens = token_estimate("\n\n".join(lines))
    if tokens > most:
        whose = "your own words and how to read memories take" if own else "how to read them takes"
        raise InvalidInput(f"a budget of {most} tokens is too small: {whose} {tokens} already")
    return Section(SYSTEM, lines, tokens, int(own != system.strip()))


def _joined(
    frames: tuple[Section, Section],
    first: Filled,
    second: Filled,
    found: Recollection,
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
        tokens=token_estimate(text),
        sections=tuple(sections),
        decision=str(found.decision),
        confidence=found.confidence,
        ids=_ids([*first, *second]),
        notes=found.notes,
    )


def _heading(title: str) -> tuple[str, ...]:
    return (f"## {title}", PREAMBLE) if title == RULES else (f"## {title}",)


def _shown(filled: Filled) -> list[str]:
    return [line for one, _ in filled for line in (*_heading(one.title), *one.lines)]


# ---- one item, one line


def _rule(one: Behavior) -> Line:
    return _line(rule_line(one.rule, one.frequency), one.id)


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
    """Where something comes from; the user's own words need not say so."""
    return [] if trust is Trust.USER else [source.value]


def _marked(marks: Sequence[str]) -> str:
    return f" ({', '.join(marks)})" if marks else ""


def _line(text: str, id_: str) -> Line:
    return Line(text, id_, token_estimate(text + "\n"))


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


def _cut(text: str, most: int) -> str:
    """The beginning of a text that is too long, up to a word."""
    whole = text.strip()
    if token_estimate(whole) <= most:
        return whole
    words = whole.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        fits = token_estimate(" ".join(words[:middle])) < most
        low, high = (middle, high) if fits else (low, middle - 1)
    return " ".join(words[:low]) + "…" if low else "…"
