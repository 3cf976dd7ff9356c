"""`extraction`: what the rules find in public conversations, and how much is right.

**Coverage** (LoCoMo `observation`; each cites the turns it was made from). An observation is
covered if, among the facts, tasks and notes found in the cited turns about its person, the stemmed
content words of their sentences hold at least the given share of the observation's own: names of
the two speakers do not count. Beside it the baseline of storing each turn as it is (mem0 with
`infer=False`): the same rule with the turn's words, and what it costs to keep, in words.

**Precision** on 200 facts of at least the gate's confidence, drawn by a seeded hash, so that a
change of the rules changes few of them. Rules of judging a fact as right:

1. its subject is the speaker, or a person named in the turn or called "my …" there;
2. the words of its object stand in the clause it cites (a question answered counts with it);
3. that clause states: it does not ask, suppose, quote, joke or report what others said;
4. read by a person, the turn does say it: predicate, mode (holds, ended, denied) and object are
   what the speaker would agree to; an object cut short is right if what is left is true alone.

`checked` counts the first three, by program. The fourth needs a reader: verdicts are read from a
file of ids and marks, never texts, since LoCoMo may be used but not passed on: `right`; `vague`
for what is true and says little by itself ("met some people"); `wrong`. The table shows all the
verdicts as they were given; below it stands how many of those facts are found still, after errors
were mended.

**Noise**: facts in turns that only ask, per 100 such turns; they can only be presupposed ones. And
on sentences of our own (`data/extraction_cases.toml`): share of those with something to find where
exactly that is found, and share of the silent ones (questions, suppositions, quotes, jest, small
talk) where anything is.
"""

import csv
import hashlib
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.table import Table

from evals import cli
from evals.changed_facts import UpdatePair, outcomes, update_pairs
from evals.cli import SHARED, Data, Json
from evals.observations import ObservedTalk, SpokenTurn, content_words, locomo_talks
from evals.parts import extract
from evals.sets import own_data
from sharpwave import Kind, NotFound
from sharpwave.types.records import USER
from sharpwave.types.statements import Candidate, Mode, Spoken

