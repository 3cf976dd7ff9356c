"""Reflection in the background."""

from sharpwave import Memory, Settings
from sharpwave.behavior import flow
from sharpwave.llm.prompts.behavior import ReflectionOutput
from sharpwave.testing import ScriptedLLM, in_memory, workspace_of
from sharpwave.types.working import Job, JobState


def test_a_job_stops_once_consent_is_withdrawn() -> None:
    """A workspace reads consents once, so a job takes a fresh one for each turn."""

    def withdraw(_: object) -> ReflectionOutput:
        memory.admin.consent("learning", False)
        return ReflectionOutput(steering=[])

    llm = ScriptedLLM(withdraw)
    settings = Settings.model_validate(
        {
            "privacy": {"egress_assumed": True},
            "remember": {"read_with_llm": False},
        }
    )
    memory: Memory = in_memory(llm=llm, settings=settings)
    ids = memory.remember(["Always use tabs.", "Never use emojis."]).ids
    workspace = workspace_of(memory)
    now = workspace.clock.now()
    payload = {"ids": list(ids)}
    job = Job(1, memory.user_id, flow.REFLECT, payload, JobState.RUNNING, 1, 1, now, now)
    assert workspace.consents.may_learn
    assert flow.run_job(workspace, job) == ()
    assert len(ids) == 2 and len(llm.asked) == 1
