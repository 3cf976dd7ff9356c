"""Trains the sentence encoder further on the corpus, gently, and the reader's heads on it.

    python -m training.encoder.train --model FOLDER --out FOLDER [--trained N] [--seed N] …

The score of a turn for a query is the one that recall sees, so the encoder learns what the table
does not know:

    score = ((1 - share) · cosine of the encoder + share · cosine of the table) / temperature

    loss = - log of the share of the softmax that falls on the right turns   (all turns of a person,
                                                                              and "none of them")
         + believe · how far the softmax is from a larger encoder's          (all turns of several
                                                                              people: `soft_labels`)
         + keep · (1 - cosine with what the untouched encoder says)          (turns, other text)

At every step sentences are read besides (`heads`): which are a fact, a task, a rule, in which mode;
those of ordinary talk, which hardly has rules, among them (`ordinary`). Word embeddings stay as
they are. `shipped.py` makes a model of the bundled files; with `--trained 3` only its last layers
learn further, so that the comparer, which shares the first ones, stays as it is. A GPU takes
minutes; `--steps 20 --people 4` is for a CPU, where measuring takes longest. Needs torch and
transformers.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from transformers import AutoModel

from sharpwave.embedding.sharpwave_embedder import TABLE_SHARE
from sharpwave.embedding.table_embedder import TableEmbedder
from sharpwave.embedding.word_pieces import WordPieces
from training.corpus import PEOPLE, is_validation
from training.encoder import heads, ordinary, readings, soft_labels, tasks
from training.encoder.readings import Reading
from training.encoder.soft_labels import Teacher
from training.encoder.tasks import WEIGHTS, PersonTasks

TEMPERATURE = 0.05
KEEP = 0.3
BELIEVE = 6.0
RATE = 8e-5
WARM_UP = 0.1
PEOPLE_AT_ONCE = 4
AT_ONCE = 64
"""Texts, of about the same length."""
LONGEST = 128
TYPOS = 0.15
"""Share of the texts that are mistyped anew each time."""
DEPTHS = (1, 5, 10)
HEADS_RATE = 20
"""By how much faster the heads learn than the encoder."""
PARTS = 4
"""Files that the learned weights are written to."""
HEADS = "heads.npz"


class Encoder(torch.nn.Module):
    """A BERT, mean pooled, with our word pieces."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.bert: Any = AutoModel.from_pretrained(folder)
        vocabulary = (folder / "vocab.txt").read_text("utf-8").splitlines()
        self.pieces = WordPieces(vocabulary)
        if "<s>" in vocabulary:  # an MPNet's
            self.pieces.begin, self.pieces.end = map(vocabulary.index, ("<s>", "</s>"))
        self._cut: dict[str, list[int]] = {}
        self._known: dict[str, torch.Tensor] = {}
        self.nothing = torch.nn.Parameter(torch.tensor([[0.4]]))
        """The cosine at which a question is as likely about nothing that was ever said."""
        self.shares = torch.nn.Parameter(
            torch.tensor([0.0] * self.bert.config.num_hidden_layers + [2.0])
        )
        """Which layers the reader looks at."""

    def forward(self, texts: Sequence[str]) -> torch.Tensor:
        """One unit vector for each text."""
        cut = [self._cut.get(text) or self._pieces(text) for text in texts]
        order = sorted(range(len(cut)), key=lambda place: len(cut[place]))
        parts = []
        for start in range(0, len(order), AT_ONCE):
            state, mask = self.states([cut[place] for place in order[start : start + AT_ONCE]])
            counted = mask.unsqueeze(-1).to(state.dtype)
            parts.append(F.normalize((state * counted).sum(1).float(), dim=-1))
        return torch.cat(parts)[np.argsort(order)]

    def known(self, person: PersonTasks) -> torch.Tensor:
        """The vectors of a person's turns, worked out once: for an encoder that stays as it is."""
        if person.id not in self._known:
            self._known[person.id] = self(person.turns)
        return self._known[person.id]

    def states(
        self, cut: Sequence[Sequence[int]], mixed: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The states of all pieces, and which of them count; of all layers, weighed, if mixed."""
        longest = max(map(len, cut))
        device = next(self.bert.parameters()).device
        ids = torch.zeros(len(cut), longest, dtype=torch.long)
        mask = torch.zeros(len(cut), longest, dtype=torch.long)
        for row, each in enumerate(cut):
            ids[row, : len(each)] = torch.tensor(each)
            mask[row, : len(each)] = 1
        ids, mask = ids.to(device), mask.to(device)
        made = self.bert(input_ids=ids, attention_mask=mask, output_hidden_states=mixed)
        if not mixed:
            return made.last_hidden_state, mask
        shares = torch.softmax(self.shares, 0)
        return sum(
            share * each for share, each in zip(shares, made.hidden_states, strict=True)
        ), mask

    def _pieces(self, text: str) -> list[int]:
        cut = [self.pieces.begin, *self.pieces.ids(text)[:LONGEST], self.pieces.end]
        self._cut[text] = cut
        return cut


class Table:
    """The table's vectors of texts, worked out once."""

    def __init__(self) -> None:
        self._table = TableEmbedder()
        self._turns: dict[str, np.ndarray] = {}
        self._queries: dict[str, np.ndarray] = {}

    def scores(self, queries: Sequence[str], turns: Sequence[str]) -> np.ndarray:
        """Cosines, one row for each query."""
        for text in turns:
            if text not in self._turns:
                self._turns[text] = self._table.embed([text])[0]
        for text in queries:
            if text not in self._queries:
                self._queries[text] = self._table.embed_question(text)
        return (
            np.stack([self._queries[q] for q in queries])
            @ np.stack([self._turns[t] for t in turns]).T
        )


def mistyped(text: str, draw: random.Random) -> str:
    """The text as a thumb might write it: a letter swapped, lost or doubled, or no capitals."""
    if draw.random() < 0.4:
        return text.lower()
    letters = list(text)
    for _ in range(max(1, len(letters) // 40)):
        at = draw.randrange(max(1, len(letters) - 1))
        kind = draw.randrange(3)
        if kind == 0 and at + 1 < len(letters):
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
        elif kind == 1 and len(letters) > 4:
            letters.pop(at)
        else:
            letters.insert(at, letters[at])
    return "".join(letters)


class Asked:
    """Some queries about a person, as they are typed this time; and the turns, as vectors."""

    def __init__(self, person: PersonTasks, draw: random.Random) -> None:
        self.person = person
        says = [query for query in person.queries if query.kind == "say"]
        self.queries = [query for query in person.queries if query.kind != "say"]
        self.queries += draw.sample(says, min(len(says), 24))
        self.clean = [query.text for query in self.queries]
        self.typed = [
            mistyped(text, draw) if draw.random() < TYPOS else text for text in self.clean
        ]


def loss_of(
    people: Sequence[PersonTasks],
    encoder: Encoder,
    first: Encoder,
    table: Table,
    teacher: Teacher | None,
    draw: random.Random,
    options: argparse.Namespace,
) -> torch.Tensor:
    """The loss on a few people: every question and request, and some of what labels say."""
    device = next(encoder.bert.parameters()).device
    asked = [Asked(person, draw) for person in people]
    turns = [text for person in people for text in person.turns]
    clean = [text for one in asked for text in one.clean]
    vectors = encoder([*turns, *(text for one in asked for text in one.typed)])
    told, questions = vectors[: len(turns)], vectors[len(turns) :]
    cosines = questions @ told.T
    if options.share:
        known = torch.tensor(table.scores(clean, turns), device=device)
        cosines = (1 - options.share) * cosines + options.share * known
    cosines = torch.cat([cosines, encoder.nothing.expand(len(clean), 1)], dim=1) / TEMPERATURE
    kinds = [query.kind for one in asked for query in one.queries]
    counts = torch.tensor([WEIGHTS[kind] for kind in kinds], device=device)
    right = torch.zeros_like(cosines, dtype=torch.bool)
    own = torch.zeros_like(right)
    own[:, -1] = True
    row = column = 0
    for one in asked:
        own[row : row + len(one.queries), column : column + len(one.person.turns)] = True
        for query in one.queries:
            right[row, [column + place for place in query.right] or [-1]] = True
            row += 1
        column += len(one.person.turns)
    chances = F.log_softmax(cosines.masked_fill(~own, -torch.inf), dim=-1)
    found = torch.logsumexp(chances.masked_fill(~right, -torch.inf), dim=-1)
    total = -(counts * found).sum() / counts.sum()
    if teacher:
        taught = F.log_softmax(teacher.cosines(clean, turns) / TEMPERATURE, dim=-1)
        chances = F.log_softmax(cosines, dim=-1)
        apart = F.kl_div(chances, taught, log_target=True, reduction="none").sum(-1)
        total = total + options.believe * (counts * apart).sum() / counts.sum()
    if options.keep:
        with torch.no_grad():
            before = torch.cat([first.known(person) for person in people])
        total = total + options.keep * (1 - (told * before).sum(-1)).mean()
    return total


def crowds(people: Sequence[PersonTasks], draw: random.Random) -> list[list[PersonTasks]]:
    """A few people of the same fold each, in any order."""
    made = []
    for fold in range(tasks.FOLDS):
        some = [person for person in people if person.fold == fold]
        draw.shuffle(some)
        made += [
            some[start : start + PEOPLE_AT_ONCE] for start in range(0, len(some), PEOPLE_AT_ONCE)
        ]
    draw.shuffle(made)
    return made


def evidence(
    people: Sequence[PersonTasks],
    encoder: Encoder,
    table: Table,
    share: float,
    kind: str = "question",
) -> dict[str, float]:
    """Shares of questions with a right turn among the first 1, 5, 10."""
    hits: dict[int, list[bool]] = {depth: [] for depth in DEPTHS}
    tops: list[float] = []
    mentioned: list[bool] = []
    encoder.eval()
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=torch.cuda.is_available()):
        for person in people:
            asked = [query for query in person.queries if query.kind == kind]
            if not asked:
                continue
            vectors = (
                encoder([*person.turns, *(query.text for query in asked)]).float().cpu().numpy()
            )
            turns, questions = vectors[: len(person.turns)], vectors[len(person.turns) :]
            known = table.scores([query.text for query in asked], person.turns)
            scores = (1 - share) * questions @ turns.T + share * known
            for row, query in enumerate(asked):
                tops.append(float(scores[row].max()))
                mentioned.append(True)
                order = np.argsort(-scores[row], kind="stable")
                for depth in DEPTHS:
                    hits[depth].append(bool(set(order[:depth].tolist()) & set(query.right)))
            for query in (one for one in person.queries if one.kind == "absent"):
                vector = encoder([query.text]).float().cpu().numpy()
                known = table.scores([query.text], person.turns)
                tops.append(float(((1 - share) * vector @ turns.T + share * known).max()))
                mentioned.append(False)
    encoder.train()
    found = {"apart": round(auroc(tops, mentioned), 3)} if not all(mentioned) else {}
    return found | {f"@{depth}": round(float(np.mean(hit)), 3) for depth, hit in hits.items()}


def auroc(scores: Sequence[float], right: Sequence[bool]) -> float:
    """How often a right one scores above a wrong one."""
    ranks = np.argsort(np.argsort(scores)) + 1
    good = np.array(right)
    many, others = int(good.sum()), int((~good).sum())
    return float((ranks[good].sum() - many * (many + 1) / 2) / (many * others))


def main() -> None:
    """Train, say how it goes, and write what was learned."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--development", type=Path, help="People to report on, never trained on.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trained", type=int, help="Train so many layers only, the last ones.")
    parser.add_argument("--people", type=int, help="Train on so many people only.")
    parser.add_argument("--fold", type=int, help="Leave these people out, and rank their turns.")
    parser.add_argument("--soft", type=Path, nargs="*", default=[], help="Where teachers ranked.")
    parser.add_argument("--believe", type=float, default=BELIEVE, help="How much they count.")
    parser.add_argument("--ordinary", type=Path, help="Talk without rules, to be read besides.")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--steps", type=int, help="Stop after so many steps.")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--keep", type=float, default=KEEP)
    parser.add_argument("--share", type=float, default=TABLE_SHARE)
    parser.add_argument("--read", type=float, default=1.0, help="How much the heads count.")
    parser.add_argument("--find", type=float, default=1.0, help="How much finding counts.")
    parser.add_argument("--beside", type=int, default=3, help="Steps of reading to one of finding.")
    options = parser.parse_args()
    result = train(options)
    print(json.dumps(result))


class Run:
    """One training: what is learned from, what is looked at, and the model as it stands."""

    def __init__(self, options: argparse.Namespace) -> None:
        torch.manual_seed(options.seed)
        self.options, self.draw = options, random.Random(options.seed)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        taught, kept = tasks.split(tasks.load())
        self.draw.shuffle(taught)
        self.taught = [one for one in taught if one.fold != options.fold][: options.people]
        everybody = [*taught, *tasks.moments(options.seed)]
        self.left_out = [one for one in everybody if one.fold == options.fold]
        self.asked = [
            one for one in (*self.taught, *everybody[len(taught) :]) if one.fold != options.fold
        ]
        self.teachers = soft_labels.load(options.soft, self.device)
        self.people = {
            "validation": [person for person in kept if person.language == "en"],
            "other languages": [person for person in kept if person.language != "en"],
        }
        if options.development:
            self.people["development"] = tasks.load(options.development)
        self.table = Table()
        self.encoder = Encoder(options.model).to(self.device)
        self.encoder.bert.embeddings.word_embeddings.weight.requires_grad_(False)
        self.first = Encoder(options.model).to(self.device).eval()
        torch.manual_seed(0)  # all runs begin with the same heads: then their mean is a reader too
        self.reader = heads.Heads(self.encoder.bert.config.hidden_size).to(self.device)
        torch.manual_seed(options.seed)
        if options.trained:
            self._go_on()
        self._load_readings()

    def _go_on(self) -> None:
        """From the heads of the model, and with all but its last layers as they are."""
        bert, held = self.encoder.bert, dict(np.load(self.options.model / HEADS))
        self.encoder.shares.data = torch.tensor(held.pop("shares")).log().float().to(self.device)
        self.reader.load_state_dict({name: torch.tensor(each) for name, each in held.items()})
        fixed = [bert.embeddings, *bert.encoder.layer[: -self.options.trained]]
        for parameter in (one for part in fixed for one in part.parameters()):
            parameter.requires_grad_(False)
        self.encoder.shares.requires_grad_(False)

    def _load_readings(self) -> None:
        ids = {person.id for person in self.taught}
        own, kept, left = [], [], []
        for raw in _raws(PEOPLE):
            if raw["id"] in ids:
                own.append(raw)
            elif is_validation(raw["id"]):
                kept.append(raw)
            elif tasks.fold_of(raw["id"]) == self.options.fold:
                left.append(raw)
        found = [one for raw in own for one in readings.of_person(raw)]
        left_out = [one for raw in left for one in readings.of_person(raw)]
        for one in readings.of_moments(validation=False):
            (left_out if tasks.fold_of(one.of) == self.options.fold else found).append(one)
        found += [one for raw in own for one in readings.plain(raw, self.draw)]
        if self.options.ordinary:
            found += ordinary.load(self.options.ordinary)
        self.readings = [one for one in found if one.labels]
        self.unread = [one for one in left_out if one.labels]
        self.told = {
            text: rows for each in self.teachers.values() for text, rows in each.read.items()
        }
        english = [raw for raw in kept if raw.get("language", "en") == "en"]
        others = [raw for raw in kept if raw.get("language", "en") != "en"]
        groups = {"validation": english, "other languages": others}
        if self.options.development:
            groups["development"] = _raws(self.options.development)
        self.kept = {
            name: [one for raw in some for one in readings.of_person(raw)]
            for name, some in groups.items()
        }
        self.kept["moments"] = readings.of_moments(validation=True)
        self.kept["plain"] = [one for raw in kept for one in readings.plain(raw, self.draw)]

    def figures(self) -> dict[str, Any]:
        """How well it finds, by group of people."""
        return {
            name: {
                "alone": evidence(some, self.encoder, self.table, 0.0),
                "with the table": evidence(some, self.encoder, self.table, TABLE_SHARE),
                "helps": evidence(some, self.encoder, self.table, TABLE_SHARE, "help"),
            }
            for name, some in self.people.items()
            if some
        }

    def read_figures(self) -> dict[str, Any]:
        """How well it reads, by group of texts."""
        return {
            name: heads.figures(self.encoder, self.reader, some) for name, some in self.kept.items()
        }

    def loss(self, some: list[PersonTasks], part: list[Reading]) -> torch.Tensor:
        """Of one step: some sentences to read, and people to find turns of, if any."""
        options, total = self.options, torch.zeros((), device=self.device)
        if some and options.find:
            teacher = self.teachers.get(some[0].fold)
            total = total + options.find * loss_of(
                some, self.encoder, self.first, self.table, teacher, self.draw, options
            )
        if options.read:
            lost = heads.loss(self.encoder, self.reader, part, self.told)
            total = total + options.read * lost
        return total


def train(options: argparse.Namespace) -> dict[str, Any]:
    """One run; returns its figures."""
    run = Run(options)
    report: dict[str, Any] = {"people": len(run.taught), "seed": options.seed}
    report["before"] = run.figures()
    learned = [param for param in run.encoder.parameters() if param.requires_grad]
    groups = [
        {"params": learned, "lr": options.rate},
        {"params": list(run.reader.parameters()), "lr": options.rate * HEADS_RATE},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    per_epoch = len(crowds(run.asked, run.draw)) * options.beside
    batch = -(-len(run.readings) // per_epoch)
    steps = min(options.steps or 10**9, options.epochs * per_epoch)
    warm = max(1, int(WARM_UP * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm))),
    )
    started, step = time.time(), 0
    run.encoder.train()
    run.reader.train()
    while step < steps:
        made = crowds(run.asked, run.draw)
        parts = heads.batches(run.readings, batch, run.draw)
        for number, part in enumerate(parts[: steps - step]):
            optimizer.zero_grad()
            with torch.autocast("cuda", torch.bfloat16, enabled=run.device == "cuda"):
                found = number % options.beside == 0
                total = run.loss(made[number // options.beside] if found else [], part)
            if total.requires_grad:
                total.backward()
                torch.nn.utils.clip_grad_norm_(learned, 1.0)
                optimizer.step()
            schedule.step()
            step += 1
        print(f"step {step} of {steps}, loss {float(total):.3f}", flush=True)
    report["after"] = run.figures()
    if options.read:
        report["reading"] = run.read_figures()
    report["seconds"] = round(time.time() - started)
    if run.left_out:
        read = heads.chances(run.encoder.eval(), run.reader.eval(), run.unread)
        soft_labels.write(run.encoder, run.left_out, read, options.fold, options.out)
    else:
        _write(run.encoder, run.reader, options.out)
    return report


def _raws(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))]


def _write(encoder: Encoder, reader: heads.Heads, out: Path) -> None:
    """What was learned: the heads, and in half precision all but the word embeddings."""
    out.mkdir(parents=True, exist_ok=True)
    shares = torch.softmax(encoder.shares, 0).detach().cpu().numpy()
    layers = {name: value.float().cpu().numpy() for name, value in reader.state_dict().items()}
    np.savez(out / HEADS, shares=shares, **layers)
    state = {
        name: values.detach().half().cpu().numpy()
        for name, values in encoder.bert.named_parameters()
        if values.requires_grad
    }
    names = sorted(state, key=lambda name: -state[name].size)
    for part in range(PARTS):
        some = {name: state[name] for name in names[part::PARTS]}
        np.savez(out / f"learned{part}.npz", **some)


if __name__ == "__main__":
    main()
