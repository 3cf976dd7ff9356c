"""Several language models as one: each role is played where the settings say [LLM-02, LLM-04]."""

from collections.abc import Mapping

from pydantic import SecretStr

from sharpwave.errors import InvalidSettings
from sharpwave.llm.chat_llm import ChatLLM
from sharpwave.llm.vendors import VENDORS
from sharpwave.settings.models import LLMSettings
from sharpwave.types.llm import Completion, LLMProvider, LLMRole, Output, Prompt, Structured


class LLMByRole:
    """Hands each call to whoever plays its role."""

    def __init__(self, players: Mapping[LLMRole, ChatLLM]) -> None:
        self._players = players

    def model(self, role: LLMRole) -> str:
        """The name of the model that plays this role."""
        return self._players[role].model(role)

    def form(self, role: LLMRole) -> str:
        """How the role's model is told the form of an answer, as far as is known."""
        return self._players[role].form(role)

    def complete(self, prompt: Prompt, role: LLMRole) -> Completion:
        """A text that answers the prompt."""
        return self._players[role].complete(prompt, role)

    def structured(self, prompt: Prompt, output: type[Output], role: LLMRole) -> Structured[Output]:
        """An answer in the form of `output`; AnswerUnfit if the model cannot give one."""
        return self._players[role].structured(prompt, output, role)

    def close(self) -> None:
        """Let go of the connections to every endpoint."""
        for player in self._players.values():
            player.close()


def open_llm(settings: LLMSettings, variables: Mapping[str, str]) -> ChatLLM | LLMByRole | None:
    """What the settings name; keys that they do not give come from the vendors' variables."""
    if not settings.named:
        return None
    places = {role: settings.of(role) for role in LLMRole}
    for role, place in places.items():
        if place.provider is LLMProvider.NONE:
            raise InvalidSettings(f"llm.provider: say who plays the role {role}, too")
    if all(place is settings for place in places.values()):
        return ChatLLM(_with_key(settings, variables, "llm"))
    players: dict[LLMRole, ChatLLM] = {}
    for role, place in places.items():
        shared = next((players[other] for other in players if places[other] is place), None)
        group = "llm" if place is settings else f"llm.elsewhere.{role}"
        players[role] = shared or ChatLLM(_with_key(place, variables, group), group=group)
    return LLMByRole(players)


def _with_key(settings: LLMSettings, variables: Mapping[str, str], group: str) -> LLMSettings:
    """A vendor's own address needs a key; one of yours gets only the key that you give for it."""
    variable = VENDORS[settings.provider].key_variable
    if settings.api_key is not None or settings.base_url is not None or variable is None:
        return settings
    if not (key := variables.get(variable)):
        raise InvalidSettings(
            f"{settings.provider} wants a key: set {group}.api_key or the variable {variable}"
        )
    return settings.model_copy(update={"api_key": SecretStr(key)})
