"""What a file of the corpus must hold to, texts that resemble each other, and agreement."""

import json
import re
from calendar import day_name, month_name
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from evals.people import KINDS, MODES, Label, Person, meets

LABELS = ("facts", "tasks", "rules", "wrong")
WEEKDAYS = tuple(name.lower() for name in day_name)
_MONTHS = {name.lower(): number for number, name in enumerate(month_name) if name}
_DAY, _MONTH = "|".join(WEEKDAYS), "|".join(_MONTHS)
_DATE = re.compile(
    rf"\b({_DAY}),? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b"
    rf"|\b({_DAY}),? ({_MONTH}) (\d{{1,2}})\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")


# --- form -----------------------------------------------------------------------------------------


def problems(raw: Mapping[str, Any]) -> list[str]:
    """What is wrong with a person's file, each in a sentence."""
    turns = {turn["id"]: turn for session in raw["sessions"] for turn in session["turns"]}
    listed = [turn["id"] for session in raw["sessions"] for turn in session["turns"]]
    found = [f"{id_} stands twice" for id_, count in Counter(listed).items() if count > 1]
    starts = [_moment(session["at"]) for session in raw["sessions"]]
    if any(later <= earlier for earlier, later in pairwise(starts)):
        found.append("sessions are not in order")
    for session in raw["sessions"]:
        for turn in session["turns"]:
            found += [f"{turn['id']}: {text}" for text in _of_turn(turn, _moment(session["at"]))]
    for question in raw["questions"]:
        found += [f"{question['id']}: {text}" for text in _of_question(question, turns, starts[-1])]
    for request in raw["helps"]:
        found += [f"{request['id']}: {text}" for text in _of_help(request, turns)]
    return found


def _of_turn(turn: Mapping[str, Any], at: datetime) -> Iterator[str]:
    if turn["role"] not in ("user", "assistant"):
        yield f"no such role as {turn['role']!r}"
    for label in (label for kind in LABELS for label in turn.get(kind, ())):
        if not _is_need(label["need"]):
            yield f"need {label['need']} is not groups of words"
        elif "say" in label and not meets(_tuples(label["need"]), label["say"]):
            yield f"need does not meet its own {label['say']!r}"
        yield from _weekdays(f"{turn['text']} {label.get('say', '')}", at.date())
    for fact in turn.get("facts", ()):
        if fact["mode"] not in MODES:
            yield f"no such mode as {fact['mode']!r}"
    for task in turn.get("tasks", ()):
        if task.get("due"):
            yield from _due(date.fromisoformat(task["due"]), turn["text"], at.date())


def _weekdays(text: str, on: date) -> Iterator[str]:
    """Dates with a weekday that is another one that year and the next."""
    for match in _DATE.finditer(text):
        first, day, month, other, other_month, other_day = match.groups()
        name, number = first or other, int(day or other_day)
        month_number = _MONTHS[(month or other_month).lower()]
        years = (on.year - 1, on.year, on.year + 1)
        if not any(_weekday(year, month_number, number) == name.lower() for year in years):
            yield f"{match[0]!r} is another weekday"


def _weekday(year: int, month: int, day: int) -> str:
    try:
        return WEEKDAYS[date(year, month, day).weekday()]
    except ValueError:
        return ""


def _due(due: date, text: str, on: date) -> Iterator[str]:
    """A day that is due soon, where the text names just one day, and that is another one."""
    words = set(_WORD.findall(text.lower()))
    named = {day for day in WEEKDAYS if day in words}
    meant = WEEKDAYS[due.weekday()]
    is_named = meant[:3] in words or ("tomorrow" in words and due == on + timedelta(days=1))
    soon = on <= due <= on + timedelta(days=8)
    if due < on:
        yield f"due {due} is before the talk"
    elif soon and len(named) == 1 and meant not in named and not is_named:
        yield f"due {due} is a {meant}, the text says {named.pop()}"


def _of_question(
    question: Mapping[str, Any], turns: Mapping[str, Any], last: datetime
) -> Iterator[str]:
    if question["kind"] not in KINDS:
        yield f"no such kind as {question['kind']!r}"
    if _moment(question["at"]) <= last:
        yield "asked before the end"
    unknown = [id_ for id_ in question["evidence"] if id_ not in turns]
    if unknown:
        yield f"no such evidence as {unknown}"
    if (question["kind"] == "absent") != (not question["answer"] or not question["evidence"]):
        yield "an answer and evidence, unless it was never mentioned"
    elif question["kind"] in ("current", "history", "person"):
        said = " ".join(_told(turns[id_]) for id_ in question["evidence"] if id_ in turns)
        if not any(meets((tuple(group),), said) for group in question["answer"]):
            yield "the answer is not in the evidence"


def _of_help(request: Mapping[str, Any], turns: Mapping[str, Any]) -> Iterator[str]:
    if not request["must"]:
        yield "nothing is needed"
    for must in request["must"]:
        said = " ".join(_told(turns[id_]) for id_ in must["evidence"] if id_ in turns)
        if not meets(_tuples(must["need"]), said):
            yield f"{must['need']} is not in its evidence"


def _told(turn: Mapping[str, Any]) -> str:
    says = [label["say"] for kind in LABELS[:3] for label in turn.get(kind, ())]
    return " ".join([turn["text"], *says])


