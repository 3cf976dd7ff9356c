"""Public conversations turn by turn, as they would be spoken to a memory: who, to whom, when.

With what people observed in them (LoCoMo), and answers that changed (LongMemEval).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.parts import stems
from evals.sets import in_form, read_json, read_lines
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
    """A note about a person, and the ids of the turns it was made from."""

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


def content_words(text: str) -> set[str]:
    """The stems of a text's words, without those that mean nothing by themselves."""
    return set(stems(text))


def locomo_talks(data: Path, among: bool = False) -> list[ObservedTalk]:
    """LoCoMo with its observations; NotFound says what is missing."""
    contents = read_json("locomo", data, among=among)
    with in_form("locomo", data):
        return [_talk(sample) for content in contents for sample in content]


def knowledge_updates(data: Path) -> list[Update]:
    """The knowledge-update questions of LongMemEval with at least two turns of evidence."""
    rows = read_lines("longmemeval", data, among=True)
    updates = [_update(row) for row in rows if row["question_type"] == "knowledge-update"]
    return [update for update in updates if len(update.evidence) > 1]


def user_turns(data: Path) -> dict[str, str | None]:
    """What users of LongMemEval say, each text once, with the turn before it."""
    turns: dict[str, str | None] = {}
    for row in read_lines("longmemeval", data, among=True):
        for session in row["haystack_sessions"]:
            previous = None
            for turn in session:
                if turn["role"] == "user":
                    turns[turn["content"]] = previous
                previous = turn["content"]
    return turns


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
            other = next((speaker for speaker in speakers if speaker != turn["speaker"]), None)
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
                    yield Observation(text, person, tuple(f"{name} {id_}" for id_ in ids))


def _update(asked: Mapping[str, Any]) -> Update:
    sessions = sorted(
        zip(asked["haystack_dates"], asked["haystack_sessions"], strict=True),
        key=lambda session: session[0],
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
