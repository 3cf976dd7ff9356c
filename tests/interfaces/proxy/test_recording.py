"""What waits to be kept, and what is read in passing, costs little however large the request."""

import json
import pickle
import threading
from typing import Any, cast

import pytest
from tests.cpu import seconds
from tests.interfaces.proxy.scripted import event

from sharpwave import Memory
from sharpwave.interfaces.proxy.dialects import DIALECTS, AnswerReader, conversation_in
from sharpwave.interfaces.proxy.recall import ProxyQuestion
from sharpwave.interfaces.proxy.recording import TurnRecorder, exchange_of

CHAT = DIALECTS["/chat/completions"]


def test_a_large_request_is_not_held_until_its_words_are_kept() -> None:
    """A thousand may wait, each with its pictures and its whole history."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10**6}}
    words = {"type": "text", "text": "What is this? " * 10_000}
    body = json.dumps({"messages": [{"role": "user", "content": [words, picture]}]}).encode()
    talk = conversation_in(body, CHAT)
    assert talk is not None
    kept = exchange_of(ProxyQuestion("ana", "s", talk), "A door. " * 10_000)
    assert len(pickle.dumps(kept)) < 20_000
    assert len(kept.question) == 16_000 and len(kept.answer) == 2000


def test_a_long_line_in_small_pieces_is_read_once() -> None:
    last = {"choices": [{"delta": {"content": "x" * 2**20}, "finish_reason": "stop"}]}
    line = b"data: " + json.dumps(last).encode() + b"\n\n"

    def read() -> str:
        answer = AnswerReader(CHAT, 2**22, streamed=True)
        for at in range(0, len(line), 64):
            answer.feed(line[at : at + 64])
        return answer.text()

    assert seconds(read, 1.0) < 1.0
    assert len(read()) == 2**20


def test_a_long_stream_is_read_as_it_passes() -> None:
    answer = AnswerReader(CHAT, 2**22, streamed=True)
    for _ in range(20_000):
        answer.feed(event("w"))
    answer.feed(event("", "stop").rstrip())
    assert seconds(answer.text, 0.05) < 0.05, "nothing else is answered meanwhile"
    assert answer.text() == "w" * 20_000
    answer.feed(bytes(2**22))
    assert answer.text() == "", "too large to be remembered"


def test_what_a_stop_could_not_keep_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    begun, end = threading.Event(), threading.Event()

    class Hanging:
        def user(self, name: str) -> Any:
            begun.set()
            end.wait(30)
            raise RuntimeError

    talk = conversation_in(b'{"messages": [{"role": "user", "content": "Hi"}]}', CHAT)
    assert talk is not None
    keeper = TurnRecorder(cast(Memory, Hanging()))
    keeper.record(exchange_of(ProxyQuestion("ana", "s", talk), ""))
    assert begun.wait(30)
    keeper.close(0.01)
    end.set()
    assert "the last turns were not kept" in caplog.text
