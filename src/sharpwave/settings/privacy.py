"""Settings of redaction and consent."""

from pydantic import Field

from sharpwave.settings.core import Group
from sharpwave.types.privacy import PolicyAction


class Policy(Group):
    """How sensitive content is handled, by class: store, redact or refuse the whole item."""

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
        PolicyAction.STORE, description="Names that the rules detect; not all [WR-05]."
    )
    place: PolicyAction = Field(
        PolicyAction.STORE, description="Addresses and places that the rules detect [WR-05]."
    )
    health: PolicyAction = Field(
        PolicyAction.STORE, description="Diagnoses and medicines that the rules detect [WR-05]."
    )


class EgressPolicy(Policy):
    """The same for text sent to other machines; store means that it may be sent."""

    contact: PolicyAction = Field(
        PolicyAction.REDACT, description="E-mail addresses, phones [SEC-10, WR-05]."
    )
    network: PolicyAction = Field(
        PolicyAction.REDACT, description="IP addresses, URLs, domains [WR-05]."
    )


class PrivacySettings(Group):
    """Sensitive content: what is stored, and what may be sent to external models."""

    consent_assumed: bool = Field(
        True,
        description="Assume consent to memory if the user has not answered. On a server the "
        "default is False: each user is asked first.",
    )
    egress_assumed: bool = Field(
        True,
        description="Assume consent to sending redacted text to the configured model if the user "
        "has not answered.",
    )
    population_assumed: bool = Field(
        False,
        description="Assume consent to adding up counts of what was liked with those of other "
        "users, never text, if the user has not answered [PV-12].",
    )
    stored: Policy = Policy()
    egress: EgressPolicy = EgressPolicy()
