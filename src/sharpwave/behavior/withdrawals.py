"""Rules withdrawn in words: "Forget the two line rule", "You need not call me Captain any more".

The form of a clause shows that something is withdrawn; its meaning selects the rule among those in
force. That rule ends, and the clause itself is not a rule.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from sharpwave.behavior import meaning, rules
from sharpwave.behavior.signals import usable_signals
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.reading.sentences import sentences
from sharpwave.reading.task_moves import NO_LONGER
from sharpwave.types.records import Record
from sharpwave.types.statements import Span, TargetRelation
from sharpwave.types.steering import RuleOperation, Signal
from sharpwave.workspace import Workspace

MEANT_COSINE = 0.45
"""Minimum cosine between what is withdrawn and the rule."""
FEW_WORDS = 3
"""Maximum words of a leading clause that is skipped, such as "It's ok,"."""
MEANT_WORDS = 0.6
"""Minimum share of the withdrawal's words that the rule has, where there are no vectors."""
SURE = 0.6
"""Minimum probability that a remark changes a rule, to prefer it to a more similar one."""
REMARK_CHARS = 300
"""Maximum characters up to the end of a clause that are compared with rules."""
SHORTEST_QUOTE = 4
"""Minimum characters of a quotation that can name a rule."""
_QUOTES = " .,;:!\"'`\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e"


class Release(StrEnum):
    """How something is withdrawn."""

    FORGET = "forget"
    WAIVE = "waive"
    STOP = "stop"
    GRANT = "grant"


class Withdrawal(NamedTuple):
    """A clause that withdraws something."""

    span: Span
    clause: str
    """The clause, without quoted words of others."""
    what: str
    release: Release
    certain: bool
    """Whether it is surely a withdrawal: it makes no new rule, even if it matches none."""


_LEADS = (
    r"\W*(?:(?:actually|and|but|just|oh|ok|okay|please|so|well|also|now|then|from (?:now|today) on"
    r"|you(?:'re| are| should| must| can| may| could)?|(?:can|could|would|will) you|let'?s"
    r"|i(?:'d| would)? (?:want|like|need) you to)\b[ ,]*)*"
)
_AGAIN = r"\b(?:any ?more|any longer|no longer|again|after all)\b"
_FORMS = {
    Release.FORGET: re.compile(
        rf"{_LEADS}(?:(?P<sure>forget|disregard|never ?mind|unlearn)"
        r"|drop|scrap|cancel|lift|ignore|skip|delete|remove|undo|lose|abandon)\b"
        r"(?! to\b)(?: about\b)?\s+(?P<what>.+)",
        re.IGNORECASE,
    ),
    Release.WAIVE: re.compile(rf"{_LEADS}(?:{NO_LONGER})\s+(?P<what>.+)", re.IGNORECASE),
    Release.STOP: re.compile(
        rf"{_LEADS}(?:(?:(?:stop|quit)(?! (?:me|by)\b)|enough with|no more)\s+(?P<what>.+)"
        rf"|(?:don'?t|do not|never)\s+(?P<less>.+?{_AGAIN}.*))",
        re.IGNORECASE,
    ),
    Release.GRANT: re.compile(
        rf"{_LEADS}(?:(?:go|switch|come|get|return)(?P<back> back)? to\s+(?P<what>.+)"
        r"|(?:(?<=can )|(?<=may )|feel free to |(?:allowed|free|welcome) to "
        rf"|it(?:'s| is) (?:fine|ok|okay|all right) to )(?P<less>.+?{_AGAIN}.*)"
        r"|(?P<more>(?!no\b|(?:the|my|our|this|that|these|those)\b(?!.*\bagain\b)).+?)"
        r"\s+(?:is|are) (?:ok|okay|fine|allowed|welcome|back)\b.*)",
        re.IGNORECASE,
    ),
}
_NAMED = re.compile(
    r"\b(?:rule|instruction|habit|request|limit|restriction|ban|preference|task|reminder)s?\b"
    r"|\bwhat i (?:said|told|wrote|asked)\b|\bthing\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^,;:()]+[,;]?")


def withdrawn(
    workspace: Workspace, message: str, known: Sequence[Record], turn: str, scope: str
) -> tuple[list[RuleOperation], str]:
    """The rules that a turn's message withdraws, and the message with those clauses blanked."""
    ended, left, own = [], list(known), spoken(message, known)
    for withdrawal in _withdrawals(own):
        remark = own[: withdrawal.span.end].replace(FOREIGN, " ")[-REMARK_CHARS:]
        rule = _meant_rule(workspace, withdrawal, left, remark)
        if rule is not None:
            ended.append(_operation(workspace, withdrawal, rule, turn, scope))
            left.remove(rule)
        if rule is not None or withdrawal.certain:
            start, end = withdrawal.span
            message = message[:start] + " " * (end - start) + message[end:]
    return ended, message


