"""ChatGPT: the branch last seen, and what of it is worth remembering."""

from datetime import UTC, datetime
from pathlib import Path

from tests.importers.samples import (
    chatgpt,
    chatgpt_node,
    left_out,
    problems,
    read,
    said,
    small_chatgpt,
    texts,
    write,
)

from sharpwave import Role, Source


def test_a_conversation_with_every_detail(tmp_path: Path) -> None:
    conversation = chatgpt(
        "c-9",
        chatgpt_node("a", "root", "user", "I moved to Porto.", at=1714560001.5),
        chatgpt_node("b", "a", "assistant", "Congratulations!", metadata={"model_slug": "gpt-5"}),
    )
    user, assistant = said(read(write(tmp_path / "conversations.json", [conversation])))
    assert (user.text, user.role, user.source) == ("I moved to Porto.", Role.USER, Source.IMPORT)
    assert user.at == datetime(2024, 5, 1, 10, 40, 1, 500000, tzinfo=UTC)
    assert user.session == "c-9"
    assert user.metadata == {"format": "chatgpt", "title": "Moving to Porto", "original_id": "a"}
    assert assistant.at == user.at, "a missing time is that of the message before"
    assert assistant.metadata["model"] == "gpt-5"
    assert user.idempotency_key != assistant.idempotency_key


def test_only_the_branch_last_seen_counts(tmp_path: Path) -> None:
    nodes = [
        chatgpt_node("q1", "root", "user", "Where is Porto?", at=1.7e9),
        chatgpt_node("a1", "q1", "assistant", "In Spain.", at=1.7e9 + 1),
        chatgpt_node("q2", "root", "user", "Where is Porto exactly?", at=1.7e9 + 2),
        chatgpt_node("a2", "q2", "assistant", "In the north of Portugal.", at=1.7e9 + 3),
    ]
    seen = ["Where is Porto exactly?", "In the north of Portugal."]
    path = tmp_path / "conversations.json"
    assert texts(read(write(path, [chatgpt("c", *nodes, current="a2")]))) == seen
    first = texts(read(write(path, [chatgpt("c", *nodes, current="a1")])))
    assert first == ["Where is Porto?", "In Spain."]
    lost = chatgpt("c", *nodes, current="gone")
    assert texts(read(write(path, [lost]))) == seen, "without a current node, the newest leaf"


def test_a_circle_of_parents_ends(tmp_path: Path) -> None:
    nodes = [chatgpt_node("a", "b", "user", "one"), chatgpt_node("b", "a", "assistant", "two")]
    found = texts(read(write(tmp_path / "conversations.json", [chatgpt("c", *nodes)])))
    assert found == ["one", "two"]


