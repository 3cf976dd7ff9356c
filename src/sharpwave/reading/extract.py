"""Extract facts, tasks, notes and names from a text, by rules.

    1 segments      the speaker's own words; those of others are not read
    2 tokens        the words, contractions taken apart
    3 clauses       what is said, asked, supposed, reported or meant in jest
    4 predications  who does what, in which tense, denied or ended
    5 patterns      the rules of the verb
    6 corrections   what corrects something before it
    7 candidates    statements with their place, time and confidence

Nothing here knows what is already remembered: the gate and reconciling compare with that.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sharpwave.knowledge.predicates import entity_kind
from sharpwave.reading import aliases, context, tasks, to_do
from sharpwave.reading.candidates import Place, Timed, fact, note
from sharpwave.reading.context import whole_answer
from sharpwave.reading.entities import mentions
from sharpwave.reading.grammar.clauses import Clause, ClauseRole, clauses, sentences
from sharpwave.reading.grammar.lexicon import ADVERBS, MINE, is_past, lemma
from sharpwave.reading.grammar.objects import gender_of, name_of, relation_at
from sharpwave.reading.grammar.predications import Predication, Tense, with_verb_in
from sharpwave.reading.grammar.reported import split_by_user
from sharpwave.reading.grammar.subjects import (
    People,
    as_role,
    note_owner,
    predication_of,
    self_report,
    without_openers,
)
from sharpwave.reading.grammar.tokens import Phrase, SourceText, Token, tokenize
from sharpwave.reading.patterns import (
    attributes,
    health,
    home,
    people,
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
    "health": health.HEALTH_RULES,
}


def _by_verb() -> dict[str, list[tuple[str, Rule]]]:
    table: dict[str, list[tuple[str, Rule]]] = {}
    for name, rules in _FAMILIES.items():
        for verb, rule in rules.items():
            table.setdefault(verb, []).append((name, rule))
    return table


_BY_VERB = _by_verb()


def facts_in(predication: Predication) -> Iterator[tuple[str, FactMatch, Predication]]:
    """Yield the family, fact and predication of each match, also for a verb after "and"."""
    if (corrected := _after_but(predication)) is not None:
        yield from _with_correction(predication, corrected)
        return
    for part in _split_at_and(predication):
        if part is not None:
            yield from _facts_of(part)


def _after_but(predication: Predication) -> Predication | None:
    """The affirmed half of "I am not a doctor but a nurse"; None without such a "but"."""
    position = predication.rest.find("but") if predication.negated else -1
    if position < 1 or predication.rest.word(position + 1) in _NEW_CLAUSES:
        return None
    rest = predication.rest.cut(position + 1)
    return replace(predication, negated=False, rest=rest.cut(rest.word(0) in ADVERBS))


_NEW_CLAUSES = frozenset("i we it he she they you my our not that this there so when if".split())


def _with_correction(
    predication: Predication, corrected: Predication
) -> Iterator[tuple[str, FactMatch, Predication]]:
    """Facts of both halves; a denied fact with a correction becomes its `instead_of`."""
    denied = list(_facts_of(predication))
    for family_name, match, verb in _facts_of(corrected):
        wrong = next((found for found in denied if found[1].predicate == match.predicate), None)
        if wrong is not None and wrong[1].mode is Mode.DENIED:
            denied.remove(wrong)
            match = match._replace(instead_of=wrong[1].object)
        yield family_name, match, verb
    yield from denied


def _facts_of(predication: Predication) -> Iterator[tuple[str, FactMatch, Predication]]:
    for family_name, rule in _BY_VERB.get(predication.verb, ()):
        if predication.tense is Tense.MODAL and predication.verb not in _WITH_MODALS.get(
            family_name, ()
        ):
            continue  # hypothetical or wished: "could", "should"
        for match in rule(predication):
            if match.object:
                yield family_name, match, predication


_WITH_MODALS = {
    "location": ("move", "relocate"),
    "health": ("eat", "drink"),
}
"""Verbs with rules for "can", "would" and "might" as well."""
_NEVER_SECOND = frozenset(
    "see put hang hide park place store keep switch follow receive drop rather use".split()
)
_PRESENT_PAIRS = frozenset("live work have own play speak study hate prefer drive teach".split())


def _split_at_and(predication: Predication) -> tuple[Predication, Predication | None]:
    """Split two verbs with one subject: "live in Porto and work at Anchor"."""
    low = predication.rest.low
    for position in range(1, len(low) - 2):
        if low[position] != "and":
            continue
        after = position + 1
        while after < len(low) - 1 and low[after] in {"also", "now", "then", "currently"}:
            after += 1
        if _is_second_verb(predication, low[after]):
            second = with_verb_in(predication, after)
            whole = predication.whole.cut(0, position + 1)
            return replace(predication, rest=predication.rest.cut(0, position), whole=whole), second
    return predication, None


def _is_second_verb(predication: Predication, word: str) -> bool:
    if predication.tense is Tense.PRESENT:
        return lemma(word) in _PRESENT_PAIRS or word in {"am", "is"}
    if predication.tense is Tense.PAST:
        return is_past(word) and lemma(word) in _BY_VERB and lemma(word) not in _NEVER_SECOND
    return False


_OWNERS = {"her": True, "she": True, "his": False, "he": False, "its": None, "it": None}
_NAMING_VERBS = frozenset({"called", "named"})
_AFTER_NAME = frozenset({"", ",", "and", "-", "(", ";", ":", "who", "but"})
_ANSWER_CONFIDENCE = 0.8
_MENTIONS_IN = {ClauseRole.SAID, ClauseRole.ASKED}
_RELATIONS_IN = _MENTIONS_IN | {ClauseRole.REPORTED}
_WRITING_WORDS = frozenset(": where story novel scene character dialogue imagine pretend".split())


def extract(text: str, spoken: Spoken, times: Sequence[TimeSpan] = ()) -> Extraction:
    """Extract the facts, tasks, notes and names that the speaker of `text` asserts.

    `times` are the resolved times of the text; they date facts, events and tasks.
    """
    text = _REMEMBER_LEAD.sub(lambda lead: " " * len(lead[0]), text)
    tokens = tokenize(text)
    user_tokens, own_tokens = (
        (None, tokens) if spoken.user_names is None else split_by_user(tokens, spoken.user_names)
    )
    reader = _ClauseReader(text, own_tokens, spoken, times)
    candidates = [*to_do.with_requested(text, spoken, times, reader.read()), *_answer(text, spoken)]
    if user_tokens:
        about_user = _ClauseReader(
            text, user_tokens, replace(spoken, speaker=USER, listener=None), times
        )
        # only the user says how they want to be helped, so notes of others are dropped
        candidates += [
            candidate for candidate in about_user.read() if candidate.kind is not Kind.NOTE
        ]
        reader.kinds.update(about_user.kinds)
    names = mentions(text, tokens, reader.kinds)
    spelt = {mention.name for mention in names}
    names += tuple(mention for mention in reader.roles.values() if mention.name not in spelt)
    return Extraction(tuple(_without_duplicates(candidates)), names)


_REMEMBER_LEAD = re.compile(
    r"(?:^|(?<=[.!?\n] ))(?:please )?"
    r"(?:remember|note|(?:keep|bear) in mind|(?:don['\u2019]?t|do not) forget)(?: that)? "
    r"(?=(?:i|i'm|i've|my|we|we're|our)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A lead that asks to keep what follows: "Remember that I am allergic to nuts"."""


