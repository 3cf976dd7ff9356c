"""Fakes for your tests.

A clock that stands still, a store that leaves no file behind, an embedder of hashes, a language
model with a script.
"""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from sharpwave.api.state import MemoryState
from sharpwave.embedding.hash_embedder import HashEmbedder
from sharpwave.errors import AnswerUnfit, ProviderError
from sharpwave.formulas.cost import estimated_tokens
from sharpwave.index.recall_index import RecallIndex
from sharpwave.memory import Memory
from sharpwave.ports import LLM, Clock, Embedder, Store, TokenMatcher
from sharpwave.settings.storage import StoreSettings
from sharpwave.settings.tree import Settings
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.temporal.clock import UtcClock
from sharpwave.types.llm import Completion, LLMRole, Output, Prompt, Structured, Usage
from sharpwave.wiring import load_weights
from sharpwave.worker import Worker
from sharpwave.workspace import Resources, Workspace

__all__ = [
    "FrozenClock",
    "HashEmbedder",
    "ScriptedLLM",
    "TemporaryStore",
    "in_memory",
    "resources_of",
    "worker_of",
    "workspace_of",
]

Scripted = str | BaseModel | ProviderError
"""An answer as text or in its form, or an error to raise instead of one."""


class FrozenClock:
    """A clock that moves only by `advance`.

    >>> clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    >>> clock.advance(days=2)
    >>> clock.now().isoformat()
    '2026-01-03T00:00:00+00:00'
    """

    def __init__(self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._now = now

    def now(self) -> datetime:
        """The moment it stands at."""
        return self._now

    def advance(self, **duration: float) -> None:
        """Move on, by the arguments of `timedelta`."""
        self._now += timedelta(**duration)


class LLMCall(NamedTuple):
    """One call that a scripted model got."""

    prompt: Prompt
    role: LLMRole
    output: type[BaseModel] | None
    """The form that was asked for; None for any text."""


class ScriptedLLM:
    """A language model that gives scripted answers, and keeps the calls that it got.

    The script is a list of answers, taken one a call, or a function of what is asked. While
    `failing` is set, every call raises it instead, and the script stays where it is.

    >>> llm = ScriptedLLM(["Blue."])
    >>> llm.complete(Prompt("sky", "1", "Be short.", "What colour?", 9), LLMRole.UTILITY).text
    'Blue.'
    >>> llm.asked[0].prompt.user, llm.usage.output_tokens
    ('What colour?', 2)
    """

    def __init__(self, script: Iterable[Scripted] | Callable[[LLMCall], Scripted] = ()) -> None:
        self._script = script if callable(script) else self._next
        self._answers = iter(() if callable(script) else script)
        self.failing: ProviderError | None = None
        self.asked: list[LLMCall] = []
        self.usage = Usage("scripted", 0, 0, estimated=True)
        """Of all calls that were answered."""

    def model(self, role: LLMRole) -> str:
        """The name of the model, which says the role."""
        return f"scripted-{role}"

    def complete(self, prompt: Prompt, role: LLMRole) -> Completion:
        """The next text of the script."""
        text = self._answer(LLMCall(prompt, role, None))
        return Completion(text, self._used(prompt, role, text))

    def structured(self, prompt: Prompt, output: type[Output], role: LLMRole) -> Structured[Output]:
        """The next answer of the script; AnswerUnfit if it does not fit, as with others."""
        text = self._answer(LLMCall(prompt, role, output))
        usage = self._used(prompt, role, text)
        try:
            return Structured(output.model_validate_json(text), usage)
        except ValidationError as error:
            raise AnswerUnfit(f"the scripted answer does not fit: {error}") from error

    def _answer(self, call: LLMCall) -> str:
        self.asked.append(call)
        answer = self.failing or self._script(call)
        if isinstance(answer, ProviderError):
            raise answer
        return answer.model_dump_json() if isinstance(answer, BaseModel) else answer

    def _next(self, call: LLMCall) -> Scripted:
        for answer in self._answers:
            return answer
        raise AssertionError(
            f"the script is over, but call {len(self.asked)} asks for {call.prompt.name!r}"
        )

    def _used(self, prompt: Prompt, role: LLMRole, text: str) -> Usage:
        sent, received = (
            estimated_tokens(len(part.encode()), bytes_per_token=4.0)
            for part in (prompt.system + prompt.user, text)
        )
        total = self.usage
        self.usage = Usage(
            total.model, total.input_tokens + sent, total.output_tokens + received, estimated=True
        )
        return Usage(self.model(role), sent, received, estimated=True)


class TemporaryStore(SqliteStore):
    """A SQLite file in a folder that is removed when the store is closed or no longer used."""

    def __init__(self) -> None:
        folder = tempfile.mkdtemp(prefix="sharpwave-")
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        super().__init__(Path(folder) / "memory.db", StoreSettings(synchronous="OFF"))

    def close(self) -> None:
        """Close the file and remove its folder."""
        super().close()
        self._remove()


def in_memory(
    user: str = "default",
    *,
    store: Store | None = None,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    llm: LLM | None = None,
    tokens: TokenMatcher | None = None,
    settings: Settings | None = None,
) -> Memory:
    """A Memory that leaves no file behind."""
    numbers = settings or Settings()
    chosen = embedder or HashEmbedder()
    backing = store or TemporaryStore()
    index = RecallIndex(backing, chosen.space, numbers.index, tokens)
    now = UtcClock((clock or FrozenClock()).now)
    weights = load_weights(None)
    resources = Resources(backing, index, chosen, now, numbers, weights, llm, tokens)
    return Memory(MemoryState.of(resources, user))


def resources_of(memory: Memory) -> Resources:
    """The open store, index, models and clock behind a memory, for tests of single parts."""
    return memory._state.resources


def worker_of(memory: Memory) -> Worker:
    """The background worker of a memory: to pause or wake it."""
    return memory._state.process.worker


def workspace_of(memory: Memory) -> Workspace:
    """What one call of this memory's user works with."""
    return memory._state.workspace()
