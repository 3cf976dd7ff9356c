"""Trains what compares a later remark with an older note: none, same, update or end.

    python -m training.encoder.comparer --model FOLDER [--learned FOLDER …] --out FOLDER
        [--trained N] [--seed N] [--fold N] [--soft FOLDER …] [--further FILE] [--test FILE …]
        [--head FILE]

Both texts are read together, so that words of one are seen in the light of the other:

    [begin] note [end] remark [end]  -> layers of the encoder, as they are
                                     -> its last `trained` layers, trained for this
                                     -> means of the note's and the remark's pieces -> relation

The first layers are those of the sentence encoder, so that the file holds only the last ones.
A larger encoder (`--fold`, `--trained` all) reads pairs of people that it was not trained on, and
the small one learns to answer as it does; also where nobody labelled (`--further`, of which it
learns what is labelled like the rest), as several larger ones do on average. `shipped.py` makes a
model and its `--head` of the bundled file, to go on from. Needs torch and transformers.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F

from sharpwave.embedding.comparer import LONGEST_NOTE, LONGEST_REMARK, RELATIONS
from sharpwave.reading.open_statements import stems
from sharpwave.types.statements import RULE, TO_DO
from training.corpus import PAIRS, is_validation
from training.encoder.further_pairs import CHANGED, TURNS
from training.encoder.train import Encoder, mistyped

WEIGHTS = "comparer.npz"
HIDDEN = 128
RATE, HEAD_RATE = 1.5e-4, 1e-3
BATCH = 64
EPOCHS = 8
TYPOS = 0.1
BELIEVE = 2.0
FOLDS = 4
UNLABELLED = ""
CHANGES = ("update", "end", CHANGED)
SOFT = "soft.jsonl"
NEAR, FAR = 2, 1
"""Notes that have nothing to do with a remark, beside which it is read: with a word in common, any.
"""


class Pair(NamedTuple):
    """A note, what was said later, and what that does to the note."""

    note: str
    remark: str
    relation: str
    of: str
    """Whose talk, or which line of the corpus."""


Soft = dict[tuple[str, str], np.ndarray]
BEGINS = {"task": TO_DO, "rule": RULE}


class Comparer(torch.nn.Module):
    """The encoder on both texts, and two small layers."""

    def __init__(self, folder: Path, learned: Sequence[Path], trained: int) -> None:
        super().__init__()
        self.encoder = Encoder(folder)
        if learned:
            self.encoder.bert.load_state_dict(_learned(learned), strict=False)
        size = self.encoder.bert.config.hidden_size
        self.inner = torch.nn.Linear(4 * size, HIDDEN)
        self.outer = torch.nn.Linear(HIDDEN, len(RELATIONS))
        self.drop = torch.nn.Dropout(0.1)
        layers = self.encoder.bert.encoder.layer
        self.first = len(layers) - trained
        for parameter in self.encoder.parameters():
            parameter.requires_grad_(False)
        for layer in layers[self.first :]:
            for parameter in layer.parameters():
                parameter.requires_grad_(True)

    def forward(self, pairs: Sequence[tuple[str, str]]) -> torch.Tensor:
        """Logits, one row for each pair."""
        pieces = self.encoder.pieces
        cut, ends = [], []
        for note, remark in pairs:
            one = pieces.ids(note)[:LONGEST_NOTE]
            ends.append(len(one) + 2)
            rest = pieces.ids(remark)[:LONGEST_REMARK]
            cut.append([pieces.begin, *one, pieces.end, *rest, pieces.end])
        state, mask = self.encoder.states(cut)
        places = torch.arange(state.shape[1], device=state.device)[None]
        border = torch.tensor(ends, device=state.device)[:, None]
        own = (places < border) & mask.bool()
        means = []
        for which in (own, mask.bool() & ~own):
            counted = which.unsqueeze(-1).to(state.dtype)
            means.append((state * counted).sum(1) / counted.sum(1).clamp(min=1))
        note, remark = means
        given = torch.cat([note, remark, note * remark, (note - remark).abs()], -1)
        made: torch.Tensor = self.outer(self.drop(F.gelu(self.inner(self.drop(given)))))
        return made.float()


def _learned(folders: Sequence[Path]) -> dict[str, torch.Tensor]:
    runs = [
        {
            name: part[name].astype(np.float32)
            for file in sorted(folder.glob("learned*.npz"))
            for part in [np.load(file)]
            for name in part.files
        }
        for folder in folders
    ]
    return {name: torch.tensor(np.mean([run[name] for run in runs], 0)) for name in runs[0]}


def labelled() -> list[Pair]:
    """Notes and remarks as they came together in the corpus' people, and those written in pairs."""
    return [pair for file in sorted(PAIRS.glob("*.jsonl")) for pair in _of(file)]


