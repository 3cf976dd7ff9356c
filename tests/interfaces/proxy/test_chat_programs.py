"""What chat programs do besides passing on messages: name sessions, ask for titles, start anew."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.proxy.passing import Proxied, chat, kept, proxied
from tests.interfaces.proxy.scripted import Upstream, says, scripted

from sharpwave.testing import FrozenClock

CHAT = "/chat/completions"
BANKER = "My banker is called Odile, she works in Nice."
ANSWER = "Noted: Odile in Nice. Shall I help you prepare the meeting?"


def asked_last(upstream: Upstream) -> str:
    return json.dumps(upstream.script.got[-1].json, ensure_ascii=False)


# ---- names of sessions


@pytest.mark.parametrize("name", ["diary", "Réunion du 3 octobre", "n" * 256])
def test_a_conversation_is_forgotten_by_the_name_that_the_client_gave_it(
    tmp_path: Path, name: str
) -> None:
    with scripted(says("Ok.")) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http:
            http.post(CHAT, json=chat(BANKER), headers={b"X-Sharpwave-Session": name.encode()})
        assert {turn.session_id for turn in proxy.turns(count=2)} == {name}
        memory = proxy.memory.user("ana")
        assert memory.forget(session=name).memories >= 2
        assert memory.admin.recent() == []


def test_conversations_that_begin_alike_on_other_days_are_others(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 10, 1, 9, tzinfo=UTC))
    hello = "Bonjour ! Comment puis-je vous aider ?"
    topics = ["I need flour.", "The oven broke.", "Inès is ill."]
    answers = [says(text) for _ in topics for text in (hello, "Ok.")]
    with scripted(*answers) as upstream, proxied(tmp_path, upstream.url, clock) as proxy:
        with proxy.http() as http:
            for day, topic in enumerate(topics):
                http.post(CHAT, json=chat("bonjour"))
                proxy.turns(count=4 * day + 2)
                http.post(CHAT, json=chat("bonjour", hello, topic))
                proxy.turns(count=4 * day + 4)
                clock.advance(days=1)
            http.post(CHAT, json=chat("bonjour", hello, topics[2], "Ok.", "She has a fever."))
        turns = proxy.turns(count=14)
    sessions: dict[str | None, list[str]] = {}
    for turn in turns:
        sessions.setdefault(turn.session_id, []).append(turn.text)
    assert [texts[:4] for texts in sessions.values()] == [
        ["bonjour", hello, topic, "Ok."] for topic in topics
    ]
    assert list(sessions.values())[2][4:] == ["She has a fever.", "Ok."]


# ---- consent


def test_without_consent_the_answer_says_so(tmp_path: Path) -> None:
    with scripted(says("Ok.")) as upstream, proxied(tmp_path, upstream.url) as proxy:
        memory = proxy.memory.user("ana")
        memory.admin.consent("memory", False)
        with proxy.http() as http:
            for sent in ({}, {"X-Sharpwave-Memory": "read-only"}):
                got = http.post(CHAT, json=chat(BANKER), headers=sent)
                assert got.headers["x-sharpwave-memory"] == "no-consent"
            off = http.post(CHAT, json=chat(BANKER), headers={"X-Sharpwave-Memory": "off"})
            assert off.headers["x-sharpwave-memory"] == "off"
            wrong = http.post(CHAT, json=chat(""), headers={"X-Sharpwave-Memory": "no-consent"})
            assert wrong.status_code == 422
            memory.admin.consent("memory", True)
            assert http.post(CHAT, json=chat(BANKER)).headers["x-sharpwave-memory"] == "on"
    assert kept(tmp_path) == [BANKER, "Ok."]


# ---- titles, tags, follow-ups, search queries

TITLE = f"""### Task:
Generate a concise, 3-5 word title with an emoji summarizing the chat history.
### Output:
JSON format: {{ "title": "your concise title here" }}
### Chat History:
<chat_history>
USER: {BANKER}
ASSISTANT: {ANSWER}
</chat_history>"""
TAGS = TITLE.replace("a concise, 3-5 word title with an emoji", "1-3 broad tags")
FOLLOW_UPS = f"""Suggest 3-5 relevant follow-up questions that the user might naturally ask next.

<chat_history>
USER: hello
ASSISTANT: Hi!
USER: {BANKER}
ASSISTANT: {ANSWER}
</chat_history>"""
LIBRE = f"""Provide a concise, 5-word-or-less title for the conversation, using title case
conventions. Only return the title itself.

