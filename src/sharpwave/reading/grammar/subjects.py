"""Who a clause is about: the speaker, a relative of the speaker, or a name.

Openers before the subject are skipped ("oh, and by the way", "last week", "I think that"). Names
that were introduced ("my sister Anna") are kept while one text is read, so that "she" and "Anna"
mean that person in what follows.
"""

from dataclasses import dataclass, field, replace

from sharpwave.reading.grammar.clauses import Clause
from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    BE,
    DAYS,
    FIRST,
    HAVE,
    MINE,
    MODALS,
    MONTHS,
    PRONOUNS,
    TIME_WORDS,
    is_past,
    word_list,
    words,
)
from sharpwave.reading.grammar.objects import name_end, relation_at
from sharpwave.reading.grammar.predications import Predication, Tense, predicate_of
from sharpwave.reading.grammar.tokens import Phrase, SourceText
from sharpwave.types.records import USER
from sharpwave.types.statements import Spoken


def without_openers(clause: Clause, source: SourceText) -> Phrase:
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
        if low[place] in _OPENERS and low[place : place + 2] != ["no", "longer"]:
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
        if not led and not (phrase.is_time(place) or word in TIME_WORDS or word.isdigit()):
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


@dataclass(slots=True)
class People:
    """Who was spoken of so far in a text."""

    spoken: Spoken
    by_relation: dict[str, str] = field(default_factory=dict)
    she: str | None = None
    he: str | None = None
    by_name: set[str] = field(default_factory=set)
    """Who was only named: "she" is that one if there is no other."""

    def meant_by(self, pronoun: str) -> str | None:
        """Who "she" or "he" is, if that is plain."""
        related = self.she if pronoun == "she" else self.he
        return related or (next(iter(self.by_name)) if len(self.by_name) == 1 else None)

    def named(self, relation: str, name: str | None, female: bool | None) -> str:
        """The subject for the speaker's `relation`, by name if it is known."""
        known = name or self.by_relation.get(relation)
        who = known or f"{self.spoken.speaker}'s {relation.replace('_', ' ')}"
        if name:
            self.by_relation[relation] = name
        if female is not False:
            self.she = who
        if female is not True:
            self.he = who
        return who


def note_owner(phrase: Phrase, people: People) -> None:
    """Keep who is named in "Ana's birthday is May 4. She …"."""
    end = name_end(phrase, 0)
    if end and phrase.word(end) == "'s":
        people.by_name.add(phrase.cut(0, end).with_times())


