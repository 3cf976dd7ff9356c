"""What a user agreed to, or what the settings assume of users who said nothing."""

from collections.abc import Mapping

from sharpwave.settings.privacy import Policy, PrivacySettings
from sharpwave.types.privacy import Action
from sharpwave.types.working import Purpose

Given = Mapping[Purpose, bool]


def effective(given: Given, settings: PrivacySettings) -> dict[Purpose, bool]:
    """For every purpose what the user said, or what is assumed where nothing was said."""
    assumed = {
        Purpose.MEMORY: settings.consent_assumed,
        Purpose.LEARNING: settings.consent_assumed,
        Purpose.SENSITIVE: False,
        Purpose.EGRESS: settings.egress_assumed,
        Purpose.POPULATION: settings.population_assumed,
    }
    return assumed | dict(given)


def may_remember(given: Given, settings: PrivacySettings) -> bool:
    """Whether anything may be kept, and what is kept be used."""
    return effective(given, settings)[Purpose.MEMORY]


def may_learn(given: Given, settings: PrivacySettings) -> bool:
    """Whether rules of thumb for helping this user may be drawn from what is kept."""
    return may_remember(given, settings) and effective(given, settings)[Purpose.LEARNING]


def may_send(given: Given, settings: PrivacySettings) -> bool:
    """Whether text may go to a model on another machine, once it is redacted."""
    return may_remember(given, settings) and effective(given, settings)[Purpose.EGRESS]


def may_count(given: Given, settings: PrivacySettings) -> bool:
    """Whether what this user liked may count, among many, for others."""
    return may_learn(given, settings) and effective(given, settings)[Purpose.POPULATION]


def policy(given: Given, settings: PrivacySettings) -> Policy:
    """What is kept out; a user who agrees to it may have secrets stored too."""
    if not effective(given, settings)[Purpose.SENSITIVE]:
        return settings.stored
    lifted = {name: Action.STORE for name, action in settings.stored if action is not Action.REFUSE}
    return settings.stored.model_copy(update=lifted)