def test_kinds_of_content(tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    speech = {"content_type": "audio_transcription", "text": "I like tea."}
    nodes = [
        chatgpt_node("1", "root", "user", picture, "My cat Pixel"),
        chatgpt_node("2", "1", "user", picture),
        chatgpt_node("3", "2", "user", speech, {"content_type": "audio_asset_pointer"}),
        chatgpt_node("4", "3", "user", ""),
        chatgpt_node("5", "4", "assistant", content={"content_type": "thoughts", "thoughts": []}),
        chatgpt_node("6", "5", "assistant", "run()", recipient="python"),
        chatgpt_node(
            "7", "6", "tool", content={"content_type": "execution_output", "text": "42"}, name="py"
        ),
        chatgpt_node("8", "7", "assistant", "User has a cat named Pixel.", recipient="bio"),
        chatgpt_node("9", "8", "tool", "Model set context updated.", name="bio"),
        chatgpt_node(
            "10",
            "9",
            "system",
            "secret",
            metadata={"is_visually_hidden_from_conversation": True},
        ),
        chatgpt_node(
            "11",
            "10",
            "tool",
            content={"content_type": "tether_quote", "url": "https://a.example", "text": "A page"},
        ),
    ]
    found = read(write(tmp_path / "conversations.json", [chatgpt("c", *nodes)]), own=True)
    assert texts(found) == [
        "My cat Pixel",
        "I like tea.",
        "42",
        "User has a cat named Pixel.",
        "https://a.example\nA page",
    ]
    by_text = {one.text: one for one in said(found)}
    assert by_text["My cat Pixel"].metadata["media"] == 1
    assert by_text["User has a cat named Pixel."].metadata["saved_memory"] is True
    assert by_text["42"].source is Source.IMPORT, "what tools say is never trusted"
    assert by_text["I like tea."].source is Source.USER_MESSAGE
    assert by_text["User has a cat named Pixel."].source is Source.IMPORT
    assert sorted(left_out(found)) == [
        "hidden",
        "no text",
        "no text",
        "reasoning",
        "tool call",
        "tool call",
    ]


def test_custom_instructions_are_one_message_in_all(tmp_path: Path) -> None:
    def with_instructions(number: str, metadata: dict[str, object]) -> dict[str, object]:
        content = {"content_type": "user_editable_context", "user_profile": "Wrapped: a vet"}
        node = chatgpt_node("i", "root", "user", content=content, metadata=metadata)
        return chatgpt(number, node)

    raw: dict[str, object] = {
        "is_visually_hidden_from_conversation": True,
        "user_context_message_data": {"about_user_message": "I am a vet."},
    }
    conversations = [with_instructions("c-1", raw), with_instructions("c-2", raw)]
    one, two = said(read(write(tmp_path / "conversations.json", conversations), own=True))
    assert one == two and one.text == "I am a vet." and one.session is None
    assert one.source is Source.USER_MESSAGE
    wrapped = [with_instructions("c-1", {})]
    (one,) = said(read(write(tmp_path / "conversations.json", wrapped), own=True))
    assert (one.text, one.source) == ("Wrapped: a vet", Source.IMPORT)


def test_damage_is_told_with_its_place_and_costs_nothing_else(tmp_path: Path) -> None:
    nodes = [
        chatgpt_node("1", "root", "user", "whole"),
        chatgpt_node("2", "1", "narrator", "who?"),
        ("3", {"id": "3", "message": {"author": None, "content": {}}, "parent": "2"}),
        chatgpt_node("4", "3", "user", content={"content_type": "text", "parts": "not a list"}),
        ("5", {"id": "5", "message": "text", "parent": "4"}),
        chatgpt_node("6", "5", "assistant", "still here"),
    ]
    nameless = small_chatgpt()
    del nameless["conversation_id"], nameless["id"]
    path = write(tmp_path / "conversations.json", [chatgpt("c", *nodes), nameless, 7])
    found = read(path)
    assert texts(found) == ["whole", "still here"]
    told = [(one.place, one.reason) for one in problems(found)]
    assert told[0] == (
        "conversations.json, item 1, conversation c, message 2",
        "the role 'narrator' is not known",
    )
    assert [reason for _, reason in told[1:]] == [
        "its author should be an object, not null",
        "its parts should be an array, not text",
        "its message should be an object, not text",
        "the conversation has no id",
        "a conversation should be an object, not a number",
    ]


def test_a_single_conversation_and_shards(tmp_path: Path) -> None:
    assert len(said(read(write(tmp_path / "one.json", small_chatgpt())))) == 2
    folder = tmp_path / "export"
    for number in range(3):
        shard = [small_chatgpt(f"c-{number}")]
        write(folder / f"conversations-00{number}.json", shard)
    write(folder / "user.json", {"id": "u"})
    assert [one.session for one in said(read(folder))[::2]] == ["c-0", "c-1", "c-2"]


def test_a_message_without_words_keeps_its_place(tmp_path: Path) -> None:
    before = write(tmp_path / "a.json", [small_chatgpt("c", 4)])
    keys = [one.idempotency_key for one in said(read(before))]
    later = small_chatgpt("c", 6)
    later["title"] = "Renamed"
    after = [one.idempotency_key for one in said(read(write(tmp_path / "b.json", [later])))]
    assert after[:4] == keys, "a newer export names what was there before by the same keys"
