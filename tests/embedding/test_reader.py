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

OTHER_LANGUAGES = {
    "fact": [
        "Ich ha ab morn wieder sibe Nächt am Stück uf dr Notfallstation, wünsch mr Glück",
        "J'ai prêté serment au barreau de Bruxelles il y a deux ans.",
        "se me murió la gata el sábado, 17 añitos tenía la pobre",
        "mio fratello Totò s'è preso la pescheria di papà, quindi il pesce lo piglio da lui",
        "Trabalho como fisioterapeuta numa clínica na Boavista, no Porto.",
        "mijn baas wil altijd alles in excel, om gek van te worden",
    ],
    "task": [
        "muss bis fr die hausarbeit in mediävistik abgeben und hab literally 2 seiten 🙃",
        "oublie pas hein faut que jpasse chez rexel avant vendredi chercher les disjoncteurs 20A",
        "El jueves tengo que llevar el coche a la ITV sin falta.",
        "domani mattina presto vado al mercato del Capo a pigliare i tenerumi, ricordamelo stasera",
        "nao me deixa esquecer de levar os exames do pai pro cardiologista amanha cedo",
        "tacho uitlezen ni vergeten voor den 28sten, anders heb ik den baas weer aan mijn oren",
    ],
    "rule": [
        "preise bitte immer in franken, euro muss ich sonst jedes mal umrechnen",
        "Désormais, cite toujours le numéro de l'article de loi quand tu affirmes quelque chose.",
        "las cifras redondas por favor, siempre, q con tanto decimal me mareo",
        "Nelle ricette che mi prepari le dosi devono essere per dieci persone.",
        "se faz favor usa euros e nunca dólares quando me falares de preços",
        "lappen tekst lees ik toch niet dus drie regels is echt de max bij mij",
    ],
}
"""By six authors, the first of each kind that nothing was trained on."""


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
    fresh = encoder_module._Model(loaded.pieces, counting, loaded._rest)
    monkeypatch.setattr(encoder_module, "_read", lambda folder: fresh)
    yield counting


def test_a_sentence_worth_keeping_stands_out() -> None:
    said = "We adopted a greyhound. I have to ring the vet on Friday. Always answer in French."
    fact, task, rule = read(said)
    assert fact.fact > max(fact.task, fact.rule)
    assert task.task > max(task.fact, task.rule)
    assert rule.rule > max(rule.fact, rule.task)


def test_sentences_of_six_other_languages_are_read() -> None:
    """Measured: 14 of 18."""
    right = 0
    for kind, said in OTHER_LANGUAGES.items():
        for text in said:
            one = SentenceReader().read(text, [Span(0, len(text))])[0]
            right += kind == max(("fact", "task", "rule"), key=lambda each: getattr(one, each))
    assert right >= 13


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
