"""From what a language model answers to what is learned: every quote and every id is checked.

What fails a check is dropped with its reason; nothing is guessed.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sharpwave.conversation.stretch import ConversationStretch
from sharpwave.knowledge.draft import Extracted
from sharpwave.knowledge.predicates import NOTED, is_known, predicate_name
from sharpwave.knowledge.settle_tasks import TASK
from sharpwave.llm.prompts.conversation import CONVERSATION, VERSION, MemoryOperation
from sharpwave.llm.prompts.transcript import TranscriptLine, find_quote
from sharpwave.reading.open_statements import stems
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.reading.steering.signals import signals
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.records import USER, Kind, Record, Role, Statement
from sharpwave.types.statements import (
    BY_MODEL,
    Candidate,
    Mode,
    Span,
    Target,
    TargetRelation,
    TaskStatus,
)
from sharpwave.types.steering import RuleOperation, Signal, SteeringType
from sharpwave.types.times import due_in, period_of

EXTRACTOR = f"{BY_MODEL}{CONVERSATION} {VERSION}"
NOT_OWN = "quoted or pasted: not the user's own words"
_ORDER = re.compile(r"\b(?:always|never|do(?: no|n['\u2019]?)t|from now on|must|should)\b", re.I)
MAX_FOREIGN = 0.4
"""Maximum share of a quote that is not the user's own words."""
MAX_NAME_CHARS = 200
SAME_SENTENCE = 0.5
"""Minimum share of a rule's words in a quote for the two to be of the same sentence."""

_KINDS = {"fact": Kind.FACT, "task": Kind.TASK, "rule": Kind.BEHAVIOR}
_USER_WORDS = frozenset({"", "user", "the user", "i", "me", "myself"})
_INLINE_CODE = re.compile(r"(?<!`)`[^`\n]{1,100}`(?!`)")
_SHORT = re.compile(r"\b(?:[A-Z][a-z]|\d\d)\b")
_IDEOGRAPHS = re.compile(r"[\u2e80-\ud7ff]+")


@dataclass(slots=True)
class Checked:
    """The usable part of an answer, and the reasons why the rest is dropped."""

    extracted: list[Extracted] = field(default_factory=list)
    rules: list[RuleOperation] = field(default_factory=list)
    dropped: list[Outcome] = field(default_factory=list)


class _Dropped(Exception):
    """The reason to drop an operation."""


def check(
    operations: Sequence[MemoryOperation],
    stretch: ConversationStretch,
    lines: Sequence[TranscriptLine],
    sources: Mapping[str, Record],
) -> Checked:
    """What the operations say; `lines` are the new turns as sent, `sources` those of known items.

    A record that holds words of another turn than the one it quotes rests on that turn too.
    """
    checked = Checked()
    # every turn that the model has seen, the latest first
    seen_turns = [*reversed(stretch.new), *reversed(stretch.before), *sources.values()]
    other_words = {turn.id: telling_words(turn.text) for turn in seen_turns}
    for operation in operations:
        if operation.op == "nothing":
            continue
        try:
            _Check(operation, stretch, lines, other_words).into(checked)
        except _Dropped as reason:
            text = " ".join((operation.text or operation.quote).split())[:MAX_NAME_CHARS]
            checked.dropped.append(Outcome(Verdict.REJECTED, text, reason=str(reason)))
    checked.extracted.sort(key=lambda item: item.turn.number)
    checked.rules = [_replacing(rule, checked.rules, stretch) for rule in checked.rules]
    return checked


