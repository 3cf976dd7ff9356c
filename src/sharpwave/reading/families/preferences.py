"""What somebody likes, dislikes, prefers, is interested in or afraid of."""

from collections.abc import Iterator

from sharpwave.reading.found import CLEAR, LIKELY, Found, Rules, is_certain, mode_of, state_mode
from sharpwave.reading.grammar.lexicon import NATIONALITIES, STOP, words
from sharpwave.reading.grammar.objects import ENDS, MOVES, listed, thing
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.types.statements import Mode

_LASTING = {Tense.PRESENT, Tense.GOING_ON, Tense.LATELY, Tense.PERFECT}
# What one likes of the answer just given is not a taste: "I like the idea", "I love your list".
_REACTIONS = words(
    """your the that this it these those you how when what idea ideas suggestion suggestions list
    sound look way thought fact them him her all both one ones option options everything
    seeing hearing seems if color colors colour texture design details vibe vibes energy his her
    their its concept enthusiasm following"""
)


def _like(said: Predication) -> Iterator[Found]:
    """As in "I love jazz and hiking", "I don't like olives", "I've always hated mornings"."""
    if not is_certain(said) or not said.rest or said.tense is Tense.FUTURE:
        return
    rest = said.rest
    if said.tense is Tense.PAST and not said.ended:
        # A book or film that one loved is liked still; a party that one loved is over.
        if rest.capital(0) and (what := thing(rest)) and said.verb == "love":
            yield Found("likes", what, LIKELY)
        return
    if _is_reaction(rest):
        return
    items = listed(_without_lead(rest))
    predicate = "dislikes" if said.verb in _AGAINST else "likes"
    mode = state_mode(said)
    if mode is Mode.DENIED and predicate == "likes":
        predicate, mode = "dislikes", Mode.HOLDS
    sure = CLEAR if said.tense is Tense.PRESENT else 0.85
    for what in items:
        low = what.lower().split()
        if low[0] not in _REACTIONS - {"the"} and low[-1] not in _POINTING | _REACTIONS:
            yield Found(predicate, what, sure, mode)


_POINTING = words("this that it them these those here there")
_AGAINST = words("hate dislike detest despise loathe")


def _is_reaction(rest: Phrase) -> bool:
    first = rest.word(0)
    if first in {"the", "that", "this"}:
        # "the beach" may be a taste; "the ideas", "that suggestion", "this one" are not.
        return first != "the" or any(word in _REACTIONS - {"the"} for word in rest.low[1:4])
    return first in _REACTIONS or rest.starts("to", "know") or rest.starts("to", "hear")


def _without_lead(rest: Phrase) -> Phrase:
    return rest.cut(1) if rest.word(0) in {"doing", "eating", "to"} and len(rest) > 1 and (
        rest.word(0) != "to"
    ) else rest  # fmt: skip


def _prefer(said: Predication) -> Iterator[Found]:
    """As in "I prefer tea to coffee", "I'd rather walk" is not lasting enough."""
    if not is_certain(said) or said.tense not in _LASTING:
        return
    if said.rest.word(0) in MOVES - {"to"} or "your" in said.rest.low:
        return  # how one wants to be answered is for the notes
    what = thing(said.rest, ENDS | words("over to rather than instead and"))
    if said.rest.word(0) == "to":
        what = thing(said.rest, ENDS | {"over", "rather", "than", "instead"})
    if what and not _is_reaction(said.rest):
        yield Found("prefers", what, mode=state_mode(said))


def _be(said: Predication) -> Iterator[Found]:
    """As in "I'm a fan of…", "I'm into…", "I'm obsessed with…", "I'm afraid of…"."""
    rest = said.rest
    if not is_certain(said) or not rest or said.tense is Tense.FUTURE:
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
        yield from _person(rest, mode)
    elif low[:3] == ["more", "of", "a"]:
        yield from _person(rest, mode)


def _being(rest: Phrase, mode: Mode) -> Iterator[Found]:
    pair = (rest.word(0), rest.word(1))
    if pair in _CRAVING and (brand := _brand(rest.cut(2))):
        yield Found(*brand, LIKELY, mode)
    after = _without_learning(rest.cut(2))
    named = after.word(0) == "the" and after.capital(1)
    if after.word(0) not in _OFFERS and not named and not _is_reaction(after):
        for what in listed(after):
            yield from _turned(_BEING[pair], what, mode)


