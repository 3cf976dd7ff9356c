"""Answer a message with the language model, if there is one and the user agrees."""

from sharpwave import checks
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts.behavior import render_reply
from sharpwave.types.answers import Reply
from sharpwave.types.llm import LLMRole
from sharpwave.workspace import Workspace

NO_MODEL = "there is no language model; the settings under `llm` name one"
NO_EGRESS = (
    'the user does not agree that words leave this machine; consent("egress", True) changes that'
)


def reply(workspace: Workspace, message: str, context: str) -> Reply:
    """The model's answer to a message given a context; both are redacted before they are sent."""
    if workspace.llm is None:
        return Reply(None, why_not=NO_MODEL)
    if context:
        context = checks.text(context, "context")
    llm = AllowedLLM(workspace)
    request = render_reply(llm.redacted(message), llm.redacted(context))
    completion = llm.write(request, LLMRole.GENERATOR)
    if completion is None:
        return Reply(None, why_not=NO_EGRESS)
    usage = completion.usage
    return Reply(completion.text.strip(), usage.model, usage.input_tokens + usage.output_tokens)
