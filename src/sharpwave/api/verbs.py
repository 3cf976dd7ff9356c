"""The verbs of `Memory`: store and reflect, recall under consent, prepare a context."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sharpwave.api.state import MemoryState
from sharpwave.errors import StoreDamaged
from sharpwave.recall import flow as read_path
from sharpwave.types.answers import Outcome, Receipt, Recollection
from sharpwave.types.message import Message
from sharpwave.types.query import RecallQuery
from sharpwave.types.records import Kind
from sharpwave.types.structured import Structure
from sharpwave.workspace import Workspace

if TYPE_CHECKING:
    from sharpwave.types.contexts import Background
    from sharpwave.types.steering import Reflection

WITHDRAWN = (
    "this user does not agree to being remembered: nothing is stored, nothing remembered is used; "
    'what was there is kept until it is erased, or until consent("memory", True)'
)
_LEARNED = frozenset(
    {Kind.NOTE, Kind.BEHAVIOR, Kind.SKILL, Kind.PATTERN, Kind.TOOL_RECORD, Kind.INSIGHT}
)
_LOG = logging.getLogger(__name__)


def remember(
    workspace: Workspace, messages: Sequence[Message], state: MemoryState, structure: Structure
) -> Receipt:
    """Store messages, then learn rules from the user's turns."""
    from sharpwave.behavior import flow as reflection
    from sharpwave.behavior import structured_rules
    from sharpwave.remember import flow as write_path

    receipt = write_path.remember(messages, workspace, structure)
    new = [id_ for id_ in receipt.ids if id_ not in receipt.replayed]
    spoken = all(message.kind == Kind.TURN for message in messages)
    reflects = spoken and workspace.settings.behavior.reflect
    if not new or not (reflects or structure.rules):
        return receipt
    try:
        turns = workspace.store.find(new)
        stated = structured_rules.learn(workspace, structure.rules, turns)
        reflections = reflection.reflect_on(workspace, turns, stated) if reflects else []
    except Exception as error:  # noqa: BLE001 - the words are stored; that must not be undone
        failed = reflection_failed(error, state)
        return replace(receipt, notes=(*receipt.notes, *([failed.note] if structure.rules else [])))
    learned = [
        *stated.learned,
        *(rule for reflection_result in reflections for rule in reflection_result.learned),
    ]
    rules = tuple(
        Outcome(rule.verdict, rule.rule, rule.id, rule.reason, kind=Kind.BEHAVIOR)
        for rule in learned
    )
    unlearned = dict.fromkeys(
        reflection_result.note for reflection_result in reflections if reflection_result.note
    )
    return replace(receipt, rules=rules, notes=(*receipt.notes, *stated.notes, *unlearned))


def reflection_failed(error: Exception, state: MemoryState) -> Reflection:
    """Log and count a failed reflection; returns what the caller gets instead."""
    from sharpwave.types.steering import Reflection

    _LOG.error("reflection on a turn failed", exc_info=error)
    state.process.count_reflection_failure()
    return Reflection(note=f"looking back failed: {type(error).__name__}, see the log")


def recall(workspace: Workspace, query: RecallQuery) -> Recollection:
    """Recall what the user has consented to."""
    consents = workspace.consents
    allowed = query.kinds
    if not consents.may_learn:
        allowed = [kind for kind in query.kinds or list(Kind) if kind not in _LEARNED]
    if not consents.may_remember or (query.kinds and not allowed):
        return Recollection(query.query, (), 0, "", notes=(WITHDRAWN,), rationale=WITHDRAWN)
    return read_path.recall(workspace, replace(query, kinds=allowed))


def background(workspace: Workspace, system: str, scope: str | None) -> Background:
    """The part of a context that is independent of the query: profile, goals, notes and rules."""
    from sharpwave.behavior import listing
    from sharpwave.knowledge import facts, tasks
    from sharpwave.knowledge.predicates import NOTED
    from sharpwave.recall.context_flow import GOALS_SHOWN, PROFILE_FACTS
    from sharpwave.types.contexts import Background

    if not workspace.consents.may_remember:
        return Background(system)
    profile = facts.foremost(workspace, PROFILE_FACTS, NOTED)  # recall adds what fits a query
    goals = tasks.goals(workspace, GOALS_SHOWN)
    if not workspace.consents.may_learn:
        return Background(system, profile, goals, [], [])
    shown = {fact.text.casefold() for fact in profile}
    rules = [
        rule for rule in listing.for_prompt(workspace, scope) if rule.rule.casefold() not in shown
    ]
    notes = listing.without_repeats(tasks.notes(workspace), rules)
    return Background(system, profile, goals, notes, rules)


def export(workspace: Workspace) -> Iterator[str]:
    """All data of a user as lines; StoreDamaged after the last if damaged records are missing."""
    from sharpwave.importers import export_format
    from sharpwave.knowledge import provenance
    from sharpwave.remember.flow import BATCH_RECORDS

    store = workspace.store
    expected = store.counts().memories
    yield export_format.header(workspace.user_id, workspace.clock.now())
    count = after = 0
    while records := store.scan(after, BATCH_RECORDS):
        links = provenance.links(store, records)
        yield from (export_format.to_line(record, links[record.id]) for record in records)
        count, after = count + len(records), records[-1].number
    missing = count < min(expected, store.counts().memories)
    if missing and not workspace.shared.store.verify().ok:
        raise StoreDamaged(
            f"{expected - count} damaged records were left out of the export; what is in it is "
            "whole. Run `sharpwave doctor`."
        )
