"""Settle notes and tasks against the known ones: repeated, new, changed or done."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from sharpwave.formulas.relevance import note_priority
from sharpwave.formulas.text import stem
from sharpwave.knowledge.draft import NOVELTY_COSINE, Draft, Extracted, learned, slot_of
from sharpwave.temporal.words import MANY_WEEKDAYS, MONTHS, WEEKDAYS
from sharpwave.types.answers import Verdict
from sharpwave.types.known import TASK_STATES
from sharpwave.types.records import OPEN_TASK, USER, Kind, Record, State, Statement
from sharpwave.types.statements import TaskStatus

MAX_NOTES = 100
"""Maximum number of notes; those of the lowest priority are dropped first [REF-07]."""
NOTE_CONFIDENCE = 0.7
"""Confidence of a note that was not rated [REF-05]."""
NOTE_IMPORTANCE, TASK_IMPORTANCE = 0.4, 0.6
NOTE_TAU_DAYS = 30.0
"""Days without being seen after which a note's priority has fallen to 1/e."""
SAME_TASK_SHARE = 0.75
"""Minimum share of common words in two titles of the same task."""
DONE_TASK_SHARE = 0.5
"""Minimum share of common words between a task and a statement that it is finished."""
DONE_COSINE, DROPPED_COSINE = 0.75, 0.64
"""Minimum cosine between a task and a clause that says it is done, or dropped."""
NOTE = "note"


def note_slot() -> str:
    """The slot of the notes about the user."""
    return slot_of(USER, NOTE)


def settle_note(draft: Draft, extracted: Extracted) -> None:
    """Decide on a note; beyond MAX_NOTES those of the lowest priority are dropped."""
    kept = [r for r in draft.in_slot(note_slot()) if r.standing.state is State.ACTIVE]
    text = extracted.candidate.text
    texts = [note.text for note in kept]
    near = texts.index(text) if text in texts else draft.alike(text, texts, NOVELTY_COSINE)
    if near is not None:
        draft.say(Verdict.REINFORCED, extracted, draft.support(kept[near], extracted))
        return
    new = draft.add(_new_note(draft, extracted))
    draft.say(Verdict.ACCEPTED, extracted, new)
    ranked = sorted([*kept, new], key=lambda note: (_priority(note, draft), note.recorded_at))
    for note in ranked[: max(0, len(ranked) - MAX_NOTES)]:
        draft.close(note, draft.now, state=State.INVALIDATED)


def _priority(note: Record, draft: Draft) -> float:
    standing = note.standing
    age = (draft.now - standing.last_seen_at) / timedelta(days=1)
    return note_priority(standing.importance, standing.confidence, age, NOTE_TAU_DAYS)


def _new_note(draft: Draft, extracted: Extracted) -> Record:
    statement = Statement(USER, NOTE, extracted.candidate.text)
    note = learned(draft, extracted, Kind.NOTE, statement)
    sure = min(note.standing.confidence, NOTE_CONFIDENCE)
    standing = replace(note.standing, importance=NOTE_IMPORTANCE, confidence=sure)
    return replace(note, standing=standing, slot=note_slot())


TASK = "task"
_OVER = frozenset({State.DONE, State.SUPERSEDED, State.INVALIDATED})


def task_slot(subject: str = USER) -> str:
    """The slot of a person's tasks."""
    return slot_of(subject, TASK)