_VERY = words("really very so quite super pretty big such totally")
_CRAVING = {("obsessed", "with"), ("hooked", "on"), ("addicted", "to")}


def _brand(rest: Phrase) -> tuple[str, str] | None:
    """As in "(obsessed with) Kansas City BBQ sauce": the kind of thing, and whose."""
    size = 0
    while size < 5 and (rest.capital(size) or (size and rest.word(size) in {"'s", "'"})):
        size += 1
    end = size
    while end < size + 3 and rest.word(end).isalpha() and rest.word(end) not in STOP:
        end += 1
    if not size or end == size or rest.word(0) in NATIONALITIES:
        return None
    while size > 1 and str(rest.cut(size - 1, size)).isupper():
        size -= 1  # "BBQ" belongs to the sauce
    return f"favorite_{'_'.join(rest.low[size:end])}", str(rest.cut(0, size))


def _fan(rest: Phrase, mode: Mode) -> Iterator[Found]:
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


def _person(rest: Phrase, mode: Mode) -> Iterator[Found]:
    """As in "a morning person", "more of a cat person"."""
    if rest.word(0) == "more" and "person" in rest.low[3:6]:
        yield Found("prefers", str(rest.cut(3, rest.low.index("person", 3))), LIKELY, mode)
    elif rest.word(2) == "person" and rest.word(1) in _KINDS_OF_PEOPLE:
        yield Found("is", f"a {rest.word(1)} person", LIKELY, mode)


_KINDS_OF_PEOPLE = words("morning night people dog cat coffee tea beach mountain city outdoors")


def _care(said: Predication) -> Iterator[Found]:
    """As in "I don't care for jazz"."""
    if said.negated and is_certain(said) and said.rest.word(0) == "for":
        if (what := thing(said.rest.cut(1))) and not _is_reaction(said.rest.cut(1)):
            yield Found("dislikes", what, LIKELY)


def _rather(said: Predication) -> Iterator[Found]:
    """As in "I'd rather take the train than fly"."""
    than = said.rest.find("than")
    if said.modal == "would" and than > 0 and (what := thing(said.rest.cut(0, than))):
        yield Found("prefers", what, LIKELY)


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


def _turned(predicate: str, what: str, mode: Mode) -> Iterator[Found]:
    if mode is Mode.DENIED and predicate == "likes":
        yield Found("dislikes", what, LIKELY)
    else:
        yield Found(predicate, what, 0.85, mode)


def _stand(said: Predication) -> Iterator[Found]:
    """As in "I can't stand olives"."""
    if said.modal == "can" and said.negated and (what := thing(said.rest)):
        if not _is_reaction(said.rest):
            yield Found("dislikes", what)


def _support(said: Predication) -> Iterator[Found]:
    if said.tense is Tense.PRESENT and said.rest.capital(0) and (team := thing(said.rest)):
        yield Found("supports", team, LIKELY, mode_of(said))


def _fall(said: Predication) -> Iterator[Found]:
    """As in "I fell in love with pottery", "I got into pottery"."""
    past = said.tense in {Tense.PAST, Tense.PERFECT} and not said.negated
    rest = said.rest
    if past and rest.starts("in", "love", "with") and said.verb == "fall":
        rest = rest.cut(3)
    elif past and rest.word(0) == "into" and said.verb == "get" and rest.word(1) not in _SCRAPES:
        rest = rest.cut(1)
    else:
        return
    if (what := thing(rest)) and not _is_reaction(rest) and not rest.capital(0):
        yield Found("likes", what, LIKELY)


_SCRAPES = words("a an the trouble bed an argument my that it this his her their our")

RULES: Rules = {
    "like": _like,
    "love": _like,
    "enjoy": _like,
    "adore": _like,
    "hate": _like,
    "dislike": _like,
    "detest": _like,
    "despise": _like,
    "loathe": _like,
    "prefer": _prefer,
    "be": _be,
    "stand": _stand,
    "care": _care,
    "rather": _rather,
    "support": _support,
    "fall": _fall,
    "get": _fall,
}
