"""Likes, dislikes, interests, fears, and skills: languages, instruments, what is learned."""

from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import LANGUAGES, STOP, word_list, words
from sharpwave.reading.grammar.objects import ENDS, MOVES, listed, thing
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    CLEAR,
    DONE,
    LASTING,
    LIKELY,
    ONGOING,
    FactMatch,
    Rules,
    mode_of,
    state_mode,
    verb_rule,
)
from sharpwave.types.statements import Mode

_REACTIONS = word_list("reactions")


def _like(said: Predication) -> Iterator[FactMatch]:
    """As in "I love jazz and hiking", "I don't like olives", "I've always hated mornings"."""
    if not said.rest or said.tense is Tense.FUTURE:
        return
    rest = said.rest
    if said.tense is Tense.PAST and not said.ended:
        # A book or film that one loved is liked still; a party that one loved is over.
        if rest.capital(0) and (what := thing(rest)) and said.verb == "love":
            yield FactMatch("likes", what, LIKELY)
        return
    if _is_reaction(rest):
        return
    items = listed(rest.cut(rest.word(0) in {"doing", "eating"} and len(rest) > 1))
    predicate = "dislikes" if said.verb in _AGAINST else "likes"
    mode = state_mode(said)
    if mode is Mode.DENIED and predicate == "likes":
        predicate, mode = "dislikes", Mode.HOLDS
    sure = CLEAR if said.tense is Tense.PRESENT else 0.85
    for what in items:
        low = what.lower().split()
        if low[0] not in _REACTIONS - {"the"} and low[-1] not in _POINTING | _REACTIONS:
            yield FactMatch(predicate, what, sure, mode)


_POINTING = words("this that it them these those here there")
_AGAINST = words("hate dislike detest despise loathe")


def _is_reaction(rest: Phrase) -> bool:
    first = rest.word(0)
    if first in {"the", "that", "this"}:
        # "the beach" may be a taste; "the ideas", "that suggestion", "this one" are not.
        return first != "the" or any(word in _REACTIONS - {"the"} for word in rest.low[1:4])
    return first in _REACTIONS or rest.starts("to", "know") or rest.starts("to", "hear")


def _prefer(said: Predication) -> Iterator[FactMatch]:
    """As in "I prefer tea to coffee", "I'd rather walk" is not lasting enough."""
    if said.tense not in LASTING | {Tense.PERFECT}:
        return
    if said.rest.word(0) in MOVES - {"to"} or "your" in said.rest.low:
        return  # how one wants to be answered is for the notes
    what = thing(said.rest, ENDS | words("over to rather than instead and"))
    if said.rest.word(0) == "to":
        what = thing(said.rest, ENDS | {"over", "rather", "than", "instead"})
    if what and not _is_reaction(said.rest):
        yield FactMatch("prefers", what, mode=state_mode(said))


