"""Learns once more which sentences are standing instructions, beside talk that has hardly any.

    python -m training.encoder.rules --model FOLDER --learned RUN --text FOLDER --out FILE

People of the corpus speak to an assistant; among friends, "Don't let anything stop you!" is no
rule, and in a request "Include headings." holds for this once. So the states of the trained encoder
stay as they are, and three small layers of other seeds take the place of the reader's output for
rules (their mean), trained on the corpus and on ordinary talk:

    Synthetic-Persona-Chat, Taskmaster-4   (CC BY 4.0)   friends; orders of coffee
    LongMemEval_S dev, every second question (MIT)       requests to an assistant

Writes the reader's heads for the package. Needs torch and transformers; a GPU takes a minute.
"""

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from evals import talks
from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import sentences
from training.corpus import PEOPLE, is_validation
from training.encoder import heads, readings
from training.encoder.readings import KINDS, MODES, Label, Reading
from training.encoder.train import Encoder

HIDDEN, SEEDS, EPOCHS, RATE, BATCH = 64, (1, 2, 3), 20, 1e-3, 512
ORDINARY = 1.0
"""How much a sentence of ordinary talk counts beside one of the corpus."""
CHATS, ORDERS = 9000, 1500
SHORTEST, LONGEST = 150, 1500
"""Characters of a request: a short one may well be a standing instruction."""
_RULE = KINDS.index("rule")


class RuleHead(torch.nn.Module):
    """Two layers from the states of a sentence to the logit of a rule."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = torch.nn.Linear(768, HIDDEN), torch.nn.Linear(HIDDEN, 1)
        self.drop = torch.nn.Dropout(0.2)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """One logit a row."""
        return self.outer(self.drop(F.gelu(self.inner(self.drop(rows)))))[:, 0]


def ordinary(folder: Path, draw: random.Random) -> Iterator[Reading]:
    """Talk without standing instructions."""
    lines: dict[str, list[str]] = {}
    for name in ("synthetic_persona_chat", "taskmaster4"):
        with gzip.open(folder / "text" / f"{name}.jsonl.gz", "rt") as file:
            said = [one for line in file for one in _texts(json.loads(line))]
        lines[name] = [one for one in said if 15 < len(one) < 400 and " " in one]
        draw.shuffle(lines[name])
    asked = [
        turn.text
        for talk in talks.load("longmemeval", folder).talks
        if not talk.questions[0].held_out
        for turn in talk.turns
        if turn.role == "user" and SHORTEST < len(turn.text) < LONGEST
    ]
    for text in (*lines["synthetic_persona_chat"][:CHATS], *lines["taskmaster4"][:ORDERS], *asked):
        labels = [Label(span, [None, None, 0.0]) for span in sentences(own_words(text))]
        yield Reading(text, labels)


def _texts(given: Any) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    elif isinstance(given, list):
        yield from (text for each in given for text in _texts(each))
    elif isinstance(given, dict):
        yield from (
            t for name, each in given.items() if "persona" not in name for t in _texts(each)
        )


def rows_of(encoder: Encoder, some: Sequence[Reading], weight: float | None = None) -> Any:
    """States, whether each is a rule, and how much each counts."""
    some = sorted((one for one in some if one.labels), key=lambda one: len(one.text))
    on_gpu = torch.cuda.is_available()
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=on_gpu):
        states = [
            heads.pooled(encoder, some[start : start + 128]).float()
            for start in range(0, len(some), 128)
        ]
    labels = [label for one in some for label in one.labels]
    known = [label.kinds[_RULE] is not None for label in labels]
    rule = torch.tensor([label.kinds[_RULE] or 0.0 for label in labels])
    counts = torch.tensor([weight or label.weight for label in labels])
    rows = torch.cat(states)
    keep = torch.tensor(known, device=rows.device)
    return rows[keep], rule.to(rows.device)[keep], counts.to(rows.device)[keep]


def fit(rows: torch.Tensor, rule: torch.Tensor, counts: torch.Tensor, seed: int) -> RuleHead:
    """One head."""
    torch.manual_seed(seed)
    head = RuleHead().to(rows.device)
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=0.05)
    steps = EPOCHS * (len(rows) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(EPOCHS):
        order = torch.randperm(len(rows), device=rows.device)
        for start in range(0, len(rows), BATCH):
            part = order[start : start + BATCH]
            each = F.binary_cross_entropy_with_logits(
                head(rows[part]), rule[part], reduction="none"
            )
            loss = (each * counts[part]).sum() / counts[part].sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return head.eval()


def packed(reader: dict[str, np.ndarray], made: Sequence[RuleHead]) -> dict[str, np.ndarray]:
    """The reader's layers with the new heads beside them, as one."""
    many = len(KINDS) + len(MODES)
    new = [{name: v.detach().cpu().numpy() for name, v in h.named_parameters()} for h in made]
    beside = np.zeros((many, HIDDEN * len(new)), np.float32)
    outer = np.concatenate([reader["outer.weight"][:many], beside], axis=1)
    outer[_RULE] = 0.0
    outer[_RULE, -beside.shape[1] :] = np.concatenate([h["outer.weight"][0] for h in new]) / len(
        new
    )
    bias = reader["outer.bias"][:many].copy()
    bias[_RULE] = np.mean([h["outer.bias"][0] for h in new])
    whole = {
        "inner.weight": np.concatenate([reader["inner.weight"], *(h["inner.weight"] for h in new)]),
        "inner.bias": np.concatenate([reader["inner.bias"], *(h["inner.bias"] for h in new)]),
        "outer.weight": outer,
        "outer.bias": bias,
    }
    return {name: value.astype(np.float16) for name, value in whole.items()}


def main() -> None:
    """Train, say how it goes, and write the reader's heads."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "learned", "text", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(5)
    encoder = Encoder(options.model).to("cuda" if torch.cuda.is_available() else "cpu").eval()
    reader = dict(np.load(options.learned / "heads.npz"))
    state = encoder.bert.state_dict()
    for file in sorted(options.learned.glob("learned*.npz")):
        state |= {name: torch.tensor(value).float() for name, value in np.load(file).items()}
    encoder.bert.load_state_dict(state)
    with torch.no_grad():
        encoder.shares.copy_(torch.log(torch.tensor(reader["shares"]) + 1e-9))
    people = [json.loads(file.read_text("utf-8")) for file in sorted(PEOPLE.glob("*.json"))]
    own = [raw for raw in people if not is_validation(raw["id"])]
    kept = [raw for raw in people if is_validation(raw["id"]) and raw.get("language", "en") == "en"]
    taught = [one for raw in own for one in readings.of_person(raw)]
    taught += readings.of_moments(validation=False)
    taught += [one for raw in own for one in readings.plain(raw, draw)]
    parts = [rows_of(encoder, taught), rows_of(encoder, [*ordinary(options.text, draw)], ORDINARY)]
    given = [torch.cat(each) for each in zip(*parts, strict=True)]
    made = [fit(*given, seed) for seed in SEEDS]
    rows, rule, _ = rows_of(encoder, [one for raw in kept for one in readings.of_person(raw)])
    with torch.no_grad():
        chance = torch.sigmoid(sum(head(rows) for head in made) / len(made))
    for least in (0.3, 0.4, 0.5, 0.6, 0.7):
        found = chance >= least
        right = float((found & (rule > 0)).sum())
        precision, recall = right / max(1, int(found.sum())), right / float(rule.sum())
        print(f"validation people, rules from {least}: {precision:.2f} right, {recall:.2f} found")
    np.savez_compressed(options.out, **packed(reader, made))


if __name__ == "__main__":
    main()
