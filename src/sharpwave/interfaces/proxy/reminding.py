"""What is remembered about a question, in time or not at all."""

import asyncio
import logging
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from sharpwave import Memory
from sharpwave.interfaces.proxy.dialects.talk import Talk
from sharpwave.tunables.doors.proxy import ProxySettings
from sharpwave.types.contexts import Context

_LOG = logging.getLogger(__name__)
_HELD = 1024


class Unavailable(Exception):
    """The memory did not answer, or not in time."""


class Question(NamedTuple):
    """Who asks what, and where."""

    user_id: str
    session: str
    talk: Talk


class Reminder:
    """Asks the memory in threads of its own, so that one that hangs holds up nobody else."""

    def __init__(self, memory: Memory, settings: ProxySettings) -> None:
        self._memory = memory
        self._settings = settings
        self._threads = ThreadPoolExecutor(settings.threads, "sharpwave-reminding")
        self._waiting = 0
        self._held: OrderedDict[tuple[str, str], Context] = OrderedDict()

    def close(self) -> None:
        """End; whoever still waits gets nothing."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def context(self, asked: Question) -> Context:
        """What to put before a question, or Unavailable."""
        if self._waiting >= self._settings.crowd:
            raise Unavailable
        self._waiting += 1
        looking = asyncio.get_running_loop().run_in_executor(self._threads, self._look, asked)
        looking.add_done_callback(self._done)
        try:
            fresh = await asyncio.wait_for(asyncio.shield(looking), self._settings.context_s)
        except Exception as error:  # a request never fails for the memory, whatever it has
            _LOG.warning("a request went on without memory: %s", type(error).__name__)
            raise Unavailable from error
        return self._as_before(asked, fresh)

    def _look(self, asked: Question) -> Context:
        memory = self._memory.user(asked.user_id)
        query = asked.talk.question[: self._settings.own_words_chars]
        budget = self._settings.context_tokens
        return memory.context(query, budget=budget, except_session=asked.session)

    def _as_before(self, asked: Question, fresh: Context) -> Context:
        """The very letters of the last time, if they say the same.

        While tools are called the same question is sent again and again. A fence has a new code
        each time, at which a cache of prompts would end.
        """
        name = (asked.user_id, asked.talk.so_far)
        held = self._held.get(name)
        if held is None or held.sections != fresh.sections:
            self._held[name] = held = fresh
        self._held.move_to_end(name)
        while len(self._held) > _HELD:
            self._held.popitem(last=False)
        return held

    def _done(self, looking: asyncio.Future[Context]) -> None:
        self._waiting -= 1
        if not looking.cancelled():
            looking.exception()  # somebody looked at it, so that nobody is told of it at the end
