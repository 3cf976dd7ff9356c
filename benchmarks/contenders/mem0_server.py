"""A server around mem0ai's `Memory` on its default local store: two routes, as its own server has.

    python mem0_server.py FOLDER TEXTS

mem0's server is no part of its package; like this one it is FastAPI with plain functions around one
`Memory`. TEXTS is a file with a memory on each line. There is no model behind it (`infer=False`),
and vectors are made of a checksum, as if embedding cost nothing.
"""

import hashlib
import json
import logging
import socket
import sys
import uuid
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
from fastapi import FastAPI
from mem0 import Memory
from pydantic import BaseModel

DIMENSION = 384
BATCH = 500


class Said(BaseModel):
    """What is to be kept."""

    messages: str
    user_id: str


class Asked(BaseModel):
    """What is asked."""

    query: str
    user_id: str
    top_k: int = 10


class Checksums:
    """An embedder that costs nothing."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """A vector that depends on the text alone."""
        chance = np.random.default_rng(zlib.crc32(text.encode()))
        vector: list[float] = chance.standard_normal(DIMENSION).tolist()
        return vector

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        """One for each text."""
        return [self.embed(text) for text in texts]


def opened(folder: Path, texts: list[str]) -> Any:
    """A memory that holds these texts, put straight into its vector store."""
    store = {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSION}
    unused = {"provider": "openai", "config": {"api_key": "never used"}}
    memory: Any = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(folder / "history.db"),
            "embedder": unused,
            "llm": unused,
        }
    )
    memory.embedding_model = embedder = Checksums()
    for start in range(0, len(texts), BATCH):
        some = texts[start : start + BATCH]
        memory.vector_store.insert(
            vectors=embedder.embed_batch(some),
            ids=[str(uuid.uuid4()) for _ in some],
            payloads=[_payload(text) for text in some],
        )
    return memory


def create_app(memory: Any) -> FastAPI:
    """The two routes that are measured."""
    app = FastAPI()

    @app.post("/memories")
    def add(said: Said) -> Any:
        return memory.add(said.messages, user_id=said.user_id, infer=False)

    @app.post("/search")
    def search(asked: Asked) -> Any:
        return memory.search(asked.query, filters={"user_id": asked.user_id}, top_k=asked.top_k)

    return app


def _payload(text: str) -> dict[str, str]:
    now = datetime.now(UTC).isoformat()
    digest = hashlib.md5(text.encode()).hexdigest()
    known = {"user_id": "default", "role": "user", "data": text, "hash": digest}
    return {**known, "created_at": now, "updated_at": now, "text_lemmatized": text}


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # that its extras are missing
    where, lines = Path(sys.argv[1]), Path(sys.argv[2]).read_text().splitlines()
    app = create_app(opened(where, lines))
    with socket.create_server(("127.0.0.1", 0)) as address:
        host, port = address.getsockname()
        print(json.dumps({"url": f"http://{host}:{port}"}, indent=2), flush=True)
        config = uvicorn.Config(app, access_log=False, log_level="warning")
        uvicorn.Server(config).run(sockets=[address])
