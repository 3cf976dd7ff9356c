"""Recognise requests that a chat program makes about a conversation: titles, tags, follow-ups.

They use the same endpoint as the user's own messages, as one message that contains the
conversation. They are not the user's words: nothing is added to them, and nothing is stored.
They are recognised by their content, not by the wording of their instructions:

- what the user and the assistant said in an exchange that passed here, after something else;
- the last message that passed here, after a longer instruction, if it is too long to be chance;
- a block in a tag such as <chat_history> that begins with the label of a speaker.
"""

import re
from collections import OrderedDict, deque
from typing import NamedTuple

from sharpwave.interfaces.proxy.recall import ProxyQuestion

_USERS = 1000
_EXCHANGES = 32
"""Number of latest exchanges compared, per user."""
_HEAD_CHARS = 40
"""Characters of a message that are compared: some programs shorten messages."""
_TEXT_CHARS = 100_000
"""Characters of a request that are searched."""
_CHANCE_CHARS = 20
"""A shorter message may occur in another by chance."""
_INSTRUCTION_CHARS = 80
"""A shorter text before a seen message is the user's own: "As I asked this morning: …"."""
_BLOCK_START = re.compile(
    r"^[ \t]*+<(\w{1,40})>[ \t]*+\n\s*+(?:user|human|assistant|ai)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_BLOCK_END = re.compile(r"^[ \t]*+</(\w{1,40})>", re.MULTILINE)
_CONVERSATION = re.compile("chat|conversation|dialog|history|messages|transcript")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")
"""Escapes of a text that is embedded in another as JSON."""
_WORD = re.compile(r"\w+")


class _SeenExchange(NamedTuple):
    """The beginnings of a question and of its answer."""

    question: str
    so_far: str
    answer: str = ""


class SeenExchanges:
    """Recent exchanges of each user. Not thread-safe."""

    def __init__(self) -> None:
        self._by_user: OrderedDict[str, deque[_SeenExchange]] = OrderedDict()

    def add(self, question: ProxyQuestion, answer: str = "") -> None:
        """Record a question, and later again with its answer."""
        passed = self._by_user.setdefault(question.user_id, deque(maxlen=_EXCHANGES))
        self._by_user.move_to_end(question.user_id)
        while len(self._by_user) > _USERS:
            self._by_user.popitem(last=False)
        conversation = question.conversation
        if passed and passed[-1].so_far == conversation.so_far:
            passed.pop()
        passed.append(
            _SeenExchange(_head(conversation.question), conversation.so_far, _head(answer))
        )

    def forget(self, user_id: str) -> None:
        """Drop the exchanges of a user who does not agree to being remembered."""
        self._by_user.pop(user_id, None)

    def is_copied_in(self, question: ProxyQuestion) -> bool:
        """True if the only message of a request contains a conversation of this user."""
        conversation = question.conversation
        if conversation.reply is not None or conversation.beginning != conversation.question:
            return False
        question_text = conversation.question[:_TEXT_CHARS]
        if _has_transcript(question_text):
            return True
        text = _words(question_text)
        passed = self._by_user.get(question.user_id) or ()
        if any(
            _holds(text, exchange.question) and _holds(text, exchange.answer) for exchange in passed
        ):
            return True
        last_question = passed[-1].question if passed else ""
        return (
            len(last_question) >= _CHANCE_CHARS and text.find(last_question) >= _INSTRUCTION_CHARS
        )


def _has_transcript(text: str) -> bool:
    ends = {match[1].lower(): match.start() for match in _BLOCK_END.finditer(text)}
    return any(
        _CONVERSATION.search(match[1].lower()) and ends.get(match[1].lower(), 0) > match.end()
        for match in _BLOCK_START.finditer(text)
    )


def _holds(text: str, part: str) -> bool:
    """True if a text contains a part, but not at its beginning."""
    return bool(part) and text.find(part, 1) > 0


def _head(text: str) -> str:
    return _words(text[: 10 * _HEAD_CHARS])[:_HEAD_CHARS]


def _words(text: str) -> str:
    """The words only: programs change the spaces and punctuation between them.

    >>> _words("**Hello**,  Ana") == _words("Hello, Ana")
    True
    """
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else " ", text)
    return " ".join(_WORD.findall(plain))