def _is_need(need: Any) -> bool:
    return bool(need) and all(
        isinstance(group, list) and group and all(isinstance(part, str) and part for part in group)
        for group in need
    )


def _tuples(need: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(group) for group in need)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


# --- texts that resemble each other ---------------------------------------------------------------

SHINGLE = 3
"""Words in a row."""
ALIKE = 0.5
"""Share of the shorter text's rows of words that both have."""
LEAST_ROWS = 6
"""Fewer are alike without having been copied ("what is the name of my …")."""


class Alike(NamedTuple):
    """Two texts that have much in common."""

    share: float
    one: str
    other: str
    text: str


def alike(texts: Mapping[str, str], others: Mapping[str, str] | None = None) -> list[Alike]:
    """Pairs of texts that have most of their words in a row in common, by name of the text."""
    rows = {name: _rows(text) for name, text in {**(others or {}), **texts}.items()}
    holding: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    found = []
    for name, own in rows.items():
        shared = Counter(other for row in own for other in holding[row])
        for other, count in shared.items():
            share = count / min(len(own), len(rows[other]))
            if count >= LEAST_ROWS and share >= ALIKE and (name in texts or other in texts):
                text = texts.get(name) or texts.get(other, "")
                found.append(Alike(share, other, name, text))
        for row in own:
            holding[row].append(name)
    return sorted(found, reverse=True)


def _rows(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return {tuple(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)}


def turns_of(files: Iterable[Path]) -> dict[str, str]:
    """The user's turns of some files, by person and turn."""
    texts = {}
    for file in files:
        raw = json.loads(file.read_text("utf-8"))
        for session in raw["sessions"]:
            for turn in session["turns"]:
                if turn["role"] == "user":
                    texts[f"{raw['id']} {turn['id']}"] = turn["text"]
        for asked in (*raw["questions"], *raw["helps"]):
            texts[f"{raw['id']} {asked['id']}"] = asked["text"]
    return texts


# --- agreement ------------------------------------------------------------------------------------


class Agreement(NamedTuple):
    """How far two people who labelled the same turns agree."""

    f1: dict[str, float]
    """Facts, tasks and rules: what both have, of what either has."""
    mode: float
    """Of facts that both have, how many in the same mode."""
    due: float
    only: list[str]
    """What only one has, in words."""


def agreement(first: Sequence[Person], second: Sequence[Person]) -> Agreement:
    """Labels of the same turns, compared; a label is the same if either meets the other's need."""
    again = {(person.id, turn.id): turn for person in second for turn in person.turns}
    both: Counter[str] = Counter()
    of: Counter[str] = Counter()
    same_mode = same_due = with_due = 0
    only: list[str] = []
    for person in first:
        for turn in person.turns:
            other = again[person.id, turn.id]
            for kind in LABELS[:3]:
                pairs, left = _paired(getattr(turn, kind), getattr(other, kind))
                both[kind] += len(pairs)
                of[kind] += len(getattr(turn, kind)) + len(getattr(other, kind))
                same_mode += sum(one.mode == two.mode for one, two in pairs if kind == "facts")
                dated = [(one.due, two.due) for one, two in pairs if one.due or two.due]
                same_due += sum(one == two for one, two in dated)
                with_due += len(dated)
                only += [f"{person.id} {turn.id} {kind}: {label.say}" for label in left]
    return Agreement(
        {kind: 2 * both[kind] / max(1, of[kind]) for kind in LABELS[:3]},
        same_mode / max(1, both["facts"]),
        same_due / max(1, with_due),
        only,
    )


def _paired(
    first: Sequence[Label], second: Sequence[Label]
) -> tuple[list[tuple[Label, Label]], list[Label]]:
    left, pairs, alone = list(second), [], []
    for one in first:
        two = next((x for x in left if meets(one.need, x.say) or meets(x.need, one.say)), None)
        if two is None:
            alone.append(one)
        else:
            left.remove(two)
            pairs.append((one, two))
    return pairs, [*alone, *left]


def question_problems(raw: dict[str, Any], lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What is wrong with the further questions about a person: turns or words not there."""
    own = _own_turns(raw)
    for number, line in enumerate(lines, start=1):
        named = [line[key] for key in ("was", "now") if key in line]
        ids = [*line.get("evidence", ()), *line.get("outdated", ())]
        missing = [id_ for id_ in ids if id_ not in own]
        yield from (f"question {number}: no turn {id_} of the user" for id_ in missing)
        yield from _not_there(f"question {number}", named, own)


def later_problems(raw: dict[str, Any], lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The same of later messages."""
    own = _own_turns(raw)
    for number, line in enumerate(lines, start=1):
        named = [(id_, words) for id_, words, *_ in (*line["changes"], *line["stays"])]
        told = [("", words) for _, _, _, *now in line["changes"] for words in now]
        yield from _not_there(f"later message {number}", [*named, *told], own | {"": line["text"]})


def _own_turns(raw: dict[str, Any]) -> dict[str, str]:
    return {
        turn["id"]: turn["text"]
        for session in raw["sessions"]
        for turn in session["turns"]
        if turn["role"] == "user"
    }


def _not_there(
    where: str, named: Sequence[tuple[str, str]], own: Mapping[str, str]
) -> Iterator[str]:
    for id_, words in named:
        if words not in own.get(id_, ""):
            yield f"{where}: {words!r} is not in {id_ or 'its text'}"