class _ClauseReader:
    """Reads one text clause by clause; keeps what later clauses refer to."""

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
        """People mentioned by their relation, as "my nephew", or by a lower-case name."""
        self.facts: list[FactMatch] = []
        self.unnamed: tuple[RelatedPerson | None, int] = None, 0
        """The latest person or pet without a name ("my sister", "a dog"), and its sentence."""

    def read(self) -> Iterator[Candidate]:
        low = [token.low for token in self.tokens]
        source = SourceText(self.text, self.tokens, low, self.timed.hidden(self.tokens))
        lead: list[Clause] = []
        all_clauses = clauses(self.tokens)
        self.source = source
        related_people = list(relations(source, [clause.last for clause in all_clauses]))
        if not all_clauses and related_people:
            yield from self._from_request(related_people)
        for clause in all_clauses:
            near = [earlier for earlier in lead if self._leads_to(earlier, clause)]
            place = Place(clause, self.spoken, self.timed.of(clause, near))
            phrase = Phrase(source, clause.first, clause.last)
            if clause.role in _MENTIONS_IN:
                yield from self._from_presupposed(phrase, place)
            if clause.role in _RELATIONS_IN:
                within = [
                    person for person in related_people if clause.first <= person.at < clause.last
                ]
                yield from self._from_relations(within, place)
            if clause.role is ClauseRole.REPORTED:
                relative = relation_at(phrase, 0) if phrase.word(0) in MINE else None
                if relative:  # the source of a report: "my mum says hi"
                    self.people.named(relative.relation, relative.name, relative.female)
                if predication := self_report(clause, phrase, self.people):
                    yield from self._from_predication(predication, place)
            if clause.role is ClauseRole.SAID:
                whole = without_openers(clause, source)
                yield from self._from_statement(clause, whole, place)
            lead = [clause]

    def _leads_to(self, earlier: Clause, clause: Clause) -> bool:
        """True within a sentence up to a semicolon, as in "her birthday is May 4; she lives"."""
        return earlier.sentence == clause.sentence and self.tokens[earlier.last].low != ";"

    def _from_statement(self, clause: Clause, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        facts_before = len(self.facts)
        yield from self._from_name(phrase, place)
        for match in aliases.aliases(phrase):
            yield self._keep(match, self.spoken.speaker, "aliases", match.confidence, place)
        note_owner(phrase, self.people)
        yield from self._from_attributes(phrase, place)
        yield from (note(text, tasks.NOTE, place) for text in tasks.note_labelled(phrase))
        predication = predication_of(clause, phrase, self.people) or as_role(clause, phrase.source)
        if predication is not None and not predication.subject:
            predication = replace(predication, subject=self.spoken.speaker)
        if predication is not None:
            yield from self._from_predication(predication, place)
        elif len(self.facts) == facts_before:
            yield from self._from_nicknames(phrase, place)
        for match in work.lost_job(phrase):
            lost = self._keep(match, self.spoken.speaker, "work", LIKELY, place)
            yield replace(lost, effect_only=True)
        if len(self.facts) == facts_before:
            yield from self._from_correction(
                Phrase(phrase.source, clause.first, clause.last), place
            )

    def _from_name(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        """The name of the person or pet just mentioned: "Her name is Pixel", "he's called Rex"."""
        of_name = phrase.low[1:3] == ["name", "is"]
        if phrase.word(0) not in _OWNERS or not (of_name or phrase.word(2) in _NAMING_VERBS):
            return
        name, female = name_of(phrase.cut(3), 2), _OWNERS[phrase.word(0)]
        latest = self.facts[-1] if self.facts else None
        if latest is not None and latest.predicate == "pet" and not latest.object[:1].isupper():
            owner = None if latest.subject == self.spoken.speaker else latest.subject
            pet = RelatedPerson(owner, "pet", latest.object.split()[-1], 0, 0)
            self.unnamed = pet if latest.mode is Mode.HOLDS else None, place.clause.sentence
        (person, sentence), self.unnamed = self.unnamed, (None, 0)
        ends = phrase.word(3 + len(name.split())) in _AFTER_NAME
        if not name or not ends or person is None or place.clause.sentence - sentence > 1:
            return
        if person.animal or (female is not None and gender_of(person.word) in (None, female)):
            yield from self._from_relations([person._replace(name=name, sure=True)], place)

    def _from_predication(self, predication: Predication, place: Place) -> Iterator[Candidate]:
        rest, instead_of = context.without_instead(predication.rest)
        for family_name, match, verb in facts_in(replace(predication, rest=rest)):
            if instead_of and match.instead_of is None and instead_of != match.object:
                match = match._replace(instead_of=instead_of)
            confidence = certainty(match.confidence, verb)
            yield self._keep(match, predication.subject, family_name, confidence, place)
        for text in tasks.note_of(predication):
            yield note(text, certainty(tasks.NOTE, predication), place)

    def _from_nicknames(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        """Names that the speaker goes by."""
        for match in people.called(phrase):
            yield self._keep(match, self.spoken.speaker, "identity", match.confidence, place)

    def _from_attributes(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        instead_of = context.instead_of(phrase)
        of_names = () if self.spoken.user_names is None else attributes.of_a_name(phrase)
        for match in (*attributes.attribute(phrase), *of_names):
            if instead_of and instead_of != match.object:
                match = match._replace(instead_of=instead_of)
            yield self._keep(match, self.spoken.speaker, "attributes", match.confidence, place)

    def _from_presupposed(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        """Presupposed attributes, in questions too: "my favorite sauce, Ray's"."""
        if MINE.isdisjoint(phrase.low):
            return
        for match in attributes.mentioned(phrase):
            yield self._keep(match, self.spoken.speaker, "attributes", LIKELY, place)

    def _from_relations(
        self, related: Iterable[RelatedPerson], place: Place
    ) -> Iterator[Candidate]:
        """Presupposed people, in questions too: "my sister Anna", "Tom (my boss)"."""
        is_question = place.clause.role is ClauseRole.ASKED
        for person in related:
            if person.owner is None and self.spoken.listener == USER:
                continue  # an assistant has no family
            owner = person.owner or self.spoken.speaker
            owner = f"{self.spoken.speaker}{owner}" if owner.startswith("'s ") else owner
            kind = EntityKind.ANIMAL if person.animal else EntityKind.PERSON
            if person.is_one_person:
                name = person.name or f"{owner}'s {person.relation.replace('_', ' ')}"
                self.roles[name] = Mention(name, kind, place.span)
            if not person.name:
                mine = person.owner is None and not person.several
                self.unnamed = person if mine else None, place.clause.sentence
                continue
            self.kinds[person.name] = kind
            if person.owner is None:
                self.people.named(person.relation, person.name, gender_of(person.word))
            else:
                self.kinds.setdefault(owner, EntityKind.PERSON)
            if not (is_question and person.stated):
                confidence = CLEAR if person.sure and not is_question else LIKELY
                yield from self._relation_facts(person, owner, confidence, place)

    def _relation_facts(
        self, person: RelatedPerson, owner: str, confidence: float, place: Place
    ) -> Iterator[Candidate]:
        clause = place.clause
        instead_of = person.stated and context.instead_of(
            Phrase(self.source, clause.first, clause.last)
        )
        for match in person.facts(owner, confidence, instead_of or None):
            yield self._keep(match, owner, "family", confidence, place)

    def _from_request(self, related: Iterable[RelatedPerson]) -> Iterator[Candidate]:
        """Match "Draft a note to Dolores, my paralegal": a request's first sentence only."""
        first, last, _ = next(sentences(self.tokens))
        if any(token.low in _WRITING_WORDS for token in self.tokens[first:last]):
            return
        place = Place(Clause(self.tokens, first, last, ClauseRole.SAID), self.spoken)
        yield from self._from_relations((person for person in related if person.at < last), place)

    def _from_correction(self, phrase: Phrase, place: Place) -> Iterator[Candidate]:
        if not context.may_correct(phrase, self.facts):
            return
        facts = self.facts
        if not facts and self.spoken.previous:
            facts = _facts_in_previous(self.spoken)
        match = context.corrected(phrase, facts) if facts else None
        if match is not None:
            yield self._keep(match, self.spoken.speaker, "corrections", match.confidence, place)

    def _keep(
        self, match: FactMatch, owner: str, family_name: str, confidence: float, place: Place
    ) -> Candidate:
        """Return the candidate and note its fact, which later clauses may correct or refer to."""
        if place.clause.hedged:
            confidence = min(confidence, HEDGED)
        subject = owner if match.subject is None else match.subject
        if not subject or subject.startswith("'s "):
            subject = f"{self.spoken.speaker}{subject}"
        self.facts.append(match._replace(subject=subject))
        kind = entity_kind(match.predicate)
        if kind not in (None, EntityKind.THING):
            self.kinds.setdefault(match.object, kind)
        return fact(match, subject, family_name, round(confidence, 2), place)


def _answer(text: str, spoken: Spoken) -> Iterator[Candidate]:
    """Facts of a short answer, read together with its question."""
    question = None if spoken.previous_is_own else spoken.previous
    whole = whole_answer(own_words(text).replace(FOREIGN, ""), question)
    if whole is None:
        return
    span = Span(0, len(text))
    for candidate in extract(whole, replace(spoken, previous=None)).candidates:
        if candidate.statement is not None:
            yield replace(
                candidate, span=span, confidence=min(candidate.confidence, _ANSWER_CONFIDENCE)
            )


_PERSON = re.compile(r"\b(?:you are|you're|your|you|i am|i'm|my|i)\b", re.IGNORECASE)
_OTHER_PERSON = {
    "you are": "I am", "you're": "I am", "your": "my", "you": "I",
    "i am": "you are", "i'm": "you are", "my": "your", "i": "you",
}  # fmt: skip


def _facts_in_previous(spoken: Spoken) -> list[FactMatch]:
    """Facts about the speaker in the turn before: "I live in Lisbon", or "So you live in …"."""
    text = (spoken.previous or "")[-400:].replace("?", ".")
    if not spoken.previous_is_own:
        text = _PERSON.sub(lambda match: _OTHER_PERSON[match[0].lower()], text)
    reader = _ClauseReader(text, tokenize(text), replace(spoken, previous=None), ())
    for _ in reader.read():
        pass
    return [match for match in reader.facts if match.subject in {spoken.speaker, USER}]


def _without_duplicates(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Of duplicates, only the candidate with the highest confidence."""
    best: dict[object, Candidate] = {}
    for candidate in candidates:
        key = (candidate.kind, candidate.statement or candidate.text, candidate.mode)
        if key not in best or candidate.confidence > best[key].confidence:
            best[key] = candidate
    yield from best.values()
