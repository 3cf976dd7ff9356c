"""Store each turn once after its delivery, in a background thread."""

import hashlib
import logging
import queue
import threading
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from sharpwave.errors import KeyReused, StorageError
from sharpwave.interfaces.proxy.conversation import (
    REPEAT_SEPARATOR,
    latest_alike,
    opened_by,
    session_of,
)
from sharpwave.interfaces.proxy.recall import ProxyQuestion
from sharpwave.memory import Memory
from sharpwave.types.answers import Receipt
from sharpwave.types.message import Message
from sharpwave.types.records import Channel, Role, Source

_LOG = logging.getLogger(__name__)
_MAX_NEW_REPEATS = 20
"""How often the same text is stored as new before it counts as a repeated request."""
_QUESTION_CHARS = 16_000
_ANSWER_CHARS = 2000
BACKLOG = 1000
"""Maximum number of turns waiting to be stored; more are not accepted."""
_ATTEMPTS = 5
BACKOFF_S = 0.5
"""Wait before the second attempt; doubled each time."""
_RETRY_MINUTES = 60
"""The same request within this time counts as one turn."""
_MODEL_CHARS = 100


class Exchange(NamedTuple):
    """A question that upstream accepted, and the complete answer if there is one.

    It holds only what is stored, since requests may be large and many may be queued.
    """

    user_id: str
    session: str
    opening: str
    """The session it would have without an answer."""
    question: str
    answer: str
    model: str
    so_far: str
    """Digest that is equal for equal requests."""
    steps: int
    is_named: bool
    """Whether the client or upstream named the session."""
    is_first: bool
    """Whether this is the first exchange of the session."""


def exchange_of(question: ProxyQuestion, answer: str) -> Exchange:
    """The parts of a question and its answer that are stored."""
    conversation = question.conversation
    return Exchange(
        question.user_id,
        session_of(question.session_name, conversation, answer),
        opened_by(question.session_name, conversation)
        if conversation.reply is None
        else question.session,
        conversation.question[:_QUESTION_CHARS],
        answer[:_ANSWER_CHARS],
        _author(conversation.model),
        conversation.so_far,
        conversation.steps,
        is_named=question.session_name is not None,
        is_first=conversation.reply is None,
    )


class TurnRecorder:
    """Stores turns in order; closing waits for those in the queue.

    A place in the queue is reserved before the client is told that the turn will be stored.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._places = threading.Semaphore(BACKLOG)
        self._waiting: queue.SimpleQueue[Exchange | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sharpwave-keeping", daemon=True)
        self._thread.start()

    def reserve(self) -> bool:
        """Reserve a place in the queue, to `record` or `release`; False if it is full."""
        return self._places.acquire(blocking=False)

    def release(self) -> None:
        """Give back a reserved place."""
        self._places.release()

    def record(self, exchange: Exchange) -> None:
        """Queue a turn in the reserved place; returns at once."""
        self._waiting.put(exchange)

    def close(self, seconds: float) -> None:
        """Store what is queued, then stop."""
        self._stopped.set()  # no more waiting between tries
        self._waiting.put(None)
        self._thread.join(seconds)
        if self._thread.is_alive():
            _LOG.error("the memory did not keep up: the last turns were not kept")

    def _run(self) -> None:
        while (exchange := self._waiting.get()) is not None:
            for attempt in range(_ATTEMPTS):
                try:
                    self._record(exchange)
                    break
                except StorageError as error:  # possibly temporary
                    _LOG.warning("a turn could not be kept yet: %s", error.code)
                    self._stopped.wait(BACKOFF_S * 2**attempt)
                except Exception as error:  # noqa: BLE001 - the next turn must be kept all the same
                    _LOG.error("a turn was not kept: %s", type(error).__name__)
                    break
            else:
                _LOG.error("a turn was not kept: the memory is down")
            self._places.release()

    def _record(self, exchange: Exchange) -> None:
        """Store the question first: `remember` also learns standing instructions from it."""
        memory = self._memory.user(exchange.user_id)
        if not exchange.is_named:
            exchange = exchange._replace(
                session=latest_alike(memory, exchange.session),
                opening=latest_alike(memory, exchange.opening),
            )
        if exchange.opening != exchange.session and self._is_sent_again(memory, exchange):
            exchange = exchange._replace(session=exchange.opening)
        message = Message(
            exchange.question,
            session=exchange.session,
            source=Source.USER_MESSAGE,
            channel=Channel.ADAPTER,
            author=exchange.user_id,
            idempotency_key=_key(exchange.session, exchange.so_far),
        )
        message, receipt = self._remember_once(memory, message, exchange)
        if receipt.ids and exchange.answer:
            answered_exchange = exchange._replace(session=str(message.session))
            self._record_answer(memory, receipt.ids[0], answered_exchange)

    def _is_sent_again(self, memory: Memory, exchange: Exchange) -> bool:
        """Whether it was stored before without an answer, so under `opening`."""
        key = _key(exchange.opening, exchange.so_far)  # for redacted texts
        return any(
            turn.role is Role.USER
            and (turn.text == exchange.question or turn.provenance.idempotency_key == key)
            for turn in memory.admin.recent(1, session=exchange.opening)
        )

    def _remember_once(
        self, memory: Memory, message: Message, exchange: Exchange
    ) -> tuple[Message, Receipt]:
        """Store a question once; after an hour the same text counts as new.

        An unnamed conversation with the same beginning is then a new session.
        """
        for _ in range(_MAX_NEW_REPEATS):
            receipt = memory.remember(message)
            if not receipt.replayed:
                break
            earlier = receipt.ids[0]
            age = receipt.recorded_at - memory.explain(earlier).record.recorded_at
            if age < timedelta(minutes=_RETRY_MINUTES):
                break
            if exchange.is_first and not exchange.is_named:
                base = str(message.session).partition(REPEAT_SEPARATOR)[0]
                session = f"{base}{REPEAT_SEPARATOR}{earlier}"
                key = _key(session, exchange.so_far)
                message = replace(message, session=session, idempotency_key=key)
            else:
                message = replace(
                    message, idempotency_key=_key(str(message.idempotency_key), earlier)
                )
        return message, receipt

    def _record_answer(self, memory: Memory, turn: str, exchange: Exchange) -> None:
        message = Message(
            exchange.answer,
            Role.ASSISTANT,
            session=exchange.session,
            channel=Channel.ADAPTER,
            author=exchange.model,
            idempotency_key=_key(turn, str(exchange.steps)),
        )
        try:
            memory.remember(message)
        except KeyReused:
            _LOG.debug("another answer to the same request is kept already")


def _author(model: str) -> str:
    """The author of an answer: the model that the client requested, if named."""
    return model if model and model.isprintable() and len(model) <= _MODEL_CHARS else "model"


def _key(*parts: str) -> str:
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return "proxy:" + hashlib.blake2b(joined, digest_size=16).hexdigest()
