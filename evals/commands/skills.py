"""`sharpwave eval skills`."""

from typing import Annotated

import typer
from rich.table import Table

from evals import skills as measured
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson


def register(app: typer.Typer) -> None:
    """Add the command of this file to `sharpwave eval`."""
    app.command("skills")(skills)


def skills(
    people: Annotated[int, typer.Option(min=2, help="Simulated people of each kind.")] = 100,
    json: AsJson = False,
) -> None:
    """Simulated people with hidden styles: how fast the right way to answer is found."""
    report = measured.measure(
        people, lambda text: None if json else typer.echo(f"… {text}", err=True)
    )
    if json:
        output.as_json(report)
    else:
        _show(report)


def _show(report: measured.SkillsReport) -> None:
    table = Table(
        "people",
        "contexts",
        "chooser",
        "first 10",
        "at 8-10",
        "at 28-30",
        "regret",
        "7 of 10 liked",
    )
    for one in report.learned:
        shares = (f"{share:.3f}" for share in (one.first_ten, one.at_ten, one.at_thirty))
        name = (one.people, str(one.contexts), one.chooser)
        table.add_row(*name, *shares, f"{one.regret:.2f}", f"{one.reached:.0%}")
    output.console.print(table)
    table = Table("after a change of mind", "before", "first 5", "16-20", "recovered after")
    for each in report.drift:
        shares = (f"{share:.3f}" for share in (each.before, each.just_after, each.within_twenty))
        table.add_row(each.chooser, *shares, str(each.recovered_after or "not within 30"))
    output.console.print(table)
    output.say(f"one person's ratings change nothing for another: {report.isolated}")
    output.say(
        f"variance of confidence after 50 uses: {report.confidence_variance:.4f}; running numbers "
        f"take {report.bytes_per_person} bytes a person"
    )
    fast = report.speed
    output.say(
        f"processor time with {fast.skills} skills: choosing p50 {fast.select_p50:.2f} ms, p95 "
        f"{fast.select_p95:.2f} ms; rating p50 {fast.feedback_p50:.2f} ms, p95 "
        f"{fast.feedback_p95:.2f} ms (without the commit, which another thread does)"
    )
    output.say(f"seed {report.seed}")
