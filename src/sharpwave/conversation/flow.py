"""A language model reads a stretch of a conversation, in one call and off the hot path.

    1 stretch      the ids of a job       -> new turns, those before them, what bears on them
    2 ask          the prompt, redacted   -> operations: new, same, update, end
    3 operations   quotes and ids checked -> extracted items; what fails a check is dropped
    4 rules        standing instructions  -> learned, confirmed, replaced, ended
    5 settle       facts and tasks        -> written in one transaction, which finishes the job

Each turn is in one job, so none is read twice or left out. If anything fails before the last step
the job is run again: rules count a turn once, and nothing else was written.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace

from sharpwave.behavior import rules
from sharpwave.conversation import operations, stretch
from sharpwave.conversation.stretch import ConversationStretch
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts.conversation import ConversationOutput
from sharpwave.privacy.consent import Consents
from sharpwave.privacy.redaction import redact
from sharpwave.remember import flow as write_path
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Kind, Record
from sharpwave.types.steering import RuleOperation
from sharpwave.types.working import Job
from sharpwave.workspace import Workspace

NOT_LEARNED = "this user does not agree to being learned from"
_LOG = logging.getLogger(__name__)


def read(workspace: Workspace, job: Job) -> tuple[Outcome, ...]:
    """Let a model read the turns of a job; returns what was learned, and what was dropped."""
    llm = AllowedLLM(workspace)
    found = stretch.gather(workspace, job.ids) if llm.may_send() else None
    if found is None:
        return ()
    prompt, lines = stretch.prompt(found, llm)
    answer = llm.ask(prompt, ConversationOutput, LLMRole.UTILITY)
    consents = Consents(workspace.store.consents(), workspace.settings.privacy)
    if answer is None or not consents.may_remember:
        return ()
    checked = operations.check(
        answer.value.operations, found, lines, _source_turns(found, workspace)
    )
    learned = _learn(workspace, checked, consents.may_learn)
    settled = write_path.settle(checked.extracted, job, workspace)
    dropped = tuple(checked.dropped)
    _LOG.info(
        "read %d turns: %d operations, %d dropped",
        len(lines), len(answer.value.operations), len(dropped),
    )  # fmt: skip
    return (*dropped, *learned, *settled)


def _source_turns(found: ConversationStretch, workspace: Workspace) -> Mapping[str, Record]:
    """The turns that the known items rest on."""
    parents = workspace.store.evidence([record.id for record in found.known.values()])
    ids = {parent for group in parents.values() for parent in group}
    turns = [turn for turn in workspace.store.find(sorted(ids)) if turn.kind is Kind.TURN]
    return {turn.id: turn for turn in sorted(turns, key=lambda turn: -turn.number)}


def _learn(
    workspace: Workspace, checked: operations.Checked, may_learn: bool
) -> tuple[Outcome, ...]:
    """What became of the rules; those that are too unsure or too long are dropped."""
    usable: list[RuleOperation] = []
    for operation in checked.rules:
        text = redact(operation.signal.rule, workspace.settings.privacy.stored).text
        signal = replace(operation.signal, rule=text)
        reason = rules.objection(signal) if may_learn else NOT_LEARNED
        if reason is None:
            usable.append(operation._replace(signal=signal))
        else:
            checked.dropped.append(Outcome(Verdict.REJECTED, text, reason=reason))
    learned = rules.apply(workspace, usable) if usable else ()
    return tuple(
        Outcome(rule.verdict, rule.rule, rule.id, rule.reason, kind=Kind.BEHAVIOR)
        for rule in learned
    )
