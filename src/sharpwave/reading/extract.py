"""Extract facts, tasks, notes and names from a text, by rules.

    1 segments      the speaker's own words; those of others are not read
    2 tokens        the words, contractions taken apart
    3 clauses       what is said, asked, supposed, reported or meant in jest
    4 predications  who does what, in which tense, denied or ended
    5 patterns      the rules that wait for the verb
    6 corrections   what corrects something before it
    7 candidates    statements with their place, time and confidence

Nothing here knows what is already remembered: that is for the gate and for reconciling.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sharpwave.knowledge.predicates import entity_kind
from sharpwave.reading import aliases, changes, context, tasks, to_do
from sharpwave.reading.candidates import Place, Timed, fact, note, task
from sharpwave.reading.context import whole_answer
from sharpwave.reading.entities import mentions
from sharpwave.reading.grammar.clauses import Clause, ClauseRole, clauses, sentences
from sharpwave.reading.grammar.lexicon import ADVERBS, MINE, is_past, lemma
from sharpwave.reading.grammar.objects import gender_of, name_of, relation_at
from sharpwave.reading.grammar.predications import Predication, Tense, with_verb_in
from sharpwave.reading.grammar.reported import parted
from sharpwave.reading.grammar.subjects import (
    People,
    as_one_who,
    note_owner,
    predication_of,
    said_of_self,
    without_openers,
)
from sharpwave.reading.grammar.tokens import Phrase, SourceText, Token, tokenize
from sharpwave.reading.patterns import (
    attributes,
    health,
    home,
    people,
    plans,
    preferences,
    work,
)
from sharpwave.reading.patterns.match import CLEAR, HEDGED, LIKELY, FactMatch, Rule, certainty
from sharpwave.reading.relations import RelatedPerson, relations
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.types.records import USER, Kind
from sharpwave.types.statements import (
    Candidate,
    EntityKind,
    Extraction,
    Mention,
    Mode,
    Span,
    Spoken,
    TimeSpan,
)

_FAMILIES = {
    "identity": people.IDENTITY_RULES,
    "location": home.LOCATION_RULES,
    "work": work.WORK_RULES,
    "education": work.EDUCATION_RULES,
    "family": people.FAMILY_RULES,
    "possessions": home.POSSESSION_RULES,
    "places": home.PLACE_RULES,
    "preferences": preferences.PREFERENCE_RULES,
    "health": health.HEALTH_RULES,
    "skills": preferences.SKILL_RULES,
    "schedule": plans.SCHEDULE_RULES,
    "plans": plans.PLAN_RULES,
}


def _by_verb() -> dict[str, list[tuple[str, Rule]]]:
    table: dict[str, list[tuple[str, Rule]]] = {}
    for name, rules in _FAMILIES.items():
        for verb, rule in rules.items():
            table.setdefault(verb, []).append((name, rule))
    return table


_BY_VERB = _by_verb()


def facts_in(said: Predication) -> Iterator[tuple[str, FactMatch, Predication]]:
    """What a clause says: family, fact, and the verb that says it; verbs after "and" too."""
    if (right := _not_but(said)) is not None:
        yield from _set_right(said, right)
        return
    for one in _parted(said):
        if one is not None:
            yield from _facts_of(one)


def _not_but(said: Predication) -> Predication | None:
    """What is so in "I am not a doctor but a nurse"; None if there is no such "but"."""
    place = said.rest.find("but") if said.negated else -1
    if place < 1 or said.rest.word(place + 1) in _NEW_CLAUSES:
        return None
    rest = said.rest.cut(place + 1)
    return replace(said, negated=False, rest=rest.cut(rest.word(0) in ADVERBS))


_NEW_CLAUSES = frozenset("i we it he she they you my our not that this there so when if".split())


def _set_right(
    said: Predication, right: Predication
) -> Iterator[tuple[str, FactMatch, Predication]]:
    """Both halves; what only makes way for the other is marked as corrected."""
    denied = list(_facts_of(said))
    for family_name, match, verb in _facts_of(right):
        wrong = next((row for row in denied if row[1].predicate == match.predicate), None)
        if wrong is not None and wrong[1].mode is Mode.DENIED:
            denied.remove(wrong)
            match = match._replace(instead_of=wrong[1].object)
        yield family_name, match, verb
    yield from denied


def _facts_of(said: Predication) -> Iterator[tuple[str, FactMatch, Predication]]:
    for family_name, rule in _BY_VERB.get(said.verb, ()):
        if said.tense is Tense.MODAL and said.verb not in _WITH_MODALS.get(family_name, ()):
            continue  # only supposed or wished: "could", "should"
        for match in rule(said):
            if match.object:
                yield family_name, match, said
    for match in plans.routine(said):
        yield "schedule", match, said
    for match in plans.future(said):
        yield "plans", match, said


_WITH_MODALS = {
    "location": ("move", "relocate"),
    "preferences": ("stand", "rather"),
    "health": ("eat", "drink"),
    "skills": ("speak", "play", *preferences.ABILITIES),
    "plans": ("want", "love", "like"),
}
"""Verbs with rules for "can", "would" and "might" as well."""
_ONLY_FIRST = frozenset(
    "see put hang hide park place store keep switch follow receive drop rather use".split()
)
_PRESENT_PAIRS = frozenset("live work have own play speak study hate prefer drive teach".split())


def _parted(said: Predication) -> tuple[Predication, Predication | None]:
    """Two verbs with one subject: "live in Porto and work at Anchor"."""
    low = said.rest.low
    for place in range(1, len(low) - 2):
        if low[place] != "and":
            continue
        after = place + 1
        while after < len(low) - 1 and low[after] in {"also", "now", "then", "currently"}:
            after += 1
        if _is_second_verb(said, low[after]):
            second = with_verb_in(said, after)
            whole = said.whole.cut(0, place + 1)
            return replace(said, rest=said.rest.cut(0, place), whole=whole), second
    return said, None


def _is_second_verb(said: Predication, word: str) -> bool:
    if said.tense is Tense.PRESENT:
        return lemma(word) in _PRESENT_PAIRS or word in {"am", "is"}
    if said.tense is Tense.PAST:
        return is_past(word) and lemma(word) in _BY_VERB and lemma(word) not in _ONLY_FIRST
    return False


_OWNERS = {"her": True, "she": True, "his": False, "he": False, "its": None, "it": None}
_CALLED = frozenset({"called", "named"})
_BEHIND_NAMES = frozenset({"", ",", "and", "-", "(", ";", ":", "who", "but"})
_ANSWER = 0.8
_OWN_ONLY = {"plans", "schedule", "possessions"}
"""Patterns too loose for a name that was not introduced: "Ben wants to buy six apples"."""
_MENTIONS_IN = {ClauseRole.SAID, ClauseRole.ASKED}
_RELATIONS_IN = _MENTIONS_IN | {ClauseRole.REPORTED}
_OF_TEXTS = frozenset(": where story novel scene character dialogue imagine pretend".split())


def extract(text: str, spoken: Spoken, times: Sequence[TimeSpan] = ()) -> Extraction:
    """All that `text` says, as its speaker would agree that it does.

    `times` are the times that the text names, resolved; they date facts, events and tasks.
    """
    text = _TO_KEEP.sub(lambda lead: " " * len(lead[0]), text)
    tokens = tokenize(text)
    about, own = (None, tokens) if spoken.user_names is None else parted(tokens, spoken.user_names)
    reading = _Reading(text, own, spoken, times)
    candidates = [*to_do.with_asked(text, spoken, times, reading.read()), *_answer(text, spoken)]
    if about:
        user = _Reading(text, about, replace(spoken, speaker=USER, listener=None), times)
        # how to help the user is for the user to say: that becomes no note
        candidates += [one for one in user.read() if one.kind is not Kind.NOTE]
        reading.kinds.update(user.kinds)
    names = mentions(text, tokens, reading.kinds)
    spelt = {one.name for one in names}
    names += tuple(one for one in reading.roles.values() if one.name not in spelt)
    return Extraction(tuple(_each_once(candidates)), names)


_TO_KEEP = re.compile(
    r"(?:^|(?<=[.!?\n] ))(?:please )?"
    r"(?:remember|note|(?:keep|bear) in mind|(?:don['\u2019]?t|do not) forget)(?: that)? "
    r"(?=(?:i|i'm|i've|my|we|we're|our)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A lead that asks to keep what follows: "Remember that I am allergic to nuts"."""