def settle_task(draft: Draft, extracted: Extracted, subject: str) -> None:
    """Decide on a statement about a task."""
    candidate = extracted.candidate
    status = candidate.status or TaskStatus.ACTIVE
    tasks = draft.in_slot(task_slot(subject))
    known = _matching_task(
        [r for r in tasks if r.standing.state in OPEN_TASK], candidate.text, status, draft
    )
    settled_since = [
        r for r in tasks if r.standing.state in _OVER and _settled_since(r, extracted, draft)
    ]
    settled = (
        _matching_task(settled_since, candidate.text, TaskStatus.ACTIVE, draft)
        if known is None
        else None
    )
    if settled is not None:
        draft.say(Verdict.REJECTED, extracted, settled, "it has been settled since then")
    elif status is not TaskStatus.ACTIVE:
        move_on(draft, extracted, known, TASK_STATES[status])
    elif known is None:
        draft.say(Verdict.ACCEPTED, extracted, draft.add(new_task(draft, extracted, subject)))
    elif _SENTENCES.search(known.text) and not draft.supports(extracted, known):
        # the rest of the first turn's text, and its day, must not outlast that turn
        loses_day = known.due is not None and candidate.due is None
        if loses_day or draft.is_after(known.standing.last_seen_at, extracted):
            draft.say(Verdict.REINFORCED, extracted, known)
            return
        new = draft.add(new_task(draft, extracted, subject, title=candidate.text))
        draft.close(known, draft.said_at(extracted), state=State.SUPERSEDED, superseded_by=new.id)
        draft.say(Verdict.VERSIONED, extracted, new, "said anew")
    elif candidate.due not in (None, known.due) and not draft.is_after(
        known.standing.last_seen_at, extracted
    ):
        new = draft.add(new_task(draft, extracted, subject, title=known.text))
        draft.close(known, draft.said_at(extracted), state=State.SUPERSEDED, superseded_by=new.id)
        draft.say(Verdict.VERSIONED, extracted, new, f"now due {candidate.due:%Y-%m-%d}")
    else:
        draft.say(Verdict.REINFORCED, extracted, draft.support(known, extracted))


def settle_by_deed(
    draft: Draft, extracted: Extracted, subject: str, may_end: Callable[[str], bool]
) -> bool:
    """Close the open task that the same person finished or dropped; False if there is none.

    `may_end` checks the task's text once more before it counts as done.
    """
    candidate = extracted.candidate
    status = candidate.status or TaskStatus.DONE
    tasks = [r for r in draft.in_slot(task_slot(subject)) if r.standing.state in OPEN_TASK]
    least = DONE_COSINE if status is TaskStatus.DONE else DROPPED_COSINE
    several = [r for r in tasks if len(content_words(r.text) & content_words(candidate.text)) > 1]
    known = _matching_task(several, candidate.text, TaskStatus.ACTIVE, draft)
    if known is None and status is TaskStatus.DROPPED:
        named = [r for r in tasks if content_words(candidate.text) <= content_words(r.text)]
        known = named[0] if len(named) == 1 else None
    if known is None:
        near = draft.alike(candidate.text, [r.text for r in tasks], least)
        known = None if near is None else tasks[near]
    if known is None or draft.is_after(known.standing.last_seen_at, extracted):
        return False
    if status is TaskStatus.DONE and not may_end(known.text):
        return False
    if status is TaskStatus.DONE and _is_partly_done(known, extracted, draft):
        draft.say(Verdict.REINFORCED, extracted, known, "partly done")
    else:
        move_on(draft, extracted, known, TASK_STATES[status])
    return True


def _is_partly_done(task: Record, extracted: Extracted, draft: Draft) -> bool:
    """True if a task of several parts has a part that no clause of this turn says is done.

    A clause that names no part is about all of them: "called them both".
    """
    if _FULL_SENTENCE.search(task.text):
        return False
    verb = content_words(next(iter(_WORD.findall(task.text)), ""))
    words = [content_words(part) for part in _AND.split(task.text) if _WORD.search(part)]
    parts = [part - verb or part for part in words]
    mentioned = content_words(extracted.candidate.text)
    done = draft.done.setdefault((task.id, extracted.turn.id), set())
    done |= mentioned
    names_part = any(mentioned & part for part in parts)
    return names_part and not all(done & part for part in parts)


_FULL_SENTENCE = re.compile(r"[.!?,\u2026]$|\b(?:i|i['\u2019]\w+|me|my|we)\b", re.IGNORECASE)
"""A whole sentence, which is not a list of things to do."""
_SENTENCES = re.compile(r"[.!?\u2026]\s")
_AND = re.compile(r",|&|\b(?:and|plus|as well as)\b|\s\(.*", re.IGNORECASE)


