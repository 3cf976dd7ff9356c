"""Whatever the text: no failure, spans inside it, confidence in range, time in proportion."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cpu import seconds

from sharpwave.reading.extract import _BY_VERB, extract
from sharpwave.reading.grammar.lexicon import lemma
from sharpwave.reading.steering.vocabulary import KNOWN, gerund
from sharpwave.types.records import USER
from sharpwave.types.statements import Spoken

AT = datetime(2024, 3, 5, tzinfo=UTC)
WORDS = st.sampled_from(
    """I I'm I've my our sister Anna live lives in at Porto Anchor not no longer used to love have
    a dog named Max and , . ? ! " ' - if would is was am to from going plan need 5 two kids years
    old it's actually but now favorite color she he don't anymore any more because which when
    started stopped working eating meat birthday May 4 boss home key under mat keep sorry as someone
    always use your answers that's 15 books since so far $50 budget "my dog's" home is the
    named called is's ( ) : ; \n … just kidding""".split()
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=40).map(" ".join))


@given(TEXTS, st.none() | TEXTS)
def test_any_text(text: str, previous: str | None) -> None:
    found = extract(text, Spoken(USER, AT, None, previous))
    for one in found.candidates:
        assert 0 <= one.span.start <= one.span.end <= len(text)
        assert 0 <= one.confidence <= 1
        assert one.text
        assert one.statement is None or all(one.statement)
    for name in found.mentions:
        assert text[slice(*name.span)].strip()


@given(TEXTS)
def test_the_same_every_time(text: str) -> None:
    assert extract(text, Spoken(USER, AT)) == extract(text, Spoken(USER, AT))


ADVERSARIAL = [
    "I ", "my sister ", "and I live in ", '"', "a", "I'm ", "if ", ", and", "1,000,", "a.b.", "```",
    "I love a, b and ", "'A ", "(", "my favorite ", "not ", "if I ", "\n", "I have two cats, ",
    "because when ", "Porto, ", "no longer ", "https://", "'", "…", "A ", "is ",
    "my boss is ", "that is 5 ", "as someone ", "add x to my ", "\n//", "♪", "I keep my key in ",
    "my name's Ana, ", "$1,", "always use ", "not a but a ", "Ana, my dog, ",
]  # fmt: skip


@pytest.mark.parametrize("piece", ADVERSARIAL)
def test_a_megabyte_takes_no_longer_than_it_should(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert seconds(lambda: extract(text, Spoken(USER, AT, None, text)), 2.0) < 2.0


@pytest.mark.parametrize("piece", ADVERSARIAL)
def test_time_grows_with_the_text(piece: str) -> None:
    short, long = (piece * (size // len(piece)) for size in (5_000, 20_000))
    # Four times the text may take four times as long, and then some for a busy machine.
    limit = 12 * seconds(lambda: extract(short, Spoken(USER, AT))) + 0.02
    assert seconds(lambda: extract(long, Spoken(USER, AT)), limit) < limit


VERBS = sorted(verb for verb in {*_BY_VERB, *KNOWN} - {"be", "see"} if verb.endswith("e"))


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_in_e_is_known_by_its_forms(verb: str) -> None:
    assert {lemma(form) for form in (verb, f"{verb}s", f"{verb}d", gerund(verb))} == {verb}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I relocated to Ghent.", "The user lives in Ghent"),
        ("I'm residing in Ghent.", "The user lives in Ghent"),
        ("I've been residing in Ghent.", "The user lives in Ghent"),
    ],
)
def test_verbs_in_e_say_where(text: str, said: str) -> None:
    assert said in [one.text for one in extract(text, Spoken(USER, AT)).candidates]