def _operation(
    workspace: Workspace, withdrawal: Withdrawal, rule: Record, turn: str, scope: str
) -> RuleOperation:
    """The operation that ends a rule, or replaces one with another value: "switch to Celsius"."""
    type_ = rules.type_of(rule)
    is_replaced = withdrawal.release is Release.GRANT and meaning.has_another_value(
        withdrawal.what, rule.text
    )
    if turn and is_replaced and not withdrawal.certain:
        for signal in usable_signals(
            workspace, [Signal(type_, withdrawal.clause.strip(" ,;.!"), 1.0)]
        ):
            return RuleOperation(signal, turn, scope, TargetRelation.UPDATE, rule.id)
    return RuleOperation(Signal(type_, rule.text, 1.0), turn, scope, TargetRelation.END, rule.id)


def spoken(message: str, known: Sequence[Record]) -> str:
    """The user's own words, with quotations of known rules: `enough of the "great question"`."""
    own = own_words(message)
    for blank in re.finditer(FOREIGN + "+", own):
        quoted = message[slice(*blank.span())]
        words = quoted.strip(_QUOTES).casefold()
        if len(words) >= SHORTEST_QUOTE and any(words in rule.text.casefold() for rule in known):
            own = own[: blank.start()] + quoted + own[blank.end() :]
    return own


def _withdrawals(own: str) -> list[Withdrawal]:
    """The clauses of a user's own words that withdraw something."""
    found = []
    for sentence in sentences(own):
        clause = _first_clause(own, sentence)
        if clause is None or own[sentence.end - 1] == "?":
            continue
        text = clause[0].replace("\u2019", "'")
        if (withdrawal := _withdrawal(text, Span(*clause.span()))) is not None:
            found.append(withdrawal)
    return found


def _first_clause(own: str, sentence: Span) -> re.Match[str] | None:
    """The first clause of a sentence, after a short lead such as "It's ok,"."""
    clause = _CLAUSE.match(own, *sentence)
    if clause and clause[0].endswith(",") and len(clause[0].split()) <= FEW_WORDS:
        return _CLAUSE.match(own, clause.end(), sentence.end) or clause
    return clause


def _withdrawal(clause: str, span: Span) -> Withdrawal | None:
    for release, form in _FORMS.items():
        if (frame := form.match(clause)) is None:
            continue
        groups = {name: text for name, text in frame.groupdict().items() if text}
        what = next(groups[name] for name in ("what", "less", "more") if name in groups)
        return Withdrawal(
            span, clause.replace(FOREIGN, " "), what, release, _is_certain(release, groups, clause)
        )
    return None


def _is_certain(release: Release, groups: dict[str, str], clause: str) -> bool:
    if release is Release.FORGET:
        return "sure" in groups or _NAMED.search(clause) is not None
    if release is Release.WAIVE:
        return re.search(_AGAIN, clause) is not None
    return release is Release.GRANT and "back" in groups


def _meant_rule(
    workspace: Workspace, withdrawal: Withdrawal, known: Sequence[Record], remark: str
) -> Record | None:
    """The rule that is withdrawn; None if it is not one of those in force."""
    fit = [rule for rule in known if _can_end(withdrawal.release, withdrawal.what, rule.text)]
    several = rules.compared(workspace, remark, fit) if len(fit) > 1 else []
    for rule, effect in several[:1]:
        if effect.change >= SURE:
            return rule
    cosines = rules.cosines(workspace, withdrawal.what, fit)
    words = meaning.content(_NAMED.sub(" ", withdrawal.what))
    shares = [len(words & meaning.content(rule.text)) / (len(words) or 1) for rule in fit]
    ranked = sorted(zip(cosines, shares, range(len(fit)), strict=True), reverse=True)
    # "skip the short answers in the exam"
    if withdrawal.release is Release.FORGET and not withdrawal.certain:
        return next((fit[index] for _, share, index in ranked if share == 1), None)
    for cosine, share, index in ranked[:1]:
        if cosine >= MEANT_COSINE or share >= MEANT_WORDS:
            return fit[index]
    opposed = [rule for rule in fit if meaning.has_another_value(withdrawal.what, rule.text)]
    return opposed[0] if withdrawal.release is Release.GRANT and len(opposed) == 1 else None


def may_end(sentence: str, rule: str, is_sure: bool) -> bool:
    """Whether a sentence can end a rule; a withdrawal ends only rules that fit its form.

    If the comparer is sure that it does, only the permission of what the rule demands cannot.
    """
    withdrawal = _withdrawal(sentence, Span(0, len(sentence)))
    if withdrawal is None:
        return True
    if is_sure:
        demanded = meaning.stance(rule).chosen | meaning.content(meaning.stance(rule).verb)
        granted = meaning.content(re.sub(_AGAIN, "", withdrawal.what))
        return withdrawal.release is not Release.GRANT or not granted <= demanded
    return _can_end(withdrawal.release, withdrawal.what, rule)


def _can_end(release: Release, what: str, rule: str) -> bool:
    """Whether a release can end a rule: permission only ends a rule that forbade it."""
    if release is Release.FORGET:
        return True
    if release is Release.GRANT:
        return (
            meaning.stance(rule).negative
            or meaning.opposed(what, rule)
            or meaning.has_another_value(what, rule)
        )
    return not meaning.stance(rule).negative
