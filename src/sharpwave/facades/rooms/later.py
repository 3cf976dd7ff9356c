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
    from sharpwave.behavior import population as population
    from sharpwave.behavior import replying as replying
    from sharpwave.behavior.feedback import batches as batches
    from sharpwave.behavior.feedback import trajectories as trajectories
    from sharpwave.behavior.preferences import corrected as corrected
    from sharpwave.behavior.preferences import known as preferring
    from sharpwave.behavior.rules import review as reviewing
    from sharpwave.behavior.rules import settle as settle
    from sharpwave.behavior.skills import history as history
    from sharpwave.behavior.skills import improving as improving
    from sharpwave.behavior.skills import select as select
    from sharpwave.experience import flow as experiencing
    from sharpwave.experience import forgetting as erasing
    from sharpwave.experience import intake as intake
    from sharpwave.experience import observed as observed
    from sharpwave.experience import patterns as patterns
    from sharpwave.experience import publish as publish
    from sharpwave.experience import rebuild as rebuild
    from sharpwave.experience import toolbox as toolbox
    from sharpwave.experience.advice import advise as advise
    from sharpwave.experience.insight import insights as insights
    from sharpwave.experience.learners import progress as progress
    from sharpwave.experience.learners import task_patterns as task_patterns
    from sharpwave.facades.remote import client as client
    from sharpwave.importers import flow as importing
    from sharpwave.importers.agents import flow as logs
    from sharpwave.remember import flow as writing
    from sharpwave.sleep import cycle as cycle
    from sharpwave.sleep import journal as journal
    from sharpwave.sleep import look as look
    from sharpwave.sleep import undo as undo
    from sharpwave.sleep.when import idle as idle
    from sharpwave.sleep.when import schedule as schedule
    from sharpwave.sleep.when import watch as watch

__all__ = [
    "advise",
    "batches",
    "client",
    "corrected",
    "cycle",
    "erasing",
    "experiencing",
    "history",
    "idle",
    "importing",
    "improving",
    "insights",
    "intake",
    "journal",
    "logs",
    "look",
    "observed",
    "patterns",
    "population",
    "preferring",
    "progress",
    "publish",
    "rebuild",
    "reflecting",
    "replying",
    "reviewing",
    "schedule",
    "select",
    "settle",
    "task_patterns",
    "toolbox",
    "trajectories",
    "undo",
    "unlearning",
    "watch",
    "writing",
]

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
    "watch": "sleep.when.watch",
}
"""Where each is in the package."""


def __getattr__(name: str) -> ModuleType:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = import_module(f"sharpwave.{PLACES[name]}")
    globals()[name] = found
    return found