def _of(file: Path) -> Iterator[Pair]:
    for line in file.read_text("utf-8").splitlines():
        one = json.loads(line)
        note = BEGINS.get(one["kind"], "") + one["older"]
        yield Pair(note, one["newer"], one.get("relation", UNLABELLED), one["id"])


def mismatched(pairs: Sequence[Pair], draw: random.Random) -> Iterator[Pair]:
    """Remarks that change something, beside notes that they do not speak of."""
    by_stem: dict[str, list[str]] = {}
    for note in dict.fromkeys(pair.note for pair in pairs):
        for stem in stems(note):
            by_stem.setdefault(stem, []).append(note)
    notes = [pair.note for pair in pairs]
    for pair in pairs:
        if pair.relation not in CHANGES:
            continue
        near = [note for stem in sorted(stems(pair.remark)) for note in by_stem.get(stem, ())]
        others = [draw.choice(near) for _ in range(NEAR) if near]
        others += [draw.choice(notes) for _ in range(FAR)]
        for note in others:
            if note != pair.note and not stems(note) & stems(pair.note):
                yield Pair(note, pair.remark, "none", pair.of)


def fold_of(pair: Pair) -> int:
    """Which larger encoder does not learn from it: by person."""
    return sum(map(ord, pair.of.partition(" ")[0])) % FOLDS


_RELATIONS_MEANT = {
    said: [one == said or (said == CHANGED and one in CHANGES) for one in RELATIONS]
    for said in (*RELATIONS, CHANGED)
}


def loss_of(made: torch.Tensor, pairs: Sequence[Pair], soft: Soft) -> torch.Tensor:
    """Of the labels, and of what larger encoders said."""
    total = made.sum() * 0
    rows = [row for row, one in enumerate(pairs) if one.relation != UNLABELLED]
    if rows:
        chances = F.log_softmax(made[rows], -1)
        meant = [_RELATIONS_MEANT[pairs[row].relation] for row in rows]
        wanted = torch.tensor(meant, device=made.device)
        total = total - chances.masked_fill(~wanted, -torch.inf).logsumexp(-1).mean()
    rows = [row for row, one in enumerate(pairs) if (one.note, one.remark) in soft]
    if rows:
        told = np.array([soft[pairs[row].note, pairs[row].remark] for row in rows])
        wanted_chances = torch.tensor(told, device=made.device, dtype=made.dtype).clamp(min=1e-6)
        apart = F.kl_div(F.log_softmax(made[rows], -1), wanted_chances, reduction="batchmean")
        total = total + BELIEVE * apart
    return total


def soft_labels(folders: Sequence[Path]) -> Soft:
    """What larger encoders said of each pair; the mean where several were asked."""
    said: dict[tuple[str, str], list[list[float]]] = {}
    for folder in folders:
        for line in map(json.loads, (folder / SOFT).read_text("utf-8").splitlines()):
            said.setdefault((line["note"], line["remark"]), []).append(line["chances"])
    return {pair: np.mean(each, axis=0) for pair, each in said.items()}


def figures(model: Comparer, pairs: Sequence[Pair]) -> dict[str, Any]:
    """How well it tells what is replaced, and what is said again."""
    chances = answers(model, pairs)
    replaced = np.array([pair.relation in CHANGES for pair in pairs])
    same = np.array([pair.relation == "same" for pair in pairs])
    score = chances[:, 2:].sum(1)
    told = [row for row, pair in enumerate(pairs) if pair.relation in ("update", "end")]
    which = [chances[row, 3] > chances[row, 2] for row in told]
    right = [one == (pairs[row].relation == "end") for one, row in zip(which, told, strict=True)]
    best = chances.argmax(1)
    hit = [RELATIONS[b] == p.relation for b, p in zip(best, pairs, strict=True)]
    return {
        "pairs": len(pairs),
        "replaced": int(replaced.sum()),
        "precision": round(average_precision(score, replaced), 3),
        "found at .9": found_at(score, replaced, 0.9),
        "found at .8": found_at(score, replaced, 0.8),
        "same": round(average_precision(chances[:, 1], same), 3),
        "which": round(float(np.mean(right)), 3) if right else None,
        "right": round(float(np.mean(hit)), 3),
    }


def average_precision(score: np.ndarray, right: np.ndarray) -> float:
    """The mean precision at each right one, best first."""
    ranked = right[np.argsort(-score, kind="stable")]
    precise = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    return float(precise[ranked].mean()) if ranked.any() else 0.0


def found_at(score: np.ndarray, right: np.ndarray, precision: float) -> list[float]:
    """The share found at the lowest threshold with this precision, and that threshold."""
    order = np.argsort(-score, kind="stable")
    precise = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    last = np.flatnonzero(precise >= precision)
    if not len(last):
        return [0.0, 1.0]
    found = right[order][: last[-1] + 1].sum() / right.sum()
    return [round(float(found), 3), round(float(score[order[last[-1]]]), 3)]


