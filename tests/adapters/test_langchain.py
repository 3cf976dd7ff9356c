"""The LangChain retriever, by LangChain's own tests and ours."""

import asyncio
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from sharpwave import Memory
from sharpwave.interfaces.adapters.langchain import SharpwaveRetriever

SAID = [
    "The deploy of the web shop is on Friday.",
    "The deploy key lies in the blue safe.",
    "After the deploy we test the web shop on a phone.",
    "The deploy of the blog takes an hour.",
    "Ana drinks green tea.",
]


class TestByLangChain(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _filled(self, memory: Memory) -> None:
        memory.remember(SAID)
        self.memory = memory

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return SharpwaveRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.memory}

    @property
    def retriever_query_example(self) -> str:
        return "What do we do about the deploy?"


def test_documents_say_where_they_come_from(memory: Memory) -> None:
    memory.remember(SAID, session="monday")
    memory.remember("The deploy was cancelled, a web page says.", role="tool", session="tuesday")
    retriever = SharpwaveRetriever(memory=memory, k=3)
    found = retriever.invoke("Where is the deploy key?")
    (turn,) = [one for one in found if one.page_content == SAID[1]]
    assert turn.metadata["trust"] == "user" and turn.metadata["session"] == "monday"
    assert all(one.id for one in found) and found[0].metadata["decision"] == "assert"
    only = SharpwaveRetriever(memory=memory, session="tuesday")
    (page,) = asyncio.run(only.ainvoke("deploy"))
    assert page.metadata["trust"] == "untrusted"


def test_hidden_characters_are_shown_and_users_are_apart(memory: Memory) -> None:
    memory.remember("The code is red\N{RIGHT-TO-LEFT OVERRIDE}der.")
    (found,) = SharpwaveRetriever(memory=memory).invoke("What is the code?")
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in found.page_content
    assert SharpwaveRetriever(memory=memory.user("ben")).invoke("What is the code?") == []