def _preference_be(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm a fan of…", "I'm into…", "I'm obsessed with…", "I'm afraid of…"."""
    rest = said.rest
    if not rest or said.tense is Tense.FUTURE:
        return
    if said.tense is Tense.PAST and not said.ended:
        return
    mode = state_mode(said)
    while rest.word(0) in _VERY:
        rest = rest.cut(1)
    low = rest.low
    if tuple(low[:2]) in _BEING:
        yield from _being(rest, mode)
    elif low[:1] == ["into"] and said.tense is not Tense.PAST:
        for what in listed(rest.cut(1)):
            yield from _turned("likes", what, mode)
    elif low[:1] in (["a"], ["an"]):
        yield from _fan(rest, mode)
        if rest.word(2) == "person" and rest.word(1) in _KINDS_OF_PEOPLE:
            yield FactMatch("is", f"a {rest.word(1)} person", LIKELY, mode)


def _being(rest: Phrase, mode: Mode) -> Iterator[FactMatch]:
    pair = (rest.word(0), rest.word(1))
    if pair[0] in _CRAVING and (brand := _brand(rest.cut(2))):
        yield FactMatch(*brand, LIKELY, mode)
    after = _without_learning(rest.cut(2))
    named = after.word(0) == "the" and after.capital(1)
    if after.word(0) not in _OFFERS and not named and not _is_reaction(after):
        for what in listed(after):
            yield from _turned(_BEING[pair], what, mode)


_VERY = words("really very so quite super pretty big such totally")
_CRAVING = words("obsessed hooked addicted")


def _brand(rest: Phrase) -> tuple[str, str] | None:
    """As in "(obsessed with) Kansas City BBQ sauce": the kind of thing, and whose."""
    size = 0
    while size < 5 and (rest.capital(size) or (size and rest.word(size) in {"'s", "'"})):
        size += 1
    while size > 1 and str(rest.cut(size - 1, size)).isupper():
        size -= 1  # "BBQ" belongs to the sauce
    kind = rest.cut(size).until(STOP | ENDS)
    if not size or not 0 < len(kind) <= 3 or rest.word(0) in LANGUAGES:
        return None
    return f"favorite_{'_'.join(kind.low)}", str(rest.cut(0, size))


def _fan(rest: Phrase, mode: Mode) -> Iterator[FactMatch]:
    """As in "a huge fan of jazz", "a total movie buff", "a dog lover"."""
    for place, word in enumerate(rest.low[:6]):
        if word in {"fan", "lover", "enthusiast", "buff", "aficionado", "addict"}:
            if rest.word(place + 1) == "of":
                for what in listed(rest.cut(place + 2)):
                    if not _is_reaction(rest.cut(place + 2)):
                        yield from _turned("likes", what, mode)
            elif place > 1:
                kind = rest.cut(1, place)
                kind = kind.cut(1) if kind.word(0) in _SIZES else kind
                if kind and (what := thing(kind)):
                    yield from _turned("likes", what, mode)
            return


_KINDS_OF_PEOPLE = words("morning night people dog cat coffee tea beach mountain city outdoors")


def _rather(said: Predication) -> Iterator[FactMatch]:
    """As in "I'd rather take the train than fly"."""
    than = said.rest.find("than")
    if said.modal == "would" and than > 0 and (what := thing(said.rest.cut(0, than))):
        yield FactMatch("prefers", what, LIKELY)


# "I'm interested in trying that recipe" answers an offer.
_OFFERS = words("trying checking exploring seeing hearing getting using knowing some your both")


def _without_learning(rest: Phrase) -> Phrase:
    """As in "(learning more about) jazz"."""
    if rest.word(0) in {"learning", "reading", "finding", "knowing"}:
        about = rest.find("about")
        if 0 < about <= 3:
            return rest.cut(about + 1)
    return rest


_SIZES = words("big huge total real true massive avid major such great complete lifelong")
_BEING = {
    ("interested", "in"): "interested_in",
    ("keen", "on"): "interested_in",
    ("passionate", "about"): "likes",
    ("obsessed", "with"): "likes",
    ("fond", "of"): "likes",
    ("crazy", "about"): "likes",
    ("hooked", "on"): "likes",
    ("addicted", "to"): "likes",
    ("afraid", "of"): "afraid_of",
    ("scared", "of"): "afraid_of",
    ("terrified", "of"): "afraid_of",
    ("sick", "of"): "dislikes",
    ("tired", "of"): "dislikes",
    ("drawn", "to"): "likes",
    ("all", "about"): "likes",
    ("fascinated", "by"): "interested_in",
}


def _turned(predicate: str, what: str, mode: Mode) -> Iterator[FactMatch]:
    if mode is Mode.DENIED and predicate == "likes":
        yield FactMatch("dislikes", what, LIKELY)
    else:
        yield FactMatch(predicate, what, 0.85, mode)


def _stand(said: Predication) -> Iterator[FactMatch]:
    """As in "I can't stand olives"."""
    if said.modal == "can" and said.negated and (what := thing(said.rest)):
        if not _is_reaction(said.rest):
            yield FactMatch("dislikes", what)


PREFERENCE_RULES: Rules = {
    "prefer": _prefer,
    "be": _preference_be,
    "stand": _stand,
    "rather": _rather,
} | dict.fromkeys(("like", "love", "enjoy", "adore", *sorted(_AGAINST)), _like)


_GAMES = word_list("games")


def _speak(said: Predication) -> Iterator[FactMatch]:
    """As in "I speak Spanish and a little French", "I can't speak German"."""
    if said.modal not in {"", "can"} or said.tense in {Tense.PAST, Tense.FUTURE}:
        return
    for place, word in enumerate(said.rest.low[:14]):
        if word in LANGUAGES:
            yield FactMatch("speaks", word.capitalize(), mode=mode_of(said))
        elif word in ENDS - {","} or (place and word in {"with", "to", "at"}):
            return


def _play(said: Predication) -> Iterator[FactMatch]:
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
            yield FactMatch("plays", what, CLEAR if known else LIKELY, mode_of(said))


_PLAY_ENDS = ENDS - {","} | words("with at in on for every as to against since")


def _learn(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm learning Greek and Welsh", "I've been learning to weld"."""
    rest = said.rest.cut(said.rest.word(0) == "the")
    if said.tense not in ONGOING or rest.word(0) in _NOT_LEARNED:
        return
    several = [thing(rest)] if rest.word(0) in {"to", "how"} else listed(rest.until(_PLAY_ENDS))
    for what in filter(None, several):
        yield FactMatch("learning", what, CLEAR, mode_of(said))


_NOT_LEARNED = words("about from that more it a")


def _practice(said: Predication) -> Iterator[FactMatch]:
    if said.tense in LASTING and said.rest.word(0) not in _NOT_CRAFTS:
        if what := thing(said.rest, _PLAY_ENDS | {","}):
            yield FactMatch("practices", what, LIKELY, mode_of(said))


_NOT_CRAFTS = words("my it hard a lot the and for with")


def _skill_be(said: Predication) -> Iterator[FactMatch]:
    rest = said.rest
    if said.tense is Tense.FUTURE:
        return
    rest = rest.cut(1) if rest.word(0) in {"really", "very", "pretty", "quite", "not"} else rest
    if rest.word(0) in {"fluent", "bilingual"} and rest.word(1) == "in":
        for word in rest.low[2:12]:
            if word in LANGUAGES:
                yield FactMatch("speaks", word.capitalize(), mode=mode_of(said))
    elif rest.word(1) == "at" and rest.word(0) in {"good", "great", "bad", "terrible", "skilled"}:
        if (what := thing(rest.cut(2))) and rest.word(2) not in _POINTING | {"what", "all", "the"}:
            bad = rest.word(0) in {"bad", "terrible"}
            how = ("cannot", f"do {what} well") if bad else ("good_at", what)
            yield FactMatch(*how, LIKELY, mode_of(said))


def _can_or_not(said: Predication) -> Iterator[FactMatch]:
    """As in "I can't drive", "I can swim"."""
    if said.modal == "can" and said.tense is Tense.MODAL and len(said.rest) <= 3:
        before = said.clause.first - 1
        purpose = before >= 0 and said.clause.tokens[before].low in {"so", "that"}
        if not purpose and said.rest.word(0) not in {"it", "that", "this", "you", "there", "to"}:
            kept = said.whole.until(ENDS)
            yield FactMatch("cannot" if said.negated else "can", str(kept), LIKELY)


ABILITIES = words("drive swim cook sing dance walk read write ski skate climb weld sew knit hear")


def _teach_oneself(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm teaching myself Blender", "I'm taking piano lessons"."""
    rest = said.rest
    if said.verb == "teach" and rest.word(0) == "myself":
        rest = rest.cut(1 + (rest.word(1) == "to"))
    elif said.verb == "take" and rest.word(1) in {"lessons", "classes"}:
        rest = rest.cut(0, 1)
    else:
        return
    if said.tense in ONGOING and (what := thing(rest, _PLAY_ENDS)):
        yield FactMatch("learning", what, LIKELY, mode_of(said))


_TAKE_UP = verb_rule("practices", "up", sure=LIKELY, tenses=DONE)

SKILL_RULES: Rules = {
    "teach": _teach_oneself,
    "speak": _speak,
    "play": _play,
    "know": verb_rule("can", "how to", sure=LIKELY, tenses={Tense.PRESENT}),
    "learn": _learn,
    "practice": _practice,
    "be": _skill_be,
    "take": lambda said: (*_TAKE_UP(said), *_teach_oneself(said)),
} | dict.fromkeys(ABILITIES, _can_or_not)