THRESHOLDS = (0.5, 0.3)
SAMPLE = 200
GATE = 0.7
_DRAW = "third "
_SUPPOSED = re.compile(r"\b(?:if|imagine|suppose|wish|pretend)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Share of the observations covered, by threshold, and words kept per turn."""

    observations: int
    shares: dict[str, float]
    words_per_turn: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """One sampled fact: whether the checks by program hold, and whether a reader has judged it."""

    id: str
    family: str
    checked: bool
    judged: bool


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """All figures of one run."""

    turns: int
    facts_per_100_turns: float
    tasks_per_100_turns: float
    notes_per_100_turns: float
    noise_per_100_asking_turns: float
    rules: Coverage
    raw: Coverage
    sample: tuple[Drawn, ...]
    by_family: dict[str, int]
    cpu_ms_median: float
    cpu_ms_60_words: float


def measure(data: Path, verdicts: Mapping[str, "Verdict"] | None = None) -> ExtractionReport:
    """Read LoCoMo dev from `data`; NotFound says what is missing."""
    talks = locomo_talks(data)
    found: dict[str, tuple[Candidate, ...]] = {}
    costs: list[tuple[int, float]] = []
    for turn in (turn for talk in talks for turn in talk.turns):
        found[turn.id], cost = _timed(turn)
        costs.append((len(turn.text.split()), cost))
    turns = [turn for talk in talks for turn in talk.turns]
    kept = {
        key: [candidate for candidate in several if candidate.confidence >= GATE]
        for key, several in found.items()
    }
    count = Counter(candidate.kind for several in kept.values() for candidate in several)
    asking = [turn for turn in turns if _only_asks(turn.text)]
    noise = sum(len(kept[turn.id]) for turn in asking)
    middling = [cost for words, cost in costs if 50 <= words <= 70]
    return ExtractionReport(
        turns=len(turns),
        facts_per_100_turns=_per_100(count[Kind.FACT], len(turns)),
        tasks_per_100_turns=_per_100(count[Kind.TASK], len(turns)),
        notes_per_100_turns=_per_100(count[Kind.NOTE], len(turns)),
        noise_per_100_asking_turns=_per_100(noise, len(asking)),
        rules=_coverage(talks, {key: _texts(several) for key, several in kept.items()}),
        raw=_coverage(talks, {turn.id: [(turn.speaker, turn.text)] for turn in turns}),
        sample=_sample(turns, kept, verdicts or {}),
        by_family=dict(
            Counter(_family(candidate) for several in kept.values() for candidate in several)
        ),
        cpu_ms_median=statistics.median(cost for _, cost in costs) if costs else 0.0,
        cpu_ms_60_words=statistics.median(middling) if middling else 0.0,
    )


def _timed(turn: SpokenTurn) -> tuple[tuple[Candidate, ...], float]:
    begun = time.process_time_ns()
    found = extract(turn.text, turn.spoken).candidates
    return found, (time.process_time_ns() - begun) / 1e6


def _per_100(count: int, turns: int) -> float:
    return 100 * count / turns if turns else 0.0


def _family(candidate: Candidate) -> str:
    return candidate.extractor.split()[0].removeprefix("rules.")


def _texts(several: Iterable[Candidate]) -> list[tuple[str, str]]:
    """Subject and sentence; tasks and notes are the speaker's, whose subject is ""."""
    return [
        (candidate.statement.subject if candidate.statement else "", candidate.text)
        for candidate in several
    ]


def _only_asks(text: str) -> bool:
    sentences = re.findall(r"[^.!?\n]+[.!?\n]*", text)
    said = [sentence.strip() for sentence in sentences if len(sentence.split()) > 2]
    return bool(said) and all(sentence.endswith("?") for sentence in said)


# --- coverage -------------------------------------------------------------------------------------


def _coverage(
    talks: Sequence[ObservedTalk], texts: Mapping[str, Sequence[tuple[str, str]]]
) -> Coverage:
    covered: Counter[float] = Counter()
    total = 0
    for talk in talks:
        names = {term for name in talk.speakers for term in content_words(name)}
        for observation in talk.observations:
            wanted = content_words(observation.text) - names
            if not wanted or not observation.turns:
                continue
            total += 1
            about = [
                text
                for turn in observation.turns
                for subject, text in texts.get(turn, ())
                if _is_about(subject, observation.person, talk.speakers)
            ]
            have = {term for text in about for term in content_words(text)}
            share = len(wanted & have) / len(wanted)
            covered.update(threshold for threshold in THRESHOLDS if share >= threshold)
    shares = {f"{threshold:.0%}": covered[threshold] / max(1, total) for threshold in THRESHOLDS}
    words = sum(len(text.split()) for several in texts.values() for _, text in several)
    return Coverage(total, shares, words / max(1, len(texts)))


def _is_about(subject: str, person: str, speakers: Sequence[str]) -> bool:
    """The person, someone of the person's ("Ana's sister"), or anybody who is not a speaker."""
    return subject == person or subject.startswith(person) or subject not in speakers


# --- precision ------------------------------------------------------------------------------------


def fact_id(turn: str, candidate: Candidate) -> str:
    """A name for a fact of a turn that says nothing of what stands in it."""
    said = f"{turn}|{candidate.statement}|{candidate.mode}"
    return f"{turn.replace(' ', '_')}#{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def sampled(
    turns: Sequence[SpokenTurn], kept: Mapping[str, Sequence[Candidate]]
) -> list[tuple[str, SpokenTurn, Candidate]]:
    """The facts that are judged: those whose ids hash lowest.

    A draw that was looked at while rules were written is worth nothing: `_DRAW` starts another.
    """
    facts = [
        (fact_id(turn.id, candidate), turn, candidate)
        for turn in turns
        for candidate in kept[turn.id]
        if candidate.kind is Kind.FACT
    ]
    return sorted(facts, key=lambda fact: hashlib.sha256((_DRAW + fact[0]).encode()).digest())[
        :SAMPLE
    ]


def _sample(
    turns: Sequence[SpokenTurn],
    kept: Mapping[str, Sequence[Candidate]],
    verdicts: Mapping[str, "Verdict"],
) -> tuple[Drawn, ...]:
    return tuple(
        Drawn(name, _family(fact), _checks(turn, fact), name in verdicts)
        for name, turn, fact in sampled(turns, kept)
    )


def _checks(turn: SpokenTurn, candidate: Candidate) -> bool:
    """The rules of judging that need no reader: subject, words, and a clause that states."""
    assert candidate.statement is not None
    subject = candidate.statement.subject
    clause = turn.text[candidate.span.start : candidate.span.end]
    near = f"{clause} {turn.spoken.previous or ''}"
    owner = subject.partition("'s ")[0]
    known = subject == turn.speaker or owner == turn.speaker or subject in turn.text
    have = content_words(near)
    words = content_words(candidate.statement.object) - content_words("they their them has was")
    stands = not words or len(words & have) / len(words) >= 0.8
    return known and stands and not _SUPPOSED.match(clause)


