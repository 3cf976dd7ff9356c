"""The key of an encrypted file: a raw 256-bit key, or a passphrase that becomes one.

The file format is SQLCipher 4. Its first 16 bytes are a salt; a passphrase is stretched with it
once per process, not once per connection, and the result opens every connection.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from sharpwave.errors import InvalidSettings

SALT_BYTES = 16
_PLAIN_HEADER = b"SQLite format 3\x00"
_KDF_ROUNDS = 256_000  # fixed by the SQLCipher 4 format, not tunable
_RAW_KEY = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """A secret that opens a file. Never printed."""

    raw_hex: str | None = None
    passphrase: str | None = None

    def for_file(self, path: Path) -> str:
        """The value of `PRAGMA key` for this file: raw key and salt, as SQLCipher writes them."""
        return self._with_salt(_header(path) or secrets.token_bytes(SALT_BYTES))

    def for_rekey(self, path: Path) -> str:
        """The value of `PRAGMA rekey`: a plain file has no salt yet, an encrypted one keeps its."""
        return self._with_salt(secrets.token_bytes(SALT_BYTES) if is_plain(path) else _header(path))

    def _with_salt(self, salt: bytes) -> str:
        if self.raw_hex is not None:
            return f"x'{self.raw_hex}{salt.hex()}'"
        secret = (self.passphrase or "").encode()
        derived = hashlib.pbkdf2_hmac("sha512", secret, salt, _KDF_ROUNDS, 32)
        return f"x'{derived.hex()}{salt.hex()}'"


def key_text(key: Key | None, path: Path) -> str | None:
    """What opens this file, as connections need it; None without a key."""
    return key.for_file(path) if key else None


def raw_key(text: str) -> Key:
    """A key from 64 hexadecimal digits."""
    if not _RAW_KEY.fullmatch(text.strip()):
        raise InvalidSettings(
            "the encryption key must be 64 hexadecimal digits (32 bytes); "
            "make one with: python -c 'import secrets; print(secrets.token_hex(32))'"
        )
    return Key(raw_hex=text.strip().lower())


def passphrase_key(text: str) -> Key:
    """A key from a passphrase."""
    if not text:
        raise InvalidSettings("the encryption passphrase is empty")
    return Key(passphrase=text)


def keyring_key(name: str) -> Key:
    """A key from the system's keyring."""
    try:
        import keyring  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        message = 'install the keyring extra: pip install "sharpwave[keyring]"'
        raise InvalidSettings(message) from error
    secret = keyring.get_password("sharpwave", name)
    if secret is None:
        raise InvalidSettings(
            f"the keyring has no key {name!r}; store one with: keyring set sharpwave {name}"
        )
    return raw_key(secret)


def is_plain(path: Path) -> bool:
    """True if the file is a database that is not encrypted."""
    return _header(path) == _PLAIN_HEADER


def is_new(path: Path) -> bool:
    """True if the file does not exist yet or is empty."""
    return not _header(path)


def _header(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SALT_BYTES)
    except FileNotFoundError:
        return b""
