"""The clients of the soak: writers and readers over HTTP, and what they were promised.

Every message carries a mark that no other has. A writer repeats a call, with the same idempotency
key, until it is acknowledged, whatever happens to the server meanwhile. Every answer is searched
for marks: of another user, or forgotten before the request was sent.
"""

import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2

MARK = re.compile(r"zq[a-z]{13}zz", re.IGNORECASE)
LETTERS = "bcdfghjklmnprstvwxyz"
REPEAT_S = 90.0
"""How long a call is repeated before it counts as given up; also the limit of one request."""
PAUSE_S = 0.1
MOST_SEEN = 5
"""So many of the answers with something forgotten are told."""
MESSAGES_OF_SESSION = 8
SENTENCES = (
    "My colleague {mark} lives in Porto.",
    "I work at {mark} since May.",
    "Remind me to call {mark} tomorrow at nine.",
    "The code name of the project is {mark}, and it begins in June.",
    "I like {mark} more than tea.",
    "We talked about {mark} for an hour, and then about the garden.",
    "Please always answer {mark} in short sentences.",
)
QUESTIONS = ("Where does my colleague live?", "What do I like?", "the project", "whom to call")


@dataclass(frozen=True, slots=True)
class Account:
    """A user with a key; the letter is the third of all marks of this user."""

    user: str
    letter: str
    key: str


@dataclass(slots=True)
class Marks:
    """What every user was promised. Marks are lower case; threads share it."""

    kept: dict[str, str] = field(default_factory=dict)
    """Acknowledged, and not to be forgotten: mark and letter of its user."""
    doubtful: set[str] = field(default_factory=set)
    """Sent without an answer, or being forgotten: may be there or not."""
    forgotten: set[str] = field(default_factory=set)
    crossed: int = 0
    came_back: int = 0
    seen_again: list[str] = field(default_factory=list)
    """Where: the first few of those, with the words around them."""
    errors: list[str] = field(default_factory=list)
    """Answers of 500 and above, and others that should not be."""
    counts: dict[str, int] = field(default_factory=dict)
    slowest_s: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, marks: list[str]) -> None:
        """New marks; they are doubtful until they are acknowledged."""
        with self.lock:
            self.doubtful.update(marks)

    def remembered(self, marks: list[str]) -> None:
        with self.lock:
            self.doubtful.difference_update(marks)
            self.kept.update({mark: mark[2] for mark in marks})

    def forgetting(self, marks: list[str]) -> None:
        with self.lock:
            for mark in marks:
                self.kept.pop(mark, None)
            self.doubtful.update(marks)

    def forgot(self, marks: list[str]) -> None:
        with self.lock:
            self.doubtful.difference_update(marks)
            self.forgotten.update(marks)

    def gone(self) -> frozenset[str]:
        with self.lock:
            return frozenset(self.forgotten)

    def inspect(self, path: str, letter: str, answer: str, gone: frozenset[str]) -> None:
        """Search an answer to a user; `gone` was forgotten before the request was sent."""
        found = {place[0].lower(): place for place in MARK.finditer(answer)}
        again = found.keys() & gone
        with self.lock:
            self.crossed += sum(mark[2] != letter for mark in found)
            self.came_back += len(again)
            for mark in sorted(again)[: MOST_SEEN - len(self.seen_again)]:
                begin, end = found[mark].span()
                self.seen_again.append(f"{path} …{answer[max(0, begin - 90) : end + 60]}…")

    def count(self, what: str, took_s: float = 0.0) -> None:
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1
            self.slowest_s = max(self.slowest_s, took_s)


