"""Step 0: whether anything may be kept, and under which policy."""

from collections.abc import Mapping

from sharpwave.settings import Policy, PrivacySettings
from sharpwave.types.privacy import Action
from sharpwave.types.working import Purpose

WITHDRAWN = "nothing was stored: this user does not agree to being remembered"


def may_remember(given: Mapping[Purpose, bool], settings: PrivacySettings) -> bool:
    """What the user said, or what the settings assume of users who said nothing."""
    return given.get(Purpose.MEMORY, settings.consent_assumed)


def may_learn(given: Mapping[Purpose, bool], settings: PrivacySettings) -> bool:
    """Whether rules of thumb for helping this user may be drawn from what is said."""
    return given.get(Purpose.LEARNING, settings.consent_assumed)


def may_send(given: Mapping[Purpose, bool], settings: PrivacySettings) -> bool:
    """Whether text may go to a model on another machine, once it is redacted."""
    agreed = given.get(Purpose.EGRESS, settings.egress_assumed)
    return agreed and may_remember(given, settings)


def policy(given: Mapping[Purpose, bool], settings: PrivacySettings) -> Policy:
    """What is kept out; a user who agrees to it may have secrets stored too."""
    if not given.get(Purpose.SENSITIVE, False):
        return settings.stored
    lifted = {name: Action.STORE for name, action in settings.stored if action is not Action.REFUSE}
    return settings.stored.model_copy(update=lifted)
