"""Files, archives and formats: found out, bounded, and told apart."""

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.importers.samples import (
    chatgpt,
    chatgpt_node,
    claude,
    claude_message,
    problems,
    read,
    said,
    small_chatgpt,
    texts,
    write,
    write_lines,
    write_zip,
)

from sharpwave import InvalidInput
from sharpwave.errors import WrongFormat
from sharpwave.importers import files, formats
from sharpwave.importers.files import Value
from sharpwave.importers.items import Damaged
from sharpwave.types.answers import ImportProblem

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _values(text: bytes, name: str = "x.json") -> list[Value | ImportProblem]:
    return list(files.values(io.BytesIO(text), name))


@given(st.lists(JSON.filter(lambda value: value != ""), max_size=6), st.sampled_from([None, 1]))
def test_an_array_is_cut_into_its_elements(given_values: list[Any], indent: int | None) -> None:
    for ascii_only in (True, False):
        text = json.dumps(given_values, indent=indent, ensure_ascii=ascii_only)
        found = _values(text.encode("utf-8", "surrogatepass"))
        whole = [one.value for one in found if isinstance(one, Value)]
        if ascii_only:
            assert whole == given_values


@given(st.lists(JSON, max_size=5), st.integers(1, 7))
def test_pieces_of_any_size_give_the_same(given_values: list[Any], size: int) -> None:
    text = json.dumps(given_values).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "HEAD_BYTES", size)
        patch.setattr(files, "_CHUNK_BYTES", size)
        found = _values(text)
    assert [one.value for one in found if isinstance(one, Value)] == given_values


def test_damage_costs_one_element(tmp_path: Path) -> None:
    found = _values(b'[{"a": 1}, {"b": oops}, {"c": "\xff"}, {"d": 4}]')
    kinds = [type(one) for one in found]
    assert kinds == [Value, ImportProblem, ImportProblem, Value]
    assert isinstance(found[1], ImportProblem) and found[1].place == "x.json, item 2"
    _, cut = _values(b'[{"a": 1}, {"b": [1, ')
    assert isinstance(cut, ImportProblem) and "cut short" in cut.reason


def test_too_long_values_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_VALUE_BYTES", 50)
    monkeypatch.setattr(files, "_CHUNK_BYTES", 16)
    monkeypatch.setattr(files, "HEAD_BYTES", 16)
    long = "x" * 300
    array = json.dumps([{"a": 1}, {"long": long}, {"b": 2}]).encode()
    lines = b'{"a": 1}\n{"long": "%s"}\n{"b": 2}' % long.encode()
    for found in (_values(array), _values(lines, "x.jsonl")):
        assert [type(one) for one in found] == [Value, ImportProblem, Value]
    (one,) = _values(json.dumps({"long": long}).encode())
    assert isinstance(one, ImportProblem) and "longer than" in one.reason


def test_bom_blank_lines_and_pretty_printing() -> None:
    bom = b"\xef\xbb\xbf"
    assert len(_values(bom + b' [{"a": 1}]')) == 1
    assert len(_values(bom + b'{"a": 1}\n\n{"b": 2}\n')) == 2
    assert len(_values(b'{\n "a": {\n  "b": 1\n }\n}')) == 1
    assert _values(b"") == [] and _values(b"[]") == []


def test_formats_are_found_out(tmp_path: Path) -> None:
    cases: dict[str, object] = {
        "chatgpt": [small_chatgpt()],
        "claude": [claude(claude_message(1, "human", "Hi"))],
        "mem0": {"results": [{"id": "1", "memory": "tea"}]},
        "letta": {"agents": [], "blocks": [], "messages": []},
        "mcp-memory": {"entities": [], "relations": []},
        "jsonl": {"role": "user", "content": "Hi"},
    }
    for name, value in cases.items():
        path = write(tmp_path / f"{name}.json", value)
        assert formats.find_export(path, None).format.name == name
        assert formats.find_export(path, name).format.name == name


def test_a_wrong_format_names_what_was_expected(tmp_path: Path) -> None:
    path = write(tmp_path / "conversations.json", [small_chatgpt()])
    with pytest.raises(WrongFormat, match=r"expected conversations with 'chat_messages'.*chatgpt"):
        formats.find_export(path, "claude")
    with pytest.raises(InvalidInput, match=r"no format 'diary'.*chatgpt, claude"):
        formats.find_export(path, "diary")
    with pytest.raises(WrongFormat, match="Expected one of: chatgpt: conversations with a"):
        formats.find_export(write(tmp_path / "other.json", {"weather": "fine"}), None)
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(WrongFormat, match="not valid JSON"):
        formats.find_export(tmp_path / "image.png", None)
    (tmp_path / "empty.json").write_bytes(b"")
    with pytest.raises(WrongFormat, match="nothing in it"):
        formats.find_export(tmp_path / "empty.json", None)
    ours = write_lines(tmp_path / "ours.jsonl", [{"format": "sharpwave-export", "version": 1}])
    with pytest.raises(WrongFormat, match="import_"):
        formats.find_export(ours, None)
    with pytest.raises(InvalidInput, match="cannot read"):
        formats.find_export(tmp_path / "nothing.json", None)


def test_an_empty_export_of_a_named_format_is_no_error(tmp_path: Path) -> None:
    assert read(write(tmp_path / "conversations.json", []), "chatgpt") == []


