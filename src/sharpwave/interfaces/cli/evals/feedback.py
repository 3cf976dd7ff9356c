"""`sharpwave eval feedback`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sharpwave.evals.behavior import feedback as remarks
from sharpwave.evals.retrievers import open_named
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson

SHARED = Path("../shared/data")


def register(app: typer.Typer) -> None:
    """Add the commands of this file to `sharpwave eval`."""
    app.command("feedback")(feedback)


def feedback(
    data: Annotated[Path, typer.Option("--data", help="The folder with the public sets.")] = SHARED,
    embedder: Annotated[str, typer.Option(help="Whose vectors, by name.")] = "sharpwave",
    leave_out: Annotated[
        bool, typer.Option(help="Also each language without its own phrases; some minutes.")
    ] = True,
    json: AsJson = False,
) -> None:
    """What feedback in fifteen languages means: how often the category is right."""
    vectors = open_named(embedder).embedder
    if vectors is None:
        raise typer.BadParameter(f"{embedder} makes no vectors")
    found = remarks.measure(
        vectors,
        data,
        leave_out,
        lambda text: None if json else typer.echo(f"… {text}", err=True),
    )
    if json:
        output.as_json(found)
        return
    for note in found.notes:
        output.say(f"note: {note}")
    _accuracies(found)
    for name, one in found.sets.items():
        _confusion(name, one)
        output.say(f"without remarks that are phrases to learn from: {one.unseen:.1%}")
        output.say(f"direction of the style right where the tone was: {one.direction:.1%}")
        output.say(f"language named rightly: {one.language:.1%}")
    for what, share in found.public.items():
        output.say(f"{what}: {share:.1%}")
    for what, shares in (("intent", found.intent), ("sentiment", found.sentiment)):
        each = "  ".join(f"{language} {share:.0%}" for language, share in shares.items())
        output.say(f"{what}: {sum(shares.values()) / len(shares):.1%}  ({each})")
    for what, cost in found.cpu_ms.items():
        output.say(f"CPU of {what}: {cost:.2f} ms")


def _accuracies(found: remarks.FeedbackReport) -> None:
    test = found.sets["test"].accuracy
    sets = [(f"{name} ({one.cases})", one.accuracy) for name, one in found.sets.items()]
    columns = [*sets, *((f"test: {one.name}", one) for one in found.others)]
    table = Table("", *(name for name, _ in columns), title="% of remarks read rightly")
    table.add_row("mean", *(f"{one.macro * 100:.1f}" for _, one in columns))
    for language in test.by_language:
        table.add_row(language, *(f"{one.by_language[language] * 100:.0f}" for _, one in columns))
    output.console.print(table)


def _confusion(name: str, found: remarks.SetReport) -> None:
    names = list(found.confusion)
    table = Table("is \\ read as", *names, title=f"{name}, all languages")
    for one, counts in found.confusion.items():
        table.add_row(one, *(str(counts.get(other, 0)) for other in names))
    output.console.print(table)
