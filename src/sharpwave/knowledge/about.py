"""All that is known of somebody or something, under all of its names."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from sharpwave.knowledge import conflicts, graph, task_lists, views
from sharpwave.knowledge import entity_names as naming
from sharpwave.knowledge.draft import statement_of
from sharpwave.knowledge.names import Names, is_naming, settled
from sharpwave.knowledge.predicates import normal_name
from sharpwave.knowledge.sureness import Fading
from sharpwave.ports import UserStore
from sharpwave.temporal.moments import from_microseconds
from sharpwave.temporal.validity import held_at
from sharpwave.types.known import About, Contradiction, Fact, Note, Task
from sharpwave.types.records import USER, Kind, Record, State
from sharpwave.types.storing import Stated
from sharpwave.workspace import Workspace

_FACTS = frozenset({Kind.FACT})
_COUNTING = frozenset({State.ACTIVE, State.SUPERSEDED})
_MOST_MENTIONS = 1_000_000


def about(
    workspace: Workspace, fading: Fading, name: str, at: datetime | None, enough: int
) -> About:
    """Facts, relations, tasks, notes and mentions, now or as of a moment.

    A note of ours is more than a guess once it was drawn from as many sightings as are `enough`.
    """
    moment = at or fading.now
    names = naming.of(workspace.store, name)
    stated = _stated(workspace.store, names)
    counting = [record for record in stated if record.standing.state in _COUNTING]
    own = [one for one in counting if normal_name(statement_of(one).subject) in names.keys]
    held, gave_way = settled([record for record in own if held_at(record, moment)])
    over = [one for one in own if one.valid_to is not None and one.valid_to <= moment]
    said = _said(workspace.store, names, stated, moment)
    shown = names.shown
    return About(
        name=shown,
        aliases=naming.aliases(names, shown),
        kind=graph.kind_of(workspace.store, names),
        at=moment,
        facts=_by_importance((one for one in held if not is_naming(one)), fading),
        formerly=_latest_first([*gave_way, *over], fading),
        relations=tuple(
            graph.relation(one, fading)
            for one in counting
            if graph.is_edge(one, moment) and one not in gave_way
        ),
        tasks=_tasks(workspace, names),
        notes=_notes(workspace, names, enough),
        conflicts=_conflicts(workspace, fading, names),
        mentions=len(said),
        first_mentioned=min(said, default=None),
        last_mentioned=max(said, default=None),
    )


def _stated(store: UserStore, names: Names) -> list[Record]:
    """Every fact with one of the names at either end, in the order they were recorded."""
    keys = tuple(sorted(names.keys))
    wanted = Stated(within=tuple(f"{key}|" for key in keys), about=keys, kinds=_FACTS)
    found = {record.number: record for record in store.stated(wanted)}
    return [found[number] for number in sorted(found)]


def _said(
    store: UserStore, names: Names, stated: Sequence[Record], moment: datetime
) -> list[datetime]:
    """When each turn was said that mentions one of the names."""
    numbers = {number for key in names.keys for number in store.mentioned(key, _MOST_MENTIONS)}
    turns = sorted(numbers - {record.number for record in stated})
    said = [from_microseconds(one.valid_from_us) for one in store.heard(turns)]
    return [when for when in said if when <= moment]


def _tasks(workspace: Workspace, names: Names) -> tuple[Task, ...]:
    found = task_lists.with_status(workspace, None)
    return tuple(task for task in found if _names_it(task.title, names))


def _notes(workspace: Workspace, names: Names, enough: int) -> tuple[Note, ...]:
    found = task_lists.notes(workspace, enough)
    return tuple(note for note in found if _names_it(note.text, names))


def _names_it(text: str, names: Names) -> bool:
    """True if a text has one of the names in it, as words of their own."""
    spelt = [names.spelt.get(key, key) for key in names.keys - {USER}]
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.IGNORECASE) for one in spelt)


def _conflicts(workspace: Workspace, fading: Fading, names: Names) -> tuple[Contradiction, ...]:
    return tuple(
        one
        for one in conflicts.open_ones(workspace, fading)
        if {normal_name(side.subject) for side in (one.older, one.newer)} & names.keys
    )


def _by_importance(records: Iterable[Record], fading: Fading) -> tuple[Fact, ...]:
    found = sorted(records, key=lambda r: (-r.standing.importance, -fading.confidence(r)))
    return tuple(views.fact(record, fading) for record in found)


def _latest_first(records: Iterable[Record], fading: Fading) -> tuple[Fact, ...]:
    found = sorted(records, key=lambda r: (r.valid_to or r.valid_from, r.number), reverse=True)
    return tuple(views.fact(record, fading) for record in found)
