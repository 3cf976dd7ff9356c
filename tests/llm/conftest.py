import os
import threading
from collections.abc import Iterator

import pytest
from tests.llm.chat_endpoint import BLUE, MakeLLM, Time, said
from tests.llm.endpoint import KEY, Endpoint

from sharpwave.llm import chat_llm
from sharpwave.llm.chat_llm import Chat, ChatLLM
from sharpwave.llm.endpoint import Timing
from sharpwave.settings.models import LLMSettings
from sharpwave.types.llm import LLMRole


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def make_llm(endpoint: Endpoint, time: Time, monkeypatch: pytest.MonkeyPatch) -> MakeLLM:
    """Make an LLM of the endpoint, which says BLUE unless told otherwise.

    Changes in capitals are of constants, others of the settings.
    """
    endpoint.otherwise = lambda asked: said(BLUE)

    def build(**changes: object) -> ChatLLM:
        given: dict[str, object] = {"provider": "openai", "base_url": endpoint.url, "api_key": KEY}
        given["models"] = {"default": "m"}
        for name, value in ({"RETRIES": 0} | changes).items():
            if name.isupper():
                monkeypatch.setattr(chat_llm, name, value)
            else:
                given[name] = value
        settings = LLMSettings.model_validate(given)
        chat = Chat(settings, Timing(time.wait, time.now, lambda: 0.5))
        return ChatLLM(dict.fromkeys(LLMRole, chat))

    return build
