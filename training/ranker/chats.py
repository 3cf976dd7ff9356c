"""Conversations of our own making, with questions about them: two people, or a user and a model.

Seeded, and made of `topics.toml` alone. What makes real ones hard is in them: the answer stands in a
short turn that leans on the question before it; both speakers talk about the same topic with
different answers; the same words come up where nothing is answered; questions use other words,
ask when, ask for several turns at once, name the wrong person, or ask what was never said.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from sharpwave.evals.recall.talks import Question, Talk, Turn

TOPICS = Path(__file__).with_name("topics.toml")
NAMES = """Anna Boris Carla Derek Elena Farid Gina Hugo Irene Jonas Kavya Liam Mona Nils Olga Pedro
Quinn Rosa Sven Tara Umar Vera Walter Xenia Yannick Zoe""".split()
HELLO = """Hey {other}, how have you been?|Hi! Long time no see.|Good to hear from you, {other}!|
Hello again! What's new?|Hey, how's everything going?|Hi {other}, got a minute?""".replace(
    "\n", ""
).split("|")
REACT = """Wow, that's great!|Sounds lovely, {other}.|I'm so happy for you!|Really? Tell me more some time.|
That must have been something.|Oh, I can imagine.|Good for you! It's inspiring.|Haha, classic.|
I'd love to try that one day.|Thanks for sharing that with me.|That's so cool, {other}!""".replace(
    "\n", ""
).split("|")
BYE = """Take care, talk soon!|I have to run, bye {other}!|Let's catch up again next week.|Bye for now!""".split(
    "|"
)
ECHO = """{value}? Nice choice.|I've heard good things about {value}.|{value}, really? My friend talks about that all the time.""".split(
    "|"
)
HELP = """Can you give me some ideas for the weekend?|What would you suggest for someone like me?|
Could you help me write a short note about it?|How do other people deal with this?|
What should I keep in mind?|Can you make a simple plan for me?""".replace("\n", "").split("|")
REPLY = """Of course! Here are some ideas: set a small goal, keep notes about {topic}, and review them each week.|
That's a great question. When it comes to {topic}, most people start small and build from there. Let me know your budget.|
Happy to help! With {topic} it pays to plan ahead: 1. make a list, 2. ask friends, 3. compare prices.|
Congratulations! {topic} can be rewarding. Would you like a checklist or a schedule?""".replace(
    "\n", ""
).split("|")

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
    assistant: bool
    speakers: tuple[str, str]
    turns: list[Turn] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    told: dict[tuple[str, int], dict[str, str]] = field(default_factory=dict)
    """For each fact that was told: the turn that tells it, by speaker."""
    opened: dict[str, dict[str, str]] = field(default_factory=dict)

    def say(self, speaker: int, text: str, session: int, at: datetime) -> str:
        """Add a turn, and return its id."""
        name = f"{session}:{len(self.turns)}"
        text = text.replace("{other}", self.speakers[1 - speaker])
        text = text[:1].upper() + text[1:]
        who = None if self.assistant else self.speakers[speaker]
        role = "assistant" if self.assistant and speaker else "user"
        said = Turn(name, text, role, who, str(session), at, role == "user")
        self.turns.append(said)
        return name


def talks(count: int, seed: int) -> list[Talk]:
    """So many conversations; every third with a model instead of a friend."""
    content = tomllib.loads(TOPICS.read_text("utf-8"))
    return [_talk(f"made-{n}", content, Random(f"{seed}:{n}"), n % 3 == 2) for n in range(count)]


def _talk(name: str, content: dict[str, Any], random: Random, assistant: bool) -> Talk:
    first, second = random.sample(NAMES, 2)
    made = Making(random, assistant, (first, second))
    start = datetime(2023, random.randint(1, 12), random.randint(1, 28), 18, 0, tzinfo=UTC)
    topics = random.sample(content["topic"], random.randint(12, len(content["topic"]) - 2))
    sessions = random.randint(14, 26)
    for session in range(sessions):
        at = start + timedelta(days=5 * session + random.randint(0, 3))
        _session(made, content, random.sample(topics, random.randint(1, 3)), session, at)
    _ask(made, content, topics, start + timedelta(days=5 * sessions + 9))
    return Talk(name, tuple(made.turns), tuple(made.questions))


def _session(
    made: Making,
    content: dict[str, Any],
    topics: Sequence[dict[str, Any]],
    session: int,
    at: datetime,
) -> None:
    random = made.random
    if not made.assistant:
        made.say(0, random.choice(HELLO), session, at)
        made.say(1, random.choice(HELLO), session, at)
    for topic in topics:
        owner = 0 if made.assistant else random.randint(0, 1)
        _passage(made, content, topic, owner, session, at)
        for _ in range(random.randint(0, 2)):
            who = random.randint(0, 1)
            idle = random.choice(topic["idle"])
            made.say(who, _reply(random, topic) if made.assistant and who else idle, session, at)
    if not made.assistant:
        made.say(random.randint(0, 1), random.choice(BYE), session, at)