def _matching_task(
    tasks: list[Record], title: str, status: TaskStatus, draft: Draft
) -> Record | None:
    """The task that a title is about: the most common words, or the same meaning.

    An active task with a one-word title, such as "vote", only matches exactly.
    """
    needed = SAME_TASK_SHARE if status is TaskStatus.ACTIVE else DONE_TASK_SHARE
    if status is TaskStatus.ACTIVE:
        words = title.casefold().split()
        named = ((task, task.text.casefold().split()) for task in tasks)
        tasks = [
            task
            for task, own in named
            if own == words
            or (min(len(own), len(words)) > 1 and not _names_differ(task.text, title))
        ]
    best = max(tasks, key=lambda task: (shared(task.text, title), task.number), default=None)
    if best is not None and shared(best.text, title) >= needed:
        return best
    near = draft.alike(title, [task.text for task in tasks], NOVELTY_COSINE)
    return None if near is None else tasks[near]


def _names_differ(text: str, title: str) -> bool:
    """True if each of two titles has a name that the other lacks: "Call Ana", "Call Tom".

    >>> _names_differ("Call Ana on 7 May", "Call Tom on 7 May"), _names_differ("Call Ana", "Call")
    (True, False)
    """
    first, second = (set(_NAME.findall(words)) - _DAY_NAMES for words in (text, title))
    return bool(first - second and second - first)


_NAME = re.compile(r"(?<=[^\W_] )[A-Z]\w+")
_DAY_NAMES = {word.capitalize() for word in (*WEEKDAYS, *MANY_WEEKDAYS, *MONTHS)}


def _settled_since(task: Record, extracted: Extracted, draft: Draft) -> bool:
    """True if a task was settled after this was stated, or by this turn."""
    settled_after = task.valid_to is not None and draft.is_after(task.valid_to, extracted)
    return settled_after or draft.supports(extracted, task)


def move_on(draft: Draft, extracted: Extracted, known: Record | None, state: State) -> None:
    """Mark a task as done, dropped or stalled."""
    if known is None:
        draft.say(Verdict.REJECTED, extracted, reason="there is no open task like this")
        return
    moved = draft.support(known, extracted)
    if state is not State.STALLED:
        moved = draft.close(moved, draft.said_at(extracted), state=state)
        draft.say(Verdict.CLOSED, extracted, moved, "done" if state is State.DONE else "dropped")
    else:
        draft.say(Verdict.VERSIONED, extracted, draft.revise(moved, state=state), "stalled")


def new_task(draft: Draft, extracted: Extracted, subject: str, title: str | None = None) -> Record:
    """The record of a task."""
    statement = Statement(subject, TASK, title or extracted.candidate.text)
    task = learned(draft, extracted, Kind.TASK, statement)
    standing = replace(task.standing, importance=TASK_IMPORTANCE)
    return replace(task, standing=standing, due=extracted.candidate.due, slot=task_slot(subject))


_WORD = re.compile(r"[^\W_]+")
_EMPTY = frozenset(
    "a an the to for of in on at with and or my our his her their your i we it this that is be do "
    "get got have has need needs must should will finally already just".split()
)


def content_words(text: str) -> frozenset[str]:
    """The stems of the content words.

    >>> sorted(content_words("Finally booked the flights to Porto"))
    ['book', 'flight', 'porto']
    """
    words = _WORD.findall(text.casefold())
    kept = [word for word in words if word not in _EMPTY] or words
    return frozenset(stem(word) for word in kept)


def shared(first: str, second: str) -> float:
    """Share of the shorter text's content words that are also in the other text.

    >>> shared("book flights", "I booked the flights to Porto")
    1.0
    """
    first_words, second_words = content_words(first), content_words(second)
    fewest = min(len(first_words), len(second_words))
    return len(first_words & second_words) / fewest if fewest else 0.0
