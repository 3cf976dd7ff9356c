"""The rules that hold somewhere, and the section of a prompt that tells them [PRM-06…11]."""

from collections.abc import Sequence

from sharpwave.behavior.rules import meaning
from sharpwave.errors import InvalidInput
from sharpwave.formulas.budget import token_estimate
from sharpwave.formulas.rules import holds_in, width
from sharpwave.formulas.text import likeness
from sharpwave.rendering.quoting import PREAMBLE, TITLE, rule_line
from sharpwave.settings.steering import SteeringSettings
from sharpwave.types.known import Note
from sharpwave.types.steering import Behavior, PromptRole
from sharpwave.types.tokens import TokenRates


def holding(found: Sequence[Behavior], place: str | None) -> list[Behavior]:
    """Of the rules in order those that hold at a place; against a narrower one a wider yields."""
    here = [one for one in found if holds_in(one.scope, place)]
    return [one for one in here if not any(_overrules(other, one) for other in here)]


def _overrules(other: Behavior, one: Behavior) -> bool:
    return width(other.scope) > width(one.scope) and meaning.opposed(other.rule, one.rule)


def untold(notes: Sequence[Note], rules: Sequence[Behavior], same_words: float) -> list[Note]:
    """The notes that say something else than the rules do."""
    told = [meaning.stance(rule.rule).words for rule in rules]
    return [
        note
        for note in notes
        if all(likeness(meaning.stance(note.text).words, each) < same_words for each in told)
    ]


def section(found: Sequence[Behavior], settings: SteeringSettings, rates: TokenRates) -> str:
    """The best rules as a section, within the limits of their number and tokens; empty if none."""
    head = f"## {TITLE}\n\n{PREAMBLE}\n"
    left = settings.section_tokens - token_estimate(head, rates)
    told: list[str] = []
    for one in found[: settings.max_rules]:
        line = rule_line(one.rule, one.frequency)
        cost = token_estimate(line + "\n", rates)
        if cost <= left:
            told.append(line)
            left -= cost
    return "\n".join((head, *told)) if told else ""


def role_of(name: str) -> PromptRole:
    """The role of that name."""
    try:
        return PromptRole(name)
    except ValueError:
        known = ", ".join(PromptRole)
        raise InvalidInput(f"role must be one of {known}, not {name!r}") from None


def assembled(role: str, definition: str, rest: Sequence[str], behaviors: str = "") -> str:
    """A prompt: who the model is, the rules if there are any, then everything else [PRM-09].

    For every role the rules stand second: before session state, task state or instructions.

    >>> print(assembled("planner", "You plan.", ["Make a plan."], "## Learned Preferences"))
    You plan.
    <BLANKLINE>
    ## Learned Preferences
    <BLANKLINE>
    Make a plan.
    """
    role_of(role)
    return "\n\n".join(part.strip() for part in (definition, behaviors, *rest) if part.strip())
