"""A better template for a skill, proposed by a model from what the person said of its answers.

It is a proposal: nothing changes a template but its owner [TS-08].
"""

from sharpwave.behavior.feedback import live
from sharpwave.behavior.skills import catalog, learned
from sharpwave.behavior.skills.learned import FEEDBACK
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts import behavior
from sharpwave.llm.prompts.transcript import Line, new_nonce
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Record, Role
from sharpwave.types.skills import SkillProposal
from sharpwave.workspace import Workspace

_MOST_REMARKS = 30


def propose(workspace: Workspace, name: str) -> SkillProposal:
    """What the optimizer's model makes of the newest remarks on a skill."""
    skill = catalog.named(name, catalog.of_user(workspace))
    remarks = _remarks(workspace, skill.id) if learned.may_learn(workspace) else []
    if not remarks:
        return SkillProposal(skill.id, None, "nobody said anything about its answers yet")
    llm = AllowedLLM(workspace)
    now = workspace.clock.now()
    lines = [Line(Role.USER, llm.redacted(_words(one)), one.valid_from) for one in remarks]
    told = Line(Role.SYSTEM, llm.redacted(skill.template), now)
    asked = behavior.render_optimise(told, lines, new_nonce())
    answer = llm.ask(asked, behavior.OptimiseOutput, LLMRole.OPTIMIZER)
    if answer is None:
        return SkillProposal(skill.id, None, "there is no language model that may be asked")
    template = answer.value.instruction.strip()
    better = template and template not in (skill.template, told.text)
    why = " ".join(answer.value.why.split())
    return SkillProposal(skill.id, template if better else None, why, tuple(r.id for r in remarks))


def _remarks(workspace: Workspace, skill_id: str) -> list[Record]:
    """The newest ratings that say more than liked or not."""
    gone = learned.taken_back(workspace)
    said = [
        one
        for one in learned.teaching(workspace, FEEDBACK)
        if one.metadata.get("skill") == skill_id
        and one.id not in gone
        and (one.metadata.get("has_text") or one.metadata.get("reason") in live.REASONS)
    ]
    return said[-_MOST_REMARKS:]


def _words(one: Record) -> str:
    reason = str(one.metadata.get("reason") or "").replace("_", " ")
    text = one.text if one.metadata.get("has_text") else ""
    return ": ".join(part for part in (reason, text) if part)
