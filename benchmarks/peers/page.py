"""Write the tables and plots of docs/peers.md from results.json; with `--check` compare only.

python -m benchmarks.peers.page [--check]
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.peers import plots
from benchmarks.peers.plots import OURS, Bars, Lines

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "peers.md"
RESULTS = Path(__file__).with_name("results.json")
PART = re.compile(r"(<!-- generated: (?P<name>[^>]+) -->).*?(<!-- end -->)", re.DOTALL)
NONE = ""
REFUSED = "refused"
MISSING = "Not measured in this run."

Result = Mapping[str, Any]


def main() -> int:
    """Write the files, or name those that are not what the results give."""
    old = 0
    for file, text in files(json.loads(RESULTS.read_text("utf-8"))).items():
        if "--check" not in sys.argv:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
        elif not file.exists() or file.read_text("utf-8") != text:
            print(f"docs/{file.relative_to(DOCS)} is out of date: run `make docs`")
            old = 1
    return old


def files(result: Result) -> dict[Path, str]:
    """The page and its plots, as the results give them."""

    def table(part: re.Match[str]) -> str:
        return part[1] + "\n".join(["", "", *TABLES[part["name"]](result), "", ""]) + part[3]

    names = [name for name in PLOTS if _sizes(result) or name not in ("speed", "growth")]
    drawn = {DOCS / "peers" / f"{name}.svg": PLOTS[name](result) for name in names}
    return {PAGE: PART.sub(table, PAGE.read_text("utf-8")), **drawn}


# ---- tables


def measured(result: Result) -> Iterator[str]:
    """When and where."""
    yield (
        f"Measured by `{result['command']}` on {result['date']}, commit {result['commit']}, "
        f"{result['machine']}, shared, load average {result['load']}"
        + (
            f": the median of {result['searches']} searches, the mean of {result['writes']} writes."
            if _sizes(result)
            else "."
        )
    )


def needs(result: Result) -> Iterator[str]:
    """Keys, models, servers."""
    yield from _head("", "version", "what it is", "needs", "measured here")
    for name, peer in result["peers"].items():
        version = result["install"][name].get("weight", {}).get("version", NONE)
        yield _row(name, version, peer["kind"], peer["needs"], peer["measured"])


def installing(result: Result) -> Iterator[str]:
    """Packages, megabytes, import."""
    yield from _head("", "packages", "download, MB", "installed, MB", "import, CPU s")
    for name, own in result["install"].items():
        cells = ["could not be installed", NONE, NONE]
        if weight := own.get("weight"):
            sizes = (weight["packages"], weight["download_mb"], weight["installed_mb"])
            cells = [f"{size:.0f}" for size in sizes]
        time = own["failed"] if weight and "failed" in own else NONE
        if imported := own.get("import"):
            time = f"{imported['cpu_s']:.2f}"
        yield _row(name, *cells, time)


def searching(result: Result) -> Iterator[str]:
    """One search for ten, and the plot of searches and writes."""
    if _sizes(result):
        yield from ("![CPU of one search and of one write](peers/speed.svg)", "")
    yield from _by_size(result, "search_cpu_ms")


def writing(result: Result) -> Iterator[str]:
    """One memory in a call."""
    return _by_size(result, "add_cpu_ms")


def loading(result: Result) -> Iterator[str]:
    """Many in a call where there is one."""
    return _by_size(result, "load_cpu_ms")


def context(result: Result) -> Iterator[str]:
    """Ours alone."""
    return _by_size(result, "context_cpu_ms")


def _by_size(result: Result, key: str) -> Iterator[str]:
    sizes = _sizes(result)
    if not sizes:
        yield MISSING
        return
    yield from _head("CPU ms", *(f"{size:,}" for size in sizes), f"over ours, at {sizes[-1]:,}")
    for name, own in result["speed"].items():
        numbers = [own.get(str(size), {}).get(key) for size in sizes]
        cells = [_ms(number) if number else REFUSED for number in numbers]
        ours = result["speed"][OURS][str(sizes[-1])].get(key)
        ratio = f"{numbers[-1] / ours:.2g}" if numbers[-1] and ours else NONE
        if any(numbers):
            yield _row(name, *cells, "1" if name == OURS else ratio)


def embedders(result: Result) -> Iterator[str]:
    """What an embedder costs by itself."""
    if not result["embedders"]:
        yield MISSING
        return
    yield from _head("CPU ms to embed one text", "a question", "a memory")
    for name, one in result["embedders"].items():
        yield _row(name, _ms(one["question_cpu_ms"]), _ms(one["memory_cpu_ms"]))


def quality(result: Result) -> Iterator[str]:
    """Everyday and LoCoMo."""
    people, talks = result["sets"]["everyday"], result["sets"]["locomo"]
    yield from _head(
        "",
        "vectors",
        f"Everyday, {people['questions']} questions of {people['stores']} people: "
        "evidence among the first 1 / 5 / 10",
        f"LoCoMo, {talks['questions']} questions about {talks['stores']} conversations: "
        "NDCG@10 / recall@10",
    )
    for name, vectors, own in _rankings(result):
        everyday = " / ".join(_share(own["everyday"][key]) for key in ("@1", "@5", "@10"))
        locomo = " / ".join(_share(own["locomo"][key]) for key in ("ndcg@10", "recall@10"))
        yield _row(name, vectors, everyday, locomo)


def growth(result: Result) -> Iterator[str]:
    """Bytes and memory."""
    sizes = _sizes(result)
    if not sizes:
        yield MISSING
        return
    yield from ("![Bytes a memory, and the most memory held](peers/growth.svg)", "")
    disk = (f"bytes on disk a memory, at {size:,}" for size in sizes)
    yield from _head("", *disk, f"most memory held, MiB, at {sizes[-1]:,}")
    for name, own in result["speed"].items():
        at = [own.get(str(size)) for size in sizes]
        cells = [_bytes(one["bytes_each"]) if one else REFUSED for one in at]
        yield _row(name, *cells, f"{at[-1]['peak_mib']:,.0f}" if at[-1] else REFUSED)


def beyond(result: Result) -> Iterator[str]:
    """What speaks for the others."""
    for name, peer in result["peers"].items():
        if peer["beyond"]:
            yield f"- **{name}**: {peer['beyond']}."


TABLES: dict[str, Callable[[Result], Iterator[str]]] = {
    "measured": measured,
    "needs": needs,
    "installing": installing,
    "searching": searching,
    "writing": writing,
    "loading": loading,
    "context": context,
    "embedders": embedders,
    "quality": quality,
    "growth": growth,
    "beyond": beyond,
}


# ---- plots


def install_plot(result: Result) -> str:
    """Download and import of everyone."""
    found = {name: own for name, own in result["install"].items() if "weight" in own}
    download = {name: own["weight"]["download_mb"] for name, own in found.items()}
    imports = {name: own["import"]["cpu_s"] for name, own in found.items() if "import" in own}
    return plots.bars(
        "Installing",
        [
            Bars("download, MB", _sorted(download)),
            Bars("import, CPU seconds", _sorted(imports), "{:.2f}"),
        ],
    )


def speed_plot(result: Result) -> str:
    """Search and write as the memory grows; bars if it was measured at one size only."""
    sizes = _sizes(result)
    if len(sizes) == 1:
        ends = {key: _series(result, key) for key in ("search_cpu_ms", "add_cpu_ms")}
        search, add = ({name: at[-1][1] for name, at in own.items()} for own in ends.values())
        return plots.bars(
            "CPU of a search and of a write",
            [
                Bars(f"one search among {sizes[0]:,}, CPU ms", _sorted(search), "{:.1f}"),
                Bars(f"one write beside {sizes[0]:,}, CPU ms", _sorted(add), "{:.1f}"),
            ],
        )
    panels = [
        Lines(f"{what}, CPU ms", "memories", _series(result, key))
        for key, what in (("search_cpu_ms", "one search"), ("add_cpu_ms", "one write"))
    ]
    return plots.lines("CPU of a search and of a write", panels)


def quality_plot(result: Result) -> str:
    """What each finds."""
    everyday, locomo = {}, {}
    for name, embedder, own in _rankings(result):
        label = f"{name}, our vectors" if embedder == "ours" and name != OURS else name
        everyday[label], locomo[label] = own["everyday"]["@5"], own["locomo"]["recall@10"]
    return plots.bars(
        "What is found",
        [
            Bars("Everyday: evidence among five", _downward(everyday), "{:.2f}"),
            Bars("LoCoMo: recall@10", _downward(locomo), "{:.2f}"),
        ],
    )


def growth_plot(result: Result) -> str:
    """Disk and memory at the largest size."""
    largest = str(_sizes(result)[-1])
    last = {name: own[largest] for name, own in result["speed"].items() if largest in own}
    disk = {name: own["bytes_each"] for name, own in last.items() if own["bytes_each"]}
    held = {name: own["peak_mib"] for name, own in last.items()}
    return plots.bars(
        "Growth",
        [
            Bars("bytes on disk a memory", _sorted(disk), "{:,.0f}"),
            Bars("most memory held, MiB", _sorted(held), "{:,.0f}"),
        ],
    )


PLOTS: dict[str, Callable[[Result], str]] = {
    "install": install_plot,
    "speed": speed_plot,
    "quality": quality_plot,
    "growth": growth_plot,
}


def _series(result: Result, key: str) -> dict[str, list[plots.Point]]:
    return {
        name: [(float(size), figures[key]) for size, figures in own.items()]
        for name, own in result["speed"].items()
        if all(key in figures for figures in own.values())
    }


def _rankings(result: Result) -> Iterator[tuple[str, str, Result]]:
    """Every peer with every embedder, ours first."""
    named = {"sharpwave": "ours", "minilm": "all-MiniLM-L6-v2"}
    for name in result["peers"]:
        for embedder, own in result["quality"].get(name, {}).items():
            yield name, "none" if name == "BM25" else named[embedder], own


def _sorted(values: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(values.items(), key=lambda pair: pair[1]))


def _downward(values: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(values.items(), key=lambda pair: -pair[1]))


def _sizes(result: Result) -> list[int]:
    return [int(size) for size in result["speed"].get(OURS, ())]


# ---- cells


def _bytes(number: float) -> str:
    return f"{number:,.0f}" if number else "none"


def _head(*cells: str) -> Iterator[str]:
    yield _row(*cells)
    yield "|" + "|".join(["---", *("---" for _ in cells[1:])]) + "|"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _ms(number: float | None) -> str:
    """Milliseconds in two or three digits.

    >>> _ms(123.4), _ms(12.34), _ms(0.123)
    ('123', '12.3', '0.12')
    """
    if number is None:
        return NONE
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}" if number >= 1 else f"{number:.2f}"


def _share(number: float) -> str:
    return f"{number:.3f}".lstrip("0") if number < 1 else "1"


if __name__ == "__main__":
    sys.exit(main())
