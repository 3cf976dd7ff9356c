"""The prepared folder as tensors: piece numbers of every text, and the teacher's vectors."""

import gzip
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as fn

from sharpwave.providers.sharpwave_embedder.tokenizer import Tokenizer
from training.teacher import Teacher

TEXT_PIECES = 48
QUESTION_PIECES = 24
STATEMENT_PIECES = 96
NAME_PIECES = 3
HELD_GROUPS = 600
HELD_PAIRS = 2000
BAGS = 200_000
SMALL = 4000
NEAR = 4
SHARES = {"english": 0.45, "others": 0.35, "bags": 0.2}


@dataclass
class Loaded:
    """Everything on the device."""

    pieces: list[str]
    scores: list[float]
    padding: int
    texts: torch.Tensor
    vectors: torch.Tensor
    """The teacher's, of each text, less the mean of its language."""
    axes: torch.Tensor
    """Directions in which the teacher's vectors differ most, first ones first."""
    kinds: dict[str, torch.Tensor]
    meaning: torch.Tensor
    parallel: torch.Tensor
    held_groups: list[dict[str, int]]
    questions: torch.Tensor
    question_vectors: torch.Tensor
    pair_statement: torch.Tensor
    pair_hard: torch.Tensor
    statements: torch.Tensor
    statement_vectors: torch.Tensor
    names: torch.Tensor
    real_seen: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
    real_held: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
    piece_vectors: torch.Tensor
    near: torch.Tensor

    def draw(self, count: int) -> torch.Tensor:
        """Numbers of texts, a fixed share of each kind, shuffled."""
        parts = []
        for kind, share in SHARES.items():
            among = self.kinds[kind]
            at = torch.randint(len(among), (int(count * share) + 1,), device=among.device)
            parts.append(among[at])
        drawn = torch.cat(parts)
        return drawn[torch.randperm(len(drawn), device=drawn.device)[:count]]

    def draw_pairs(self, count: int) -> torch.Tensor:
        """Numbers of question and statement pairs that are not held out."""
        return torch.randint(len(self.questions) - HELD_PAIRS, (count,), device=self.texts.device)


def load(pack: Path, device: str, small: bool, seed: int) -> Loaded:
    """Tokenise the texts and ask the teacher about all of them."""
    began = time.time()
    with gzip.open(pack / "texts.json.gz", "rt", encoding="utf-8") as file:
        content = json.load(file)
    draw = random.Random(seed)
    if small:
        _lessen(content, draw)
    pieces, scores = content["pieces"], content["scores"]
    rows = {piece: row for row, piece in enumerate(pieces)}
    ids = _Ids(Tokenizer(rows, scores), len(pieces), device)
    teacher = Teacher(dict(np.load(pack / "teacher.npz")), device)
    listed = _listed(content, draw, SMALL if small else BAGS)
    spoken = [text for text, _, _, _ in listed]
    print(f"{len(spoken)} texts, read in {time.time() - began:.0f} s", flush=True)
    texts = ids(spoken, TEXT_PIECES)
    print(f"tokenised at {time.time() - began:.0f} s", flush=True)
    vectors = teacher.embed(spoken, "passage: ")
    print(f"teacher done at {time.time() - began:.0f} s", flush=True)
    _centre(vectors, [language for _, language, _, _ in listed])
    axes = _axes(vectors)
    bare = teacher.embed([piece.replace("\u2581", "") or "-" for piece in pieces], "passage: ")
    languages = content["languages"]
    for language in sorted(set(languages)):
        which = torch.tensor([one == language for one in languages], device=device)
        bare[which] -= bare[which].mean(0)
    questions, statements = [q for q, _, _ in content["pairs"]], content["statements"]
    asked = teacher.embed([q.replace("{n}", "the user") for q in questions], "query: ")
    told = teacher.embed(statements, "passage: ")
    real = [
        (ids([one["question"]], QUESTION_PIECES * 2)[0],
         ids([turn for turn, _ in one["turns"]], STATEMENT_PIECES),
         torch.tensor([bool(answer) for _, answer in one["turns"]], device=device),
         one["held"])
        for one in content["real"]
    ]  # fmt: skip
    kinds = {
        kind: torch.tensor([at for at, one in enumerate(listed) if one[3] == kind], device=device)
        for kind in SHARES
    }
    parallel, held = _parallel(listed, device)
    vector = fn.normalize(bare, dim=1)
    return Loaded(
        pieces=pieces, scores=scores, padding=len(pieces), texts=texts, vectors=vectors, axes=axes,
        kinds=kinds, meaning=torch.tensor([one[2] for one in listed], device=device),
        parallel=parallel, held_groups=held,
        questions=ids([q.replace("{n}'s", "").replace("{n}", "") for q in questions],
                      QUESTION_PIECES),
        question_vectors=fn.normalize(asked - asked.mean(0), dim=1),
        pair_statement=torch.tensor([at for _, at, _ in content["pairs"]], device=device),
        pair_hard=torch.tensor([hard for _, _, hard in content["pairs"]], device=device),
        statements=ids(statements, STATEMENT_PIECES),
        statement_vectors=fn.normalize(told - told.mean(0), dim=1),
        names=ids(content["names"], NAME_PIECES),
        real_seen=[one[:3] for one in real if not one[3]],
        real_held=[one[:3] for one in real if one[3]],
        piece_vectors=bare, near=_near(vector, languages, len(pieces)),
    )  # fmt: skip


