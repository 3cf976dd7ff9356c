"""Lists of rules, and the section of a prompt that states them [PRM-06…11]."""

from collections.abc import Sequence
from functools import partial

from sharpwave import checks
from sharpwave.behavior import meaning, rules
from sharpwave.errors import InvalidInput
from sharpwave.formulas.budget import token_estimate
from sharpwave.formulas.rules import GLOBAL, holds_in, width
from sharpwave.formulas.text import likeness
from sharpwave.knowledge.listing import part
from sharpwave.rendering import PREAMBLE, TITLE, rule_line
from sharpwave.types.known import Note
from sharpwave.types.records import ACTIVE, ACTIVE_OR_UNCERTAIN, Record, Stage, State
from sharpwave.types.steering import Behavior, PromptRole, SteeringType
from sharpwave.types.storing import WHOLE, Order, Window
from sharpwave.workspace import Workspace

MAX_RULES = 15
"""Maximum number of rules in a prompt; models follow a longer list less well [PRM-08]."""
SECTION_TOKENS = 200
"""Maximum tokens of the section "Learned Preferences"."""
_PAST = frozenset({State.SUPERSEDED, State.INVALIDATED})


def states(everything: bool, past: bool) -> frozenset[State]:
    """The states of rules to list: active by default, past ones, or (empty) all."""
    return _PAST if past else frozenset() if everything else ACTIVE


def list_rules(
    workspace: Workspace,
    states: frozenset[State] = ACTIVE,
    type_: str | None = None,
    window: Window = WHOLE,
) -> list[Behavior]:
    """Rules in these states, the most frequent first, then the last seen [BEH-10, PRM-08]."""
    wanted = None if type_ is None else steering_type(type_)

    def of_type(records: Sequence[Record]) -> list[Record]:
        return [record for record in records if wanted in (None, rules.type_of(record))]

    read = partial(rules.stored, workspace, states, Order.FREQUENT)
    return with_evidence(workspace, part(read, of_type, window))


def pending(workspace: Workspace, window: Window = WHOLE) -> list[Behavior]:
    """Rules that were not accepted yet, including agents' reports; the newest first."""

    def not_accepted(records: Sequence[Record]) -> list[Record]:
        return [record for record in records if record.standing.stage is not Stage.SEMANTIC]

    read = partial(rules.stored, workspace, ACTIVE_OR_UNCERTAIN, Order.NEWEST)
    return with_evidence(workspace, part(read, not_accepted, window))


def for_prompt(workspace: Workspace, place: str | None) -> list[Behavior]:
    """The rules for a prompt at a place (project or file), accepted ones first.

    Without the ids of their turns. Empty if the user does not consent to learning.
    """
    if not workspace.consents.may_learn:
        return []
    active = map(rules.as_behavior, rules.stored(workspace, order=Order.FREQUENT))
    here = in_scope(list(active), place)
    return sorted(here, key=lambda rule: not rule.accepted)[:MAX_RULES]


def rules_of(workspace: Workspace, place: str | None) -> list[str]:
    """The rules that hold at a place but not globally."""
    held = in_scope(list_rules(workspace), place)
    return [rule.rule for rule in held if rule.scope != GLOBAL]


def with_evidence(workspace: Workspace, records: Sequence[Record]) -> list[Behavior]:
    """The rules of records, each with the ids of its turns."""
    evidence = workspace.store.evidence([record.id for record in records])
    return [
        rules.as_behavior(record, evidence.get(record.id) or record.provenance.parents)
        for record in records
    ]


def steering_type(name: str) -> SteeringType:
    """The type of this name, with or without `behavioral_`; raises InvalidInput."""
    full = name if name.startswith("behavioral_") else f"behavioral_{name}"
    try:
        return SteeringType(full)
    except ValueError:
        known = ", ".join(type_.value.removeprefix("behavioral_") for type_ in SteeringType)
        raise InvalidInput(f"type must be one of {known}, not {name!r}") from None


def in_scope(behaviors: Sequence[Behavior], place: str | None) -> list[Behavior]:
    """The rules that hold at a place, in order, without those that a narrower rule opposes."""
    here = [rule for rule in behaviors if holds_in(rule.scope, place)]
    narrow = [rule for rule in here if width(rule.scope)]
    return [
        rule
        for rule in here
        if not any(
            width(narrower.scope) > width(rule.scope) and meaning.opposed(narrower.rule, rule.rule)
            for narrower in narrow
        )
    ]


def without_repeats(notes: Sequence[Note], behaviors: Sequence[Behavior]) -> list[Note]:
    """The notes that do not repeat a rule."""
    of_rules = [meaning.stance(rule.rule).words for rule in behaviors]

    def repeats(note: Note) -> bool:
        words = meaning.stance(note.text).words
        return any(likeness(words, of_rule) >= rules.SAME_WORDS for of_rule in of_rules)

    return [note for note in notes if not repeats(note)]


def section(behaviors: Sequence[Behavior]) -> str:
    """The section of a prompt with as many of the rules as fit; empty if there are none."""
    head = f"## {TITLE}\n\n{PREAMBLE}\n"
    left = SECTION_TOKENS - token_estimate(head)
    lines: list[str] = []
    for rule in behaviors:
        line = rule_line(rule.rule, rule.frequency)
        cost = token_estimate(line + "\n")
        if cost <= left:
            lines.append(line)
            left -= cost
    return "\n".join((head, *lines)) if lines else ""


def assembled_prompt(role: str, definition: str, rest: Sequence[str], behaviors: str = "") -> str:
    """A prompt: the definition of the role, the rules if there are any, then the rest [PRM-09].

    For every role the rules come second: before session state, task state or instructions.

    >>> print(assembled_prompt("planner", "You plan.", ["Make a plan."], "## Learned Preferences"))
    You plan.
    <BLANKLINE>
    ## Learned Preferences
    <BLANKLINE>
    Make a plan.
    """
    checks.choice(PromptRole, role, "role")
    return "\n\n".join(part.strip() for part in (definition, behaviors, *rest) if part.strip())
