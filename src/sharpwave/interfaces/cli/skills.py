"""`skills`, `feedback`, `style`: ways to answer. `export-skills` writes text files [XPT-05]."""

import hashlib
import json as to_json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import Options
from sharpwave.interfaces.cli.import_export import write_private
from sharpwave.memory import Memory
from sharpwave.types.skills import DIMENSIONS, NEUTRAL, Skill, SkillType

_BAR = 10


def skills(
    options: Options,
    archived: Annotated[bool, typer.Option("--archived", help="Also archived ones.")] = False,
) -> None:
    with options.open() as memory:
        found = memory.skills.list(archived=archived)
    options.if_json(found)
    table = Table("skill", "sure", "used", "liked", "disliked", "what it is", box=None)
    for known_skill in found:
        counts = (
            str(known_skill.usage_count),
            str(known_skill.positive),
            str(known_skill.negative),
        )
        name = known_skill.skill.id + (" (set aside)" if known_skill.archived else "")
        table.add_row(name, f"{known_skill.confidence:.2f}", *counts, Text(known_skill.skill.name))
    output.console.print(table)


def select_skill(
    options: Options,
    message: Annotated[str, typer.Argument(help="The message to answer.")],
    message_id: Annotated[str | None, typer.Option(help="Its id, for `feedback`.")] = None,
    session: Annotated[str | None, typer.Option(help="Name of the conversation.")] = None,
) -> None:
    with options.open() as memory:
        choice = memory.skills.select(message, message_id=message_id, session=session)
    options.if_json(choice)
    output.say(f"{choice.skill.name}: {choice.template}")
    output.say(f"because: {choice.reason}")
    if choice.ask:
        output.say(f"ask: {choice.ask}")
    output.say(f"rate it: sharpwave feedback {choice.message_id} 1")