def _lessen(content: Any, draw: random.Random) -> None:
    """Leave so much that a CPU is done in minutes; enough to see that it works, not for a table."""
    content["groups"] = draw.sample(content["groups"], SMALL)
    content["english"] = content["english"][:SMALL]
    content["statements"] = content["statements"][:SMALL]
    content["pairs"] = [
        (question, at, [one % SMALL for one in hard])
        for question, at, hard in content["pairs"]
        if at < SMALL
    ]


class _Ids:
    """Texts into rows of the table, padded with one row that is zero."""

    def __init__(self, tokenizer: Tokenizer, padding: int, device: str) -> None:
        self._tokenizer, self._padding, self._device = tokenizer, padding, device

    def __call__(self, texts: list[str], width: int) -> torch.Tensor:
        padded = np.full((len(texts), width), self._padding, np.int64)
        for at, text in enumerate(texts):
            found = self._tokenizer.ids(text)[:width]
            padded[at, : len(found)] = found
        return torch.from_numpy(padded).to(self._device)


def _listed(content: Any, draw: random.Random, bags: int) -> list[tuple[str, str, int, str]]:
    """All texts: the text, its language, which meaning it has, its kind."""
    listed = []
    for number, group in enumerate(content["groups"]):
        listed += [
            (text, lang, number, "english" if lang == "en" else "others")
            for lang, text in group.items()
        ]
    for text in content["english"] + content["statements"]:
        listed.append((text, "en", -1, "english"))
    by_language: dict[str, list[str]] = {}
    for piece, language in zip(content["pieces"], content["languages"], strict=True):
        if len(piece) > 2 or piece[0] != "\u2581":
            by_language.setdefault(language, []).append(piece.replace("\u2581", ""))
    everywhere = [one for pieces in by_language.values() for one in pieces]
    for language, pieces in sorted(by_language.items()):
        for _ in range(int(bags * len(pieces) / len(everywhere))):
            bag = [draw.choice(pieces) for _ in range(draw.choice((1, 1, 2, 3)))]
            listed.append((" ".join(bag), language, -1, "bags"))
    for language, pieces in content["common"].items():
        for _ in range(bags // 20):
            bag = [draw.choice(pieces) for _ in range(draw.choice((1, 2, 3, 4, 5)))]
            listed.append((" ".join(bag), language, -1, "bags"))
    return listed


def _centre(vectors: torch.Tensor, languages: list[str]) -> None:
    """Take from each vector the mean of its language, which says nothing of what was meant."""
    codes = np.array(languages)
    for language in sorted(set(languages)):
        which = torch.from_numpy(np.flatnonzero(codes == language)).to(vectors.device)
        vectors[which] -= vectors[which].mean(0)


def _axes(vectors: torch.Tensor) -> torch.Tensor:
    some = fn.normalize(vectors[torch.randperm(len(vectors), device=vectors.device)[:200_000]])
    _, found = torch.linalg.eigh((some.T @ some).double())
    return found.flip(1).float()


def _parallel(
    listed: list[tuple[str, str, int, str]], device: str
) -> tuple[torch.Tensor, list[dict[str, int]]]:
    groups: dict[int, dict[str, int]] = {}
    for at, (_, language, number, kind) in enumerate(listed):
        if number >= 0 and kind != "bags":
            groups.setdefault(number, {})[language] = at
    rich = [
        g for g in groups.values() if len(g) >= 10 and "en" in g and len(listed[g["en"]][0]) > 12
    ]
    held = rich[:: max(1, len(rich) // HELD_GROUPS)][:HELD_GROUPS]
    hidden = {g["en"] for g in held}
    pairs = [
        (g["en"], at)
        for g in groups.values()
        if "en" in g and g["en"] not in hidden
        for language, at in g.items()
        if language != "en"
    ]
    return torch.tensor(pairs, device=device), held


def _near(vectors: torch.Tensor, languages: list[str], padding: int) -> torch.Tensor:
    """For each English piece a few of nearly the same meaning; itself where there is none."""
    near = torch.arange(padding + 1, device=vectors.device)[:, None].repeat(1, NEAR)
    english = torch.tensor(
        [at for at, one in enumerate(languages) if one == "en"], device=vectors.device
    )
    for part in english.split(4096):
        alike = vectors[part] @ vectors[english].T
        alike[alike > 0.9999] = -1
        value, best = alike.topk(NEAR, dim=1)
        near[part] = torch.where(value > 0.5, english[best], part[:, None])
    return near
