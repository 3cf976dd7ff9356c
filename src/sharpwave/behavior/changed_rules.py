"""Rules that a message changes in words that no pattern knows: "ten lines from today on".

The comparer reads a message beside the rules that lie near. What it takes for a change ends the
rule, or puts what the message says in its place.
"""

from collections.abc import Sequence

import numpy as np

from sharpwave.behavior import rules
from sharpwave.behavior.signals import usable_signals
from sharpwave.behavior.withdrawals import may_end
from sharpwave.formulas.rules import holds_in
from sharpwave.ports import Reader
from sharpwave.reading.open_statements import stems
from sharpwave.reading.quotes import is_named
from sharpwave.reading.read import readings_of
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.types.records import Record
from sharpwave.types.statements import RULE, Effect, TargetRelation
from sharpwave.types.steering import RuleOperation, Signal
from sharpwave.workspace import Workspace

NEAREST = 4
"""Rules that a message is compared with, at most."""
NEAR = 0.15
"""Least cosine of a message and a rule that it may change."""
LIKELY = 0.1
"""Least chance of a rule in what is compared: nine of ten changes have it, and one turn in six."""
LEAST, LEAST_APART = 0.5, 0.7
"""Least chance that a rule changes, and the same if it has no word in common with what is said."""
CONFIDENCE = 0.8
"""Of a rule that only the comparer saw."""


def changed(
    workspace: Workspace,
    message: str,
    found: Sequence[Signal],
    turn: Record,
    settled: Sequence[str],
) -> tuple[list[RuleOperation], list[Signal]]:
    """What a turn's message does to rules in force, and the signals that take no rule's place.

    Sentences with a rule that is settled already, read by patterns or given, change no other.
    """
    others, operations = list(found), []
    reader = workspace.shared.reader
    if reader is None or workspace.llm_reads:  # which tells more
        return [], others
    ended: set[str] = set()
    spans, readings = readings_of(message, reader)
    own = own_words(message)
    for span, reading in zip(spans, readings, strict=True):
        said = " ".join(own[slice(*span)].replace(FOREIGN, " ").split())
        if reading.rule < LIKELY or said.endswith("?"):
            continue
        if any(is_named(rule, said) for rule in settled):
            continue
        in_force = (one for one in rules.stored(workspace) if holds_in(one.scope, turn.scope))
        meant = _meant(workspace, reader, said, [one for one in in_force if one.id not in ended])
        if meant is None:
            continue
        rule, effect = meant
        ended.add(rule.id)
        new = next((one for one in others if is_named(one.rule, said)), None)
        if new is not None:
            others.remove(new)
        elif effect.update > effect.end:
            new = Signal(rules.type_of(rule), said, CONFIDENCE)
        usable = usable_signals(workspace, [new] if new else [])
        relation = TargetRelation.UPDATE if usable else TargetRelation.END
        signal = usable[0] if usable else Signal(rules.type_of(rule), rule.text, CONFIDENCE)
        operations.append(RuleOperation(signal, turn.id, turn.scope, relation, rule.id))
    return operations, others


def _meant(
    workspace: Workspace, reader: Reader, said: str, known: Sequence[Record]
) -> tuple[Record, Effect] | None:
    """The rule that a sentence changes, and how; None if it changes none, or says one again."""
    if rules.matching(workspace, said, known) is not None:
        return None
    near = _near(workspace, said, known)
    if not near:
        return None
    effects = reader.compare([RULE + rule.text for rule in near], said)
    rule, effect = max(zip(near, effects, strict=True), key=lambda one: _chance(one[1]))
    least = LEAST if stems(said) & stems(rule.text) else LEAST_APART
    return (rule, effect) if _chance(effect) >= least else None


def _chance(effect: Effect) -> float:
    return effect.update + effect.end


def _near(workspace: Workspace, said: str, known: Sequence[Record]) -> list[Record]:
    cosines = rules.cosines(workspace, said, known)
    best = np.argsort(-cosines, kind="stable")[:NEAREST].tolist()
    near = [known[place] for place in best if cosines[place] >= NEAR]
    return [rule for rule in near if may_end(said, rule.text)]
