"""Tables for people, and one JSON file for machines."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.targets import Verdict
from benchmarks.timing import Figures

WIDTH = 150


class Column(NamedTuple):
    """One column: its heading, the figure it shows, and how."""

    heading: str
    figure: str
    form: str = "{:,.2f}"


ASKING = (
    Column("wall p50 ms", "p50_ms"),
    Column("p95", "p95_ms"),
    Column("CPU ms/query", "cpu_ms"),
    Column("CPU vs sharpwave", "cpu_ratio", "{:,.1f}x"),
    Column("wall vs sharpwave", "wall_ratio", "{:,.1f}x"),
    Column("recall@10", "recall_at_10", "{:.4f}"),
)
KEEPING = (
    Column("load/s", "load_per_s", "{:,.0f}"),
    Column("load CPU us", "load_cpu_us", "{:,.0f}"),
    Column("cold s", "cold_s"),
    Column("cold s, no snapshot", "cold_plain_s"),
    Column("peak MiB", "peak_mib", "{:,.0f}"),
    Column("disk B/mem", "disk_bytes", "{:,.0f}"),
    Column("index B/mem", "index_bytes", "{:,.0f}"),
)
MANY_USERS = (
    Column("users", "users", "{:,.0f}"),
    Column("cold p50 ms", "cold_p50_ms"),
    Column("p95", "cold_p95_ms"),
    Column("alone", "lone_cold_p50_ms"),
    Column("ratio", "cold_ratio", "{:.2f}x"),
    Column("CPU ratio", "cold_cpu_ratio", "{:.2f}x"),
    Column("warm p50 ms", "warm_p50_ms"),
    Column("p95", "warm_p95_ms"),
    Column("alone", "lone_warm_p50_ms"),
    Column("ratio", "warm_ratio", "{:.2f}x"),
    Column("CPU ratio", "warm_cpu_ratio", "{:.2f}x"),
    Column("load/s", "load_per_s", "{:,.0f}"),
    Column("peak MiB", "peak_mib", "{:,.0f}"),
)
DURABLE_ADDS = (
    Column("adds/s", "adds_per_s", "{:,.0f}"),
    Column("ms/add a caller waits", "wait_ms"),
    Column("CPU ms/add", "cpu_ms"),
    Column("failed", "failed", "{:,.0f}"),
)
EMBEDDING = (
    Column("remember one, CPU ms", "remember_one_cpu_ms", "{:.3f}"),
    Column("remember in batches, CPU ms each", "remember_batch_cpu_ms", "{:.3f}"),
    Column("recall, CPU ms", "recall_cpu_ms", "{:.3f}"),
)


class Report:
    """Prints as it goes."""

    def __init__(self) -> None:
        self._console = Console(width=WIDTH, highlight=False, markup=False)

    def header(self, about: Mapping[str, str], notes: Sequence[str]) -> None:
        """What it was measured on, and how to read it."""
        for name, value in about.items():
            self._console.print(f"{name:>16}  {value}")
        for note in notes:
            self._console.print(f"- {note}")

    def step(self, text: str) -> None:
        """What is being measured now."""
        self._console.print(f"... {text}")

    def table(self, title: str, rows: Mapping[str, Figures], columns: Sequence[Column]) -> None:
        """One scenario."""
        table = Table(title=title, title_justify="left")
        table.add_column("", no_wrap=True)
        for column in columns:
            table.add_column(column.heading, justify="right")
        for name, figures in rows.items():
            table.add_row(name, *(_cell(figures.get(column.figure), column) for column in columns))
        self._console.print(table)

    def verdicts(self, verdicts: Sequence[Verdict]) -> None:
        """One line a target."""
        for verdict in verdicts:
            self._console.print(f"{verdict.word:>12}  {verdict.target}: {verdict.figure}")


def write(path: Path, content: Mapping[str, object]) -> None:
    """Save everything as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2))


def _cell(value: float | None, column: Column) -> str:
    return "" if value is None else column.form.format(value)