class _Check:
    """One operation with the turn that it quotes and the item that it names."""

    def __init__(
        self,
        operation: MemoryOperation,
        stretch: ConversationStretch,
        lines: Sequence[TranscriptLine],
        other_words: Mapping[str, frozenset[str]],
    ) -> None:
        self.operation, self.stretch, self.lines = operation, stretch, lines
        self.turn, self.line = _quoted_turn(operation, stretch.new, lines)
        self.known = _named_item(operation, stretch.known)
        self.relation = TargetRelation(operation.op) if self.known else None
        self.kind = self.known.kind if self.known else Kind.FACT
        if operation.kind and self.relation in (None, TargetRelation.UPDATE):
            self.kind = _KINDS[operation.kind]
        self.span = _own_span(operation, self.turn, self.line, self.kind)
        self.speaker = stretch.speaker(self.turn)
        self.other_words = other_words

    def into(self, checked: Checked) -> None:
        if self.known and self.kind is not self.known.kind:  # noted as something else
            new, ends = {"op": "new", "id": ""}, {"op": "end", "text": "", "kind": ""}
            for change in (ends, new):
                _Check(
                    self.operation.model_copy(update=change),
                    self.stretch,
                    self.lines,
                    self.other_words,
                ).into(checked)
        elif self.kind is Kind.BEHAVIOR:
            checked.rules.append(self._rule())
        else:
            checked.extracted.append(Extracted(self._candidate(), self.turn))

    def _rule(self) -> RuleOperation:
        rule = self._text().rstrip(".")
        rule = rule[:1].upper() + rule[1:]
        read = signals(rule)
        type_ = read[0].type if read else SteeringType.PREFERENCE
        signal = Signal(type_, rule, self._confidence(), self.operation.reach)
        known = self.known.id if self.known else None
        more = known, self._rests_on(rule), self.operation.quote
        return RuleOperation(signal, self.turn.id, self.turn.scope, self.relation, *more)

    def _candidate(self) -> Candidate:
        operation, text = self.operation, self._text()
        target = None
        if self.known and self.relation:
            target = Target(self.relation, self.known.id, str(self.known.slot))
        candidate = Candidate(
            self.kind, text, self.span, self._confidence(), EXTRACTOR, target=target
        )
        if self.known and self.relation in (TargetRelation.SAME, TargetRelation.END):
            return replace(candidate, rests_on=self._rests_on(self.known.text))
        if self.kind is Kind.TASK:
            return replace(
                candidate,
                status=TaskStatus.ACTIVE,
                due=_due(operation.due, self.line),
                rests_on=self._rests_on(text),
                statement=None if self.speaker == USER else Statement(self.speaker, TASK, text),
            )
        statement = self._statement(text)
        is_open = statement.predicate == NOTED
        since = _period(operation.since, "since", self.line)
        until = _period(operation.until, "until", self.line)
        begins, ends = since and since[0], until and until[1]  # until a day includes the day
        if begins and ends and ends <= begins:
            raise _Dropped("it ends before it begins")
        if begins and is_open and begins > self.turn.valid_from:
            begins = None  # a plan is known now; its date is in its words
        return replace(
            candidate,
            statement=statement,
            mode=Mode.HOLDS if is_open else operation.mode,
            valid_from=begins,
            valid_to=ends,
            rests_on=self._rests_on(" ".join((statement.subject, statement.object))),
        )

    def _text(self) -> str:
        text = " ".join(self.operation.text.split())
        if not text and self.known and self.relation is not TargetRelation.UPDATE:
            return self.known.text
        if not text:
            raise _Dropped("it has no text")
        return text

    def _confidence(self) -> float:
        confidence = self.operation.confidence
        return 0.0 if math.isnan(confidence) else min(max(confidence, 0.0), 1.0)

    def _statement(self, text: str) -> Statement:
        """A statement with a slot if the predicate is known, else in the words of the text."""
        operation = self.operation
        subject, value = " ".join(operation.subject.split()), " ".join(operation.object.split())
        subject = self.speaker if subject.lower() in _USER_WORDS else subject
        name = predicate_name(operation.predicate)
        if max(len(subject), len(value)) > MAX_NAME_CHARS:
            raise _Dropped(f"more than {MAX_NAME_CHARS} characters: no name and no value")
        if value and name != NOTED and is_known(name):
            return Statement(subject, name, value)
        return Statement(subject, NOTED, text)

    def _rests_on(self, text: str) -> tuple[str, ...]:
        """The latest turns that have the words which the quoted turn does not have."""
        missing, found = telling_words(text) - telling_words(self.turn.text), []
        for id_, words in self.other_words.items():
            if id_ != self.turn.id and missing & words:
                found.append(id_)
                missing -= words
        return tuple(found)