def test_zip_with_shards_and_junk(tmp_path: Path) -> None:
    path = write_zip(
        tmp_path / "export.zip",
        {
            "export/conversations-001.json": [small_chatgpt("c-2")],
            "export/conversations-000.json": [small_chatgpt("c-1")],
            "export/chat.html": b"<html>",
            "__MACOSX/export/._conversations-000.json": b"junk",
            "export/user.json": {"id": "u"},
        },
    )
    assert [one.session for one in said(read(path))] == ["c-1", "c-1", "c-2", "c-2"]


def test_zip_with_one_file_or_none(tmp_path: Path) -> None:
    one = write_zip(tmp_path / "one.zip", {"mem.json": [{"id": "1", "memory": "tea"}]})
    assert texts(read(one)) == ["tea"]
    with pytest.raises(WrongFormat, match="2 JSON files"):
        read(write_zip(tmp_path / "two.zip", {"a.json": [], "b.json": []}))
    with pytest.raises(WrongFormat, match="no JSON file"):
        read(write_zip(tmp_path / "none.zip", {"a.txt": b"text"}))


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = write_zip(tmp_path / "bomb.zip", {"conversations.json": b" " * (20 * 1024**2)})
    with pytest.raises(InvalidInput, match="zip bomb"):
        read(bomb)
    monkeypatch.setattr(files, "MAX_MEMBER_BYTES", 10)
    with pytest.raises(InvalidInput, match="at most 10"):
        read(write_zip(tmp_path / "big.zip", {"conversations.json": [small_chatgpt()]}))


def test_damaged_and_encrypted_archives(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", {"conversations.json": [small_chatgpt("c", 400)]})
    data = bytearray(path.read_bytes())
    (tmp_path / "cut.zip").write_bytes(data[: len(data) // 2])
    with pytest.raises(InvalidInput, match="not a whole zip"):
        read(tmp_path / "cut.zip")
    data[200:260] = bytes(60)
    (tmp_path / "bad.zip").write_bytes(data)
    with pytest.raises(WrongFormat, match="damaged from here"):
        read(tmp_path / "bad.zip")
    with zipfile.ZipFile(path) as archive:
        member = archive.infolist()[0]
        member.flag_bits |= 1
        with pytest.raises(InvalidInput, match="password"):
            files._refuse_bombs(member, path)


def test_unknown_compression_and_pipes(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", {"conversations.json": [small_chatgpt()]})
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(mark) + place] = 99
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match="cannot be unpacked"):
        read(path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="neither a file nor a folder"):
        read(tmp_path / "pipe")


def test_deep_nesting_is_told(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" + json.dumps(small_chatgpt()) + "," + "[" * 200_000 + "]" * 200_000 + "]")
    found = read(path)
    assert len(said(found)) == 2 and len(problems(found)) == 1


def test_a_broken_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    path.write_bytes(b"SQLite format 3\0" + bytes(200))
    with pytest.raises(WrongFormat, match="history database"):
        read(path)


def test_a_cut_off_export_gives_what_is_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "conversations.json", [small_chatgpt(f"c-{n}") for n in range(5)])
    text = path.read_bytes()
    path.write_bytes(text[: int(len(text) * 0.9)])
    found = read(path)
    assert len(said(found)) == 8
    assert "cut short" in problems(found)[0].reason


def test_unicode_stays_as_it_is(tmp_path: Path) -> None:
    words = "Grüße, 東京, привет, 👩\u200d👩\u200d👧, \u202eabc, é"
    conversation = chatgpt("c", chatgpt_node("a", "root", "user", words))
    conversation["title"] = "日本語"
    (one,) = said(read(write(tmp_path / "conversations.json", [conversation])))
    assert one.text == words and one.metadata["title"] == "日本語"


SEEDS: list[tuple[str, Any]] = [
    ("chatgpt", small_chatgpt("c", 3)),
    ("claude", claude(claude_message(1, "human", "Hi"), claude_message(2, "assistant", "Ho"))),
    ("mem0", {"results": [{"id": "1", "memory": "tea", "user_id": "a", "metadata": {}}]}),
    ("letta", {"agents": [{"name": "x", "messages": [{"role": "user"}]}], "blocks": [{}]}),
    ("mcp-memory", {"entities": [{"name": "A", "observations": ["b"]}], "relations": [{}]}),
    ("jsonl", {"role": "user", "content": "Hi", "timestamp": 1, "session": "s"}),
]


@given(st.data())
def test_no_value_of_a_wrong_type_breaks_a_reader(data: st.DataObject) -> None:
    """Any part of an export replaced by any JSON: it is read or told, never more than that."""
    name, seed = data.draw(st.sampled_from(SEEDS))
    value = json.loads(json.dumps(seed))
    for _ in range(data.draw(st.integers(1, 3))):
        value = _spoilt(value, data)
    reader = formats.FORMATS[name](True)
    try:
        assert all(items is not None for items in reader.items(value, "here"))
    except Damaged as error:
        assert str(error)


def _spoilt(value: Any, data: st.DataObject) -> Any:
    if isinstance(value, dict) and value and data.draw(st.integers(0, 5)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: _spoilt(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 5)):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], _spoilt(value[place], data), *value[place + 1 :]]
    return data.draw(JSON)
