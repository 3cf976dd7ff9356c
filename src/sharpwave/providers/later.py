"""Providers that most memories do without: each is loaded when the settings first ask for it.

`later.openai_embedder.OpenAIEmbedder(...)`
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharpwave.providers import (
        hash_embedder,
        http_wire,
        machine_load,
        openai_embedder,
        variables,
        webhook_sender,
    )
    from sharpwave.providers.llm import by_role
    from sharpwave.providers.local import (
        cross_encoder,
        fastembed,
        gliner,
        loading,
        model2vec,
        sentence_transformer,
    )
    from sharpwave.providers.zeromq import curve, publisher

PLACES = {
    "hash_embedder": "hash_embedder",
    "http_wire": "http_wire",
    "machine_load": "machine_load",
    "openai_embedder": "openai_embedder",
    "variables": "variables",
    "webhook_sender": "webhook_sender",
    "by_role": "llm.by_role",
    "cross_encoder": "local.cross_encoder",
    "fastembed": "local.fastembed",
    "gliner": "local.gliner",
    "loading": "local.loading",
    "model2vec": "local.model2vec",
    "sentence_transformer": "local.sentence_transformer",
    "curve": "zeromq.curve",
    "publisher": "zeromq.publisher",
}
"""Where each is in the room, as the imports above say it to the type checker."""


def __getattr__(name: str) -> ModuleType:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = import_module(f"sharpwave.providers.{PLACES[name]}")
    globals()[name] = found
    return found
