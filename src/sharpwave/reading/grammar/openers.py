"""What stands before the subject of a clause: "oh, and by the way", "last week", "I think that"."""

from sharpwave.reading.grammar.clauses import Clause
from sharpwave.reading.grammar.lexicon import ADVERBS, DAYS, FIRST, MINE, MONTHS, words
from sharpwave.reading.grammar.phrases import Phrase, Source


def without_openers(clause: Clause, source: Source) -> Phrase:
    """The words of a clause from its subject on: without "oh, and by the way", "I think that"."""
    phrase = Phrase(source, clause.first, clause.last)
    phrase = phrase.cut(_past_openers(phrase))
    return _inside(phrase.cut(_past_time(phrase)))


_OPENERS = words(
    """and but so well oh yes yeah yep no nope nah ok okay hey hi hello actually anyway also btw
    plus because since though although as when while then now thanks wow honestly sure right
    cool great nice sorry haha lol ah hmm um uh too see look true exactly however besides whereas
    after before where , ! :"""
) | (ADVERBS - words("so"))


def _past_openers(phrase: Phrase) -> int:
    """How many words to pass before the subject: "oh, and by the way"."""
    place = 0
    low = phrase.low
    while place < len(low):
        if low[place] in _OPENERS:
            place += 1
        elif low[place : place + 3] in (["by", "the", "way"], ["speaking", "of", "which"]):
            place += 3
        elif low[place : place + 2] in (["in", "fact"], ["of", "course"], ["for", "example"]):
            place += 2
        elif low[place : place + 3] == ["to", "be", "honest"]:
            place += 3
        else:
            break
    return place


_TIME_WORDS = (
    DAYS
    | MONTHS
    | words(
        """last next this past other the a an in on at after before during for since week weeks
        month months year years day days night morning afternoon evening weekend summer winter
        spring fall few couple of ago one two three four five today yesterday tomorrow tonight
        christmas easter college school kid child work young growing up back early late my when
        over"""
    )
)


# "After locking the shop I met…", "on the way home with friends I saw…"
_LEADING = words("after before in at on during with for since as by despite through besides")


def _past_time(phrase: Phrase) -> int:
    """How many words to pass in "Last week I got", "after we talked I got": a time before."""
    if phrase.first and phrase.source.low[phrase.first - 1] in {"after", "since", "before"}:
        for place, word in enumerate(phrase.low[2:7], start=2):
            if word in FIRST and phrase.word(place - 1) not in {"and", "that", "what", "how"}:
                return place
    led = phrase.word(0) in _LEADING
    for place, word in enumerate(phrase.low[:14]):
        if word in FIRST:
            return place if place < 9 or led else 0
        if not led and not (phrase.is_time(place) or word in _TIME_WORDS or word.isdigit()):
            return 0
    return 0


_THINKING = words(
    "think believe guess suppose assume feel bet mean know remember realized say said"
)


def _inside(phrase: Phrase) -> Phrase:
    """What is thought, without "I think that", "it turns out", "the thing is"."""
    low = phrase.low
    if len(low) > 3 and low[0] in FIRST:
        verb = 2 if low[1] in ADVERBS else 1
        if low[verb] in _THINKING:
            after = verb + 1 + (low[verb + 1 : verb + 2] == ["that"])
            if after < len(low) and (low[after] in FIRST or low[after] in MINE):
                return phrase.cut(after)
    for place in range(1, min(len(low) - 1, 10)):
        if low[place] in FIRST and low[place - 1] in {"know", "you"} and low[0] in _TELLING:
            return phrase.cut(place)
    return phrase


_TELLING = words("wanted guess i let wanna want just")