def _quoted_turn(
    operation: MemoryOperation, new: Sequence[Record], lines: Sequence[TranscriptLine]
) -> tuple[Record, TranscriptLine]:
    index = operation.turn - 1
    if not 0 <= index < len(new):
        raise _Dropped(f"there is no new turn {operation.turn}")
    if new[index].role is not Role.USER:
        raise _Dropped(f"turn {operation.turn} is not the user's")
    return new[index], lines[index]


def _own_span(operation: MemoryOperation, turn: Record, line: TranscriptLine, kind: Kind) -> Span:
    """Where the quote stands in the turn; only the user's own words can be quoted.

    If it is in doubt who said the words, the model decides; but not for rules. A few words of
    others that are not an instruction may stand among the user's: "start it with 'in short'".
    """
    sent = find_quote(operation.quote, line.text)
    if sent is None:
        raise _Dropped(f"the quote is not in turn {operation.turn}")
    readable = _INLINE_CODE.sub(lambda code: " " * len(code[0]), line.text)  # a name, or a command
    own = own_words(readable, doubtful=kind is not Kind.BEHAVIOR)
    quoted, sent_text = own[sent.start : sent.end], line.text[sent.start : sent.end]
    marked = zip(sent_text, quoted, strict=True)
    foreign = "".join(character if hidden == FOREIGN else " " for character, hidden in marked)
    if quoted.count(FOREIGN) > MAX_FOREIGN * len(quoted) or _ORDER.search(foreign):
        raise _Dropped(NOT_OWN)
    return find_quote(operation.quote, turn.text) or sent  # what was redacted moves the rest


def _named_item(operation: MemoryOperation, known: Mapping[str, Record]) -> Record | None:
    if operation.op == "new":
        return None
    item = known.get(operation.id.strip())
    if item is None:
        raise _Dropped(f"there is no known item {operation.id.strip()[:20]!r}")
    return item


def _replacing(
    rule: RuleOperation, rules: Sequence[RuleOperation], stretch: ConversationStretch
) -> RuleOperation:
    """The rule; a new one replaces what the built-in reader made of the same sentence."""
    if rule.relation is not None:
        return rule
    known_ids = {other.known for other in rules}
    rule_stems = stems(f"{rule.signal.rule} {rule.quote}")
    for record in stretch.known.values():
        words = stems(record.text)
        if (
            record.kind is Kind.BEHAVIOR
            and record.id not in known_ids
            and record.provenance.parents == (rule.turn,)
            and len(words & rule_stems) >= SAME_SENTENCE * len(words)
        ):
            return rule._replace(relation=TargetRelation.UPDATE, known=record.id)
    return rule


def telling_words(text: str) -> frozenset[str]:
    """What shows that words were reused: stems, short names and numbers, pairs of ideographs.

    >>> sorted(telling_words("Li met the dentist, room 12, 李医生"))
    ['12', 'Li', 'dent', 'met', 'room', '医生', '李医', '李医生']
    """
    ideographs = (run[at : at + 2] for run in _IDEOGRAPHS.findall(text)
                  for at in range(len(run) - 1))  # fmt: skip
    return stems(text) | frozenset(_SHORT.findall(text)) | frozenset(ideographs)


# ---- dates


def _due(date: str, line: TranscriptLine) -> datetime | None:
    period = _period(date, "due", line)
    return period and due_in(*(moment.astimezone(line.at.tzinfo) for moment in period))


def _period(date: str, what: str, line: TranscriptLine) -> tuple[datetime, datetime] | None:
    """What a date stands for, where the turn was said; a time of day is one moment."""
    if not date.strip():
        return None
    try:
        return period_of(date, line.at.tzinfo)
    except ValueError:
        raise _Dropped(f"{what} is no date: {date[:40]!r}") from None
