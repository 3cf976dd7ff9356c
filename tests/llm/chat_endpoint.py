"""A chat endpoint that is asked about colours."""

import json
import traceback
from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel
from tests.llm.endpoint import Reply

from sharpwave.llm.chat_llm import ChatLLM
from sharpwave.types.llm import LLMRole, Prompt

UTILITY = LLMRole.UTILITY
PROMPT = Prompt("colours", "1", "Be short.", "What colour is the sky?", max_tokens=50)
ASKED = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "What colour is the sky?"},
]
BLUE = '{"name": "blue", "shade": "dark"}'

MakeLLM = Callable[..., ChatLLM]


class Colour(BaseModel):
    """A colour, as a model is asked for it."""

    name: str
    shade: Literal["light", "dark"] = "light"


class Time:
    """Passes only when someone waits, or looks at the clock and `per_look_s` is set."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.per_look_s = 0.0
        self.waits: list[float] = []

    def now(self) -> float:
        self.seconds += self.per_look_s
        return self.seconds

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds


def said(text: str, usage: object = None, finish: str = "stop") -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    body = {"object": "chat.completion", "choices": [choice | {"finish_reason": finish}]}
    return Reply(json.dumps(body | ({"usage": usage} if usage is not None else {})).encode())


def with_headers(reply: Reply, headers: dict[str, str]) -> Reply:
    return reply._replace(headers=headers)


def cut_short(reply: Reply) -> Reply:
    """It announces more than it sends."""
    return with_headers(reply, {"Content-Length": str(len(reply.body) + 9), "Connection": "close"})


def everything_about(error: BaseException) -> str:
    """What a log of the error with its whole history would show."""
    return repr(error) + "".join(traceback.format_exception(error))