class _Reading:
    """One text while it is read, clause by clause."""

    def __init__(
        self, text: str, tokens: Sequence[Token], spoken: Spoken, times: Sequence[TimeSpan]
    ) -> None:
        self.text = text
        self.spoken = spoken
        self.tokens = tokens
        self.timed = Timed(times, tokens)
        self.people = People(spoken)
        self.kinds: dict[str, EntityKind] = {}
        self.roles: dict[str, Mention] = {}
        """Who was mentioned by what they are to another, as "my nephew", or by a small name."""
        self.facts: list[FactMatch] = []
        self.unnamed: tuple[RelatedPerson | None, int] = None, 0
        """Who was mentioned last without a name ("my sister", "a dog"), in which sentence."""

    def read(self) -> Iterator[Candidate]:
        low = [token.low for token in self.tokens]
        source = SourceText(self.text, self.tokens, low, self.timed.hidden(self.tokens))
        lead: list[Clause] = []
        every = clauses(self.tokens)
        self.source = source
        related = list(relations(source, [clause.last for clause in every]))
        if not every and related:
            yield from self._related_in_request(related)
        for clause in every:
            near = [one for one in lead if self._leads_to(one, clause)]
            place = Place(clause, self.spoken, self.timed.of(clause, near))
            phrase = Phrase(source, clause.first, clause.last)
            if clause.role in _MENTIONS_IN:
                yield from self._mentioned(phrase, place)
            if clause.role in _RELATIONS_IN:
                within = [one for one in related if clause.first <= one.at < clause.last]
                yield from self._related(within, place)
            if clause.role is ClauseRole.REPORTED:
                known = relation_at(phrase, 0) if phrase.word(0) in MINE else None
                if known:  # whose words are reported: "my mum says hi"
                    self.people.named(known.relation, known.name, known.female)
                if said := said_of_self(clause, phrase, self.people):
                    yield from self._predicated(said, place)
            if clause.role is ClauseRole.SAID:
                whole = without_openers(clause, source)
                yield from self._said(clause, whole, place)
            lead = [clause]

    def _leads_to(self, one: Clause, clause: Clause) -> bool:
        """True within a sentence, but not past a semicolon: "her birthday is May 4; she lives"."""
        return one.sentence == clause.sentence and self.tokens[one.last].low != ";"

    def _said(self, clause: Clause, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        known = len(self.facts)
        yield from self._called(phrase, place)
        for match in aliases.aliases(phrase):
            yield self._kept(match, self.spoken.speaker, "aliases", match.confidence, place)
        note_owner(phrase, self.people)
        yield from self._attributes(phrase, place)
        yield from (task(one, one.confidence, place) for one in tasks.task_due(phrase))
        yield from (note(one, tasks.NOTE, place) for one in tasks.note_labelled(phrase))
        said = predication_of(clause, phrase, self.people) or as_one_who(clause, phrase.source)
        if said is not None and not said.who:
            said = replace(said, who=self.spoken.speaker)
        if said is not None:
            yield from self._predicated(said, place)
        elif len(self.facts) == known:
            yield from self._without_person(phrase, place)
        of_whom = said.who if said else "", self.spoken.speaker
        for match in changes.ended(phrase, *of_whom, self.facts[known:]):
            yield fact(match, match.subject or self.spoken.speaker, "ended", LIKELY, place)
        if len(self.facts) == known:
            yield from self._corrected(Phrase(phrase.source, clause.first, clause.last), place)

    def _called(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        """The name of who was mentioned just before: "Her name is Pixel", "he's called Rex"."""
        of_name = phrase.low[1:3] == ["name", "is"]
        if phrase.word(0) not in _OWNERS or not (of_name or phrase.word(2) in _CALLED):
            return
        name, female = name_of(phrase.cut(3), 2), _OWNERS[phrase.word(0)]
        got = self.facts[-1] if self.facts else None
        if got is not None and got.predicate == "pet" and not got.object[:1].isupper():
            owner = None if got.subject == self.spoken.speaker else got.subject
            pet = RelatedPerson(owner, "pet", got.object.split()[-1], 0, 0)
            self.unnamed = pet if got.mode is Mode.HOLDS else None, place.clause.sentence
        (one, sentence), self.unnamed = self.unnamed, (None, 0)
        ends = phrase.word(3 + len(name.split())) in _BEHIND_NAMES
        if not name or not ends or one is None or place.clause.sentence - sentence > 1:
            return
        if one.animal or (female is not None and gender_of(one.word) in (None, female)):
            yield from self._related([one._replace(name=name, sure=True)], place)

    def _predicated(self, said: Predication, place: Place) -> Iterator[Candidate]:
        rest, instead = context.without_instead(said.rest)
        for family_name, match, verb in facts_in(replace(said, rest=rest)):
            if family_name in _OWN_ONLY and said.weak and not said.first_person:
                continue
            if instead and match.instead_of is None and instead != match.object:
                match = match._replace(instead_of=instead)
            confidence = certainty(match.confidence, verb)
            yield self._kept(match, said.who, family_name, confidence, place)
        for one in tasks.task_of(said):
            yield task(one, certainty(one.confidence, said), place)
        for text in tasks.note_of(said):
            yield note(text, certainty(tasks.NOTE, said), place)

    def _without_person(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        """Names and things of the speaker's."""
        several = (
            ("identity", people.called(phrase)),
            ("places", home.where_it_lies(phrase)),
        )
        for family_name, matches in several:
            for match in matches:
                yield self._kept(match, self.spoken.speaker, family_name, match.confidence, place)

    def _attributes(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        instead = context.instead_of(phrase)
        of_others = () if self.spoken.user_names is None else attributes.of_a_name(phrase)
        for match in (*attributes.attribute(phrase), *of_others):
            if instead and instead != match.object:
                match = match._replace(instead_of=instead)
            yield self._kept(match, self.spoken.speaker, "attributes", match.confidence, place)

    def _mentioned(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        """What is taken for granted, in questions too: "my new Nikon camera"."""
        if MINE.isdisjoint(phrase.low):
            return
        for match in (*home.things_mentioned(phrase), *attributes.mentioned(phrase)):
            yield self._kept(match, self.spoken.speaker, "possessions", LIKELY, place)

    def _related(self, found: Iterable[RelatedPerson], place: Place) -> Iterator[Candidate]:
        """People taken for granted, in questions too: "my sister Anna", "Tom (my boss)"."""
        asked = place.clause.role is ClauseRole.ASKED
        for one in found:
            if one.owner is None and self.spoken.listener == USER:
                continue  # an assistant has no family
            owner = one.owner or self.spoken.speaker
            owner = f"{self.spoken.speaker}{owner}" if owner.startswith("'s ") else owner
            kind = EntityKind.ANIMAL if one.animal else EntityKind.PERSON
            if one.is_one_person:
                called = one.name or f"{owner}'s {one.relation.replace('_', ' ')}"
                self.roles[called] = Mention(called, kind, place.span)
            if not one.name:
                mine = one.owner is None and not one.several
                self.unnamed = one if mine else None, place.clause.sentence
                continue
            self.kinds[one.name] = kind
            if one.owner is None:
                self.people.named(one.relation, one.name, gender_of(one.word))
            else:
                self.kinds.setdefault(owner, EntityKind.PERSON)
            if not (asked and one.stated):
                sure = CLEAR if one.sure and not asked else LIKELY
                yield from self._relation_facts(one, owner, sure, place)

    def _relation_facts(
        self, one: RelatedPerson, owner: str, sure: float, place: Place
    ) -> Iterator[Candidate]:
        clause = place.clause
        instead = one.stated and context.instead_of(Phrase(self.source, clause.first, clause.last))
        for match in one.facts(owner, sure, instead or None):
            yield self._kept(match, owner, "family", sure, place)

    def _related_in_request(self, found: Iterable[RelatedPerson]) -> Iterator[Candidate]:
        """As in "Draft a note to Dolores, my paralegal": of a request its first sentence."""
        first, last, _ = next(sentences(self.tokens))
        if any(token.low in _OF_TEXTS for token in self.tokens[first:last]):
            return
        place = Place(Clause(self.tokens, first, last, ClauseRole.SAID), self.spoken)
        yield from self._related((one for one in found if one.at < last), place)

    def _corrected(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        if not context.may_correct(phrase, self.facts):
            return
        known = self.facts
        if not known and self.spoken.previous:
            known = _said_of_speaker(self.spoken)
        match = context.corrected(phrase, known) if known else None
        if match is not None:
            yield self._kept(match, self.spoken.speaker, "corrections", match.confidence, place)

    def _kept(
        self, match: FactMatch, who: str, family_name: str, confidence: float, place: Place
    ) -> Candidate:
        """The candidate; remembered, so that what follows may correct it or speak of "her"."""
        if place.clause.hedged:
            confidence = min(confidence, HEDGED)
        subject = who if match.subject is None else match.subject
        if not subject or subject.startswith("'s "):
            subject = f"{self.spoken.speaker}{subject}"
        self.facts.append(match._replace(subject=subject))
        kind = entity_kind(match.predicate)
        if kind not in (None, EntityKind.THING):
            self.kinds.setdefault(match.object, kind)
        return fact(match, subject, family_name, round(confidence, 2), place)


def _answer(text: str, spoken: Spoken) -> Iterator[Candidate]:
    """What a short answer says together with its question."""
    question = None if spoken.previous_is_own else spoken.previous
    whole = whole_answer(own_words(text).replace(FOREIGN, ""), question)
    if whole is None:
        return
    span = Span(0, len(text))
    for one in extract(whole, replace(spoken, previous=None)).candidates:
        if one.statement is not None:
            yield replace(one, span=span, confidence=min(one.confidence, _ANSWER))


_PERSON = re.compile(r"\b(?:you are|you're|your|you|i am|i'm|my|i)\b", re.IGNORECASE)
_BACK = {
    "you are": "I am", "you're": "I am", "your": "my", "you": "I",
    "i am": "you are", "i'm": "you are", "my": "your", "i": "you",
}  # fmt: skip


def _said_of_speaker(spoken: Spoken) -> list[FactMatch]:
    """What was just said of the speaker: "I live in Lisbon", or by another "So you live in …"."""
    mine = (spoken.previous or "")[-400:].replace("?", ".")
    if not spoken.previous_is_own:
        mine = _PERSON.sub(lambda match: _BACK[match[0].lower()], mine)
    reading = _Reading(mine, tokenize(mine), replace(spoken, previous=None), ())
    for _ in reading.read():
        pass
    return [one for one in reading.facts if one.subject in {spoken.speaker, USER}]


def _each_once(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """The surest of those that say the same."""
    best: dict[object, Candidate] = {}
    for one in candidates:
        key = (one.kind, one.statement or one.text, one.mode)
        if key not in best or one.confidence > best[key].confidence:
            best[key] = one
    yield from best.values()
