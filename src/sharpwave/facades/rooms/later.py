"""Rooms that most programs never enter: each is loaded when it is first used.

`Memory` knows every room, but a recall should not wait for what only a night, an import or a
connection to a server needs.

    later.cycle.sleep(...)
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharpwave.behavior import flow as reflecting
    from sharpwave.behavior import forgetting as unlearning
    from sharpwave.behavior import population, replying
    from sharpwave.behavior.feedback import batches, trajectories
    from sharpwave.behavior.preferences import corrected
    from sharpwave.behavior.preferences import known as preferring
    from sharpwave.behavior.rules import review as reviewing
    from sharpwave.behavior.rules import settle
    from sharpwave.behavior.skills import history, improving, select
    from sharpwave.experience import flow as experiencing
    from sharpwave.experience import forgetting as erasing
    from sharpwave.experience import intake, observed, patterns, publish, rebuild, toolbox
    from sharpwave.experience.advice import advise
    from sharpwave.experience.insight import insights
    from sharpwave.experience.learners import progress, task_patterns
    from sharpwave.experience.live import steps
    from sharpwave.facades.remote import client
    from sharpwave.importers import flow as importing
    from sharpwave.importers.agents import flow as logs
    from sharpwave.remember import flow as writing
    from sharpwave.sleep import cycle, journal, look, undo
    from sharpwave.sleep.when import idle, schedule, sweeping, watch

PLACES = {
    "batches": "behavior.feedback.batches",
    "trajectories": "behavior.feedback.trajectories",
    "reflecting": "behavior.flow",
    "unlearning": "behavior.forgetting",
    "population": "behavior.population",
    "replying": "behavior.replying",
    "corrected": "behavior.preferences.corrected",
    "preferring": "behavior.preferences.known",
    "reviewing": "behavior.rules.review",
    "settle": "behavior.rules.settle",
    "history": "behavior.skills.history",
    "improving": "behavior.skills.improving",
    "select": "behavior.skills.select",
    "advise": "experience.advice.advise",
    "experiencing": "experience.flow",
    "erasing": "experience.forgetting",
    "insights": "experience.insight.insights",
    "intake": "experience.intake",
    "progress": "experience.learners.progress",
    "task_patterns": "experience.learners.task_patterns",
    "steps": "experience.live.steps",
    "observed": "experience.observed",
    "patterns": "experience.patterns",
    "publish": "experience.publish",
    "rebuild": "experience.rebuild",
    "toolbox": "experience.toolbox",
    "client": "facades.remote.client",
    "logs": "importers.agents.flow",
    "importing": "importers.flow",
    "writing": "remember.flow",
    "cycle": "sleep.cycle",
    "journal": "sleep.journal",
    "look": "sleep.look",
    "undo": "sleep.undo",
    "idle": "sleep.when.idle",
    "schedule": "sleep.when.schedule",
    "sweeping": "sleep.when.sweeping",
    "watch": "sleep.when.watch",
}
"""Where each is in the package, as the imports above say it to the type checker."""


def __getattr__(name: str) -> ModuleType:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = import_module(f"sharpwave.{PLACES[name]}")
    globals()[name] = found
    return found
