"""Messages as protobuf, from the one table that says what their fields are.

The classes are made when they are first used. Generated code would be tied to one version of the
protobuf package; this runs on any, and `proto_text` gives other languages their `.proto` file.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sharpwave.events.zeromq.optional import load
from sharpwave.types.publishing import BY_TOPIC, EVENT, MESSAGES, Told

PACKAGE = "sharpwave.v1"


def encode(told: Told) -> bytes:
    """A message as it is sent; what is None is left out."""
    made = _classes()[BY_TOPIC.get(told.topic, EVENT)]()
    for name, value in told.fields.items():
        if isinstance(value, list | tuple):
            getattr(made, name).extend(value)
        elif value is not None:
            setattr(made, name, value)
    return bytes(made.SerializeToString())


def decode(topic: str, sent: bytes) -> dict[str, Any]:
    """The fields of a message under a topic; those that were left out have their empty value."""
    name = BY_TOPIC.get(topic, EVENT)
    made = _classes()[name].FromString(sent)
    found = {field: getattr(made, field) for field in MESSAGES[name]}
    return {
        field: list(value) if MESSAGES[name][field].startswith("repeated") else value
        for field, value in found.items()
    }


def proto_text() -> str:
    """The messages as a `.proto` file.

    >>> print(proto_text().partition("message")[0].rstrip())
    syntax = "proto3";
    package sharpwave.v1;
    """
    lines = ['syntax = "proto3";', f"package {PACKAGE};"]
    for name, fields in MESSAGES.items():
        numbered = enumerate(fields.items(), 1)
        inner = [f"  {kind} {field} = {number};" for number, (field, kind) in numbered]
        lines += ["", f"message {name} {{", *inner, "}"]
    return "\n".join(lines) + "\n"


@cache
def _classes() -> Mapping[str, Any]:
    pb2 = load("google.protobuf.descriptor_pb2")
    file = pb2.FileDescriptorProto(name="sharpwave.proto", package=PACKAGE, syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(fields.items(), 1):
            *many, plain = kind.split()
            types = pb2.FieldDescriptorProto
            message.field.add(
                name=field,
                number=number,
                type=getattr(types, f"TYPE_{plain.upper()}"),
                label=types.LABEL_REPEATED if many else types.LABEL_OPTIONAL,
            )
    pool = load("google.protobuf.descriptor_pool").DescriptorPool()
    pool.Add(file)
    made = load("google.protobuf.message_factory").GetMessageClass
    return {name: made(pool.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in MESSAGES}
