"""The bundled reader: a reading for each sentence, whatever the text, in the embedder's pass."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharpwave import Memory
from sharpwave.embedding import encoder as encoder_module
from sharpwave.embedding.encoder import KEPT, WINDOW, WINDOWS, SentenceEncoder
from sharpwave.embedding.reader import SentenceReader
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder
from sharpwave.reading.read import readings_of
from sharpwave.reading.sentences import sentences
from sharpwave.types.statements import Reading, ReadMode, Span

BUNDLED = Path(sys.modules["sharpwave"].__file__ or "").parent / "data"
SCRIPTS = [
    "Я переехала в Казань. Кот пока в шоке.",
    "昨日引っ越しました。 新しい部屋は広いです。",
    "انتقلت إلى بيروت أمس. القط خائف.",
    "मैं कल पुणे आ गया। बिल्ली डरी हुई है।",
    "Μετακόμισα στην Πάτρα. Φοβάται το γατάκι.",
    "👩‍👩‍👧‍👦🎉🎉 we moved 🏠🏠 !!! 🐈 is scared 😱",
    "🎉",
    "\x00\x00 ok \ufffd \u202e moved",
    "a\u0301" * 200,
    "x" * 5_000,
]


def read(text: str) -> list[Reading]:
    return SentenceReader().read(text, sentences(text))


def assert_sound(readings: list[Reading]) -> None:
    for one in readings:
        assert all(0.0 <= chance <= 1.0 for chance in (one.fact, one.task, one.rule))
        assert one.mode in ReadMode


class CountingSession:
    """The loaded session, with a count of its runs."""

    def __init__(self, session: Any) -> None:
        self._session, self.runs = session, 0

    def run(self, *arguments: Any) -> Any:
        self.runs += 1
        return self._session.run(*arguments)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[CountingSession]:
    """The session of a fresh model that every encoder uses; texts read before are not known."""
    loaded = encoder_module._read(BUNDLED)
    counting = CountingSession(loaded._first)
    fresh = encoder_module._Model(loaded.pieces, counting, loaded._others)
    monkeypatch.setattr(encoder_module, "_read", lambda folder: fresh)
    yield counting


def test_a_sentence_worth_keeping_stands_out() -> None:
    said = "We adopted a greyhound. I have to ring the vet on Friday. Always answer in French."
    fact, task, rule = read(said)
    assert fact.fact > max(fact.task, fact.rule)
    assert task.task > max(task.fact, task.rule)
    assert rule.rule > max(rule.fact, rule.task)


def test_nothing_is_read_of_a_text_without_sentences() -> None:
    for text in ("", "   ", "???", "🎉", "\x00\x00"):
        assert read(text) == []


@pytest.mark.parametrize("text", SCRIPTS)
def test_any_script_has_a_reading_for_each_sentence(text: str) -> None:
    readings = read(text)
    assert len(readings) == len(sentences(text))
    assert_sound(readings)


@settings(max_examples=25)
@given(st.text(max_size=120))
def test_any_text_has_at_most_a_reading_for_each_sentence(text: str) -> None:
    readings = read(text)
    assert len(readings) <= len(sentences(text))
    assert_sound(readings)


@pytest.mark.parametrize("count", [1, 60, 400, 20_000])
def test_of_a_long_text_the_beginning_is_read(count: int, session: CountingSession) -> None:
    text = "We sold the old boat in May. " * count
    readings = read(text)
    pieces = 8 * count
    assert len(readings) == min(count, -(-WINDOW * WINDOWS // 8))
    assert session.runs == min(WINDOWS, -(-pieces // WINDOW))
    assert_sound(readings)


def test_a_sentence_longer_than_a_window_has_one_reading() -> None:
    text = "boat " * (WINDOW * 2)
    assert len(SentenceReader().read(text, [Span(0, len(text))])) == 1


def test_a_long_text_loses_no_reading_to_its_tail() -> None:
    text = "We adopted a greyhound. " + "ok thanks. " * 2_000
    spans, readings = readings_of(text, SentenceReader())
    assert len(spans) == len(readings) < len(sentences(text))


def test_a_reading_does_not_depend_on_what_was_read_before() -> None:
    said = "My sister moved in with us. I must ring the school."
    alone = read(said)
    for other in ("hello", "Never use tables.", "x " * 600, *SCRIPTS, *map(str, range(KEPT))):
        read(other)
    assert read(said) == alone
    SharpwaveEmbedder().embed(["something else", said])
    assert read(said) == alone


def test_reading_and_embedding_take_one_pass(session: CountingSession) -> None:
    said = "My sister moved in with us. I must ring the school."
    read(said)
    assert session.runs == 1
    SharpwaveEmbedder().embed([said])
    SentenceEncoder().embed_question(said)
    read(said)
    assert session.runs == 1


def test_a_message_without_anything_to_keep_costs_one_pass(
    tmp_path: Path, session: CountingSession
) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        assert memory.remember("haha yes exactly").learned == ()
    assert session.runs == 1


def test_messages_that_come_together_cost_one_pass_each(
    tmp_path: Path, session: CountingSession
) -> None:
    several = [f"haha yes exactly, number {number}" for number in range(3 * KEPT)]
    with Memory.open(tmp_path / "m.db") as memory:
        assert memory.remember(several).learned == ()
    assert session.runs == len(several)
