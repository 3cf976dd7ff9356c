"""`python -m training.corpus` lists what can be checked of the corpus."""

import csv
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from evals import people
from training.corpus import (
    MOMENTS,
    PEOPLE,
    PLAN,
    is_validation,
    later_messages,
    more_questions,
    quality,
)
from training.corpus.quality import LABELS

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)

Again = Annotated[Path, typer.Argument(help="A folder of people labelled again.")]
Folders = Annotated[list[Path] | None, typer.Argument(help="Folders of other people.")]
Files = Annotated[list[Path] | None, typer.Argument(help="Files; everybody without any.")]


@app.command()
def check(files: Files = None) -> None:
    """Say what is wrong with the files; nothing if all is well."""
    wrong = 0
    for file in files or sorted(PEOPLE.glob("*.json")):
        raw = json.loads(file.read_text("utf-8"))
        further = quality.question_problems(raw, more_questions(raw["id"]))
        later = quality.later_problems(raw, later_messages(raw["id"]))
        for problem in (*quality.problems(raw), *further, *later):
            print(f"{file.name}: {problem}")
            wrong += 1
    print(f"{wrong} problems")
    sys.exit(bool(wrong))


@app.command()
def count() -> None:
    """How much there is, by label, language, register and life."""
    everybody = people.load(PEOPLE)
    turns = [turn for person in everybody for turn in person.turns if turn.role == "user"]
    print(f"{len(everybody)} people, {len(turns)} turns of theirs")
    print(f"{sum(len(person.questions) for person in everybody)} questions")
    print(f"{sum(len(person.helps) for person in everybody)} requests for help")
    further = sum(len(more_questions(person.id)) for person in everybody)
    print(f"{further} further questions, requests and changes")
    for kind in LABELS:
        print(f"{sum(len(getattr(turn, kind)) for turn in turns)} {kind}")
    nothing = sum(not (turn.facts or turn.tasks or turn.rules) for turn in turns)
    print(f"{nothing / max(1, len(turns)):.2f} of the turns carry nothing")
    _print("mode", Counter(fact.mode for turn in turns for fact in turn.facts))
    _print("kind", Counter(each.kind for person in everybody for each in person.questions))
    _print("language", Counter(person.language for person in everybody))
    kept = {person.id for person in everybody if is_validation(person.id)}
    print(f"{len(kept)} people for validation: {' '.join(sorted(kept))}")
    with PLAN.open(encoding="utf-8") as plan:
        rows = list(csv.DictReader(plan, delimiter="\t"))
    _print("register", Counter(row["register"].partition(",")[0] for row in rows))
    _print("life", Counter(word for row in rows for word in row["life"].split(", ")))
    topics = Counter(
        json.loads(line)["topic"]
        for file in sorted(MOMENTS.glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    )
    print(f"{topics.total()} moments")
    _print("topic", topics)


def _print(title: str, counts: Counter[str]) -> None:
    print(f"{title}: " + ", ".join(f"{name} {number}" for name, number in counts.most_common()))


@app.command()
def twins(
    against: Annotated[list[Path] | None, typer.Argument(help="Other folders.")] = None,
) -> None:
    """Turns that resemble others of the corpus, or of other folders."""
    own = quality.turns_of(sorted(PEOPLE.glob("*.json")))
    others = quality.turns_of(file for folder in against or () for file in folder.glob("*.json"))
    found = quality.alike(own, {f"other {name}": text for name, text in others.items()})
    for pair in found:
        print(f"{pair.share:.2f}  {pair.one} ~ {pair.other}: {pair.text[:120]}")
    print(f"{len(found)} pairs among {len(own)} texts, and with {len(others)} others")


@app.command()
def agree(
    again: Annotated[Path, typer.Argument(help="A folder of people labelled again.")],
) -> None:
    """How far labels made again from scratch agree with the first."""
    second = people.load(again)
    first = [people.load(PEOPLE / f"{person.id}.json")[0] for person in second]
    found = quality.agreement(first, second)
    for text in found.only:
        print(text)
    for kind, f1 in found.f1.items():
        print(f"{kind}: F1 {f1:.3f}")
    print(f"mode {found.mode:.3f}, due {found.due:.3f}, {len(second)} people")


if __name__ == "__main__":
    app()
