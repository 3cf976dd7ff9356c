"""`temporal`: how many time expressions are resolved as the reference does, beside dateparser.

The cases are those of Recognizers-Text (`temporal/datetime_en_dev.json`): a text, the moment it
was said, and for each expression its place, its type and one or more resolutions. All moments are
read in UTC; a case without a moment is said on 2016-11-07, as most of them are.

An expression of the reference counts as right if one of ours overlaps it, is of the same type,
and equals one of its resolutions:

    date                 the day that `start` to `end` cover
    datetime, time       `start`; of a time only the time of day
    ranges               `start` and `end`, both; a missing one is open. The reference ends "from
                         Monday to Friday" and "until Friday" where Friday begins, and starts
                         "after Friday" there too: where ours says a `bound`, that is compared.
                         An end of 23:59:59 is the midnight after it.
    duration             `seconds`
    "not resolved"       `timex` (repetitions and seasons have no other value)

dateparser knows moments only: on any type it counts as right if its moment is on the day (of
times: at the time) on which a resolution starts; types without a start, such as durations, are
beyond it. That favours it. Texts for which the reference has nothing show what is found in error.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Annotated, Any

import typer
from rich.table import Table

from evals import cli
from evals.cli import SHARED, Data, Json
from evals.parts import find_times
from evals.sets import in_form, read_json
from sharpwave import NotFound
from sharpwave.types.statements import Span
from sharpwave.types.times import TimeExpression, TimeKind, TimeRelation

TARGETED = ("date", "daterange", "datetime", "duration")
OURS, PEER = "sharpwave", "dateparser"
_USUAL_MOMENT = "2016-11-07T00:00:00"
_UNRESOLVED = "not resolved"

Values = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Reference:
    """One expression as the reference has it."""

    type: str
    text: str
    span: Span
    values: Values


@dataclass(frozen=True, slots=True)
class TimeCase:
    """A text, when it was said, and what it should be found to say."""

    text: str
    at: datetime
    expressions: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """How many of how many."""

    right: int
    of: int

    @property
    def share(self) -> float:
        """In [0, 1]."""
        return self.right / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class TemporalResult:
    """One finder on all cases."""

    name: str
    types: dict[str, Count]
    targeted: Count
    """Over the types date, daterange, datetime and duration."""
    overall: Count
    found_in_error: Count
    """Texts without any expression in which one was found."""
    cpu_ms: float
    """A text, the mean."""


@dataclass(frozen=True, slots=True)
class TemporalComparison:
    """Every finder that is there, what was missing, and what ours resolves otherwise."""

    results: tuple[TemporalResult, ...]
    notes: tuple[str, ...]
    missed: tuple[str, ...]


Judged = Callable[[TimeCase], tuple[list[bool], bool]]
"""Whether each expression of the case is right, and whether anything was found at all."""


def compare(folder: Path) -> TemporalComparison:
    """Measure ours and, where it is installed, dateparser on the same cases."""
    cases = load(folder)
    notes = []
    results = [_measure(OURS, cases, _judge_ours)]
    try:
        results.append(_measure(PEER, cases, _dateparser()))
    except NotFound as error:
        notes.append(f"{PEER} left out: {error}")
    missed = [
        f"{expression.type}: {expression.text!r} in {case.text!r} ({case.at:%Y-%m-%d %H:%M})"
        for case in cases
        for expression, right in zip(case.expressions, _judge_ours(case)[0], strict=True)
        if not right
    ]
    return TemporalComparison(tuple(results), tuple(notes), tuple(missed))


def load(data: Path) -> list[TimeCase]:
    """Read the cases; NotFound says what is missing."""
    contents = read_json("temporal", data)
    with in_form("temporal", data):
        return [_case(row) for content in contents for row in content]


def _case(row: Mapping[str, Any]) -> TimeCase:
    said = (row.get("Context") or {}).get("ReferenceDateTime", _USUAL_MOMENT)
    expressions = [
        Reference(
            result.get("TypeName", result.get("Typename", "")).rpartition(".")[2],
            result["Text"],
            Span(result["Start"], result["End"] + 1),
            (result.get("Resolution") or {}).get("values", ()),
        )
        for result in row["Results"]
    ]
    at = datetime.fromisoformat(said).replace(tzinfo=UTC)
    return TimeCase(row["Input"], at, tuple(expressions))


def _measure(name: str, cases: Sequence[TimeCase], judge: Judged) -> TemporalResult:
    judge(TimeCase("warm up on 3 May 2019", cases[0].at if cases else _at(_USUAL_MOMENT), ()))
    started = process_time()
    judged = [judge(case) for case in cases]
    cpu_ms = (process_time() - started) * 1000 / max(len(cases), 1)
    outcomes: dict[str, list[bool]] = {}
    for case, (right, _) in zip(cases, judged, strict=True):
        for expression, each in zip(case.expressions, right, strict=True):
            outcomes.setdefault(expression.type, []).append(each)
    types = {name: Count(sum(all_), len(all_)) for name, all_ in sorted(outcomes.items())}
    empty = [found for case, (_, found) in zip(cases, judged, strict=True) if not case.expressions]
    wrong = Count(sum(empty), len(empty))
    targeted = _total([each for type_, each in types.items() if type_ in TARGETED])
    return TemporalResult(name, types, targeted, _total(types.values()), wrong, cpu_ms)


def _total(counts: Any) -> Count:
    counted = list(counts)
    return Count(sum(each.right for each in counted), sum(each.of for each in counted))


# --- ours -----------------------------------------------------------------------------------------


def _judge_ours(case: TimeCase) -> tuple[list[bool], bool]:
    found = find_times(case.text, case.at)
    right = [any(is_right(each, expression) for each in found) for expression in case.expressions]
    return right, bool(found)


def is_right(ours: TimeExpression, reference: Reference) -> bool:
    """By the rule at the top."""
    if not _overlap(ours.span, reference.span) or ours.kind.value != reference.type:
        return False
    return any(_equal(ours, value) for value in reference.values)


def _overlap(first: Span, other: Span) -> bool:
    return first.start < other.end and other.start < first.end


def _equal(ours: TimeExpression, value: Mapping[str, str]) -> bool:
    if value.get("value") == _UNRESOLVED:
        return bool(ours.timex) and ours.timex == value.get("timex")
    if ours.kind is TimeKind.DURATION:
        return ours.seconds is not None and float(value["value"]) == ours.seconds
    if "value" in value:
        return _same_point(ours, value["value"])
    start, end = ours.start, ours.end
    if ours.bound is not None and ours.relation is TimeRelation.AFTER:
        start = ours.bound
    elif ours.bound is not None:
        end = ours.bound
    return _same(ours, start, value.get("start")) and _same(ours, end, value.get("end"), True)


def _same_point(ours: TimeExpression, value: str) -> bool:
    if ours.kind is TimeKind.DATE:
        whole = ours.start is not None and ours.end == ours.start + timedelta(days=1)
        return whole and _same(ours, ours.start, value)
    return _same(ours, ours.start, value)


def _same(
    ours: TimeExpression, moment: datetime | None, value: str | None, is_end: bool = False
) -> bool:
    if moment is None or value is None:
        return moment is None and value is None
    if ours.kind in (TimeKind.TIME, TimeKind.TIMERANGE):
        return f"{moment:%H:%M:%S}" == value
    expected = _at(value)
    if is_end and value.endswith("23:59:59"):
        expected += timedelta(seconds=1)
    return moment.replace(microsecond=0) == expected


def _at(value: str) -> datetime:
    return datetime.fromisoformat(value).replace(tzinfo=UTC)


# --- dateparser -----------------------------------------------------------------------------------


def _dateparser() -> Judged:
    if find_spec(PEER) is None:
        raise NotFound(f"the package {PEER} is not there; install it with pip")
    search = import_module(f"{PEER}.search").search_dates

    def judge(case: TimeCase) -> tuple[list[bool], bool]:
        base = case.at.replace(tzinfo=None)
        found = search(case.text, languages=["en"], settings={"RELATIVE_BASE": base}) or []
        placed = _place(case.text, found)
        right = [
            any(
                _overlap(span, expression.span) and _starts(moment, expression)
                for span, moment in placed
            )
            for expression in case.expressions
        ]
        return right, bool(found)

    return judge


def _place(text: str, found: Sequence[tuple[str, datetime]]) -> list[tuple[Span, datetime]]:
    placed, behind = [], 0
    for words, moment in found:
        start = max(text.find(words, behind), 0)
        behind = start + len(words)
        placed.append((Span(start, behind), moment.replace(tzinfo=None)))
    return placed


def _starts(moment: datetime, reference: Reference) -> bool:
    """Whether a moment is the start of a resolution, as exactly as the reference tells it."""
    starts = [value.get("value", value.get("start", "")) for value in reference.values]
    forms = {f"{moment:%Y-%m-%d}", f"{moment:%H:%M:%S}", f"{moment:%Y-%m-%d %H:%M:%S}"}
    return any(start in forms for start in starts)


# --- the command ----------------------------------------------------------------------------------


def temporal(
    data: Data = SHARED,
    missed: Annotated[
        bool, typer.Option("--missed", help="List what is resolved wrongly.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Time expressions resolved as the reference does, beside dateparser."""
    compared = compare(data)
    if as_json:
        cli.print_json(compared)
        return
    cli.say_notes(compared.notes)
    results = compared.results
    table = Table("type", "of", *(each.name for each in results))
    for name, count in results[0].types.items():
        table.add_row(name, str(count.of), *(_percent(each.types[name]) for each in results))
    for title, field in ((" + ".join(TARGETED), "targeted"), ("all", "overall")):
        counts = [getattr(each, field) for each in results]
        table.add_row(title, str(counts[0].of), *map(_percent, counts))
    wrong = [each.found_in_error for each in results]
    rights = (str(each.right) for each in wrong)
    table.add_row("texts with none, found one", str(wrong[0].of), *rights)
    table.add_row("CPU ms a text", "", *(f"{each.cpu_ms:.3f}" for each in results))
    cli.console.print(table)
    for line in compared.missed if missed else ():
        cli.say(line)


def _percent(count: Count) -> str:
    return f"{count.share * 100:.1f} %"
