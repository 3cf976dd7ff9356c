"""What users say and what is done; what goes with success; what was meant [INTP-01…INTP-03]."""

from collections.abc import Mapping
from typing import Any

from sharpwave.experience.learners import rows
from sharpwave.experience.lessons import Lesson
from sharpwave.experience.matching import key_phrases, query_pattern
from sharpwave.formulas.significance import association, binomial_tail, separation
from sharpwave.tallies import Row, Sheet
from sharpwave.types.experience import FeedbackType, LearnedPattern, PatternType

INTENT = "intent"
CORRECTION = "correction"
STATE = "state"
DONE = "done"
FEATURES = "features"
_MOST_ACTIONS = 32
_MOST_TARGETS = 8
_TARGET_CHARS = 120
_MOST_FEATURES = 256
_SHOWN = 5
_CHARS = 300


def learn(lesson: Lesson, sheet: Sheet) -> None:
    """Count which words led to which actions, how it ended, and what was misunderstood."""
    _learn_intent(lesson, sheet)
    if lesson.success is not None and lesson.acts:
        _learn_success(lesson, sheet)
    wrong = lesson.feedback_type in (FeedbackType.CORRECTION, FeedbackType.REJECTION)
    if wrong and lesson.feedback:
        _learn_correction(lesson, sheet)


def _learn_intent(lesson: Lesson, sheet: Sheet) -> None:
    done = list(dict.fromkeys(lesson.order))
    if not done or not lesson.is_cycle:
        return
    totals = sheet.edit(STATE, DONE)
    totals["n"] = totals.get("n", 0) + 1
    for action in done:
        rows.count(totals.setdefault("a", {}), action, 2000)
    phrases = key_phrases(lesson.query)
    sheet.fetch(INTENT, phrases)
    sheet.fetch(rows.RARE + INTENT, phrases)
    for phrase in phrases:
        row = rows.tiered(sheet, INTENT, phrase)
        rows.note(row, lesson.id, lesson.at)
        for action in done:
            rows.count(row.setdefault("a", {}), action, _MOST_ACTIONS)
        _count_targets(row.setdefault("t", {}), lesson, row["a"])
        rows.outcome(row, lesson.success)
        rows.put_tiered(sheet, INTENT, phrase, row)


def _count_targets(counts: Row, lesson: Lesson, kept: Mapping[str, int]) -> None:
    """What each action was done to: a word leads to a file as well as to opening it [INTP-01]."""
    done = {(act.name, rows.short(act.target, _TARGET_CHARS)) for act in lesson.acts if act.target}
    for action, target in sorted(done):
        rows.count(counts.setdefault(action, {}), target, _MOST_TARGETS)
    for action in counts.keys() - kept.keys():
        del counts[action]


def _learn_success(lesson: Lesson, sheet: Sheet) -> None:
    row = sheet.edit(STATE, FEATURES)
    counts: dict[str, list[int]] = row.setdefault("f", {})
    for feature in _features(lesson):
        if feature in counts or len(counts) < _MOST_FEATURES:
            seen = counts.setdefault(feature, [0, 0])
            seen[0 if lesson.success else 1] += 1
    field = "ok" if lesson.success else "bad"
    row[field] = row.get(field, 0) + 1
    rows.note(row, lesson.id, lesson.at)


def _features(lesson: Lesson) -> list[str]:
    order = lesson.order
    size = "few" if len(order) <= 3 else "some" if len(order) <= 8 else "many"
    found = [f"did {name}" for name in dict.fromkeys(order)]
    found += [f"ended with {order[-1]}", f"took {size} steps"]
    if lesson.plan:
        kept = list(lesson.plan) == order[: len(lesson.plan)]
        found.append("kept to the plan" if kept else "left the plan")
    if lesson.role:
        found.append(f"acted as {lesson.role}")
    return found


def _learn_correction(lesson: Lesson, sheet: Sheet) -> None:
    row = sheet.edit(CORRECTION, _corrected(lesson, sheet))
    rows.note(row, lesson.id, lesson.at)
    meant = row.get("meant", ())
    row.update(correction_row(lesson))
    row["meant"] = [*meant, *row["meant"]][-_SHOWN:]


def correction_row(lesson: Lesson) -> Row:
    """What a corrected lesson says: the query, what was done, what was meant."""
    did = lesson.interpretation or " → ".join(lesson.order[:_SHOWN])
    return {
        "query": lesson.query[:_CHARS],
        "did": did,
        "meant": [str(lesson.feedback)[:_CHARS]],
    }


def correction(row: Row) -> str:
    """A correction in words."""
    return f'"{row["query"]}" was taken for: {row["did"]}. Meant was: {row["meant"][-1]}'


