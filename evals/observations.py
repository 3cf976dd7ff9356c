"""Public conversations turn by turn, as they would be spoken to a memory: who, to whom, when.

They are read from a folder and never part of the package.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.index.terms import TermReader
from sharpwave.types.records import USER
from sharpwave.types.statements import Spoken

_SESSION = re.compile(r"session_(\d+)")
_LOCOMO_DATE = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One turn of a conversation, with its circumstances."""

    id: str
    text: str
    spoken: Spoken

    @property
    def speaker(self) -> str:
        """Who said it."""
        return self.spoken.speaker


@dataclass(frozen=True, slots=True)
class Observation:
    """What somebody noted about a person, and the ids of the turns it was noted from."""

    text: str
    person: str
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ObservedTalk:
    """A conversation of two, and what was observed in it."""

    name: str
    speakers: tuple[str, ...]
    turns: tuple[SpokenTurn, ...]
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Update:
    """A question whose answer changed: the turns that carry it, oldest first."""

    question_id: str
    question: str
    answer: str
    evidence: tuple[SpokenTurn, ...]


_READER = TermReader(max_terms=10_000, max_word_chars=40, cached_words=20_000)


def content_words(text: str) -> set[str]:
    """The stems of a text's words, without those that mean nothing by themselves."""
    return set(_READER.read(text))


def locomo_talks(folder: Path) -> list[ObservedTalk]:
    """LoCoMo with its observations; NotFound says what is missing."""
    files = sorted(folder.glob("locomo/*.json"))
    if not files:
        raise NotFound(f"locomo is not there: no {folder / 'locomo'}; say where with --data")
    try:
        return [_talk(one) for file in files for one in json.loads(file.read_text("utf-8"))]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"{folder / 'locomo'} is not in the form of LoCoMo: {error!r}"
        ) from error


def knowledge_updates(folder: Path) -> list[Update]:
    """The knowledge-update questions of LongMemEval with at least two turns of evidence."""
    files = sorted(folder.glob("longmemeval/*.jsonl.gz"))
    if not files:
        place = folder / "longmemeval"
        raise NotFound(f"longmemeval is not there: no {place}; say where with --data")
    found = []
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            asked = (json.loads(line) for line in lines)
            found += [_update(one) for one in asked if one["question_type"] == "knowledge-update"]
    return [one for one in found if len(one.evidence) > 1]


def _talk(sample: Mapping[str, Any]) -> ObservedTalk:
    content = sample["conversation"]
    speakers = (content["speaker_a"], content["speaker_b"])
    name = sample["sample_id"]
    turns = tuple(_locomo_turns(name, content, speakers))
    observations = tuple(_observations(name, sample.get("observation", {}), speakers))
    return ObservedTalk(name, speakers, turns, observations)


def _locomo_turns(
    name: str, content: Mapping[str, Any], speakers: Sequence[str]
) -> Iterator[SpokenTurn]:
    for key, turns in content.items():
        if not _SESSION.fullmatch(key):
            continue
        at = _locomo_date(content[f"{key}_date_time"])
        previous = None
        for turn in turns:
            other = next((one for one in speakers if one != turn["speaker"]), None)
            spoken = Spoken(turn["speaker"], at, other, previous)
            yield SpokenTurn(f"{name} {turn['dia_id']}", turn["text"], spoken)
            previous = turn["text"]


def _locomo_date(text: str) -> datetime:
    return datetime.strptime(text, _LOCOMO_DATE).replace(tzinfo=UTC)


def _observations(
    name: str, sessions: Mapping[str, Any], speakers: Iterable[str]
) -> Iterator[Observation]:
    known = set(speakers)
    for people in sessions.values():
        for person, several in people.items():
            for text, cited in several:
                ids = [cited] if isinstance(cited, str) else cited
                if person in known:
                    yield Observation(text, person, tuple(f"{name} {one}" for one in ids))


def _update(asked: Mapping[str, Any]) -> Update:
    sessions = sorted(
        zip(asked["haystack_dates"], asked["haystack_sessions"], strict=True),
        key=lambda one: one[0],
    )
    evidence = []
    for date, turns in sessions:
        at = datetime.strptime(re.sub(r"\s*\(\w+\)", "", date), "%Y/%m/%d %H:%M").replace(
            tzinfo=UTC
        )
        previous = None
        for number, turn in enumerate(turns):
            if turn.get("has_answer") and turn["role"] == "user":
                name = f"{asked['question_id']} {date} {number}"
                evidence.append(SpokenTurn(name, turn["content"], Spoken(USER, at, None, previous)))
            previous = turn["content"]
    return Update(asked["question_id"], asked["question"], str(asked["answer"]), tuple(evidence))
