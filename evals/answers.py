"""`answers`: questions answered from a context alone, by a language model; its words are on record.

    question -> context of so many tokens -> answer of a model -> judged against the key

Nothing but the built-in reader works while the conversation is remembered. The prompt of a question
is named by a digest of its text. `evals/recorded/answers/SET.jsonl` has, for each digest, what the
model answered and how another call judged it. A prompt that is not on record is written to a folder
to be answered there (`.answer.txt`, then `.judge.txt` with `.verdict.txt`), and taken over.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer
from rich.table import Table

from evals import cli, talks
from evals.cli import SHARED, Data, Json
from evals.recall import category, loaded
from evals.talks import Question, Talks

RECORDED = Path(__file__).parent / "recorded" / "answers"
QUESTIONS = 100
BUDGET = 1900
"""Tokens of a context; with the question about 2,000."""

_CODE = re.compile(r"(</?memory) [a-z]+(?=>)")
"""The random code around remembered data: without it the same context gives the same prompt."""
PROMPT = """\
You are an assistant. Below is what you remember of earlier conversations, and a question.
Answer it from what you remember, as briefly as the question allows; work out dates and sums.
If it asks for advice, let what you remember of the person decide what you recommend.
If you remember nothing that answers it, say so: "I don't know."

What you remember:
{context}

Asked on {date}: {question}
"""
JUDGE = """\
Is the answer right? Question, what is right, and the answer that was given:

Question: {question}
Right: {key}
Given: {answer}

It is right if it says the same as far as the question asks, in other words or with more detail;
dates may be given in any form, and may differ by a day where the right one is rounded. If what is
right describes what a good reply takes into account, it is right if it does so. If the question
cannot be answered, it is right if it says that this is not known. Answer yes or no.
"""


def answers(
    name: Annotated[str, typer.Argument(help="locomo or longmemeval")],
    data: Data = SHARED,
    folder: Annotated[
        Path, typer.Option(help="Where prompts are written that nobody has answered.")
    ] = Path("answers"),
    questions: Annotated[int, typer.Option(help="So many, spread over the set.")] = QUESTIONS,
    as_json: Json = False,
) -> None:
    """How many questions a language model answers rightly from our context."""
    record = RECORDED / f"{name}.jsonl"
    lines = record.read_text("utf-8").splitlines() if record.exists() else []
    known = {line["prompt"]: line for line in map(json.loads, lines)}
    rows = [_row(*each, known, folder) for each in _asked(talks.load(name, data), questions)]
    open_ = sum(row is None for row in rows)
    if open_:
        cli.say(f"{open_} of {len(rows)} questions are not answered and judged yet: see {folder}")
        raise typer.Exit(1)
    done = [row for row in rows if row is not None]
    record.parent.mkdir(parents=True, exist_ok=True)
    kept = ("id", "prompt", "answer", "right")
    text = "".join(json.dumps({key: row[key] for key in kept}) + "\n" for row in done)
    record.write_text(text, "utf-8")
    _show(name, done, as_json)


def _asked(conversations: Talks, most: int) -> Iterator[tuple[str, Question, str, int]]:
    """So many questions, evenly spread, each with its context."""
    every = [
        question.id
        for talk in conversations.talks
        for question in talk.questions
        if conversations.set == "longmemeval" or question.answerable
    ]
    chosen = {every[place * len(every) // most] for place in range(min(most, len(every)))}
    settings = cli.settings_to_measure()
    for talk in conversations.talks:
        asked = [question for question in talk.questions if question.id in chosen]
        if not asked:
            continue
        cli.report_progress(talk.name)
        with loaded(talk, settings) as held:
            for question in asked:
                held.clock.set(question.asked_at)
                context = held.memory.context(question.text, budget=BUDGET)
                yield conversations.set, question, context.text, context.tokens


def _row(
    name: str,
    question: Question,
    context: str,
    tokens: int,
    known: dict[str, dict[str, Any]],
    folder: Path,
) -> dict[str, Any] | None:
    """What is on record of a question, or in the folder; else it is written there."""
    date = f"{question.asked_at:%A, %d %B %Y}"
    shown = _CODE.sub(r"\1", context)
    prompt = PROMPT.format(context=shown, date=date, question=question.text)
    digest = hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    base = {"id": question.id, "prompt": digest, "tokens": tokens}
    base["category"] = category(name, question.category)
    if digest in known:
        return {**known[digest], **base}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{digest}.prompt.txt").write_text(prompt, "utf-8")
    answer = folder / f"{digest}.answer.txt"
    if not answer.exists():
        return None
    said = answer.read_text("utf-8").strip()
    key = question.answer if question.answerable else "It cannot be answered: it was never said."
    judge = JUDGE.format(question=question.text, key=key, answer=said)
    (folder / f"{digest}.judge.txt").write_text(judge, "utf-8")
    verdict = folder / f"{digest}.verdict.txt"
    if not verdict.exists():
        return None
    right = verdict.read_text("utf-8").strip().lower().startswith("yes")
    return {**base, "answer": said, "right": right}


def _show(name: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    right = Counter(row["category"] for row in rows if row["right"])
    every = Counter(row["category"] for row in rows)
    share = sum(right.values()) / len(rows)
    tokens = round(fmean(row["tokens"] for row in rows))
    if as_json:
        shares = {one: right[one] / every[one] for one in every}
        cli.print_json({"set": name, "right": share, "tokens": tokens, "categories": shares})
        return
    table = Table("", "right", "of", title=f"{name}: {len(rows)} questions, {tokens} tokens")
    for one in sorted(every):
        table.add_row(one, f"{right[one] / every[one]:.3f}", str(every[one]))
    table.add_row("all", f"{share:.3f}", str(len(rows)))
    cli.console.print(table)
