"""What somebody speaks, plays, can do or learns."""

from collections.abc import Iterator

from sharpwave.reading.found import CLEAR, LIKELY, Found, Rules, is_certain, mode_of
from sharpwave.reading.grammar.lexicon import NATIONALITIES, words
from sharpwave.reading.grammar.objects import ENDS, listed, thing
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.reading.grammar.predications import Predication, Tense

LANGUAGES = NATIONALITIES | words(
    """mandarin cantonese hindi arabic hebrew farsi urdu bengali tamil telugu swahili yoruba latin
    catalan basque tagalog malay esperanto asl"""
)
_GAMES = words(
    """guitar piano violin drums bass ukulele flute trumpet cello saxophone clarinet keyboard harp
    banjo football soccer basketball tennis baseball volleyball hockey golf rugby cricket badminton
    chess poker squash softball lacrosse pickleball games videogames minecraft fortnite"""
)


def _speak(said: Predication) -> Iterator[Found]:
    """As in "I speak Spanish and a little French", "I can't speak German"."""
    if said.modal not in {"", "can"} or said.tense in {Tense.PAST, Tense.FUTURE}:
        return
    for place, word in enumerate(said.rest.low[:14]):
        if word in LANGUAGES:
            yield Found("speaks", word.capitalize(), mode=mode_of(said))
        elif word in ENDS - {","} or (place and word in {"with", "to", "at"}):
            return


def _play(said: Predication) -> Iterator[Found]:
    """As in "I play the cello", "I've been playing chess for years"."""
    if said.modal not in {"", "can"} or (
        said.tense in {Tense.PAST, Tense.FUTURE} and not said.ended
    ):
        return
    rest = said.rest
    known = any(word in _GAMES for word in rest.low[:5])
    if said.tense is Tense.GOING_ON and not known:
        return
    if known or (said.tense is Tense.PRESENT and rest.capital(0)):
        start = 1 if rest.word(0) in {"the", "some"} else 0
        for what in listed(rest.cut(start).until(_PLAY_ENDS)):
            yield Found("plays", what, CLEAR if known else LIKELY, mode_of(said))


_PLAY_ENDS = ENDS - {","} | words("with at in on for every as to against since")


def _can(said: Predication) -> Iterator[Found]:
    """As in "I know how to weld", "I know Python"."""
    if said.tense is not Tense.PRESENT or not said.first_person:
        return
    if said.rest.starts("how", "to") and (what := thing(said.rest.cut(2))):
        yield Found("can", what, LIKELY, mode_of(said))


def _learn(said: Predication) -> Iterator[Found]:
    rest = said.rest
    if said.tense in {Tense.GOING_ON, Tense.LATELY} and rest and is_certain(said):
        lead_verb = rest.word(0) in {"to", "how"}
        if rest.word(0) in {"about", "from", "that", "more", "it", "a", "to", "how", "the"}:
            if rest.word(0) not in {"to", "how", "the"}:
                return
            rest = rest.cut(1) if rest.word(0) == "the" else rest
        several = listed(rest.until(_PLAY_ENDS)) if not lead_verb else [thing(rest)]
        for what in filter(None, several):
            yield Found("learning", what, CLEAR, mode_of(said))


def _practice(said: Predication) -> Iterator[Found]:
    if said.tense in {Tense.PRESENT, Tense.GOING_ON, Tense.LATELY} and is_certain(said):
        if (what := thing(said.rest, _PLAY_ENDS | {","})) and said.rest.word(0) not in _NOT_CRAFTS:
            yield Found("practices", what, LIKELY, mode_of(said))


_NOT_CRAFTS = words("my it hard a lot the and for with")


