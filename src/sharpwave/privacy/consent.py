"""What a user consented to, or what the settings assume without an answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from sharpwave.settings.privacy import Policy, PrivacySettings
from sharpwave.types.privacy import PolicyAction
from sharpwave.types.working import Purpose

WITHDRAWN = "nothing was stored: this user does not agree to being remembered"
NOT_ASKED = (
    "nothing was stored: this user was not asked yet whether to be remembered and learned from; "
    'record the answers by admin.consent("memory", True) and admin.consent("learning", True), '
    "PUT /v1/consents/memory and /v1/consents/learning, or on the dashboard's first page"
)
NOT_LEARNED = "nothing was learned: this user does not agree to it"
NOT_ASKED_TO_LEARN = (
    "nothing was learned: this user was not asked yet whether rules may be learned; record the "
    'answer by admin.consent("learning", True), PUT /v1/consents/learning, or on the dashboard; '
    "what was said before is not read again"
)


@dataclass(frozen=True, slots=True)
class Consents:
    """One user's answers, and what the settings assume for purposes without an answer."""

    given: Mapping[Purpose, bool]
    settings: PrivacySettings

    def effective(self) -> dict[Purpose, bool]:
        """The user's answer for every purpose, or what is assumed."""
        settings = self.settings
        assumed = {
            Purpose.MEMORY: settings.consent_assumed,
            Purpose.LEARNING: settings.consent_assumed,
            Purpose.SENSITIVE: False,
            Purpose.EGRESS: settings.egress_assumed,
            Purpose.POPULATION: settings.population_assumed,
        }
        return assumed | dict(self.given)

    @property
    def unanswered(self) -> list[Purpose]:
        """Purposes without an answer of the user and without assumed consent."""
        purposes = (Purpose.MEMORY, Purpose.LEARNING)
        return [
            purpose
            for purpose in purposes
            if purpose not in self.given and not self.effective()[purpose]
        ]

    @property
    def refusal(self) -> str:
        """Why nothing is stored, for a receipt."""
        return NOT_ASKED if Purpose.MEMORY in self.unanswered else WITHDRAWN

    @property
    def learning_refusal(self) -> str:
        """Why no rule is learned, for a receipt."""
        return NOT_ASKED_TO_LEARN if Purpose.LEARNING in self.unanswered else NOT_LEARNED

    @property
    def may_remember(self) -> bool:
        """Whether anything may be stored, and stored records be used."""
        return self.effective()[Purpose.MEMORY]

    @property
    def may_learn(self) -> bool:
        """Whether behavior, patterns and insights may be learned from stored records."""
        return self.may_remember and self.effective()[Purpose.LEARNING]

    @property
    def may_send(self) -> bool:
        """Whether redacted text may be sent to a model on another machine."""
        return self.may_remember and self.effective()[Purpose.EGRESS]

    @property
    def may_count(self) -> bool:
        """Whether this user's ratings may count, aggregated with others', for other users."""
        return self.may_learn and self.effective()[Purpose.POPULATION]

    @property
    def policy(self) -> Policy:
        """What is kept out of the store; a consenting user may have secrets stored too."""
        stored = self.settings.stored
        if not self.effective()[Purpose.SENSITIVE]:
            return stored
        lifted = {
            name: PolicyAction.STORE for name, action in stored if action is not PolicyAction.REFUSE
        }
        return stored.model_copy(update=lifted)
