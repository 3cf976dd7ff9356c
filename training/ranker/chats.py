"""Conversations of our own making, with questions about them: two people, or a user and a model.

Seeded, and made of `topics.toml` alone. What makes real ones hard is in them: the answer stands
in a short turn that leans on the question before it; both speakers talk about the same topic with
different answers; the same words come up where nothing is answered; questions use other words,
ask when, ask for several turns at once, name the wrong person, or ask what was never said.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from evals.talks import Question, Talk, Turn

TOPICS = Path(__file__).with_name("topics.toml")
NAMES = """Anna Boris Carla Derek Elena Farid Gina Hugo Irene Jonas Kavya Liam Mona Nils Olga Pedro
Quinn Rosa Sven Tara Umar Vera Walter Xenia Yannick Zoe""".split()
Topic = dict[str, Any]

ABOUT = (
    "What {{did}} say about {0} and {1}?",
    "When {{did}} mention {0}?",
    "What was it that {{who}} told about {1} and {0}?",
    "Why {{did}} talk about the {0}?",
    "Which {1} {{did}} bring up with {0}?",
)
"""Questions in the words of the turn itself."""
WORDED = 10
"""How many of these a conversation gets."""


@dataclass
class Making:
    """A conversation while it is made."""

    random: Random
    content: Mapping[str, Any]
    assistant: bool
    speakers: tuple[str, str]
    at: datetime
    session: int = 0
    turns: list[Turn] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    told: dict[tuple[str, int], dict[str, str]] = field(default_factory=dict)
    """For each fact that was told: the turn that tells it, by speaker."""
    opened: dict[str, dict[str, str]] = field(default_factory=dict)

    def say(self, speaker: int, text: str) -> str:
        """Add a turn, and return its id."""
        name = f"{self.session}:{len(self.turns)}"
        text = text.replace("{other}", self.speakers[1 - speaker])
        text = text[:1].upper() + text[1:]
        who = None if self.assistant else self.speakers[speaker]
        role = "assistant" if self.assistant and speaker else "user"
        said = Turn(name, text, role, who, str(self.session), self.at, role == "user")
        self.turns.append(said)
        return name

    def phrase(self, kind: str) -> str:
        """Some small talk."""
        return str(self.random.choice(self.content["phrases"][kind]))

    def ask(self, text: str, name: str, category: str, evidence: Sequence[str]) -> None:
        """Add a question about a speaker."""
        asked = _voiced(text, None if self.assistant else name)
        able = category not in ("wrong person", "never said")
        id_ = str(len(self.questions))
        self.questions.append(Question(id_, asked, category, tuple(evidence), self.at, able))


def talks(count: int, seed: int) -> list[Talk]:
    """So many conversations; every third with a model instead of a friend."""
    content = tomllib.loads(TOPICS.read_text("utf-8"))
    return [_talk(f"made-{n}", content, Random(f"{seed}:{n}"), n % 3 == 2) for n in range(count)]


def _talk(name: str, content: Mapping[str, Any], random: Random, assistant: bool) -> Talk:
    first, second = random.sample(NAMES, 2)
    start = datetime(2023, random.randint(1, 12), random.randint(1, 28), 18, 0, tzinfo=UTC)
    made = Making(random, content, assistant, (first, second), start)
    topics = random.sample(content["topic"], random.randint(12, len(content["topic"]) - 2))
    sessions = random.randint(14, 26)
    for session in range(sessions):
        made.session = session
        made.at = start + timedelta(days=5 * session + random.randint(0, 3))
        _session(made, random.sample(topics, random.randint(1, 3)))
    made.at = start + timedelta(days=5 * sessions + 9)
    _ask(made, topics)
    return Talk(name, tuple(made.turns), tuple(made.questions))


def _session(made: Making, topics: Sequence[Topic]) -> None:
    random = made.random
    if not made.assistant:
        made.say(0, made.phrase("hello"))
        made.say(1, made.phrase("hello"))
    for topic in topics:
        owner = 0 if made.assistant else random.randint(0, 1)
        _passage(made, topic, owner)
        for _ in range(random.randint(0, 2)):
            who = random.randint(0, 1)
            idle = random.choice(topic["idle"])
            made.say(who, _reply(made, topic) if made.assistant and who else idle)
    if not made.assistant:
        made.say(random.randint(0, 1), made.phrase("bye"))


def _passage(made: Making, topic: Topic, owner: int) -> None:
    """The owner raises a topic and tells a fact or two about it, unless told before."""
    random, key, speaker = made.random, topic["name"], made.speakers[owner]
    opening = random.choice(topic["opens"])
    time = random.choice(made.content["slots"]["time"])
    if speaker in made.opened.get(key, {}):
        made.say(owner, random.choice(topic["idle"]))  # raised again, without news
    else:
        text = opening.replace("{time}", time)
        if made.assistant:
            text += " " + made.phrase("help")
        made.opened.setdefault(key, {})[speaker] = made.say(owner, text)
    for number, fact in enumerate(topic["facts"]):
        place = (key, number)
        if speaker in made.told.get(place, {}) or random.random() < 0.35:
            continue
        made.told.setdefault(place, {})[speaker] = _tell(made, topic, fact, owner)
        if random.random() < 0.5:
            break


def _tell(made: Making, topic: Topic, fact: Topic, owner: int) -> str:
    """The owner tells a fact; the id of the turn that does."""
    random = made.random
    ((slot, values),) = fact["slot"].items()
    value = random.choice(values)
    probed = random.random() < 0.6
    if made.assistant:
        made.say(1, _reply(made, topic))
        text = random.choice(fact["tells"]) + " " + made.phrase("help")
    elif probed:
        made.say(1 - owner, random.choice(fact["probe"]))
        text = random.choice(fact["short"])
    else:
        if random.random() < 0.5:
            made.say(1 - owner, made.phrase("react"))
        text = random.choice(fact["tells"])
    if random.random() < 0.3:
        text += " " + random.choice(topic["idle"])
    told = made.say(owner, text.replace(f"{{{slot}}}", value))
    if not made.assistant and random.random() < 0.5:
        kind = "echo" if random.random() < 0.5 else "react"
        made.say(1 - owner, made.phrase(kind).replace("{value}", value))
    return told


def _reply(made: Making, topic: Topic) -> str:
    return made.phrase("reply").replace("{topic}", topic["name"])


def _ask(made: Making, topics: Sequence[Topic]) -> None:
    names = made.speakers[:1] if made.assistant else made.speakers
    for topic in topics:
        for number, fact in enumerate(topic["facts"]):
            for name in names:
                _ask_fact(made, made.told.get((topic["name"], number), {}), fact, name, names)
        for name in names:
            _ask_topic(made, topic, name)
    for turn, words in _telling(made):
        name = turn.speaker or made.speakers[0]
        made.ask(made.random.choice(ABOUT).format(*words), name, "by its words", [turn.id])
    for _ in range(2):
        made.ask(made.phrase("elsewhere"), made.speakers[0], "never said", [])
    for topic in made.content["topic"]:
        if topic not in topics:
            asks = made.random.choice(topic["facts"][0]["asks"])
            made.ask(asks, made.random.choice(names), "never said", [])


def _ask_fact(
    made: Making, told: Mapping[str, str], fact: Topic, name: str, names: Sequence[str]
) -> None:
    """Ask for a fact: one that was told, that only the other told, or that nobody did."""
    asks = made.random.choice(fact["asks"])
    other = next((one for one in names if one != name), None)
    if name in told:
        made.ask(asks, name, "one turn", [told[name]])
    elif other in told and made.random.random() < 0.8:
        made.ask(asks, name, "wrong person", [told[other]])
    elif other not in told and made.random.random() < 0.35:
        made.ask(asks, name, "never said", [])


def _ask_topic(made: Making, topic: Topic, name: str) -> None:
    """Ask when it was, and for all of it."""
    opened = made.opened.get(topic["name"], {}).get(name)
    if opened is None:
        return
    if topic.get("ask_when") and made.random.random() < 0.5:
        made.ask(made.random.choice(topic["ask_when"]), name, "when", [opened])
    told = [by[name] for key, by in made.told.items() if key[0] == topic["name"] and name in by]
    if len(told) > 1 and made.random.random() < 0.5:
        text = f"What do we know about {{whose}} {topic['name']}?"
        made.ask(text, name, "several turns", [*told, opened])


def _telling(made: Making) -> list[tuple[Turn, list[str]]]:
    """Some turns, each with two words that hardly another turn has."""
    words = [set(re.findall(r"[a-z]{4,}", turn.text.lower())) for turn in made.turns]
    common = Counter(word for some in words for word in some)
    found = []
    for turn, own in zip(made.turns, words, strict=True):
        rare = sorted(word for word in own if common[word] <= 3)
        if turn.candidate and len(rare) >= 2:
            found.append((turn, made.random.sample(rare, 2)))
    return made.random.sample(found, min(WORDED, len(found)))


_VOICES = {
    "does": ("does {0}", "do I"),
    "did": ("did {0}", "did I"),
    "has": ("has {0}", "have I"),
    "is": ("is {0}", "am I"),
    "whose": ("{0}'s", "my"),
    "who": ("{0}", "I"),
}


def _voiced(text: str, name: str | None) -> str:
    """The question about a person by name, or by oneself."""

    def put(match: re.Match[str]) -> str:
        about, own = _VOICES[match[1]]
        return own if name is None else about.format(name)

    voiced = re.sub(r"\{(\w+)\}", put, text)
    if name is None:
        voiced = re.sub(r"\b[Dd]oes I\b", "do I", voiced)
        voiced = voiced.replace("is I ", "am I ").replace("was I given", "was I given")
        voiced = voiced.replace("with I ", "with me ").replace("accompanied I ", "accompanied me ")
    return voiced[:1].upper() + voiced[1:]