def _be(said: Predication) -> Iterator[Found]:
    rest = said.rest
    if not is_certain(said) or said.tense is Tense.FUTURE:
        return
    rest = rest.cut(1) if rest.word(0) in {"really", "very", "pretty", "quite", "not"} else rest
    at = 1 if rest.word(0) == "a" else 0
    if rest.word(at) == "native" and rest.word(at + 2) == "speaker":
        if rest.word(at + 1) in LANGUAGES:
            yield Found("native_language", rest.word(at + 1).capitalize(), mode=mode_of(said))
    elif rest.word(0) in {"fluent", "bilingual"} and rest.word(1) == "in":
        for word in rest.low[2:12]:
            if word in LANGUAGES:
                yield Found("speaks", word.capitalize(), mode=mode_of(said))
    elif rest.word(1) == "at" and rest.word(0) in {"good", "great", "bad", "terrible", "skilled"}:
        if (what := thing(rest.cut(2))) and not _is_vague(rest.cut(2)):
            bad = rest.word(0) in {"bad", "terrible"}
            yield Found("cannot" if bad else "good_at", _well(what, bad), LIKELY, mode_of(said))


def _well(what: str, bad: bool) -> str:
    return f"do {what} well" if bad else what


def _is_vague(phrase: Phrase) -> bool:
    return phrase.word(0) in {"it", "that", "this", "what", "all", "the"}


def _can_or_not(said: Predication) -> Iterator[Found]:
    """As in "I can't drive", "I can swim"."""
    if said.modal == "can" and said.tense is Tense.MODAL and len(said.rest) <= 3:
        before = said.clause.first - 1
        purpose = before >= 0 and said.clause.tokens[before].low in {"so", "that"}
        if not purpose and said.rest.word(0) not in {"it", "that", "this", "you", "there", "to"}:
            kept = said.whole.until(ENDS)
            yield Found("cannot" if said.negated else "can", str(kept), LIKELY)


_ABILITIES = words("drive swim cook sing dance walk read write ski skate climb weld sew knit hear")


def _took_up(said: Predication) -> Iterator[Found]:
    """As in "I took up pottery"."""
    if said.rest.word(0) == "up" and said.tense in {Tense.PAST, Tense.PERFECT} and not said.negated:
        if (what := thing(said.rest.cut(1))) and said.verb == "take":
            yield Found("practices", what, LIKELY)


def _do(said: Predication) -> Iterator[Found]:
    """As in "I do yoga", "I've been doing pilates"."""
    if said.tense in {Tense.PRESENT, Tense.LATELY} and said.rest.word(0) in _CRAFTS:
        yield Found("practices", said.rest.word(0), LIKELY, mode_of(said))


_CRAFTS = words(
    """yoga pilates karate judo crossfit ballet boxing kickboxing taekwondo aikido gymnastics
    calligraphy pottery ceramics photography woodworking improv meditation zumba parkour origami"""
)


def _brush_up(said: Predication) -> Iterator[Found]:
    """As in "I'm brushing up on my Italian", "I'm teaching myself Blender"."""
    rest = said.rest
    if said.tense not in {Tense.GOING_ON, Tense.LATELY}:
        return
    if said.verb == "brush" and rest.starts("up", "on"):
        rest = rest.cut(2 + (rest.word(2) == "my"))
    elif said.verb == "teach" and rest.word(0) == "myself":
        rest = rest.cut(1 + (rest.word(1) == "to"))
    elif said.verb == "take" and rest.word(1) in {"lessons", "classes"}:
        rest = rest.cut(0, 1)
    else:
        return
    if what := thing(rest, _PLAY_ENDS):
        yield Found("learning", what, LIKELY, mode_of(said))


def _code(said: Predication) -> Iterator[Found]:
    """As in "I code in Python and Rust"."""
    if said.tense is Tense.PRESENT and said.rest.word(0) == "in" and (said.rest.capital(1)):
        for what in listed(said.rest.cut(1)):
            yield Found("can", f"code in {what}", LIKELY, mode_of(said))


RULES: Rules = {
    "do": _do,
    "brush": _brush_up,
    "teach": _brush_up,
    "code": _code,
    "program": _code,
    "speak": _speak,
    "play": _play,
    "know": _can,
    "learn": _learn,
    "practice": _practice,
    "be": _be,
    "take": lambda said: (*_took_up(said), *_brush_up(said)),
} | dict.fromkeys(_ABILITIES, _can_or_not)
