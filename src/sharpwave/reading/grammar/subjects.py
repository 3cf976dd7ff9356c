"""Find the subject of a clause: the speaker, a relative of the speaker, or a name.

Openers before the subject are skipped ("oh, and by the way", "last week", "I think that"). Names
that were introduced ("my sister Anna") are kept while one text is read, so that a later "she" or
"Anna" refers to that person.
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
    phrase = phrase.cut(_openers_length(phrase))
    return _without_thinking(phrase.cut(_time_length(phrase)))


_OPENERS = words(
    """and but so well oh yes yeah yep no nope nah ok okay hey hi hello actually anyway also btw
    plus because since though although as when while then now thanks wow honestly sure right
    cool great nice sorry haha lol ah hmm um uh too see look true exactly however besides whereas
    after before where , ! :"""
) | (ADVERBS - words("so"))


def _openers_length(phrase: Phrase) -> int:
    """Number of words before the subject: "oh, and by the way"."""
    position = 0
    low = phrase.low
    while position < len(low):
        if low[position] in _OPENERS and low[position : position + 2] != ["no", "longer"]:
            position += 1
        elif low[position : position + 3] in (["by", "the", "way"], ["speaking", "of", "which"]):
            position += 3
        elif low[position : position + 2] in (["in", "fact"], ["of", "course"], ["for", "example"]):
            position += 2
        elif low[position : position + 3] == ["to", "be", "honest"]:
            position += 3
        else:
            break
    return position


# "After locking the shop I met…", "on the way home with friends I saw…"
_LEADING_PREPOSITIONS = words(
    "after before in at on during with for since as by despite through besides"
)


def _time_length(phrase: Phrase) -> int:
    """Number of words of a time before the subject: "Last week I got", "after we talked I got"."""
    if phrase.first and phrase.source.low[phrase.first - 1] in {"after", "since", "before"}:
        for position, word in enumerate(phrase.low[2:7], start=2):
            if word in FIRST and phrase.word(position - 1) not in {"and", "that", "what", "how"}:
                return position
    has_preposition = phrase.word(0) in _LEADING_PREPOSITIONS
    for position, word in enumerate(phrase.low[:14]):
        if word in FIRST:
            return position if position < 9 or has_preposition else 0
        if not has_preposition and not (
            phrase.is_time(position) or word in TIME_WORDS or word.isdigit()
        ):
            return 0
    return 0


_THINKING_VERBS = words(
    "think believe guess suppose assume feel bet mean know remember realized say said"
)


def _without_thinking(phrase: Phrase) -> Phrase:
    """The phrase without "I think that", "let me tell you"."""
    low = phrase.low
    if len(low) > 3 and low[0] in FIRST:
        verb = 2 if low[1] in ADVERBS else 1
        if low[verb] in _THINKING_VERBS:
            after = verb + 1 + (low[verb + 1 : verb + 2] == ["that"])
            if after < len(low) and (low[after] in FIRST or low[after] in MINE):
                return phrase.cut(after)
    for position in range(1, min(len(low) - 1, 10)):
        if (
            low[position] in FIRST
            and low[position - 1] in {"know", "you"}
            and low[0] in _YOU_KNOW_LEADS
        ):
            return phrase.cut(position)
    return phrase


_YOU_KNOW_LEADS = words("wanted guess i let wanna want just")


@dataclass(slots=True)
class People:
    """The people mentioned so far in a text."""

    spoken: Spoken
    by_relation: dict[str, str] = field(default_factory=dict)
    she: str | None = None
    he: str | None = None
    by_name: set[str] = field(default_factory=set)
    """People with only a name: "she" refers to the only one, if nobody else fits."""

    def referent(self, pronoun: str) -> str | None:
        """The name that "she" or "he" refers to, or None if that is not clear."""
        person = self.she if pronoun == "she" else self.he
        return person or (next(iter(self.by_name)) if len(self.by_name) == 1 else None)

    def named(self, relation: str, name: str | None, female: bool | None) -> str:
        """The subject for the speaker's `relation`, by name if it is known."""
        known_name = name or self.by_relation.get(relation)
        subject = known_name or f"{self.spoken.speaker}'s {relation.replace('_', ' ')}"
        if name:
            self.by_relation[relation] = name
        if female is not False:
            self.she = subject
        if female is not True:
            self.he = subject
        return subject


def note_owner(phrase: Phrase, people: People) -> None:
    """Note the person named in "Ana's birthday is May 4. She …"."""
    end = name_end(phrase, 0)
    if end and phrase.word(end) == "'s":
        people.by_name.add(phrase.cut(0, end).with_times())