def answers(model: Comparer, pairs: Sequence[Pair]) -> np.ndarray:
    """Chances of each relation, one row for each pair."""
    model.eval()
    parts = []
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=torch.cuda.is_available()):
        for start in range(0, len(pairs), 128):
            some = [(pair.note, pair.remark) for pair in pairs[start : start + 128]]
            parts.append(torch.softmax(model(some), -1).cpu().numpy())
    model.train()
    return np.concatenate(parts)


def main() -> None:
    """Train, say how it goes, and write what was learned."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--learned", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--trained", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--fold", type=int, help="Leave these pairs out, and answer them.")
    parser.add_argument("--soft", type=Path, nargs="*", default=[], help="Answers of the larger.")
    parser.add_argument("--further", type=Path, help="Pairs that only the larger ones answer.")
    parser.add_argument("--head", type=Path, help="Weights of the two small layers to begin with.")
    parser.add_argument("--test", type=Path, nargs="*", default=[], help="Only measured.")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(json.dumps(train(options)), flush=True)


def train(options: argparse.Namespace) -> dict[str, Any]:
    """One run; returns its figures."""
    torch.manual_seed(options.seed)
    draw = random.Random(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    further = list(_of(options.further)) if options.further else []
    unlabelled = [one for one in further if one.relation == UNLABELLED]
    every = labelled() + [one for one in further if one.relation != UNLABELLED]
    kept = [one for one in every if is_validation(one.of.partition(" ")[0])]
    own = [one for one in every if not is_validation(one.of.partition(" ")[0])]
    own += mismatched(own, random.Random(0))
    soft = soft_labels(options.soft)
    taught = [one for one in own if fold_of(one) != options.fold]
    taught += unlabelled if options.fold is None else []
    torch.manual_seed(0)  # all runs begin with the same head: then their mean is one too
    model = Comparer(options.model, options.learned, options.trained).to(device)
    if options.head:
        head_weights = {name: torch.tensor(one) for name, one in np.load(options.head).items()}
        model.load_state_dict(head_weights, strict=False)
    torch.manual_seed(options.seed)
    layers = [one for one in model.encoder.parameters() if one.requires_grad]
    head = [*model.inner.parameters(), *model.outer.parameters()]
    optimizer = torch.optim.AdamW(
        [{"params": layers, "lr": options.rate}, {"params": head, "lr": HEAD_RATE}],
        weight_decay=0.01,
    )
    steps = options.epochs * (len(taught) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (0.1 * steps), max(0.0, 1 - step / steps))
    )
    model.train()
    step = 0
    while step < steps:
        draw.shuffle(taught)
        for start in range(0, len(taught) - BATCH + 1, BATCH):
            some = taught[start : start + BATCH]
            typed = [
                (pair.note, mistyped(pair.remark, draw) if draw.random() < TYPOS else pair.remark)
                for pair in some
            ]
            optimizer.zero_grad()
            with torch.autocast("cuda", torch.bfloat16, enabled=device == "cuda"):
                made = model(typed)
            total = loss_of(made, some, soft)
            total.backward()
            torch.nn.utils.clip_grad_norm_([*layers, *head], 1.0)
            optimizer.step()
            schedule.step()
            step += 1
        print(f"step {step} of {steps}, loss {float(total):.3f}", flush=True)
    people = [one for one in kept if " " in one.of and not one.of.endswith(TURNS)]
    report = {
        "taught": len(taught),
        "people": figures(model, people),
        "written": figures(model, [one for one in kept if " " not in one.of]),
        "turns": figures(model, [one for one in kept if one.of.endswith(TURNS)]),
        "rules": figures(model, [one for one in kept if one.note.startswith(RULE)]),
    }
    report |= {file.stem: figures(model, list(_of(file))) for file in options.test}
    if options.fold is not None:
        left = [one for one in own if fold_of(one) == options.fold] + unlabelled
        with (options.out / SOFT).open("w", encoding="utf-8") as file:
            for one, row in zip(left, answers(model, left), strict=True):
                line = {"note": one.note, "remark": one.remark, "chances": row.round(4).tolist()}
                file.write(json.dumps(line) + "\n")
    else:
        state = model.encoder.bert.encoder.layer.state_dict()
        learned = {
            f"encoder.layer.{name}": value.cpu().half().numpy()
            for name, value in state.items()
            if int(name.partition(".")[0]) >= model.first
        }
        for name in ("inner", "outer"):
            for part in ("weight", "bias"):
                value = getattr(getattr(model, name), part)
                learned[f"{name}.{part}"] = value.detach().cpu().half().numpy()
        np.savez(options.out / WEIGHTS, **learned)
    return report


if __name__ == "__main__":
    main()
