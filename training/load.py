"""The prepared folder as tensors: piece numbers of every text, and what the teachers say of it.

1 e5         all texts             -> vectors, less the mean of their language
2 MiniLM     English texts         -> vectors; others take their translation's, or a guess
3 lists      questions             -> sixteen candidates each, scored by the cross-encoder
"""

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

from sharpwave.embedding.table import Tokenizer
from training import lists, targets
from training.bert import Bert
from training.lists import Lists
from training.teacher import Teacher

TEXT_PIECES = 48
QUESTION_PIECES = 24
STATEMENT_PIECES = 96
NAME_PIECES = 3
HELD_GROUPS = 600
HELD_PAIRS = 2000
BAGS = 200_000
SMALL = 300
SMALL_PIECES = 4000
SMALL_LISTS = 400
SMALL_TURNS = 40
NEAR = 4
SHARES = {"english": 0.45, "others": 0.35, "bags": 0.2}


@dataclass
class Loaded:
    """Everything on the device."""

    pieces: list[str]
    scores: list[float]
    padding: int
    texts: torch.Tensor
    e5: torch.Tensor
    """The teacher's, of each text, less the mean of its language; length one on average."""
    lm: torch.Tensor
    """The second teacher's, likewise."""
    kinds: dict[str, torch.Tensor]
    meaning: torch.Tensor
    parallel: torch.Tensor
    held_groups: list[dict[str, int]]
    questions: torch.Tensor
    pair_statement: torch.Tensor
    pair_hard: torch.Tensor
    statements: torch.Tensor
    wanted: torch.Tensor
    wanted_near: torch.Tensor
    """Of each request the nearest statements by both teachers."""
    tastes: torch.Tensor
    """Requests and tastes, (n, 2, pieces)."""
    believed: dict[str, tuple[torch.Tensor, torch.Tensor]]
    """Both teachers' vectors of questions, requests, statements, tastes; centred, length one."""
    names: torch.Tensor
    real_seen: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
    real_held: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
    real_held_scores: list[torch.Tensor]
    """The cross-encoder's, of every turn of a held-out question."""
    pieces_e5: torch.Tensor
    pieces_lm: torch.Tensor
    near: torch.Tensor
    lists: Lists

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
        seen = max(len(self.questions) - HELD_PAIRS, len(self.questions) // 2)
        return torch.randint(seen, (count,), device=self.texts.device)


def load(pack: Path, device: str, small: bool, seed: int) -> Loaded:
    """Tokenise the texts and ask the teachers about all of them."""
    began = time.time()

    def told(what: str) -> None:
        print(f"{what} at {time.time() - began:.0f} s", flush=True)

    with gzip.open(pack / "texts.json.gz", "rt", encoding="utf-8") as file:
        content = json.load(file)
    draw = random.Random(seed)
    if small:
        _lessen(content, draw)
    pieces, scores = content["pieces"], content["scores"]
    rows = {piece: row for row, piece in enumerate(pieces)}
    ids = _Ids(Tokenizer(rows, scores), len(pieces), device)
    listed = _listed(content, draw, SMALL if small else BAGS)
    texts = ids([text for text, _, _, _ in listed], TEXT_PIECES)
    told(f"{len(listed)} texts cut")
    teachers = Teachers(pack, device, listed, content)
    told("embedding teachers done")
    asked = _Nearest(content, teachers)
    offered = lists.texts(content, asked, draw, SMALL_LISTS if small else 1)
    judged, held_scores = _judged(pack, device, ids, offered, content)
    told(f"{len(offered)} lists scored")
    kinds = {
        kind: torch.tensor([at for at, one in enumerate(listed) if one[3] == kind], device=device)
        for kind in SHARES
    }
    parallel, held = _parallel(listed, device)
    real = [
        (ids([one["question"]], QUESTION_PIECES * 2)[0],
         ids([turn for turn, _ in one["turns"]], STATEMENT_PIECES),
         torch.tensor([bool(answer) for _, answer in one["turns"]], device=device),
         one["held"])
        for one in content["real"]
    ]  # fmt: skip
    tastes = ids([t for pair in content["tastes"] for t in pair], QUESTION_PIECES)
    questions = [q.replace("{n}'s", "").replace("{n}", "") for q, _, _ in content["pairs"]]
    near = asked("wanted", list(range(len(content["wanted"]))), "statements", 16)
    return Loaded(
        pieces=pieces, scores=scores, padding=len(pieces), texts=texts,
        e5=teachers.e5, lm=teachers.lm,
        kinds=kinds, meaning=torch.tensor([one[2] for one in listed], device=device),
        parallel=parallel, held_groups=held,
        questions=ids(questions, QUESTION_PIECES),
        pair_statement=torch.tensor([at for _, at, _ in content["pairs"]], device=device),
        pair_hard=torch.tensor([hard for _, _, hard in content["pairs"]], device=device),
        statements=ids(content["statements"], STATEMENT_PIECES),
        wanted=ids(content["wanted"], QUESTION_PIECES * 2),
        wanted_near=torch.tensor(near, device=device),
        tastes=tastes.reshape(-1, 2, QUESTION_PIECES),
        believed=teachers.believed,
        names=ids(content["names"], NAME_PIECES),
        real_seen=[one[:3] for one in real if not one[3]],
        real_held=[one[:3] for one in real if one[3]],
        real_held_scores=held_scores,
        pieces_e5=teachers.pieces_e5, pieces_lm=teachers.pieces_lm,
        near=_near(fn.normalize(teachers.pieces_e5, dim=1), content["languages"], len(pieces)),
        lists=judged,
    )  # fmt: skip


class Teachers:
    """Both embedding teachers, asked about everything."""

    def __init__(self, pack: Path, device: str, listed: Any, content: Any) -> None:
        self._e5_model = Teacher(dict(np.load(pack / "teacher.npz")), device)
        self._lm_model = Bert(pack / "minilm.npz", device)
        languages = [language for _, language, _, _ in listed]
        spoken = [text for text, _, _, _ in listed]
        e5 = self._e5_model.embed(spoken, "passage: ")
        _centre(e5, languages)
        english = [at for at, one in enumerate(languages) if one == "en"]
        lm = self._lm_model.embed([spoken[at] for at in english])
        chosen = torch.tensor(english, device=device)
        self.target = targets.fit(e5[chosen], lm)
        self.e5 = e5 / self.target.e5_length
        self.lm = self.target.guessed(self.e5)
        self.lm[chosen] = self.target.lm(lm)
        meant = {one[2]: at for at, one in enumerate(listed) if one[2] >= 0 and one[1] == "en"}
        pairs = [(at, meant[one[2]]) for at, one in enumerate(listed) if one[2] in meant]
        to, source = torch.tensor(pairs, device=device).T
        self.lm[to] = self.lm[source]
        self._pieces(content, device)
        self.believed = {
            "made": self.both([q.replace("{n}", "the user") for q, _, _ in content["pairs"]],
                              "query: "),
            "wanted": self.both(content["wanted"], "query: "),
            "statements": self.both(content["statements"], "passage: "),
            "english": self.both(content["english"], "passage: "),
            "requests": self.both([one for one, _ in content["tastes"]], "query: "),
            "tastes": self.both([one for _, one in content["tastes"]], "passage: "),
        }  # fmt: skip

    def both(self, texts: list[str], prefix: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Both teachers' unit vectors of English texts, centred."""
        e5 = self._e5_model.embed(texts, prefix)
        lm = self.target.lm(self._lm_model.embed(texts))
        return fn.normalize(e5 - e5.mean(0), dim=1), fn.normalize(lm, dim=1)

    def _pieces(self, content: Any, device: str) -> None:
        bare = [piece.replace("\u2581", "") or "-" for piece in content["pieces"]]
        e5 = self._e5_model.embed(bare, "passage: ")
        _centre(e5, content["languages"])
        self.pieces_e5 = e5 / e5.norm(dim=1).mean()
        self.pieces_lm = self.target.guessed(self.pieces_e5)
        own = [at for at, one in enumerate(content["languages"]) if one == "en"]
        self.pieces_lm[torch.tensor(own, device=device)] = self.target.lm(
            self._lm_model.embed([bare[at] for at in own])
        )


class _Nearest:
    """The nearest texts by the sum of both teachers."""

    def __init__(self, content: Any, teachers: Teachers) -> None:
        self._content, self._teachers = content, teachers

    def __call__(self, asked: str, chosen: list[int], among: str, count: int) -> list[list[int]]:
        found: list[list[int]] = []
        one, two = self._teachers.believed[asked]
        a, b = self._teachers.believed[among]
        for part in torch.tensor(chosen, device=one.device).split(2048):
            alike = one[part] @ a.T + two[part] @ b.T
            found += alike.topk(count, dim=1).indices.tolist()
        return found

    def of(self, question: str, texts: list[str], count: int) -> list[list[int]]:
        """The nearest of some other texts."""
        one, two = self._teachers.both([question, question + " "], "query: ")
        del one  # centring needs many; a single question has the second teacher only
        _, b = self._teachers.both(texts, "passage: ")
        found: list[list[int]] = (
            (two[:1] @ b.T).topk(min(count, len(texts)), dim=1).indices.tolist()
        )
        return found


def _judged(
    pack: Path, device: str, ids: "_Ids", offered: Any, content: Any
) -> tuple[Lists, list[torch.Tensor]]:
    """The lists as tensors with the cross-encoder's scores; the same of held-out questions."""
    judge = Bert(pack / "msmarco.npz", device)
    scores = judge.score([(question, text) for _, question, said in offered for text in said])
    names = {"made": 0, "wanted": 1, "answered": 2, "real": 3}
    found = Lists(
        questions=ids([question for _, question, _ in offered], QUESTION_PIECES * 2),
        candidates=ids([text for _, _, said in offered for text in said], STATEMENT_PIECES)
        .to(torch.int32)
        .reshape(len(offered), lists.SIZE, STATEMENT_PIECES),
        scores=scores.reshape(len(offered), lists.SIZE),
        kinds=torch.tensor([names[kind] for kind, _, _ in offered], device=device),
        held=torch.arange(len(offered), device=device) % lists.HELD == 0,
    )
    held = [
        judge.score([(one["question"], turn) for turn, _ in one["turns"]])
        for one in content["real"]
        if one["held"]
    ]
    return found, held


def _lessen(content: Any, draw: random.Random) -> None:
    """Leave so much that a CPU is done in minutes; enough to see that it works, not for a table."""
    content["groups"] = draw.sample(content["groups"], SMALL)
    content["english"] = content["english"][:SMALL]
    content["statements"] = content["statements"][:SMALL]
    for name in ("pieces", "scores", "languages"):
        content[name] = content[name][:SMALL_PIECES]
    content["real"] = content["real"][:6]
    for one in content["real"]:  # those that answer first
        one["turns"] = sorted(one["turns"], key=lambda turn: not turn[1])[:SMALL_TURNS]
    content["wanted"], content["tastes"] = content["wanted"][:SMALL], content["tastes"][:SMALL]
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
    for text in content["english"] + content["statements"] + content["wanted"]:
        listed.append((text, "en", -1, "english"))
    for pair in content["tastes"]:
        listed += [(text, "en", -1, "english") for text in pair]
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