def _passage(
    made: Making,
    content: dict[str, Any],
    topic: dict[str, Any],
    owner: int,
    session: int,
    at: datetime,
) -> None:
    """The owner raises a topic and tells a fact or two about it, unless told before."""
    random = made.random
    speaker = made.speakers[owner]
    opening = random.choice(topic["opens"])
    time = random.choice(content["slots"]["time"])
    key = topic["name"]
    if key in made.opened and speaker in made.opened[key]:
        opening = random.choice(topic["idle"])  # raised again, without news
        made.say(owner, opening, session, at)
    else:
        text = opening.replace("{time}", time)
        if made.assistant:
            text += " " + random.choice(HELP)
        made.opened.setdefault(key, {})[speaker] = made.say(owner, text, session, at)
    for number, fact in enumerate(topic["facts"]):
        place = (key, number)
        if speaker in made.told.get(place, {}) or random.random() < 0.35:
            continue
        _tell(made, topic, place, fact, owner, session, at)
        if random.random() < 0.5:
            break


def _tell(
    made: Making,
    topic: dict[str, Any],
    place: tuple[str, int],
    fact: dict[str, Any],
    owner: int,
    session: int,
    at: datetime,
) -> None:
    random = made.random
    ((slot, values),) = fact["slot"].items()
    value = random.choice(values)
    probed = random.random() < 0.6
    if made.assistant:
        made.say(1, _reply(random, topic), session, at)
        text = random.choice(fact["tells"]) + " " + random.choice(HELP)
    elif probed:
        made.say(1 - owner, random.choice(fact["probe"]), session, at)
        text = random.choice(fact["short"])
    else:
        if random.random() < 0.5:
            made.say(1 - owner, random.choice(REACT), session, at)
        text = random.choice(fact["tells"])
    if random.random() < 0.3:
        text += " " + random.choice(topic["idle"])
    id_ = made.say(owner, text.replace(f"{{{slot}}}", value), session, at)
    made.told.setdefault(place, {})[made.speakers[owner]] = id_
    if not made.assistant and random.random() < 0.5:
        echo = (
            random.choice(ECHO).replace("{value}", value)
            if random.random() < 0.5
            else random.choice(REACT)
        )
        made.say(1 - owner, echo, session, at)


def _reply(random: Random, topic: dict[str, Any]) -> str:
    return random.choice(REPLY).replace("{topic}", topic["name"])


def _ask(
    made: Making, content: dict[str, Any], topics: Sequence[dict[str, Any]], at: datetime
) -> None:
    random = made.random
    names = made.speakers[:1] if made.assistant else made.speakers

    def add(text: str, name: str, category: str, evidence: Sequence[str]) -> None:
        asked = _voiced(text, None if made.assistant else name)
        able = category not in ("wrong person", "never said")
        id_ = f"{len(made.questions)}"
        made.questions.append(Question(id_, asked, category, tuple(evidence), at, able))

    for topic in topics:
        for number, fact in enumerate(topic["facts"]):
            told = made.told.get((topic["name"], number), {})
            for name in names:
                asks = random.choice(fact["asks"])
                other = next((one for one in names if one != name), None)
                if name in told:
                    add(asks, name, "one turn", [told[name]])
                elif other in told and random.random() < 0.35:
                    add(asks, name, "wrong person", [told[other]])
                elif other not in told and random.random() < 0.35:
                    add(asks, name, "never said", [])
        for name in names:
            opened = made.opened.get(topic["name"], {})
            if name in opened and topic.get("ask_when") and random.random() < 0.5:
                add(random.choice(topic["ask_when"]), name, "when", [opened[name]])
            turns = [
                made.told[key][name]
                for key in made.told
                if key[0] == topic["name"] and name in made.told[key]
            ]
            if len(turns) > 1 and name in opened and random.random() < 0.5:
                text = f"What do we know about {{whose}} {topic['name']}?"
                add(text, name, "several turns", [*turns, opened[name]])
    for turn, words in _telling(made):
        name = turn.speaker or made.speakers[0]
        add(random.choice(ABOUT).format(*words), name, "by its words", [turn.id])
    for topic in content["topic"]:
        if topic not in topics:
            name = random.choice(names)
            add(random.choice(topic["facts"][0]["asks"]), name, "never said", [])


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