class Client:
    """Calls of one user on one connection, repeated while the server is away."""

    def __init__(
        self, url: str, account: Account, marks: Marks, stop: threading.Event, patient: bool
    ) -> None:
        """`patient`: writes are repeated after the stop, too, until they are acknowledged."""
        headers = {"Authorization": f"Bearer {account.key}"}
        self._http = httpx2.Client(base_url=url, headers=headers, trust_env=False, timeout=REPEAT_S)
        self._account = account
        self._marks = marks
        self._stop = stop
        self._patient = patient

    def call(self, verb: str, path: str, body: Any = None, allowed: tuple[int, ...] = ()) -> bool:
        """Send until there is an answer; False if there was none in time, or it was an error."""
        until = time.monotonic() + REPEAT_S
        while time.monotonic() < until:
            gone, begin = self._marks.gone(), time.monotonic()
            try:
                answer = self._http.request(verb, path, json=body)
            except httpx2.TransportError:
                self._marks.count("repeated")
                if self._stop.is_set() and not (self._patient and verb == "POST"):
                    return False
                time.sleep(PAUSE_S)
                continue
            self._marks.count(path.rpartition("/")[2], time.monotonic() - begin)
            self._marks.inspect(path, self._account.letter, answer.text, gone)
            if not answer.is_success and answer.status_code not in allowed:
                with self._marks.lock:
                    self._marks.errors.append(f"{path} {answer.status_code} {answer.text[:120]}")
            return answer.is_success
        with self._marks.lock:
            self._marks.errors.append(f"{path}: no answer in {REPEAT_S:g} s")
        return False

    def close(self) -> None:
        self._http.close()


class Writer:
    """Writes sessions, asks in between, sleeps now and then, and forgets the oldest sessions."""

    def __init__(
        self, client: Client, account: Account, marks: Marks, seed: str, sessions: int
    ) -> None:
        self._client = client
        self._account = account
        self._marks = marks
        self._rng = random.Random(seed)
        self._name = seed
        self._sessions = sessions
        self._said: dict[str, list[str]] = {}

    def steps(self) -> Iterator[Callable[[], None]]:
        """What to do, one after the other, without end."""
        for number in range(10_000_000):
            session = f"{self._name}-{number}"
            self._said[session] = []
            for turn in range(self._rng.randint(1, MESSAGES_OF_SESSION)):
                yield lambda s=session, t=turn: self._remember(s, t)  # type: ignore[misc]
                if self._rng.random() < 0.5:
                    yield self._ask
            if self._rng.random() < 0.15:
                yield self._sleep
            while len(self._said) > self._rng.randint(self._sessions // 2, self._sessions):
                yield self._forget

    def _remember(self, session: str, turn: int) -> None:
        marks = [self._new_mark() for _ in range(self._rng.choice((1, 1, 3)))]
        self._marks.add(marks)
        said = [
            {
                "text": self._rng.choice(SENTENCES).format(mark=mark.capitalize()),
                "session": session,
                "idempotency_key": f"{session}.{turn}.{place}",
            }
            for place, mark in enumerate(marks)
        ]
        if self._client.call("POST", "/v1/remember", {"messages": said}):
            self._marks.remembered(marks)
            self._said[session] += marks

    def _new_mark(self) -> str:
        """Unlike all others, or else what is said of two of them counts as a spelling of one."""
        letters = "".join(self._rng.choices(LETTERS, k=12))
        return f"zq{self._account.letter}{letters}zz"

    def _ask(self) -> None:
        known = [mark for marks in self._said.values() for mark in marks]
        query = self._rng.choice([*QUESTIONS, *known[-3:]])
        path = self._rng.choice(("/v1/recall", "/v1/recall", "/v1/context"))
        self._client.call("POST", path, {"query": query})

    def _sleep(self) -> None:
        heavy = self._rng.random() < 0.3
        self._client.call("POST", "/v1/sleep", {"heavy": heavy}, allowed=(409,))

    def _forget(self) -> None:
        """The oldest session; what was said there without an answer stays doubtful."""
        session = next(iter(self._said))
        marks = self._said.pop(session)
        self._marks.forgetting(marks)
        if self._client.call("POST", "/v1/forget", {"session": session}):
            self._marks.forgot(marks)


class Reader:
    """Asks for everything of its user, again and again."""

    PATHS = ("/v1/facts", "/v1/profile", "/v1/export", "/v1/recent", "/v1/tasks", "/v1/stats")

    def __init__(self, client: Client, seed: str) -> None:
        self._client = client
        self._rng = random.Random(seed)

    def steps(self) -> Iterator[Callable[[], None]]:
        while True:
            path = self._rng.choice(self.PATHS)
            yield lambda chosen=path: self._client.call("GET", chosen)  # type: ignore[misc]


def keep_going(steps: Iterator[Callable[[], None]], stop: threading.Event, pause_s: float) -> None:
    """Do one step after the other until told to stop."""
    for step in steps:
        if stop.is_set():
            return
        step()
        stop.wait(pause_s)
