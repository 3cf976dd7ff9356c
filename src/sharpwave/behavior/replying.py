"""An answer to a message, if there is a language model that may write one."""

from sharpwave import checks
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts import behavior as prompt
from sharpwave.types.answers import Reply
from sharpwave.types.llm import LLMRole
from sharpwave.workspace import Workspace

NO_MODEL = "there is no language model; the settings under `llm` name one"
NOT_AGREED = (
    'the user does not agree that words leave this machine; consent("egress", True) changes that'
)


def reply(workspace: Workspace, message: str, context: str) -> Reply:
    """What the model answers to a message, told the context; both as they may leave the machine."""
    if workspace.llm is None:
        return Reply(None, why_not=NO_MODEL)
    most = workspace.settings.remember.max_text_bytes
    told = checks.text(context, "context", most) if context else ""
    allowed = AllowedLLM(workspace)
    asked = prompt.render_reply(allowed.redacted(message), allowed.redacted(told))
    written = allowed.write(asked, LLMRole.GENERATOR)
    if written is None:
        return Reply(None, why_not=NOT_AGREED)
    usage = written.usage
    return Reply(written.text.strip(), usage.model, usage.input_tokens + usage.output_tokens)
