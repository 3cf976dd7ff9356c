"""Further pairs of notes and remarks for the comparer, made from the corpus.

    python -m training.encoder.further_pairs --out FILE

    turns     what each says, with what it changes of their earlier words, and what it leaves
    people    what each says, with the nearest notes of their earlier sessions
    others    remarks written in pairs, with the nearest notes of other pairs
    swapped   what a remark changes, with a like word in the place of one that both have:
              "Fix the bathroom tap" for "The kitchen tap is fixed"

Only the first are labelled; larger encoders answer the others. Writes one pair a line, as JSON;
takes minutes.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sharpwave.embedding.reader import SentenceReader
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder
from sharpwave.reading import open_statements
from sharpwave.reading.grammar.lexicon import STOP, is_ing, is_participle, is_past
from sharpwave.reading.passages import Text
from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import sentences
from training.corpus import PAIRS, PEOPLE, is_validation, later_messages, more_questions

OF_A_TURN, NEAREST, NEAREST_OF_OTHERS = 5, 3, 3
"""Remarks of a turn, and notes beside each; one more is drawn at random of the same person."""
MOST_NOTE_WORDS = 26
"""Of what is a note here; the product compares shorter ones only."""
SAYS = 0.6
"""Share of what labels say that is a note as well."""
OFTEN, LIKES = 3, 20
"""A word that is put in another's place is in so many notes, and among so many that are like it."""
BATCH = 64

TURNS = " turns"
CHANGED = "changed"
"""The relation where nobody said whether it is another now, or over."""

Line = dict[str, str]
Note = tuple[str, str]


class Change(NamedTuple):
    """What was said in one turn, what was said in a later one, and what that does to it."""

    was_in: str
    was: str
    now_in: str
    now: str
    relation: str


def of_turns(reader: SentenceReader, embedder: SharpwaveEmbedder) -> Iterator[Line]:
    """What each English person says, also those kept apart, beside their own earlier words."""
    for file in sorted(PEOPLE.glob("*.json")):
        raw = json.loads(file.read_text("utf-8"))
        if raw.get("language", "en") != "en":
            continue
        said = {
            turn["id"]: turn["text"]
            for session in raw["sessions"]
            for turn in session["turns"]
            if turn["role"] == "user"
        }
        told = list(_changes(file.stem, said))
        pairs = {(one.was_in, one.now_in) for one in told if one.relation != "none"}
        parts = {turn: _remarks(text, reader) for turn, text in said.items()}
        of = file.stem + TURNS
        for one in told:
            for remark in parts[one.now_in]:
                if " ".join(one.now.split()) in remark:
                    yield _line((one.was, "fact"), remark, of) | {"relation": one.relation}
                    for whole in parts.get(one.was_in, ()):
                        if one.was in whole and one.was != whole:
                            yield _line((whole, "fact"), remark, of) | {"relation": one.relation}
        yield from _beside(parts, pairs, of, embedder)


def _changes(person: str, said: dict[str, str]) -> Iterator[Change]:
    """As labelled; later messages of theirs are added to what they said."""
    names = {"unrelated": "none", "update": CHANGED}
    for line in more_questions(person):
        if "was" in line and {line["was"][0], line["now"][0]} <= said.keys():
            relation = names.get(line["relation"], line["relation"])
            yield Change(*line["was"], *line["now"], relation)
    for number, later in enumerate(later_messages(person)):
        turn = f"later {number}"
        said[turn] = later["text"]
        for was_in, was, relation, *now in later["changes"]:
            yield Change(was_in, was, turn, *(now or [later["text"]]), relation)
        for was_in, was in later["stays"]:
            yield Change(was_in, was, turn, "", "none")


def _beside(
    parts: dict[str, list[str]],
    pairs: set[tuple[str, str]],
    of: str,
    embedder: SharpwaveEmbedder,
) -> Iterator[Line]:
    """What was said beside the nearest that was said before, and is left as it is."""
    every = [(turn, part) for turn, some in parts.items() for part in some]
    vectors = embedded(embedder, [part for _, part in every])
    for place, (turn, remark) in enumerate(every):
        if turn.startswith("later"):
            continue
        near = np.argsort(-(vectors[:place] @ vectors[place]), kind="stable")[:NEAREST]
        for was, part in (every[other] for other in near.tolist()):
            if was != turn and (was, turn) not in pairs:
                yield _line((part, "fact"), remark, of) | {"relation": "none"}


