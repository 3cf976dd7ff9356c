"""`sharpwave eval extraction`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from evals import changed_facts, extraction
from evals.extraction import Coverage, ExtractionReport
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson

_SHARED = Path("../shared/data")
_VERDICTS = Path("docs/extraction-verdicts.csv")


def register(app: typer.Typer) -> None:
    """Add the command to `sharpwave eval`."""
    app.command("extraction")(measure)


def measure(
    data: Annotated[
        Path, typer.Option("--data", help="The folder with the public sets.")
    ] = _SHARED,
    verdicts: Annotated[
        Path, typer.Option("--verdicts", help="Ids of facts and a reader's marks.")
    ] = _VERDICTS,
    json: AsJson = False,
) -> None:
    """What the rules find in public conversations, how much is right, and what it costs."""
    given = extraction.read_verdicts(verdicts)
    found = extraction.measure(data, given)
    cases = extraction.measure_cases()
    pairs = changed_facts.update_pairs(data)
    if json:
        plain = [_plain(pair) for pair in pairs]
        families = extraction.precision_by_family(given.values())
        output.as_json({"locomo": found, "judged": families, "cases": cases, "updates": plain})
        return
    _coverage(found)
    _precision(found, list(given.values()))
    output.say(
        f"On sentences of our own: {cases.exact} of {cases.said} exactly right; "
        f"facts found in {cases.false} of {cases.silent} that state none."
    )
    _updates(pairs)


def _coverage(found: ExtractionReport) -> None:
    table = Table("kept", *found.rules.shares, "words a turn", title=_title(found.rules))
    for name, one in (("what the rules find", found.rules), ("each turn as it is", found.raw)):
        shares = (f"{share:.1%}" for share in one.shares.values())
        table.add_row(name, *shares, f"{one.words_per_turn:.1f}")
    output.console.print(table)
    output.say(
        f"Per 100 of {found.turns} turns: {found.facts_per_100_turns:.1f} facts, "
        f"{found.tasks_per_100_turns:.1f} tasks, {found.notes_per_100_turns:.1f} notes; "
        f"{found.noise_per_100_asking_turns:.1f} in 100 turns that only ask. "
        f"CPU a turn: median {found.cpu_ms_median:.2f} ms, "
        f"of 60 words {found.cpu_ms_60_words:.2f} ms."
    )


def _title(one: Coverage) -> str:
    return f"LoCoMo: share of {one.observations} observations covered, by share of their words"


def _precision(found: ExtractionReport, given: list[extraction.Verdict]) -> None:
    checked = sum(one.checked for one in found.sample)
    families = extraction.precision_by_family(given)
    output.say(f"Of {len(found.sample)} facts drawn, {checked} pass the checks by program.")
    if not families:
        return
    right, vague, judged = (sum(column) for column in zip(*families.values(), strict=True))
    table = Table("family", "judged", "right", "vague", "wrong", title="as a reader judged them")
    for family, (good, little, count) in families.items():
        table.add_row(family, str(count), str(good), str(little), str(count - good - little))
    table.add_row("all", str(judged), str(right), str(vague), str(judged - right - vague))
    output.console.print(table)
    still = sum(one.judged for one in found.sample)
    output.say(f"Of the facts judged, {still} are found still.")


def _updates(pairs: list[changed_facts.UpdatePair]) -> None:
    same = sum(pair.same_predicate for pair in pairs)
    settled = changed_facts.outcomes(pairs)
    right = sum(one.right for one in settled)
    output.say(
        f"LongMemEval knowledge updates with a statement found: {len(pairs)}; "
        f"older and newer under one predicate: {same}; only the newer holds afterwards: {right}."
    )


def _plain(pair: changed_facts.UpdatePair) -> dict[str, object]:
    return {
        "question_id": pair.question_id,
        "older": pair.older.text if pair.older else None,
        "newer": pair.newer.text if pair.newer else None,
        "same_predicate": pair.same_predicate,
    }