def add_skill(
    options: Options,
    skill: Annotated[str, typer.Argument(help="A short id, such as as_a_haiku.")],
    template: Annotated[str, typer.Argument(help="The instruction for the model.")],
    intent: Annotated[
        list[str] | None, typer.Option(help="Intent for which it applies; repeatable.")
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Topic for which it applies.")] = None,
) -> None:
    with options.open() as memory:
        created = memory.skills.create(skill, template, trigger={"intent": intent, "topic": topic})
    options.answer(created, f"Added {created.id}.")


def improve_skill(
    options: Options,
    skill: Annotated[str, typer.Argument(help="Id of the skill.")],
) -> None:
    proposal = options.ask(lambda memory: memory.skills.improve(skill))
    output.say(proposal.why)
    if proposal.template is not None:
        output.say(proposal.template)
        output.say("Nothing was changed. export-skills writes the file to put it in.")


def feedback(
    options: Options,
    message_id: Annotated[str, typer.Argument(help="The message id from select-skill.")],
    reward: Annotated[int, typer.Argument(help="1, 0 or -1 (write: -- ID -1).")],
    reason: Annotated[str | None, typer.Option(help="Such as too_verbose.")] = None,
    text: Annotated[str | None, typer.Option(help="A comment, up to 300 characters.")] = None,
) -> None:
    receipt = options.ask(lambda memory: memory.feedback(message_id, reward, reason, text))
    moved = f"{receipt.old_confidence:.2f} → {receipt.new_confidence:.2f}"
    output.say(f"{receipt.status}: {receipt.skill}, confidence {moved}")


def style(
    options: Options,
    context: Annotated[
        str | None, typer.Argument(help="Such as question_neutral_morning; default: overall.")
    ] = None,
    set: Annotated[list[str] | None, typer.Option(help="DIMENSION=VALUE; repeatable.")] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Reset what was learned.")] = False,
) -> None:
    with options.open_existing() as memory:
        if reset:
            memory.skills.reset(context=context)
        if set:
            memory.skills.set_style(dict(map(_pair, set)), context)
        shown_style = memory.skills.style(context)
    options.if_json(shown_style)
    table = Table("dimension", "from", "", "to", "sure", "because", box=None)
    for dimension in shown_style.dimensions:
        bar, why = output.bar(dimension.value, _BAR), Text(dimension.why if dimension.sure else "")
        table.add_row(
            dimension.name, dimension.low, bar, dimension.high, f"{dimension.sure:.0%}", why
        )
    output.console.print(table)
    output.say("Set one outright, from 0 to 1: sharpwave style --set verbosity=0.2")


def _pair(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise InvalidInput(f"{text!r} is not DIMENSION=VALUE, such as verbosity=0.2") from None


_KEYS = {"skill_id", "skill_name", "template", "trigger", "dimensions"}
_UNFIT = re.compile(r"[^a-z0-9_-]+")
_NAME_CHARS = 60
_LISTS = ("intent", "also", "sentiment", "time_of_day")


def export_skills(
    options: Options,
    to: Annotated[Path, typer.Argument(help="A folder.")],
) -> None:
    with options.open_existing() as memory:
        all_skills = [item.skill for item in memory.skills.list(archived=True)]
    files = {file_name(item): item for item in all_skills if item.type is not SkillType.BASE}
    for name, skill in files.items():
        write_private(to / name, text_of(skill))
    options.answer(
        {"files": [str(to / name) for name in files]},
        f"Wrote {len(files)} skills to {to}.",
    )


def import_skills(
    options: Options,
    source: Annotated[Path, typer.Argument(help="A file, or a folder of files.")],
) -> None:
    files = sorted(source.glob("*.toml")) if source.is_dir() else [source]
    loaded = [read_skill(file) for file in files]  # all of them, before anything is changed
    with options.open() as memory:
        outcomes = {str(data["skill_id"]): _import_skill(memory, data) for data in loaded}
    options.if_json({"skills": outcomes})
    for skill, outcome in outcomes.items():
        output.say(f"{skill}: {outcome}")


def file_name(skill: Skill) -> str:
    """A file name valid on every file system and unique for each skill id.

    >>> from sharpwave.types.skills import Trigger
    >>> file_name(Skill("haiku", "", SkillType.USER_CREATED, "", Trigger(), ()))
    'haiku.toml'
    """
    plain = _UNFIT.sub("_", skill.id.lower()).strip("_")[:_NAME_CHARS]
    if plain == skill.id:
        return f"{plain}.toml"
    digest = hashlib.blake2b(skill.id.encode(), digest_size=4).hexdigest()
    return f"{plain}-{digest}.toml"


def text_of(skill: Skill) -> str:
    """A skill as TOML text, in the format of the base skills."""
    lines = [f"skill_id = {_quoted(skill.id)}", f"skill_name = {_quoted(skill.name)}"]
    template = "\n".join(_quoted(line)[1:-1] for line in skill.template.split("\n"))
    lines += [f'template = """\n{template}"""', "", "[trigger]"]
    lines += [
        f"{key} = [{', '.join(map(_quoted, words))}]"
        for key in _LISTS
        if (words := getattr(skill.trigger, key))
    ]
    lines += [f"topic = {_quoted(skill.trigger.topic)}"] if skill.trigger.topic else []
    if not skill.learned_dimensions:
        named = zip(DIMENSIONS, skill.dimensions, strict=True)
        lines += ["", "[dimensions]"]
        lines += [f"{name} = {value!r}" for name, value in named if value != NEUTRAL]
    return "\n".join(lines) + "\n"


def read_skill(file: Path) -> dict[str, Any]:
    """The fields of a skill file; InvalidInput if it is not one."""
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} is not a skill in TOML: {error}") from error
    missing = {"skill_id", "template"} - data.keys()
    if missing or data.keys() - _KEYS:
        raise InvalidInput(f"{file} is not a skill: it needs skill_id and template, not more than "
                           f"{', '.join(sorted(_KEYS))}")  # fmt: skip
    return data


def _import_skill(memory: Memory, data: Mapping[str, Any]) -> str:
    existing = {
        known_skill.skill.id: known_skill.skill for known_skill in memory.skills.list(archived=True)
    }
    skill, template = str(data["skill_id"]), data["template"]
    fields = {
        "name": data.get("skill_name"),
        "trigger": data.get("trigger"),
        "dimensions": data.get("dimensions"),
    }
    current = existing.get(skill)
    if current is None:
        memory.skills.create(skill, template, **fields)
        return "added"
    if tomllib.loads(text_of(current)) == {"trigger": {}, **data}:
        return "unchanged"
    memory.skills.edit(skill, template=template, **fields)
    return "changed"


def _quoted(text: str) -> str:
    """A TOML string: a JSON string with DEL escaped too, which TOML requires."""
    return to_json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
