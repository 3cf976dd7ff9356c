"""Rules that a message changes without matching a pattern: "ten lines from today on".

The comparer reads a message beside the most similar rules. If it sees a change, the rule ends or is
replaced by what the message says.
"""

from collections.abc import Iterator, Sequence

from sharpwave.behavior import meaning, rules
from sharpwave.behavior.signals import usable_signals
from sharpwave.behavior.withdrawals import may_end, spoken
from sharpwave.ports import Reader
from sharpwave.reading.open_statements import parts, stems
from sharpwave.reading.quotes import is_named
from sharpwave.reading.segments import FOREIGN
from sharpwave.reading.sentences import sentences
from sharpwave.types.records import Record
from sharpwave.types.statements import RULE, Effect, TargetRelation
from sharpwave.types.steering import RuleOperation, Signal
from sharpwave.workspace import Workspace

LIKELY, VERY_NEAR = 0.02, 0.42
"""Minimum probability of a rule in a remark that ends one: most changes reach it, and three turns
in ten. A remark below it may only replace a rule at a cosine of at least `VERY_NEAR`: "The choir
moves to Wednesdays"."""
LEAST, LEAST_APART = 0.4, 0.5
"""Minimum probability that a rule changes, and the same if it shares no word with the remark."""
SURE = 0.9
"""Probability from which the comparer alone decides, against the words of rule and remark."""
CLEAR_END = 3
"""How many times likelier an end than an update must be for a rule to end without a successor."""
CONFIDENCE = 0.8
"""Confidence of a rule that only the comparer saw."""


def changed(
    workspace: Workspace,
    message: str,
    known: Sequence[Record],
    found: Sequence[Signal],
    turn: Record,
    given: Sequence[str],
) -> tuple[list[RuleOperation], list[Signal]]:
    """Operations of a turn's message on rules in force, and the signals that replace no rule.

    Sentences that contain a given rule change no other rule.
    """
    remaining, in_force, operations = list(found), list(known), []
    reader = workspace.shared.reader
    if reader is None or workspace.llm_reads or not known:  # a language model does better
        return [], remaining
    for remark, clauses, likely in _remarks(message, spoken(message, known), given, reader):
        for rule, effect in _affected_rules(workspace, remark, in_force, likely):
            clearest = _clearest(reader, rule, clauses)
            is_sure = effect.change >= SURE
            if clearest is None or not may_end(clearest, rule.text, is_sure):
                continue
            new = next((signal for signal in remaining if is_named(signal.rule, clearest)), None)
            own_scope = new is not None and rules.scope_of(new, turn.scope) != rule.scope
            wording = new.rule if new else clearest
            repeated = rules.matching(workspace, wording, known)
            is_new = is_sure and not stems(wording) <= stems(rule.text)
            if own_scope or repeated not in (None, rule if is_new else None):
                continue  # it has another scope, or repeats a known rule
            forbids = new is not None and meaning.stance(new.rule).negative
            ends = effect.end > CLEAR_END * effect.update and not forbids
            better = [new or Signal(rules.type_of(rule), clearest, CONFIDENCE)]
            usable = usable_signals(workspace, [] if ends else better)
            if not (likely or usable):
                continue
            clauses.remove(clearest)  # one sentence changes one rule
            in_force.remove(rule)
            if new is not None and (not ends or stems(clearest) <= stems(new.rule)):
                remaining.remove(new)  # else the sentence ends one rule and states another
            relation = TargetRelation.UPDATE if usable else TargetRelation.END
            signal = usable[0] if usable else Signal(rules.type_of(rule), rule.text, CONFIDENCE)
            operations.append(RuleOperation(signal, turn.id, turn.scope, relation, rule.id))
    return operations, remaining


def _clearest(reader: Reader, rule: Record, clauses: Sequence[str]) -> str | None:
    """The sentence that by itself most likely changes a rule."""
    note = RULE + rule.text
    return max(clauses, key=lambda clause: reader.compare([note], clause)[0].change, default=None)


def _remarks(
    message: str, own: str, given: Sequence[str], reader: Reader
) -> Iterator[tuple[str, list[str], bool]]:
    """The parts of a user's text, each with its sentences and whether it may contain a rule."""
    spans = sentences(own)
    readings = reader.read(message, spans)
    own = own.replace(FOREIGN, " ")
    clauses = [" ".join(own[slice(*span)].split()) for span in spans]
    indexes = [
        index
        for index, clause in enumerate(clauses[: len(readings)])
        if not clause.endswith("?") and not any(is_named(rule, clause) for rule in given)
    ]
    for remark, part in parts(own, spans, indexes):
        likely = max(readings[index].rule for index in part) >= LIKELY
        yield remark, [clauses[index] for index in part], likely


def _affected_rules(
    workspace: Workspace, remark: str, known: Sequence[Record], likely: bool
) -> list[tuple[Record, Effect]]:
    """The rules that a remark changes, with the effect on each, the likeliest first."""
    least = rules.COMPARED_COSINE if likely else VERY_NEAR
    return [
        (rule, effect)
        for rule, effect in rules.compared(workspace, remark, known, least)
        if (effect.change if likely else effect.update)
        >= (LEAST if stems(remark) & stems(rule.text) else LEAST_APART)
    ]
