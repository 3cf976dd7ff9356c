"""The promises that a run is held against."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.contenders.contender import (
    CHROMA,
    FLOAT_FTS5,
    FLOAT_FTS5_WITHOUT_STOP_WORDS,
    MEM0,
    SHARPWAVE,
)
from benchmarks.timing import Figures

LEAST_RECALL = 0.99
SCAN_CPU_TIMES = 20.0
SCAN_SIZE = 1_000_000
MOST_CROWD_RATIO = 2.0
MEM0_TIMES = 50.0
CHROMA_TIMES = 1.0
PEER_SIZE = 10_000
CALLERS = 8
DURABLE_TIMES = 10.0


@dataclass(slots=True)
class Results:
    """Everything measured: by scenario, then by contender."""

    one_user: dict[int, dict[str, Figures]] = field(default_factory=dict)
    many_users: dict[str, Figures] = field(default_factory=dict)
    durable_adds: dict[str, Figures] = field(default_factory=dict)
    embedding: dict[str, Figures] = field(default_factory=dict)


class Verdict(NamedTuple):
    """A target, and how it stands."""

    target: str
    figure: str
    met: bool | None
    """None if this run did not measure it."""

    @property
    def word(self) -> str:
        """PASS, FAIL or that it was not measured."""
        return "not measured" if self.met is None else "PASS" if self.met else "FAIL"


def judge(results: Results) -> list[Verdict]:
    """Every target, in order."""
    return [
        *_recall(results),
        _scan(results, FLOAT_FTS5.name),
        _scan(results, FLOAT_FTS5_WITHOUT_STOP_WORDS.name),
        _crowd(results, "cold"),
        _crowd(results, "warm"),
        _peer(results, MEM0.name, MEM0_TIMES),
        _peer(results, CHROMA.name, CHROMA_TIMES),
        _durable(results),
    ]


def _recall(results: Results) -> list[Verdict]:
    return [
        _at_least(
            f"recall@10 at {size:,} >= {LEAST_RECALL} of the exact scan",
            rows[SHARPWAVE.name]["recall_at_10"],
            LEAST_RECALL,
            "{:.4f}",
        )
        for size, rows in results.one_user.items()
    ]


def _scan(results: Results, name: str) -> Verdict:
    """Against the scan as usually written, and one that drops stop words as Sharpwave does."""
    times = _ratio(results.one_user.get(SCAN_SIZE, {}), name, "cpu_ms")
    target = f"query CPU at {SCAN_SIZE:,} <= 1/{SCAN_CPU_TIMES:.0f} of {name}"
    return _at_least(target, times, SCAN_CPU_TIMES, "1/{:.1f}")


def _crowd(results: Results, state: str) -> Verdict:
    figures = results.many_users.get(SHARPWAVE.name, {})
    ratio = figures.get(f"{state}_ratio")
    target = f"one of many users, {state}, within {MOST_CROWD_RATIO:.0f}x of a lone store"
    if ratio is None:
        return Verdict(target, "-", None)
    told = f"{ratio:.2f}x at {figures['users']:,.0f} users"
    return Verdict(target, told, ratio <= MOST_CROWD_RATIO)


def _peer(results: Results, name: str, least: float) -> Verdict:
    times = _ratio(results.one_user.get(PEER_SIZE, {}), name, "p50_ms")
    target = f"search p50 at {PEER_SIZE:,} >= {least:.0f}x faster than {name}"
    return _at_least(target, times, least, "{:.1f}x")


def _durable(results: Results) -> Verdict:
    name, peer = (f"{entry.name}, {CALLERS} callers" for entry in (SHARPWAVE, CHROMA))
    target = f"durable adds with {CALLERS} callers >= {DURABLE_TIMES:.0f}x chromadb"
    if not {name, peer} <= results.durable_adds.keys():
        return Verdict(target, "-", None)
    rates = [results.durable_adds[who]["adds_per_s"] for who in (name, peer)]
    return _at_least(target, rates[0] / rates[1], DURABLE_TIMES, "{:.1f}x")


def _ratio(rows: Mapping[str, Figures], name: str, figure: str) -> float | None:
    """How many times Sharpwave's figure another contender's is."""
    if not {name, SHARPWAVE.name} <= rows.keys():
        return None
    return rows[name][figure] / rows[SHARPWAVE.name][figure]


def _at_least(target: str, value: float | None, least: float, form: str) -> Verdict:
    if value is None:
        return Verdict(target, "-", None)
    return Verdict(target, form.format(value), value >= least)