def of_people(reader: SentenceReader, embedder: SharpwaveEmbedder) -> Iterator[Line]:
    """What people trained on say, with what they said in sessions before."""
    draw = random.Random(1)
    for file in sorted(PEOPLE.glob("*.json")):
        raw = json.loads(file.read_text("utf-8"))
        if is_validation(file.stem) or raw.get("language", "en") != "en":
            continue
        notes: list[Note] = []
        vectors = np.zeros((0, embedder.space.dimension), dtype=np.float32)
        for session in raw["sessions"]:
            new: list[Note] = []
            for turn in (one for one in session["turns"] if one["role"] == "user"):
                remarks = _remarks(turn["text"], reader)[:OF_A_TURN]
                for remark, vector in zip(remarks, embedded(embedder, remarks), strict=True):
                    near = np.argsort(-(vectors @ vector), kind="stable")[:NEAREST].tolist()
                    near += [draw.randrange(len(notes))] if notes else []
                    for place in dict.fromkeys(near):
                        if notes[place][0] != remark:
                            yield _line(notes[place], remark, file.stem)
                new += [(one, "fact") for one in remarks if len(one.split()) <= MOST_NOTE_WORDS]
                new += [(one["say"], "fact") for one in _some(turn.get("facts", ()), draw)]
                new += [(one["say"], "task") for one in turn.get("tasks", ())]
            notes += new
            vectors = np.concatenate([vectors, embedded(embedder, [text for text, _ in new])])


def of_pairs(embedder: SharpwaveEmbedder) -> Iterator[Line]:
    """Remarks that were written in pairs, with the nearest notes of others."""
    notes: dict[Note, str] = {}
    remarks: dict[str, str] = {}
    for file in sorted(PAIRS.glob("[rv-y]*.jsonl")):
        for one in map(json.loads, file.read_text("utf-8").splitlines()):
            if not is_validation(one["id"]):
                notes.setdefault((one["older"], one["kind"]), one["id"])
                remarks.setdefault(one["newer"], one["id"])
    known = embedded(embedder, [text for text, _ in notes])
    every = list(notes)
    for remark, vector in zip(remarks, embedded(embedder, [*remarks]), strict=True):
        near = [every[place] for place in np.argsort(-(known @ vector), kind="stable")[:20]]
        others = [note for note in near if notes[note] != remarks[remark]]
        yield from (_line(note, remark, remarks[remark]) for note in others[:NEAREST_OF_OTHERS])


def swapped(embedder: SharpwaveEmbedder) -> Iterator[Line]:
    """Notes with another word in the place of one that the remark names."""
    draw = random.Random(2)
    lines = [
        one
        for file in sorted(PAIRS.glob("*.jsonl"))
        for one in map(json.loads, file.read_text("utf-8").splitlines())
        if not is_validation(one["id"].partition(" ")[0])
    ]
    often = Counter(word for text in {one["older"] for one in lines} for word in _words(text))
    known = [word for word, many in often.items() if many >= OFTEN]
    vectors = embedded(embedder, known)
    likes = {}
    for word, vector in zip(known, vectors, strict=True):
        near = np.argsort(-(vectors @ vector), kind="stable")[1:LIKES]
        likes[word] = [
            known[place] for place in near if known[place][:4].lower() != word[:4].lower()
        ]
    for one in lines:
        said = {word.lower()[:5] for word in _words(one["newer"])}
        both = [
            word for word in _words(one["older"]) if word.lower()[:5] in said and likes.get(word)
        ]
        if one["relation"] in ("update", "end") and both:
            word = draw.choice(both)
            like = draw.choice(likes[word][len(likes[word]) // 4 :])
            older = re.sub(rf"\b{word}\b", like, one["older"])
            yield _line((older, one["kind"]), one["newer"], one["id"])


def _words(text: str) -> list[str]:
    """Things and names that a text speaks of, roughly: verbs and little words are left out."""
    words = re.findall(r"[A-Za-z]{4,}", text)
    return [
        word
        for word in words
        if word.lower() not in STOP
        and not (is_past(word.lower()) or is_participle(word.lower()) or is_ing(word.lower()))
    ]


def _remarks(text: str, reader: SentenceReader) -> list[str]:
    """What of a turn is compared with notes: a short one as a whole, of others each statement."""
    whole = " ".join(text.split())
    words = len(whole.split())
    if words <= open_statements.REMARK_WORDS and len(whole) <= open_statements.REMARK_CHARS:
        return [whole] if words > 1 else []
    spans = sentences(own_words(text))
    readings = reader.read(text, spans)
    read = Text(text, spans, readings)
    groups = open_statements.groups(read)
    said = [open_statements.readable(read, first, last) for first, last in groups]
    return [one for one in said if 1 < len(one.split()) <= open_statements.REMARK_WORDS]


def _some(labels: Sequence[dict[str, Any]], draw: random.Random) -> list[dict[str, Any]]:
    return [one for one in labels if draw.random() < SAYS]


def _line(note: Note, remark: str, of: str) -> Line:
    return {"older": note[0], "newer": remark, "kind": note[1], "id": of}


def embedded(embedder: SharpwaveEmbedder, texts: Sequence[str]) -> np.ndarray:
    """One row for each text."""
    starts = range(0, len(texts), BATCH)
    parts = [np.asarray(embedder.embed(texts[start : start + BATCH])) for start in starts]
    return np.concatenate([np.zeros((0, embedder.space.dimension), dtype=np.float32), *parts])


def main() -> None:
    """Write all kinds, always the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    embedder = SharpwaveEmbedder()
    with options.out.open("w", encoding="utf-8") as file:
        reader = SentenceReader()
        people = (*of_turns(reader, embedder), *of_people(reader, embedder))
        for line in (*people, *of_pairs(embedder), *swapped(embedder)):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
