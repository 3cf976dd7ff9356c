"""Only the user's own words are read, through the public surface and by the segmenter alone."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cpu import seconds
from tests.reading.whose_words import DATA, Case, cases, learned

from sharpwave import Memory
from sharpwave.reading.segments import FOREIGN, own_words

CASES = cases()
EXACT = tomllib.loads((DATA / "exactly_own.toml").read_text("utf-8"))["cases"]


def test_there_are_enough_cases_of_both_kinds() -> None:
    foreign = [case for case in CASES if case.not_own]
    own = [case for case in CASES if not case.not_own]
    assert len(foreign) >= 200 and len(own) >= 150


@pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])
def test_words_of_others_are_not_own(case: Case, request: pytest.FixtureRequest) -> None:
    if case.left:
        request.applymarker(pytest.mark.xfail(reason=case.left, strict=True))
    own = own_words(case.text)
    assert [word for word in case.not_own if word in own] == []


def test_own_sentences_are_own() -> None:
    several = [(sentence, own_words(case.text)) for case in CASES for sentence in case.own]
    lost = [sentence for sentence, own in several if sentence not in own]
    assert len(lost) / len(several) <= 0.03, lost


@pytest.mark.parametrize("case", EXACT, ids=[case["title"] for case in EXACT])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_just_the_own_words_are_left(case: dict[str, str], line_end: str) -> None:
    own = own_words(case["text"].replace("\n", line_end))
    assert shown(own.replace("\r", "")) == case["own"]


def shown(own: str) -> str:
    return re.sub(f"{FOREIGN}+", "…", own)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Mail to Ana:\n\nI live in Oslo.", "Mail to Ana:\n\nI live in Oslo."),
        ("Eve: I live in Oslo.", "Eve: I live in Oslo."),
        ("posted by Wanda\nI live in Oslo.", "posted by Wanda\nI live in Oslo."),
        ("I see.\nEve: I live in Oslo.\nTom: Me too.", "I see.\n…"),
        ("I see.\n> I live in Oslo.", "I see.\n…"),
    ],
)
def test_what_is_in_doubt_can_be_left_to_a_reader_that_understands_it(text: str, own: str) -> None:
    assert shown(own_words(text, doubtful=True)) == own


def test_nothing_that_others_wrote_is_learned(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        for number, case in enumerate(case for case in CASES if not case.left):
            known = learned(memory.user(f"user-{number}"), case.text)
            wrong = [item for item in known for word in case.not_own if word in item[1]]
            assert wrong == [], case.title


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("I live in Porto.", "I live in Porto."),
        ("I live in Porto.\n> I live in Oslo.\nBye.", "I live in Porto.\n\nBye."),
        ("Look:\n```\nx = 1\n```\nI live in Porto.", "Look:\n\nI live in Porto."),
        ("<file>I live in Oslo.</file> Who?", " Who?"),
        ("Eve: I live in Oslo.", ""),
        ("Hm.\n\n---- Forwarded message ----\nI live in Oslo.", "Hm.\n\n"),
        ("Summarize this:\n\nI live in Oslo.", "Summarize this:"),
        ("2026-03-02 10:11:12 I live in Oslo.", ""),
        ("ana: hello\nTom: hi, I live in Oslo.", ""),
        ("> I live in Oslo.\n\nTranslate this.", "\n\nTranslate this."),
        ("x = 1;\n@ana", ""),
    ],
)
def test_what_is_own_in_a_mixed_message(text: str, own: str) -> None:
    assert own_words(text).replace(FOREIGN, "") == own


def test_more_words_or_lines_than_people_write_are_pasted() -> None:
    words, quote = "a" * 3000, "> " + "b" * 2000
    assert own_words(words) == words
    assert own_words(words + "a") == FOREIGN * 3001
    own = own_words(f"{words[:2000]}\n{quote}").rstrip(FOREIGN)
    assert own == f"{words[:2000]}\n", "of others there may be more"
    lines = "a\n" * 300
    assert own_words(lines) == lines
    assert own_words(f"{lines}\n") == FOREIGN * 601
    assert own_words("```\n" + "a\n" * 300 + "```\nIt fails.").lstrip(FOREIGN) == "\nIt fails."


def test_a_long_message_is_not_read_to_its_end() -> None:
    quoted = "I live in Porto.\n> " + "b" * 19_981
    assert len(quoted) == 20_000
    assert own_words(quoted).rstrip(FOREIGN) == "I live in Porto.\n"
    assert own_words(f"{quoted}\nI live in Oslo.").rstrip(FOREIGN) == "I live in Porto.\n"


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("<note>\nI live in Oslo.\n", ""),
        ("Hm.\n  <note> \nI live in Oslo.", "Hm.\n  "),
        ("Press <Tab>\nthen type.", "Press <Tab>\nthen type."),
        ("<a>x</a> and </a> Bye.", " Bye."),
        ("<a>x</a><c>y</c> Bye.", " Bye."),
        ("<A>x</a> Bye.", " Bye."),
        ("```\nx\n``` Bye.", " Bye."),
        ("```\nx\n``````\ny\n``` Bye.", " Bye."),
        ("```\nx\n```\n```\ny\n``` Bye.", "\n Bye."),
        ("```\nx\n```\n```\ny\n```\n``` Bye.", ""),
        ("<a>```</a> Hi. ```\nx\n``` Bye.", " Hi.  Bye."),
    ],
)
def test_what_fences_and_tags_enclose_is_not_own(text: str, own: str) -> None:
    assert own_words(text).replace(FOREIGN, "").rstrip("\n") == own


PIECES = st.sampled_from(
    ("I live in Porto.", "\n", "\n\n", "> ", "```", "````", "~~~", '"', "'", "\u201c", "\u201d",
     "<a>", "</a>", "<!--", "Eve: ", "---", "this:", "?", " ", "From: x", "10:15", "\t", "    ",
     "\x00", "[")
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join))
def test_own_words_stand_where_they_stood(text: str) -> None:
    own = own_words(text)
    assert len(own) == len(text)
    assert all(new in (old, FOREIGN) for old, new in zip(text, own, strict=True))


ADVERSARIAL = (
    "1 ", '"', "'a ", "\u201c", "\u00ab", "`", "```", "~~~\n", "<a>", "<a", "<!--", "[b]",
    "BEGIN \n", "_ ", "---\n", "> ", "\n", "\n\n", " ", "\t", "a: ", "a:\n", "A B: ", "\uff1a",
    "a\n", "12:00 AM\n", "A  1:00\n", "a,b,c\n", "|a|\n", "{\n", "a=b\n", "this? \n\n", "Dear ",
    "\x00", "A-", "- - ",
)  # fmt: skip


@pytest.mark.parametrize("piece", ADVERSARIAL)
def test_a_hundred_kilobytes_take_a_fifth_of_a_second(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert seconds(lambda: own_words(text), 0.2) < 0.2