class Verdict(NamedTuple):
    """What a reader said of one fact."""

    family: str
    mark: str


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """By id, the verdicts in a file made by a reader; empty if there is none."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        return {row["id"]: Verdict(row["family"], row["verdict"]) for row in rows}


def precision_by_family(verdicts: Iterable[Verdict]) -> dict[str, tuple[int, int, int]]:
    """Right, vague and judged, by family."""
    right: Counter[str] = Counter()
    vague: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for family, mark in verdicts:
        judged[family] += 1
        right[family] += mark == "right"
        vague[family] += mark == "vague"
    return {name: (right[name], vague[name], count) for name, count in sorted(judged.items())}


@dataclass(frozen=True, slots=True)
class CasesReport:
    """On the sentences we wrote: exactly right, and found where there is nothing."""

    said: int
    exact: int
    silent: int
    false: int


def measure_cases() -> CasesReport:
    """Read every sentence of `data/extraction_cases.toml`."""
    cases = own_data("extraction_cases.toml")
    said = [row for rows in cases["said"].values() for row in rows]
    silent = [sentence for rows in cases["silent"].values() for sentence in rows]
    exact = sum(_facts(sentence) == sorted(wanted) for sentence, *wanted in said)
    return CasesReport(
        len(said), exact, len(silent), sum(bool(_facts(sentence)) for sentence in silent)
    )


def _facts(text: str) -> list[str]:
    found = extract(text, Spoken(USER, _ANY_DAY)).candidates
    kept = [
        candidate
        for candidate in found
        if candidate.confidence >= GATE and candidate.statement is not None
    ]
    return sorted(case_line(candidate) for candidate in kept)


_ANY_DAY = datetime(2024, 3, 5, tzinfo=UTC)


def case_line(candidate: Candidate) -> str:
    """A fact as the cases write it: subject | predicate | object, then mode and correction."""
    assert candidate.statement is not None
    parts = [*candidate.statement]
    if candidate.mode is not Mode.HOLDS:
        parts.append(candidate.mode)
    if candidate.instead_of:
        parts.append(f"not {candidate.instead_of}")
    return " | ".join(parts)


# --- the command ----------------------------------------------------------------------------------


def extraction(
    data: Data = SHARED,
    verdicts: Annotated[
        Path, typer.Option("--verdicts", help="Ids of facts and a reader's marks.")
    ] = Path("evals/data/extraction-verdicts.csv"),
    as_json: Json = False,
) -> None:
    """What the rules find in public conversations, how much is right, and what it costs."""
    judged = read_verdicts(verdicts)
    report = measure(data, judged)
    cases = measure_cases()
    pairs: list[UpdatePair] = []
    try:
        pairs = update_pairs(data)
    except NotFound as error:
        cli.report_progress(f"note: no updates; {error}")
    if as_json:
        families = precision_by_family(judged.values())
        plain = [_plain(pair) for pair in pairs]
        cli.print_json({"locomo": report, "judged": families, "cases": cases, "updates": plain})
        return
    _show_coverage(report)
    _show_precision(report, list(judged.values()))
    cli.say(
        f"On sentences of our own: {cases.exact} of {cases.said} exactly right; "
        f"facts found in {cases.false} of {cases.silent} that state none."
    )
    _show_updates(pairs)


def _show_coverage(report: ExtractionReport) -> None:
    table = Table("kept", *report.rules.shares, "words a turn", title=_title(report.rules))
    for name, coverage in (
        ("what the rules find", report.rules),
        ("each turn as it is", report.raw),
    ):
        shares = (f"{share:.1%}" for share in coverage.shares.values())
        table.add_row(name, *shares, f"{coverage.words_per_turn:.1f}")
    cli.console.print(table)
    cli.say(
        f"Per 100 of {report.turns} turns: {report.facts_per_100_turns:.1f} facts, "
        f"{report.tasks_per_100_turns:.1f} tasks, {report.notes_per_100_turns:.1f} notes; "
        f"{report.noise_per_100_asking_turns:.1f} in 100 turns that only ask. "
        f"CPU a turn: median {report.cpu_ms_median:.2f} ms, "
        f"of 60 words {report.cpu_ms_60_words:.2f} ms."
    )


def _title(coverage: Coverage) -> str:
    return f"LoCoMo: share of {coverage.observations} observations covered, by share of their words"


def _show_precision(report: ExtractionReport, verdicts: list[Verdict]) -> None:
    checked = sum(fact.checked for fact in report.sample)
    families = precision_by_family(verdicts)
    cli.say(f"Of {len(report.sample)} facts drawn, {checked} pass the checks by program.")
    if not families:
        return
    right, vague, judged = (sum(column) for column in zip(*families.values(), strict=True))
    table = Table("family", "judged", "right", "vague", "wrong", title="as a reader judged them")
    for family, (good, little, count) in families.items():
        table.add_row(family, str(count), str(good), str(little), str(count - good - little))
    table.add_row("all", str(judged), str(right), str(vague), str(judged - right - vague))
    cli.console.print(table)
    still = sum(fact.judged for fact in report.sample)
    cli.say(f"Of the facts judged, {still} are found still.")


def _show_updates(pairs: list[UpdatePair]) -> None:
    same = sum(pair.same_predicate for pair in pairs)
    right = sum(each.right for each in outcomes(pairs))
    cli.say(
        f"LongMemEval knowledge updates with a statement found: {len(pairs)}; "
        f"older and newer under one predicate: {same}; only the newer holds afterwards: {right}."
    )


def _plain(pair: UpdatePair) -> dict[str, object]:
    return {
        "question_id": pair.question_id,
        "older": pair.older.text if pair.older else None,
        "newer": pair.newer.text if pair.newer else None,
        "same_predicate": pair.same_predicate,
    }
