"""Published sentences follow the counts: checked whenever something is learned.

Reads only what is published of the tools and tasks that a lesson was about, and what a model drew.
Sentences of other patterns (workflows, files, intents) are stored with their day, and checked when
everything is published.
"""

from collections.abc import Iterable, Sequence

from sharpwave.errors import Overtaken
from sharpwave.experience import insights, patterns, publish
from sharpwave.experience.learners import errors, rows, task_patterns, tools
from sharpwave.experience.lessons import Lesson
from sharpwave.experience.statements import TOOL
from sharpwave.tallies import Sheet
from sharpwave.types.experience import LearnedPattern, PatternType
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.storing import EXPERIENCE, Stated
from sharpwave.workspace import Workspace


def refresh(workspace: Workspace, sheet: Sheet, lessons: Sequence[Lesson]) -> tuple[str, ...]:
    """Replace or close what is published and contradicts the counts of a sheet; new ids."""
    stored = _published_about(workspace, lessons)
    if not stored:
        return ()
    if any(publish.name_of(record).startswith(insights.SYNTHESIS) for record in stored):
        sheet = Sheet.of(workspace.store, EXPERIENCE)  # reading workflows changes a sheet
    pages = list(_pages(sheet, stored))
    try:
        return publish.write(workspace, pages, stored)
    except Overtaken:
        return ()  # another process is publishing


def _published_about(workspace: Workspace, lessons: Sequence[Lesson]) -> list[Record]:
    names = dict.fromkeys(name for lesson in lessons for name in lesson.order)
    ids = dict.fromkeys(
        f"{kind}:{name}"
        for lesson in lessons
        if lesson.is_task
        for kind, name in task_patterns.keys(lesson).items()
    )
    slots = [f"{publish.SUBJECTS[Kind.TOOL_RECORD]}|{name}" for name in names]
    slots += [f"{publish.SUBJECTS[Kind.PATTERN]}|{id_}" for id_ in ids]
    slots += [f"{publish.SUBJECTS[Kind.INSIGHT]}|best_practice:{id_}" for id_ in ids]
    within = [f"{publish.SUBJECTS[Kind.INSIGHT]}|{TOOL}:{name}|" for name in names]
    within += [f"{publish.SUBJECTS[Kind.PATTERN]}|{PatternType.ERROR}:{name}|" for name in names]
    within.append(f"{publish.SUBJECTS[Kind.INSIGHT]}|{insights.SYNTHESIS}")
    wanted = Stated(slots=tuple(slots), within=tuple(within), states={State.ACTIVE})
    found = workspace.store.stated(wanted)
    return [record for record in found if record.metadata.get(publish.GENERATED)]


def _pages(sheet: Sheet, stored: Iterable[Record]) -> Iterable[publish.PublishedPage]:
    """What is stored, as it would be published now; without what no longer holds."""
    by_kind: dict[Kind, list[Record]] = {}
    for record in stored:
        by_kind.setdefault(record.kind, []).append(record)
    names = [publish.name_of(record) for record in by_kind.get(Kind.TOOL_RECORD, ())]
    yield from map(publish.page_of_tool, tools.records(sheet, names) if names else ())
    ids = [publish.name_of(record) for record in by_kind.get(Kind.PATTERN, ())]
    yield from map(publish.page_of_pattern, _patterns(sheet, ids) if ids else ())
    found = insights.drafts_of(sheet, by_kind.get(Kind.INSIGHT, ()))
    yield from map(insights.page, found.values())


def _patterns(sheet: Sheet, ids: Sequence[str]) -> list[LearnedPattern]:
    failing = f"{PatternType.ERROR}:"
    keys = [rows.short(id_.removeprefix(failing)) for id_ in ids if id_.startswith(failing)]
    sheet.fetch(errors.TOPIC, keys)
    known = [errors.pattern(row) for key in keys if (row := sheet.row(errors.TOPIC, key))]
    return [*known, *patterns.named(sheet, [id_ for id_ in ids if not id_.startswith(failing)])]
