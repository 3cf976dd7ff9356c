"""How soon each page of the dashboard is there, with 100,000 memories beside none.

    python -m benchmarks.dashboard [--memories 100000] [--visits 3] [--chromium PROGRAM]

A real `sharpwave serve` in a process of its own, and Chromium, which tells itself when it painted
something for the first time. `whole` is when all of it is there. Both are wall times and tell
little on a busy machine; the server's processor time tells what a page reads. Each page is
visited once before it counts. The median of the visits is shown.
"""

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Page, sync_playwright

from benchmarks import wrk
from benchmarks.machine import describe
from benchmarks.serve import BATCH, COMMAND, Server, sentences, server
from sharpwave import Memory, load_settings
from sharpwave.interfaces.web import navigation

NAMES = 2_000
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
_PAINT = """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0"""
_ALIVE = "window.did_handshake === true"
_WHOLE = "!document.querySelector('.sw-later')"


class Visits(NamedTuple):
    """What visiting a page took, in milliseconds."""

    paint_ms: float
    whole_ms: float
    cpu_ms: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--visits", type=int, default=3)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    parser.add_argument("--folder", type=Path, help="keep the memories here, for another run")
    asked = parser.parse_args()
    if asked.chromium is None:
        sys.exit("no browser: install chromium, or name one with --chromium")
    print("\n".join(f"{name}: {value}" for name, value in describe().items()))
    print(f"{'memories':>10}  {'page':18}{'paint ms':>10}{'whole ms':>10}{'CPU ms':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for memories in (0, asked.memories):
            for title, found in measure(asked.folder or Path(folder), memories, asked):
                figures = "".join(f"{figure:10.0f}" for figure in found)
                print(f"{memories:10,}  {title:18}{figures}", flush=True)


def measure(folder: Path, memories: int, asked: argparse.Namespace) -> Iterator[tuple[str, Visits]]:
    """Every page of a server that holds so many memories."""
    settings = folder / f"{memories}.toml"
    settings.write_text(
        f'path = "{folder}/{memories}.db"\n[server]\nrate_per_s = 0\nport = 0\n'
        '[embedder]\nprovider = "hash"\n[sleep]\nenabled = false\n'
    )
    with Memory.open(settings=load_settings(settings)) as memory:
        texts, there = said(seed=1), memory.admin.stats().by_kind.get("turn", 0)
        for _ in range(there, memories, BATCH):
            memory.remember(list(islice(texts, BATCH)))
        if memories:
            stats = memory.admin.stats()
            print(f"{stats.memories:,} records: {dict(stats.by_kind)}", flush=True)
    with server([*COMMAND, "--json", "--settings", str(settings)]) as at, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=asked.chromium, args=["--no-sandbox"])
        page = browser.new_page(base_url=at.url)
        page.goto("/ui/login")
        page.get_by_label("Key").fill(at.headers["Authorization"].removeprefix("Bearer "))
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_function(_ALIVE)
        for one in navigation.every():
            yield one.title, visited(page, at, one.path, asked.visits)
        browser.close()


def visited(page: Page, at: Server, path: str, visits: int) -> Visits:
    """The median of some visits, after one that does not count."""
    each: list[Visits] = []
    for _ in range(visits + 1):
        cpu = wrk.cpu_s(at.process)
        page.goto(f"/ui{path}")
        page.wait_for_function(_ALIVE)
        page.wait_for_function(_WHOLE)
        whole = page.evaluate("performance.now()")
        paint = page.evaluate(_PAINT)
        page.wait_for_timeout(100)
        each.append(Visits(paint, whole, 1000 * (wrk.cpu_s(at.process) - cpu)))
    return Visits(*(median(figures) for figures in zip(*each[1:], strict=True)))


def said(seed: int) -> Iterator[dict[str, str]]:
    """Talks of the user with tools: one message in ten is the user's, and teaches something.

    Two thousand people live and work somewhere, some not any more; the user likes what the user
    hates, so there are conflicts.
    """
    chance, stories = random.Random(seed), sentences(seed)
    words = ["".join(chance.choices(_SYLLABLES, k=3)).capitalize() for _ in range(NAMES)]
    while True:
        one = chance.choice(words)
        home, place = words[len(one) + ord(one[1])], chance.choice(words[:200])
        lives, works = f"{one} lives in {home}.", f"{one} works at {place}."
        denied, likes = f"{one} doesn't live in {home}.", f"My friend {one} likes {place}."
        mine = f"I {chance.choice(('like', 'hate'))} {place}."
        yield {"role": "user", "content": chance.choice((lives, works, denied, likes, mine))}
        yield from ({"role": "tool", "content": next(stories)} for _ in range(9))


if __name__ == "__main__":
    main()