Conversation:
User: {BANKER}
AI: {ANSWER}"""
SHORTENED = f"""Name the conversation based on the chat records, in the user's language.

```
{BANKER}

---------

{ANSWER[:100]}
```"""
FIRST_MESSAGE = f"""You are a title generator. Make a title for a conversation that starts like
this, at most 50 characters, respond ONLY with the title.

User Query: {BANKER}"""
WRAPPED = f"user: {BANKER}\n\nassistant: {ANSWER}\n\nSummarise the above in at most ten words."
HANDED_ON = "Give it a topic of 10 words.\n" + json.dumps(
    [{"role": "user", "content": BANKER}, {"role": "assistant", "content": ANSWER}]
)
ABOUT = {
    "json": HANDED_ON,
    "title": TITLE,
    "tags": TAGS,
    "follow-ups": FOLLOW_UPS,
    "labels": LIBRE,
    "shortened": SHORTENED,
    "first message": FIRST_MESSAGE,
    "asked afterwards": WRAPPED,
}


@pytest.mark.parametrize("task", ABOUT.values(), ids=ABOUT.keys())
@pytest.mark.parametrize("system", [None, "You are a helpful assistant."])
def test_what_a_program_asks_about_a_conversation_is_only_passed_on(
    tmp_path: Path, task: str, system: str | None
) -> None:
    request = chat(task)
    if system:
        request["messages"].insert(0, {"role": "system", "content": system})
    with scripted(says(ANSWER), says("Odile the banker")) as upstream:
        with proxied(tmp_path, upstream.url) as proxy, proxy.http() as http:
            teach(proxy)
            http.post(CHAT, json=chat(BANKER))
            proxy.turns(count=3)
            title = http.post(CHAT, json=request)
            assert title.headers["x-sharpwave-memory"] == "off"
            assert upstream.script.got[-1].json == request, "nothing is added"
    assert kept(tmp_path)[1:] == [BANKER, ANSWER]


def test_a_search_query_is_asked_for_before_the_first_answer(tmp_path: Path) -> None:
    task = """### Task:
Analyze the chat history to determine the necessity of generating search queries.
<chat_history>
USER: weather?
</chat_history>"""
    with scripted(says("{}")) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http:
            assert http.post(CHAT, json=chat(task)).headers["x-sharpwave-memory"] == "off"
    assert kept(tmp_path) == []


OWN: dict[str, list[dict[str, Any]]] = {
    "said again": [chat(BANKER), chat(BANKER)],
    "with more": [chat(BANKER), chat(f"{BANKER} Her office closes at noon.")],
    "an answer quoted": [
        chat(BANKER),
        chat(BANKER, ANSWER, f'You wrote "{ANSWER}" after "{BANKER}", no thanks.'),
    ],
    "a chat from elsewhere": [
        chat("Hi"),
        chat("What do you think?\nUser: am I fat?\nAssistant: Of course not."),
    ],
    "a page": [chat("Hi"), chat("Fix this:\n<table>\n<td>User: bob</td>\n</table>")],
    "a log": [chat("Hi"), chat("Why this error?\n<log>\nuser: root\nerror 500\n</log>")],
    "a short word again": [chat("tea"), chat("I like tea with milk.")],
}


@pytest.mark.parametrize("requests", OWN.values(), ids=OWN.keys())
def test_what_a_person_writes_is_kept(tmp_path: Path, requests: list[dict[str, Any]]) -> None:
    with scripted(says(ANSWER)) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http:
            for request in requests:
                got = http.post(CHAT, json=request)
                assert got.headers["x-sharpwave-memory"] == "on"
    words = [request["messages"][-1]["content"] for request in requests]
    assert set(kept(tmp_path)) == {*words, ANSWER}


def teach(proxy: Proxied) -> None:
    proxy.memory.user("ana").remember("I like cinnamon.", session="earlier")


def test_words_that_the_user_repeats_in_a_new_chat_are_the_users_own(tmp_path: Path) -> None:
    again = f"Once more, in a new chat: {BANKER}"
    with scripted(says("Ok."), says("Yes.")) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http:
            http.post(CHAT, json=chat(BANKER))
            proxy.turns(count=2)
            answer = http.post(CHAT, json=chat(again))
        assert answer.headers["X-Sharpwave-Memory"] == "on"
        assert again in {turn.text for turn in proxy.turns(count=4)}