def _corrected(lesson: Lesson, sheet: Sheet) -> str:
    """The correction that a lesson belongs to: one of the same meaning, or of the same words."""
    if lesson.same_as is not None:
        for name, row in sheet.rows(CORRECTION).items():
            if lesson.same_as in row["ev"]:
                return name
    return rows.short(query_pattern(lesson.query))


def patterns(sheet: Sheet) -> list[LearnedPattern]:
    """Intents, marks of success and corrections that are more than chance."""
    return [
        *_intents(sheet),
        *_successes(sheet),
        *(_correction(name, row) for name, row in sheet.rows(CORRECTION).items()),
    ]


def patterns_of(sheet: Sheet, words: set[str]) -> list[LearnedPattern]:
    """The intents that the words of a query match, without reading all intents."""
    phrases = sorted(words)
    sheet.fetch(INTENT, phrases)
    totals = sheet.row(STATE, DONE)
    tests = max(1, sheet.row(STATE, rows.LISTED).get(INTENT, 1))
    found = []
    for phrase in phrases:
        row = sheet.row(INTENT, phrase)
        if row and (actions := _follows(row, totals, tests)):
            found.append(_intent(phrase, row, actions))
    return found


def _intents(sheet: Sheet) -> list[LearnedPattern]:
    totals = sheet.row(STATE, DONE)
    found: list[LearnedPattern] = []
    every = sheet.rows(INTENT)
    for phrase, row in sorted(every.items(), key=lambda item: (-len(item[0].split()), item[0])):
        actions = _follows(row, totals, len(every))
        if not actions:
            continue
        covered = any(
            pattern.steps == tuple(actions) and set(phrase.split()) <= set(pattern.contexts)
            for pattern in found
        )
        if not covered:
            found.append(_intent(phrase, row, actions))
    return found


def _follows(row: Row, totals: Mapping[str, Any], tests: int) -> list[str]:
    """The actions that come with a phrase in most cases, and more often than without it."""
    found = []
    for action, times in row["a"].items():
        if times < row["n"] * rows.MIN_SIMILARITY:
            continue
        usual = totals["a"].get(action, times) / totals["n"]
        chance = binomial_tail(row["n"], usual, times) * tests * len(row["a"])
        if chance < rows.MAX_CHANCE:
            found.append(action)
    return found


def _intent(phrase: str, row: Row, actions: list[str]) -> LearnedPattern:
    targets = [_target(row, action) for action in actions]
    steps = ", ".join(
        f"{action} {target} ({row['t'][action][target]} of {row['n']} times)"
        if target
        else f"{action} ({row['a'][action]} of {row['n']} times)"
        for action, target in zip(actions, targets, strict=True)
    )
    return rows.pattern(
        PatternType.INTENT,
        phrase,
        row,
        name=f'Intent: "{phrase}"',
        description=f'A query about "{phrase}" leads to {steps}.',
        steps=tuple(actions),
        targets=tuple(targets) if any(targets) else (),
        contexts=tuple(phrase.split()),
    )


def _target(row: Row, action: str) -> str | None:
    """What an action is nearly always done to, after this phrase; None if that varies."""
    counts: dict[str, int] = row.get("t", {}).get(action, {})
    best = max(counts, key=lambda target: counts[target], default=None)
    enough = best is not None and counts[best] >= row["a"][action] * rows.MIN_SIMILARITY
    return best if enough else None


def _successes(sheet: Sheet) -> list[LearnedPattern]:
    row = sheet.row(STATE, FEATURES)
    good, bad = row.get("ok", 0), row.get("bad", 0)
    found = []
    for feature, (with_ok, with_bad) in row.get("f", {}).items():
        table = (with_ok, with_bad, good - with_ok, bad - with_bad)
        chance = separation(*table, limit=rows.MAX_CHANCE / len(row["f"])) * len(row["f"])
        if chance < rows.MAX_CHANCE:
            better = "more" if association(*table) > 0 else "less"
            rate = with_ok / (with_ok + with_bad)
            usual = good / (good + bad)
            text = (
                f"Interactions that {feature} succeed {better} often: {rate:.0%} against "
                f"{usual:.0%} of all."
            )
            seen = {**row, "n": with_ok + with_bad, "ok": with_ok, "bad": with_bad, "conf": rate}
            steps = (feature.removeprefix("did "),) if feature.startswith("did ") else ()
            found.append(
                rows.pattern(
                    PatternType.SUCCESS,
                    feature,
                    seen,
                    name=f"Success: {feature}",
                    description=text,
                    steps=steps,
                    chance=chance,
                )
            )
    return found


def _correction(name: str, row: Row) -> LearnedPattern:
    return rows.pattern(
        PatternType.CORRECTION,
        name,
        {**row, "bad": row["n"]},
        name=f"Correction: {row['query'][:80]}",
        description=correction(row),
        steps=(),
        solutions=tuple(row["meant"][::-1]),
    )
