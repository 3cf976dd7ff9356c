"""Look up the context of a question within a time limit."""

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from sharpwave.errors import NoConsent, NotFound
from sharpwave.interfaces.proxy.conversation import (
    Conversation,
    latest_alike,
    opened_by,
    session_of,
)
from sharpwave.memory import Memory
from sharpwave.settings.server import ProxySettings
from sharpwave.types.contexts import Context
from sharpwave.types.records import CURRENT
from sharpwave.types.working import Purpose

_LOG = logging.getLogger(__name__)
CONTEXT_S = 1.0
"""Maximum wait for the memory; after that a request continues without it."""
MAX_WAITING = 64
"""Maximum number of requests waiting for the memory; others continue without it."""
_THREADS = 4
_QUERY_CHARS = 2000
"""Characters of a question used as the query."""
_CACHED = 1024


class Unavailable(Exception):
    """The memory did not answer in time."""


class ProxyQuestion(NamedTuple):
    """A user's question, and its conversation."""

    user_id: str
    session_name: str | None
    """The name of the conversation, by the client or by upstream."""
    conversation: Conversation

    @property
    def session(self) -> str:
        """The session before this question is answered."""
        return session_of(self.session_name, self.conversation)


class _CachedContext(NamedTuple):
    """The context added to a question, and the user's consents at that time."""

    context: Context
    consents: Mapping[Purpose, bool]


class ContextLookup:
    """Queries the memory in separate threads, so a slow query does not block other requests."""

    def __init__(self, memory: Memory, settings: ProxySettings) -> None:
        self._memory = memory
        self._settings = settings
        self._threads = ThreadPoolExecutor(_THREADS, "sharpwave-reminding")
        self._waiting = 0
        self._lock = threading.Lock()
        self._cache: OrderedDict[tuple[str, str, str], _CachedContext] = OrderedDict()

    def close(self) -> None:
        """Stop; pending lookups are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def context(self, question: ProxyQuestion) -> Context:
        """The context for a question; raises NoConsent or Unavailable."""
        if self._waiting >= MAX_WAITING:
            raise Unavailable
        self._waiting += 1
        lookup = asyncio.get_running_loop().run_in_executor(
            self._threads, self._find_context, question
        )
        lookup.add_done_callback(self._finished)
        try:
            return await asyncio.wait_for(asyncio.shield(lookup), CONTEXT_S)
        except NoConsent:
            raise
        except Exception as error:  # no error of the memory may fail a request
            _LOG.warning("a request went on without memory: %s", type(error).__name__)
            raise Unavailable from error

    def _finished(self, lookup: asyncio.Future[Context]) -> None:
        self._waiting -= 1
        if not lookup.cancelled():
            lookup.exception()  # retrieved, so that asyncio does not log it

    def _find_context(self, question: ProxyQuestion) -> Context:
        memory = self._memory.user(question.user_id)
        consents = memory.admin.consents()
        if not consents[Purpose.MEMORY]:
            raise NoConsent("the user does not agree to being remembered")
        cached = self._cached(question)
        if (
            cached is not None
            and cached.consents == consents
            and _is_current(cached.context, memory)
        ):
            return cached.context
        query = question.conversation.question[:_QUERY_CHARS]
        budget = self._settings.context_tokens
        session = question.session
        if question.session_name is None:
            session = latest_alike(memory, session)
        context = memory.context(query, budget=budget, except_session=session)
        with self._lock:
            self._cache[_cache_key(question)] = _CachedContext(context, consents)
            while len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        return context

    def _cached(self, question: ProxyQuestion) -> _CachedContext | None:
        """The context of the same question while tools are called for it.

        It is reused unchanged, so that the prompt only grows and prompt caches stay valid.
        """
        with self._lock:
            return self._cache.get(_cache_key(question)) if question.conversation.steps else None


def _cache_key(question: ProxyQuestion) -> tuple[str, str, str]:
    return (
        question.user_id,
        opened_by(question.session_name, question.conversation),
        question.conversation.so_far,
    )


def _is_current(context: Context, memory: Memory) -> bool:
    """True if none of its records was forgotten or replaced since."""
    try:
        return all(memory.explain(id).record.standing.state in CURRENT for id in context.ids)
    except NotFound:
        return False
