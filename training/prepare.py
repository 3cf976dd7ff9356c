"""Everything training needs, in one folder of at most some 40 MB: texts, pairs, pieces, teacher.

1 texts        archives, chats       -> texts by language; which mean the same
2 pairs        statements of users   -> a question each, and what BM25 takes for its answer
3 vocabulary   teacher's pieces      -> the pieces of the table
4 teacher      all of it             -> only the embedding rows that occur
"""

import gzip
import json
import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.embedders import load_phrases
from sharpwave.embedding.table import words
from training import everyday, questions, requests, sources, teacher, vocabulary

ASSISTANT_SENTENCES = 200_000
REQUESTS = 30_000
TASTES = 30_000
GLOSSES = 60_000
HARD = 4
HELD_EVERY = 2  # every second LongMemEval question is held out for choosing between runs


def prepare(archives: Path, chats: Path, model: Path, out: Path, size: int, seed: int) -> None:
    """Write the folder."""
    draw = random.Random(seed)
    out.mkdir(parents=True, exist_ok=True)
    groups, notes = sources.translations(archives)
    groups += everyday.sentences(seed)
    sessions, asked = sources.chats(chats)
    statements, made = _pairs(sessions, draw)
    english = _english(sessions, draw)
    real = _real(asked)
    turns = dict.fromkeys(t for session in sessions for role, t in session if role == "user")
    wanted = requests.asked(list(turns))
    wanted = draw.sample(wanted, min(REQUESTS, len(wanted)))
    nouns = sources.nouns(archives)
    known = Counter(re.findall(r"[a-z]+", " ".join([*turns, *english]).lower()))
    tastes = requests.preferences(nouns, known, TASTES, draw)
    english += _glosses(nouns, known, draw)
    groups, english = _without_phrases(groups, english)
    names, common = sources.first_names(), sources.common_words()
    texts = [(lang, text) for group in groups for lang, text in group.items()]
    texts += [("en", text) for text in english + statements + wanted]
    texts += [("en", text) for pair in tastes for text in pair]
    texts += [(lang, word) for lang, listed in common.items() for word in listed] * 2
    arrays = teacher.read_teacher(model)
    pieces = teacher.piece_list(arrays)
    kept, scores, tongues = vocabulary.choose(pieces, arrays["scores"].tolist(), texts, names, size)
    pairs = [(text, at, bm) for (text, at), bm in zip(made, _hard(statements, made), strict=True)]
    seen = [t for _, t in texts] + kept + names + [q for q, _, _ in pairs]
    seen += [turn[0] for one in real for turn in one["turns"]] + [one["question"] for one in real]
    small = teacher.shrink(arrays, [t.replace("\u2581", "") for t in seen])
    np.savez(out / "teacher.npz", **small)  # type: ignore[arg-type]
    content = {
        "groups": groups, "english": english, "statements": statements, "pairs": pairs,
        "wanted": wanted, "tastes": tastes,
        "real": real, "names": names, "common": common, "notes": notes,
        "pieces": kept, "scores": scores, "languages": tongues,
    }  # fmt: skip
    with gzip.open(out / "texts.json.gz", "wt", encoding="utf-8", compresslevel=6) as file:
        json.dump(content, file, ensure_ascii=False)
    for note in notes:
        print(note)
    print(f"{len(groups)} groups, {len(english)} English sentences, {len(statements)} statements,")
    print(f"{len(wanted)} requests, {len(tastes)} made requests with a taste,")
    print(f"{len(pairs)} pairs, {len(kept)} pieces, {len(small['kept'])} of the teacher's rows")


def _pairs(sessions: Any, draw: random.Random) -> tuple[list[str], list[tuple[str, int]]]:
    turns = dict.fromkeys(text for session in sessions for role, text in session if role == "user")
    statements = list(dict.fromkeys(c for turn in turns for c in questions.chunks(turn)))
    known = Counter(re.findall(r"[a-z]+", " ".join(statements).lower()))
    made = []
    for at, statement in enumerate(statements):
        for _ in range(3):
            question = questions.ask(statement, known, draw)
            if question:
                made.append((question, at))
    return statements, list(dict.fromkeys(made))


def _english(sessions: Any, draw: random.Random) -> list[str]:
    turns = dict.fromkeys(text for s in sessions for role, text in s if role == "assistant")
    found = (
        re.sub(r"^[\s*#\d.\-|]+|\*\*", "", part).strip()
        for turn in turns
        for line in turn.splitlines()
        for part in re.split(r"(?<=[.!?])\s+", line)
    )
    distinct = list(dict.fromkeys(one for one in found if 15 <= len(one) <= 300))
    return draw.sample(distinct, min(ASSISTANT_SENTENCES, len(distinct)))


def _glosses(nouns: Any, known: Counter[str], draw: random.Random) -> list[str]:
    """What a noun means, behind the noun: only nouns that people write."""
    found = []
    for one in nouns:
        for word in one["words"]:
            if all(known[w] >= 2 for w in word.lower().split()):
                found.append(f"{word}: {one['gloss']}"[:300])
                found.append(word)
                break
    return draw.sample(found, min(GLOSSES, len(found)))


def _without_phrases(groups: Any, english: list[str]) -> tuple[Any, list[str]]:
    """Leave out what is, word for word, one of the phrases that languages are measured with."""
    phrases = load_phrases()
    hidden = {tuple(words(p)) for listed in phrases.by_language.values() for p in listed}
    hidden |= {tuple(words(p)) for p in phrases.distractors}
    kept = [g for g in groups if not any(tuple(words(t)) in hidden for t in g.values())]
    print(f"{len(groups) - len(kept)} meanings left out: they are phrases we measure with")
    return kept, [one for one in english if tuple(words(one)) not in hidden]


def _real(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Questions people wrote, with the user turns of their haystack; some are held out."""
    kept = []
    for number, one in enumerate(sorted(asked, key=lambda one: one["id"])):
        turns = [(text[:600], answer) for text, role, answer in one["turns"] if role == "user"]
        if any(answer for _, answer in turns) and not one["id"].endswith("_abs"):
            held = number % HELD_EVERY == 0
            kept.append({"question": one["question"], "held": held, "turns": turns})
    return kept


def _hard(statements: list[str], made: list[tuple[str, int]]) -> list[list[int]]:
    """The best other statements for each question by BM25."""
    bags = [Counter(words(one)) for one in statements]
    lengths = np.array([sum(bag.values()) for bag in bags], np.float32)
    norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, bag in enumerate(bags):
        for word, count in bag.items():
            postings[word].append((at, count))
    ready: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}
    for word, where in postings.items():
        if len(where) <= len(statements) // 20:
            rows = np.array([at for at, _ in where])
            tf = np.array([count for _, count in where], np.float32)
            idf = np.log(1 + (len(statements) - len(where) + 0.5) / (len(where) + 0.5))
            ready[word] = rows, idf * tf * 2.2 / (tf + norm[rows])
    found = []
    for question, right in made:
        score = np.zeros(len(statements), np.float32)
        for word in set(words(question.replace("{n}", ""))):
            if word in ready:
                score[ready[word][0]] += ready[word][1]
        score[right] = -1
        best = np.argpartition(-score, HARD)[:HARD]
        found.append([int(one) for one in best])
    return found
