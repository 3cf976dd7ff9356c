"""Keys of CurveZMQ: 32 bytes each, written in Z85. The public half follows from the secret one."""

import os
from pathlib import Path
from typing import NamedTuple

from sharpwave.errors import InvalidInput, InvalidSettings
from sharpwave.events.zeromq.optional import load


class KeyPair(NamedTuple):
    """A key: the public half is handed out, the secret one is not."""

    public: bytes
    secret: bytes


def make(file: Path) -> str:
    """Write a new secret key to a file that only its owner reads; returns the public half."""
    public, secret = load("zmq").curve_keypair()
    try:
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise InvalidInput(f"cannot write a key to {file}: {error.strerror}") from error
    with os.fdopen(opened, "wb") as written:
        written.write(secret + b"\n")
    return str(public.decode("ascii"))


def read(file: Path) -> KeyPair:
    """The key in a file."""
    try:
        secret = file.expanduser().read_bytes().strip()
        others = file.expanduser().stat().st_mode & 0o077
    except OSError as error:
        raise InvalidSettings(f"cannot read the bus key {file}: {error.strerror}") from error
    if others and os.name == "posix":
        raise InvalidSettings(f"others can read the bus key {file}; run: chmod 600 {file}")
    try:
        return KeyPair(load("zmq").curve_public(checked(secret)), secret)
    except ValueError as error:
        raise InvalidSettings(f"{file} holds no key of `sharpwave keys bus`") from error


def checked(key: bytes) -> bytes:
    """A key in Z85; ValueError if it is none."""
    if len(key) != 40 or len(load("zmq.utils.z85").decode(key)) != 32:
        raise ValueError("a key of CurveZMQ has 40 characters")
    return key
