"""`export-skills`, `import-skills`: ways to answer as small text files, one each [XPT-05].

They have the form of the base skills, so that they can be read, edited, compared and synchronised
like any other text.
"""

import hashlib
import json as to_json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from sharpwave import Memory
from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose
from sharpwave.interfaces.cli.files.writing import write
from sharpwave.types.skills import DIMENSIONS, NEUTRAL, Skill, SkillType

_KEYS = {"skill_id", "skill_name", "template", "trigger", "dimensions"}
_UNFIT = re.compile(r"[^a-z0-9_-]+")
_NAME_CHARS = 60
_LISTS = ("intent", "sentiment", "time_of_day")


def export_skills(
    to: Annotated[Path, typer.Argument(help="A folder.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Write the skills you made as small text files, one each; import-skills reads them."""
    with choose(db, user, settings, json).open_existing() as memory:
        made = [one.skill for one in memory.skills(archived=True)]
    files = {file_name(one): one for one in made if one.type is not SkillType.BASE}
    for name, skill in files.items():
        write(to / name, text_of(skill))
    if json:
        output.as_json({"files": [str(to / name) for name in files]})
    else:
        output.say(f"Wrote {len(files)} skills to {to}.")


def import_skills(
    source: Annotated[Path, typer.Argument(help="A file, or a folder of files.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Add the skills in text files; one of yours by the same id becomes what the file says."""
    files = sorted(source.glob("*.toml")) if source.is_dir() else [source]
    read = [read_skill(file) for file in files]  # all of them, before anything is changed
    with choose(db, user, settings, json).open() as memory:
        done = {str(one["skill_id"]): _take_in(memory, one) for one in read}
    if json:
        output.as_json({"skills": done})
    for skill, what in done.items() if not json else ():
        output.say(f"{skill}: {what}")


def file_name(skill: Skill) -> str:
    """A name that every file system takes, of its own for each id, which stands in the file.

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
    """A skill as text, in the form of the base skills."""
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
    """What a file says of a skill; InvalidInput if it is none."""
    try:
        found = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} is not a skill in TOML: {error}") from error
    missing = {"skill_id", "template"} - found.keys()
    if missing or found.keys() - _KEYS:
        raise InvalidInput(f"{file} is not a skill: it needs skill_id and template, not more than "
                           f"{', '.join(sorted(_KEYS))}")  # fmt: skip
    return found


def _take_in(memory: Memory, given: Mapping[str, Any]) -> str:
    known = {one.skill.id: one.skill for one in memory.skills(archived=True)}
    skill, template = str(given["skill_id"]), given["template"]
    said = {
        "name": given.get("skill_name"),
        "trigger": given.get("trigger"),
        "dimensions": given.get("dimensions"),
    }
    before = known.get(skill)
    if before is None:
        memory.create_skill(skill, template, **said)
        return "added"
    if tomllib.loads(text_of(before)) == {"trigger": {}, **given}:
        return "unchanged"
    memory.edit_skill(skill, template=template, **said)
    return "changed"


def _quoted(text: str) -> str:
    """A TOML string: JSON escapes what it has to, and DEL, which TOML does not take either."""
    return to_json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
