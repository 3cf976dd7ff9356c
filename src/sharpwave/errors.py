"""The exceptions of Sharpwave. The message says what happened and how to fix it.

    SharpwaveError
    ├── UsageError                the caller can fix it
    │   ├── InvalidInput          a value is out of range or has the wrong type
    │   │   ├── WrongFormat       a file to import does not have the expected format
    │   │   └── InvalidReward     a rating is not -1, 0 or 1
    │   ├── SensitiveContent      the privacy policy refuses the content of the text
    │   └── InvalidSettings       a setting, file or environment variable is wrong
    ├── NotFound                  the item does not exist, or belongs to another user
    │   └── SkillNotFound         there is no such skill
    ├── Conflict                  it contradicts what is already stored
    │   ├── KeyReused             an idempotency key was used before, for something else
    │   ├── Overtaken             another writer changed it meanwhile; read again and repeat
    │   │   └── ErasedMeanwhile   something of the user was forgotten meanwhile; likewise
    │   └── Busy                  another worker holds the lease; try again later
    ├── AccessError               the caller is not allowed to do this
    │   ├── Unauthorized          no API key, or an invalid one
    │   ├── Forbidden             the key does not have the permission
    │   ├── NoConsent             the user has not consented
    │   └── TooManyRequests       rate limit exceeded; the message says when to retry
    ├── ProviderError             a model or service behind a port failed
    │   ├── ProviderUnavailable   try again later
    │   │   └── BudgetSpent       the daily limit for models is used up
    │   └── ProviderMisbehaved    it refused, or its answer is unusable; check the settings
    │       └── AnswerUnfit       a model answered in the wrong format
    └── StorageError              the database operation failed; nothing was half-written
        ├── StoreBusy             another process held the write lock for too long
        ├── StoreFull             no space left; free some and repeat the call
        ├── StoreClosed           this Memory was closed
        ├── StoreDamaged          content does not match its checksum, or the file is not a database
        ├── StoreDegraded         the disk refused a write; the outcome of the call is unknown
        ├── WrongKey              the file is encrypted and the key does not open it
        └── UnsafeStore           refused: it would put memories at risk (the message says how)

Every class has a stable `code`, which is its name: `store_full`, `usage`. REST, MCP and the command
line map it in one table each.
"""

import re
from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")


class SharpwaveError(Exception):
    """Base class of all errors of Sharpwave."""

    code = "error"

    def __init_subclass__(cls) -> None:
        """Set the code from the class name; a class defined elsewhere keeps that of its parent."""
        if cls.__module__ == __name__:
            name = cls.__name__.removesuffix("Error")
            cls.code = re.sub(r"\B(?=[A-Z])", "_", name).lower()

    @property
    def public(self) -> str:
        """The message for clients of a server, without paths and addresses of the server."""
        return str(self)


class UsageError(SharpwaveError):
    """The call is wrong; the caller can fix it."""


class InvalidInput(UsageError):
    """A value is out of range or has the wrong type."""


class SensitiveContent(UsageError):
    """The text contains something that the privacy policy refuses."""


class WrongFormat(InvalidInput):
    """A file to import does not have the expected format, or no known one."""


class InvalidReward(InvalidInput):
    """A rating is not -1, 0 or 1."""


class InvalidSettings(UsageError):
    """A setting is wrong."""

    @property
    def public(self) -> str:
        """A message without details; the log has them."""
        return "a setting of the server is wrong; its log says which"


class NotFound(SharpwaveError):
    """The item does not exist, or belongs to another user."""


class SkillNotFound(NotFound):
    """There is no skill of that name."""


class Conflict(SharpwaveError):
    """It contradicts what is already stored."""


class KeyReused(Conflict):
    """An idempotency key was used before, for something else."""


class Overtaken(Conflict):
    """The data that a change was based on has changed meanwhile."""


class ErasedMeanwhile(Overtaken):
    """Data of the user was forgotten after it was read; nothing derived from it is written."""


class Busy(Conflict):
    """Another worker is doing this for the same user; try again later."""


class AccessError(SharpwaveError):
    """The caller is not allowed to do this, or not now."""


class Unauthorized(AccessError):
    """The API key is missing or invalid."""


class Forbidden(AccessError):
    """The key does not have the permission for this."""


class NoConsent(AccessError):
    """The user has not consented to this, or was not asked yet."""


class TooManyRequests(AccessError):
    """The rate limit is exceeded; try again a little later."""

    retry_after_s = 1.0
    """Seconds until the next try."""


class ProviderError(SharpwaveError):
    """A model or service behind a port failed."""

    input_tokens = 0
    """Tokens sent for answers that arrived but could not be used; they count as cost."""
    output_tokens = 0
    """Tokens of those answers."""


class ProviderUnavailable(ProviderError):
    """The service could not be reached or was overloaded; try again later."""


class BudgetSpent(ProviderUnavailable):
    """The daily limit for models is used up; it is reset tomorrow."""


class ProviderMisbehaved(ProviderError):
    """The service refused, or its answer is unusable."""


class AnswerUnfit(ProviderMisbehaved):
    """A model answered in the wrong format; another model may do better."""


class StorageError(SharpwaveError):
    """The database could not do it; nothing was half-written."""

    @property
    def public(self) -> str:
        """A general message; the log has the details."""
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
    """A value for the code of every error: that of its class, or of the nearest base class."""
    return {
        code: next(values[above] for above in error.__mro__ if above in values)
        for code, error in every_error().items()
        if error is not SharpwaveError
    }


def every_error(root: type[SharpwaveError] = SharpwaveError) -> dict[str, type[SharpwaveError]]:
    """All error classes by code."""
    found = {root.code: root}
    for child in root.__subclasses__():
        found |= every_error(child)
    return found
