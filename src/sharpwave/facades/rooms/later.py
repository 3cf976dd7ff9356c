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
    from sharpwave.behavior import room as behavior_room
    from sharpwave.behavior.feedback import batches, live, trajectories
    from sharpwave.behavior.preferences import corrected
    from sharpwave.behavior.preferences import known as preferring
    from sharpwave.behavior.rules import listing as rules
    from sharpwave.behavior.rules import pruning, section, settle
    from sharpwave.behavior.rules import review as reviewing
    from sharpwave.behavior.skills import (
        catalog,
        history,
        improving,
        keeping,
        learning,
        measures,
        select,
        styles,
    )
    from sharpwave.behavior.skills import room as skill_room
    from sharpwave.bus import flow as deliveries
    from sharpwave.bus import hooks
    from sharpwave.experience import drafts, intake, observed, patterns, publish, rebuild, toolbox
    from sharpwave.experience import flow as experiencing
    from sharpwave.experience import forgetting as erasing
    from sharpwave.experience import room as experience_room
    from sharpwave.experience.advice import advise
    from sharpwave.experience.insight import insights
    from sharpwave.experience.learners import progress, task_patterns
    from sharpwave.experience.live import handle, steps
    from sharpwave.facades import keys
    from sharpwave.facades.remote import client
    from sharpwave.facades.requests import answers, news, shared_secrets
    from sharpwave.importers import flow as importing
    from sharpwave.importers.agents import flow as logs
    from sharpwave.recall import context_flow as prompting
    from sharpwave.remember import flow as writing
    from sharpwave.review import (
        about,
        conflicts,
        endings,
        evolution,
        facts,
        graph,
        provenance,
        quarantine,
        tasks,
        trust,
        views,
    )
    from sharpwave.review.judging import calibration, confirming
    from sharpwave.review.kept import listing
    from sharpwave.sleep import cycle, journal, look, undo
    from sharpwave.sleep.when import idle, schedule, sweeping, watch
    from sharpwave.tallies import sheet
    from sharpwave.types import contexts
    from sharpwave.types.behavior import skills, steering
    from sharpwave.types.work import experience as runs
    from sharpwave.types.work import quality

PLACES = {
    "batches": "behavior.feedback.batches",
    "live": "behavior.feedback.live",
    "trajectories": "behavior.feedback.trajectories",
    "reflecting": "behavior.flow",
    "unlearning": "behavior.forgetting",
    "population": "behavior.population",
    "corrected": "behavior.preferences.corrected",
    "preferring": "behavior.preferences.known",
    "replying": "behavior.replying",
    "behavior_room": "behavior.room",
    "rules": "behavior.rules.listing",
    "pruning": "behavior.rules.pruning",
    "reviewing": "behavior.rules.review",
    "section": "behavior.rules.section",
    "settle": "behavior.rules.settle",
    "catalog": "behavior.skills.catalog",
    "history": "behavior.skills.history",
    "improving": "behavior.skills.improving",
    "keeping": "behavior.skills.keeping",
    "learning": "behavior.skills.learning",
    "measures": "behavior.skills.measures",
    "skill_room": "behavior.skills.room",
    "select": "behavior.skills.select",
    "styles": "behavior.skills.styles",
    "deliveries": "bus.flow",
    "hooks": "bus.hooks",
    "advise": "experience.advice.advise",
    "drafts": "experience.drafts",
    "experiencing": "experience.flow",
    "erasing": "experience.forgetting",
    "insights": "experience.insight.insights",
    "intake": "experience.intake",
    "progress": "experience.learners.progress",
    "task_patterns": "experience.learners.task_patterns",
    "handle": "experience.live.handle",
    "steps": "experience.live.steps",
    "observed": "experience.observed",
    "patterns": "experience.patterns",
    "publish": "experience.publish",
    "rebuild": "experience.rebuild",
    "experience_room": "experience.room",
    "toolbox": "experience.toolbox",
    "keys": "facades.keys",
    "client": "facades.remote.client",
    "answers": "facades.requests.answers",
    "news": "facades.requests.news",
    "shared_secrets": "facades.requests.shared_secrets",
    "logs": "importers.agents.flow",
    "importing": "importers.flow",
    "prompting": "recall.context_flow",
    "writing": "remember.flow",
    "about": "review.about",
    "conflicts": "review.conflicts",
    "endings": "review.endings",
    "evolution": "review.evolution",
    "facts": "review.facts",
    "graph": "review.graph",
    "calibration": "review.judging.calibration",
    "confirming": "review.judging.confirming",
    "listing": "review.kept.listing",
    "provenance": "review.provenance",
    "quarantine": "review.quarantine",
    "tasks": "review.tasks",
    "trust": "review.trust",
    "views": "review.views",
    "cycle": "sleep.cycle",
    "journal": "sleep.journal",
    "look": "sleep.look",
    "undo": "sleep.undo",
    "idle": "sleep.when.idle",
    "schedule": "sleep.when.schedule",
    "sweeping": "sleep.when.sweeping",
    "watch": "sleep.when.watch",
    "sheet": "tallies.sheet",
    "skills": "types.behavior.skills",
    "contexts": "types.contexts",
    "steering": "types.behavior.steering",
    "runs": "types.work.experience",
    "quality": "types.work.quality",
}
"""Where each is in the package, as the imports above say it to the type checker."""


def __getattr__(name: str) -> ModuleType:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = import_module(f"sharpwave.{PLACES[name]}")
    globals()[name] = found
    return found