def predication_of(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """The predication of a clause, or None if it has no subject that the rules know."""
    found = _with_subject(clause, phrase, people) or _left_out(clause, phrase, people)
    if found is not None and found.tense is Tense.PRESENT and _is_condition(clause):
        return None
    return found


def _is_condition(clause: Clause) -> bool:
    """As in "when I avoid caffeine": only then, and not as such."""
    return any(token.low in _WHEN for token in clause.tokens[clause.first : clause.first + 2]) or (
        clause.first > 0 and clause.tokens[clause.first - 1].low in _WHEN
    )


_WHEN = words("when whenever once if until")


def _with_subject(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    low = phrase.low
    if not low:
        return None
    first = low[0]
    if first in FIRST:
        found = predicate_of(clause, phrase.cut(1))
        return found and replace(found, who=people.spoken.speaker, plural=first == "we")
    if first in MINE or first in {"his", "her"}:
        return _of_the_speakers(clause, phrase, people)
    if first in {"she", "he"}:
        who = people.meant_by(first)
        found = predicate_of(clause, phrase.cut(1)) if who else None
        return found and replace(found, who=who or "", first_person=False, weak=True)
    return _with_name(clause, phrase, people)


_NO_VERBS = words("and or who that in at from with on for to of as because when but so i the my")


def _of_the_speakers(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """As in "my sister Anna lives": a person the speaker has."""
    related = relation_at(phrase, 0) if phrase.word(0) in MINE else None
    if related is None or related.end >= len(phrase):
        return None
    if phrase.word(related.end) == "'s":
        return None
    low = phrase.word(related.end)
    plural_verb = related.several and low.isalpha() and low not in _NO_VERBS
    if low in {"and", ","} or not (may_be_verb(low) or low in ADVERBS or plural_verb):
        return None
    if related.several and not related.name:
        who = f"{people.spoken.speaker}'s {related.word.removesuffix('child') or 'children'}"
        who = who if who.endswith("children") else f"{who}s"
    else:
        who = people.named(related.relation, related.name, related.female)
    found = predicate_of(clause, phrase.cut(related.end))
    return found and replace(found, who=who, first_person=False)


_THIRD_VERBS = word_list("verbs_of_people")
_NOT_NAMES = DAYS | MONTHS | PRONOUNS | ADVERBS | word_list("no_names")


def _with_name(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """As in "Anna lives in Berlin": a name, or two, and a verb that people do."""
    size = 0
    while size < 3 and phrase.capital(size) and phrase.word(size) not in _NOT_NAMES:
        size += 1
    if not size or not phrase.word(0)[0].isalpha():
        return None
    names = size
    if phrase.word(size) == "," and phrase.word(size + 1) in MINE:
        related = relation_at(phrase, size + 1)  # "Bruno, my dog, is…"
        size = related.end if related is not None else size
    verb = phrase.word(size)
    while verb in ADVERBS and size < len(phrase):
        size += 1
        verb = phrase.word(size)
    if verb not in _THIRD_VERBS:
        return None
    who = phrase.cut(0, names).with_times()
    found = predicate_of(clause, phrase.cut(size))
    known = who in people.by_relation.values()
    people.by_name.add(who)
    return found and replace(found, who=who, first_person=False, weak=not known)


def said_of_self(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """As in "Karim says he lives in Lyon now": what a person says of himself or herself."""
    related = relation_at(phrase, 0) if phrase.word(0) in MINE else None
    end = related.end if related else name_end(phrase, 0)
    at = next((at for at in range(end, end + 4) if phrase.word(at) in {"he", "she"}), 0)
    now = phrase.word(end) in _TELLS or (phrase.word(end) in _TOLD and "now" in phrase.low)
    if not end or not at or not now:
        return None
    name = phrase.cut(0, end).with_times()
    who = people.named(related.relation, related.name, related.female) if related else name
    found = predicate_of(clause, phrase.cut(at + 1))
    holds = found is not None and found.tense in {Tense.PRESENT, Tense.GOING_ON}
    return replace(found, who=who, first_person=False, weak=True) if found and holds else None


_TELLS, _TOLD = words("says tells writes"), words("said told wrote")


def as_one_who(clause: Clause, source: SourceText) -> Predication | None:
    """As in "As a nurse, I…", "as someone living in Porto, I…"; the subject is the speaker."""
    if source.low[clause.first] != "as":
        return None
    comma, after = (*source.low[clause.last : clause.last + 2], "", "")[:2]
    if comma != "," or not (after in FIRST or after in MINE):
        return None
    phrase = Phrase(source, clause.first + 1, clause.last)
    if phrase.word(0) in {"a", "an"} and "ai" not in phrase.low:
        return Predication(clause, "be", "am", phrase, phrase)
    if phrase.word(0) == "someone":
        return predicate_of(clause, phrase.cut(2 if phrase.word(1) == "who" else 1))
    return None


_ELIDED = word_list("elided_verbs")


def _left_out(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """As in "Moved to Porto last week": in a chat, the speaker; an assistant instructs so."""
    if not clause.opens or not phrase or phrase.word(0) not in _ELIDED:
        return None
    if people.spoken.listener == USER:
        return None
    first = phrase.word(0)
    if first == "read" and not phrase.capital(1):
        return None
    if first in {"love", "live", "work", "had", "read", "left"} and phrase.word(1) in {
        "it", "that", "this", "you", "your", "the", "how", "those", "these", "",
    }:  # fmt: skip
        return None
    found = predicate_of(clause, phrase)
    if found is None:
        return None
    if first.endswith("ing") or not is_past(first):
        # "Planning a trip" is "I am planning"; "Reading is fun" is about reading.
        if any(word in BE or word in HAVE or word in MODALS for word in phrase.low[1:]):
            return None
        if first == "going" and phrase.word(1) == "to":
            planned = predicate_of(clause, phrase.cut(2))
            found = planned and replace(planned, tense=Tense.FUTURE)
    return found and replace(found, who=people.spoken.speaker, weak=True)


def may_be_verb(word: str) -> bool:
    """True if a word after a subject looks like its verb."""
    return (
        word in BE
        or word in HAVE
        or word in MODALS
        or word in {"will", "used", "does", "did", "no", "not", "never"}
        or is_past(word)
        or (word.endswith("s") and not word.endswith("ss"))
    )
