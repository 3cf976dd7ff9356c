"""`reflective`: tasks that need a rule of thumb which the user stated days before.

A conversation of our own [EVL-04]: a user says now and then how to help, amid
small talk. Later tasks do not repeat it. Judged is whether the prompt for a task tells the rule:

    sharpwave           the context within the budget
    without learning    the same, while the person does not agree to be learned from
    bm25, vector        turns in their order, as many as fit into the same budget
"""

import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from evals import cli
from evals.cli import Json, Limit
from evals.context import fitting
from evals.recall import OURS, ConversationClock
from evals.retrievers import baselines, ranking
from evals.talks import Turn
from evals.update import SMALL_TALK
from sharpwave import Memory, Settings

BUDGET = 800
CONTROL = "without learning"
_BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_BETWEEN = 30


class Strategy(NamedTuple):
    """How a user wants to be helped, a later task, and the word that shows it is known."""

    stated: str
    task: str
    sign: str


STRATEGIES = (
    Strategy("When I paste a log, explain the first error.",
             "Here is last night's output: 17 timed out, 18 was refused.", "first error"),
    Strategy("Always give distances in kilometres.", "How far is Faro from here?", "kilometres"),
    Strategy("Never suggest recipes with nuts.", "What could I cook for my guests?", "nuts"),
    Strategy("From now on, ask me before you book anything.",
             "I need a hotel in Braga for Friday.", "ask"),
    Strategy("Whenever you quote prices, round them to euros.",
             "What would the train to Vienna cost?", "euros"),
    Strategy("Use British spelling.", "Write a note about the new office.", "British"),
    Strategy("Stop using the word 'leverage'.", "Draft a pitch for the investors.", "leverage"),
    Strategy("Please always show the units.", "How heavy is a cubic metre of snow?", "units"),
)  # fmt: skip


def measure(settings: Settings, limit: int | None = None) -> dict[str, Any]:
    """The share of tasks whose prompt tells the rule, and each task."""
    asked = STRATEGIES[:limit]
    turns = _turns(asked)
    prompts = _peers(asked, turns) | _ours(asked, turns, settings)
    rows = [
        {
            "task": strategy.task,
            "told": {name: strategy.sign in of[place] for name, of in prompts.items()},
        }
        for place, strategy in enumerate(asked)
    ]
    shares = {
        name: sum(strategy.sign in text for strategy, text in zip(asked, of, strict=True))
        / len(asked)
        for name, of in prompts.items()
    }
    return {"budget": BUDGET, "shares": shares, "tasks": rows}


def _turns(asked: tuple[Strategy, ...]) -> list[Turn]:
    """A rule a day, each followed by small talk."""
    chat = SMALL_TALK.split("|")
    said = [
        (day, text)
        for day, strategy in enumerate(asked)
        for text in (
            strategy.stated,
            *(chat[(day * _BETWEEN + n) % len(chat)] for n in range(_BETWEEN)),
        )
    ]
    return [
        Turn(str(n), text, "user", None, f"day {day}", _BEGIN + timedelta(days=day, minutes=n))
        for n, (day, text) in enumerate(said)
    ]


def _ours(
    asked: tuple[Strategy, ...], turns: list[Turn], settings: Settings
) -> dict[str, list[str]]:
    clock = ConversationClock()
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(f"{folder}/memory.db", settings=settings, clock=clock) as memory:
            for turn in turns:
                clock.set(turn.at)
                memory.remember(turn.text, session=turn.session)
            clock.set(turns[-1].at + timedelta(days=7))
            prompts = {}
            for name, agreed in ((OURS, True), (CONTROL, False)):
                memory.admin.consent("learning", agreed)
                found = [memory.context(strategy.task, budget=BUDGET) for strategy in asked]
                prompts[name] = [context.text for context in found]
            return prompts


def _peers(asked: tuple[Strategy, ...], turns: list[Turn]) -> dict[str, list[str]]:
    prompts = {}
    for name, peer in baselines().items():
        search = peer.index([turn.text for turn in turns])
        orders = [
            [turns[n] for n in ranking(np.asarray(search(strategy.task)))] for strategy in asked
        ]
        shown = [fitting(order, BUDGET) for order in orders]
        prompts[name] = ["\n".join(turn.text for turn in some) for some in shown]
    return prompts


# --- the command ----------------------------------------------------------------------------------


def reflective(limit: Limit = None, as_json: Json = False) -> None:
    """Whether the prompt for a task tells how one wanted to be helped, days before."""
    result = measure(cli.settings_to_measure(), limit)
    if as_json:
        cli.print_json(result)
        return
    table = Table("prompt", "tasks for which it tells the rule")
    for name, share in result["shares"].items():
        table.add_row(name, f"{share:.2f}")
    cli.console.print(table)