def predication_of(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """The predication of a clause, or None if the rules find no subject."""
    predication = _with_subject(clause, phrase, people) or _without_subject(clause, phrase, people)
    if predication is not None and predication.tense is Tense.PRESENT and _is_condition(clause):
        return None
    return predication


def _is_condition(clause: Clause) -> bool:
    """Match "when I avoid caffeine", which is not true in general."""
    return any(
        token.low in _CONDITION_WORDS for token in clause.tokens[clause.first : clause.first + 2]
    ) or (clause.first > 0 and clause.tokens[clause.first - 1].low in _CONDITION_WORDS)


_CONDITION_WORDS = words("when whenever once if until")


def _with_subject(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    low = phrase.low
    if not low:
        return None
    first = low[0]
    if first in FIRST:
        predication = predicate_of(clause, phrase.cut(1))
        return predication and replace(
            predication, subject=people.spoken.speaker, plural=first == "we"
        )
    if first in MINE or first in {"his", "her"}:
        return _with_relative(clause, phrase, people)
    if first in {"she", "he"}:
        subject = people.referent(first)
        predication = predicate_of(clause, phrase.cut(1)) if subject else None
        return predication and replace(
            predication, subject=subject or "", first_person=False, weak=True
        )
    return _with_name(clause, phrase, people)


_NO_VERBS = words("and or who that in at from with on for to of as because when but so i the my")


def _with_relative(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """Match "my sister Anna lives": a relative of the speaker."""
    relative = relation_at(phrase, 0) if phrase.word(0) in MINE else None
    if relative is None or relative.end >= len(phrase):
        return None
    if phrase.word(relative.end) == "'s":
        return None
    verb = phrase.word(relative.end)
    plural_verb = relative.several and verb.isalpha() and verb not in _NO_VERBS
    if verb in {"and", ","} or not (may_be_verb(verb) or verb in ADVERBS or plural_verb):
        return None
    if relative.several and not relative.name:
        subject = f"{people.spoken.speaker}'s {relative.word.removesuffix('child') or 'children'}"
        subject = subject if subject.endswith("children") else f"{subject}s"
    else:
        subject = people.named(relative.relation, relative.name, relative.female)
    predication = predicate_of(clause, phrase.cut(relative.end))
    return predication and replace(predication, subject=subject, first_person=False)


_PEOPLE_VERBS = word_list("verbs_of_people")
_NOT_NAMES = DAYS | MONTHS | PRONOUNS | ADVERBS | word_list("no_names")


def _with_name(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """Match "Anna lives in Berlin": up to three names, and a verb for people."""
    size = 0
    while size < 3 and phrase.capital(size) and phrase.word(size) not in _NOT_NAMES:
        size += 1
    if not size or not phrase.word(0)[0].isalpha():
        return None
    name_size = size
    if phrase.word(size) == "," and phrase.word(size + 1) in MINE:
        relative = relation_at(phrase, size + 1)  # "Bruno, my dog, is…"
        size = relative.end if relative is not None else size
    verb = phrase.word(size)
    while verb in ADVERBS and size < len(phrase):
        size += 1
        verb = phrase.word(size)
    if verb not in _PEOPLE_VERBS:
        return None
    subject = phrase.cut(0, name_size).with_times()
    predication = predicate_of(clause, phrase.cut(size))
    known = subject in people.by_relation.values()
    people.by_name.add(subject)
    return predication and replace(predication, subject=subject, first_person=False, weak=not known)


def self_report(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """Match "Karim says he lives in Lyon now": a person's statement about themselves."""
    relative = relation_at(phrase, 0) if phrase.word(0) in MINE else None
    end = relative.end if relative else name_end(phrase, 0)
    position = next(
        (position for position in range(end, end + 4) if phrase.word(position) in {"he", "she"}), 0
    )
    is_current = phrase.word(end) in _SAYS_VERBS or (
        phrase.word(end) in _SAID_VERBS and "now" in phrase.low
    )
    if not end or not position or not is_current:
        return None
    name = phrase.cut(0, end).with_times()
    subject = people.named(relative.relation, relative.name, relative.female) if relative else name
    predication = predicate_of(clause, phrase.cut(position + 1))
    is_present = predication is not None and predication.tense in {Tense.PRESENT, Tense.GOING_ON}
    return (
        replace(predication, subject=subject, first_person=False, weak=True)
        if predication and is_present
        else None
    )


_SAYS_VERBS, _SAID_VERBS = words("says tells writes"), words("said told wrote")


def as_role(clause: Clause, source: SourceText) -> Predication | None:
    """Match "As a nurse, I…", "as someone living in Porto, I…"; the subject is the speaker."""
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


_ELIDED_VERBS = word_list("elided_verbs")


def _without_subject(clause: Clause, phrase: Phrase, people: People) -> Predication | None:
    """Match "Moved to Porto last week" of the speaker; from an assistant it is an instruction."""
    if not clause.opens or not phrase or phrase.word(0) not in _ELIDED_VERBS:
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
    predication = predicate_of(clause, phrase)
    if predication is None:
        return None
    if first.endswith("ing") or not is_past(first):
        # "Planning a trip" is "I am planning"; "Reading is fun" is about reading.
        if any(word in BE or word in HAVE or word in MODALS for word in phrase.low[1:]):
            return None
        if first == "going" and phrase.word(1) == "to":
            planned = predicate_of(clause, phrase.cut(2))
            predication = planned and replace(planned, tense=Tense.FUTURE)
    return predication and replace(predication, subject=people.spoken.speaker, weak=True)


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
