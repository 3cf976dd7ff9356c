"""What is kept out, what may leave, and what users agreed to."""

from pydantic import Field

from sharpwave.settings.core import Group
from sharpwave.types.privacy import PolicyAction


class Policy(Group):
    """What is done with sensitive content, by class: store, redact or refuse the whole item."""

    secret: PolicyAction = Field(
        PolicyAction.REDACT, description="Keys, tokens, passwords, PINs [SEC-10, WR-05]."
    )
    financial: PolicyAction = Field(
        PolicyAction.REDACT, description="Cards, IBANs, account numbers [SEC-10, WR-05]."
    )
    government_id: PolicyAction = Field(
        PolicyAction.REDACT, description="Social security, passport and licence numbers [WR-05]."
    )
    contact: PolicyAction = Field(
        PolicyAction.STORE, description="E-mail addresses, phones [SEC-10, WR-05]."
    )
    network: PolicyAction = Field(
        PolicyAction.STORE, description="IP addresses, URLs, domains [WR-05]."
    )
    person: PolicyAction = Field(
        PolicyAction.STORE, description="Names, as far as rules find them [WR-05]."
    )
    place: PolicyAction = Field(
        PolicyAction.STORE, description="Addresses and places, likewise [WR-05]."
    )
    health: PolicyAction = Field(
        PolicyAction.STORE, description="Diagnoses and medicines, likewise [WR-05]."
    )


class EgressPolicy(Policy):
    """The same for what leaves this machine; store means that it may leave."""

    contact: PolicyAction = Field(
        PolicyAction.REDACT, description="E-mail addresses, phones [SEC-10, WR-05]."
    )
    network: PolicyAction = Field(
        PolicyAction.REDACT, description="IP addresses, URLs, domains [WR-05]."
    )


class PrivacySettings(Group):
    """Sensitive content: what is kept here, and what may go to a model elsewhere."""

    consent_assumed: bool = Field(
        True,
        description="Users who said nothing agree to be remembered. On a server False unless it is "
        "set: each user is asked first.",
    )
    egress_assumed: bool = Field(
        True,
        description="Users who said nothing agree that redacted text goes to the model you set up.",
    )
    population_assumed: bool = Field(
        False,
        description="Users who said nothing agree that counts of what they liked are added up "
        "with those of others, never words [PV-12].",
    )
    stored: Policy = Policy()
    egress: EgressPolicy = EgressPolicy()
