"""Everything Sharpwave can raise, as one tree. The message says what happened and what to do.

    SharpwaveError
    ├── UsageError                the caller can fix it
    │   ├── InvalidInput          a value is out of bounds or of the wrong form
    │   │   ├── WrongFormat       a file to import is not what it was taken for
    │   │   └── InvalidReward     a rating is not -1, 0 or 1
    │   ├── SensitiveContent      the privacy policy refuses what the text holds
    │   └── InvalidSettings       a setting, file or environment variable is wrong
    ├── NotFound                  the named thing is not there (or not yours: the two look the same)
    │   └── SkillNotFound         there is no such skill
    ├── Conflict                  it contradicts what is already stored
    │   ├── KeyReused             an idempotency key was used before, for something else
    │   ├── Overtaken             another writer changed it meanwhile; read again and repeat
    │   │   └── ErasedMeanwhile   something of the user was forgotten meanwhile; likewise
    │   └── Busy                  another worker is at it; try again later
    ├── AccessError               the caller may not
    │   ├── Unauthorized          no key, or none that opens anything
    │   ├── Forbidden             the key does not allow this
    │   ├── NoConsent             the user does not agree to it, or was not asked yet
    │   └── TooManyRequests       slow down; the message says for how long
    ├── ProviderError             a model or service behind a port failed
    │   ├── ProviderUnavailable   try again later
    │   │   └── BudgetSpent       the day's allowance for models is used up
    │   └── ProviderMisbehaved    it refused, or its answer is unusable; see to the settings
    │       └── AnswerUnfit       a model answered, but not in the form it was asked for
    └── StorageError              the database could not do it; nothing was half-written
        ├── StoreBusy             another process held the write lock for too long
        ├── StoreFull             no space left; free some and repeat the call
        ├── StoreClosed           this Memory was closed
        ├── StoreDamaged          content does not match its checksum, or the file is not a database
        ├── StoreDegraded         the disk refused a write; the outcome of the call is unknown
        ├── WrongKey              the file is encrypted and the key does not open it
        └── UnsafeStore           refused: it would put memories at risk (the message says how)

Every class has a stable `code`, which is its name: `store_full`, `usage`. REST, MCP and the command
line map from it in one table each.
"""

import re
from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")


class SharpwaveError(Exception):
    """Something went wrong in Sharpwave."""

    code = "error"

    def __init_subclass__(cls) -> None:
        """Name the code after the class; one that is not of this file keeps that of its parent."""
        if cls.__module__ == __name__:
            name = cls.__name__.removesuffix("Error")
            cls.code = re.sub(r"\B(?=[A-Z])", "_", name).lower()

    @property
    def public(self) -> str:
        """The message for a client of a server: without paths and addresses of the server."""
        return str(self)


class UsageError(SharpwaveError):
    """The call cannot work as it was made."""


class InvalidInput(UsageError):
    """A value is out of bounds or of the wrong form."""


class SensitiveContent(UsageError):
    """The text holds something that the privacy policy refuses."""


class WrongFormat(InvalidInput):
    """A file to import does not have the format it was taken for, or none that is known."""


class InvalidReward(InvalidInput):
    """A rating is -1, 0 or 1, and nothing else."""


class InvalidSettings(UsageError):
    """A setting is wrong."""

    @property
    def public(self) -> str:
        """That it is so; the log says which."""
        return "a setting of the server is wrong; its log says which"


class NotFound(SharpwaveError):
    """The named thing is not there."""


class SkillNotFound(NotFound):
    """There is no skill of that name."""


class Conflict(SharpwaveError):
    """It contradicts what is already stored."""


class KeyReused(Conflict):
    """An idempotency key was used before, for something else."""


class Overtaken(Conflict):
    """What a change was based on has changed meanwhile."""


class ErasedMeanwhile(Overtaken):
    """Something of the user was forgotten after it was read: nothing is written from it."""


class Busy(Conflict):
    """Another worker is doing this for the same user; try again later."""


class AccessError(SharpwaveError):
    """The caller may not do this, or not now."""


class Unauthorized(AccessError):
    """There is no key, or none that opens anything."""


class Forbidden(AccessError):
    """The key does not allow this."""


class NoConsent(AccessError):
    """The user does not agree to this, or was not asked yet."""


class TooManyRequests(AccessError):
    """More was asked than is allowed in this time; try again a little later."""

    retry_after_s = 1.0
    """When to try again."""


class ProviderError(SharpwaveError):
    """A model or service behind a port failed."""

    input_tokens = 0
    """Tokens that were sent for answers which came but could not be used; a meter counts them."""
    output_tokens = 0
    """Tokens of those answers."""


class ProviderUnavailable(ProviderError):
    """The service could not be reached or was overloaded; try again later."""


class BudgetSpent(ProviderUnavailable):
    """The day's allowance for models is used up; it goes on tomorrow."""


class ProviderMisbehaved(ProviderError):
    """The service refused, or answered with something unusable."""


class AnswerUnfit(ProviderMisbehaved):
    """A model answered, but not in the form it was asked for; another model may."""


class StorageError(SharpwaveError):
    """The database could not do it; nothing was half-written."""

    @property
    def public(self) -> str:
        """What happened, in general; the log says where."""
        return (type(self).__doc__ or "").partition("\n")[0]


class StoreBusy(StorageError):
    """Another process held the write lock for too long."""


class StoreFull(StorageError):
    """No space is left where the database lives."""


class StoreClosed(StorageError):
    """This memory was closed; open it again."""


class StoreDamaged(StorageError):
    """Stored content does not match its checksum, or the file is not a database."""


class StoreDegraded(StorageError):
    """The disk refused a write; the call was not acknowledged and may or may not have happened."""


class WrongKey(StorageError):
    """The file is encrypted and this key does not open it."""


class UnsafeStore(StorageError):
    """Opening or using the store like this would put memories at risk."""


def by_code(values: Mapping[type[SharpwaveError], Value]) -> dict[str, Value]:
    """A value for the code of every error: that of its class, or of the nearest class above."""
    return {
        code: next(values[above] for above in error.__mro__ if above in values)
        for code, error in every_error().items()
        if error is not SharpwaveError
    }


def every_error(root: type[SharpwaveError] = SharpwaveError) -> dict[str, type[SharpwaveError]]:
    """Every class of the tree by its code."""
    found = {root.code: root}
    for child in root.__subclasses__():
        found |= every_error(child)
    return found
