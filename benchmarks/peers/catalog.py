"""The peers: which package each is, what it needs to run, and what it has that we do not.

What a package needs is what its code and documentation say. A peer without a `store` is installed,
weighed and imported only.
"""

from dataclasses import dataclass

MINILM = "all-MiniLM-L6-v2 (384 dimensions)"


@dataclass(frozen=True, slots=True)
class Peer:
    """One package and what is known about it."""

    name: str
    packages: tuple[str, ...]
    """What pip is asked for, by name; the first one's version is shown."""
    imports: str
    """The statement whose time is measured: the name that a program starts with."""
    kind: str
    needs: str
    """Keys, models and servers, in its usual form."""
    measured: str
    """In which form it is measured here, or why it is not."""
    beyond: str
    """What it does that we do not."""
    store: str | None = None
    """Its class in `stores.py`."""
    tools: tuple[str, ...] = ()
    """Installed after it was weighed, to give it an embedder."""
    ours_too: bool = False
    """Whether it can also be given our vectors."""


SHARPWAVE = Peer(
    "Sharpwave",
    ("sharpwave",),
    "from sharpwave import Memory",
    "memory library; files, or PostgreSQL",
    "nothing else: its models are in the package",
    "default settings, `remember` and `recall`; the wheel of this checkout",
    "",
    store="Sharpwave",
)

PEERS = (
    Peer(
        "BM25",
        ("bm25s", "PyStemmer"),
        "import bm25s",
        "keyword index (bm25s), baseline",
        "nothing else",
        "stemmed, English stop words dropped; the index is built once and cannot grow, so that no "
        "writes are measured",
        "",
        store="Bm25",
    ),
    Peer(
        "chromadb",
        ("chromadb",),
        "import chromadb",
        "vector store, baseline",
        f"{MINILM}, which it downloads on first use",
        "`PersistentClient`, `add` and `query` with its default embedder",
        "filters by metadata and document text, images, a server and a cloud; other languages",
        store="Chroma",
        ours_too=True,
    ),
    Peer(
        "mem0ai",
        ("mem0ai",),
        "from mem0 import Memory",
        "memory library",
        "a key of a language model (or a local one) to extract memories, and one of an embedder "
        "(OpenAI's unless configured)",
        "raw: `add(…, infer=False)` on its local Qdrant. Its default embedder needs a key, so it "
        "has chromadb's; its keyword search needs models that are downloaded, so it has none",
        "some 25 vector stores, many hosted models and integrations; a model extracts and merges "
        "what it stores; a hosted platform",
        store="Mem0",
        tools=("onnxruntime", "tokenizers"),
        ours_too=True,
    ),
    Peer(
        "LangMem",
        ("langmem",),
        "from langmem import create_manage_memory_tool",
        "memory tools for LangGraph",
        "a language model that calls its tools, and an embedder; PostgreSQL to keep anything",
        "its tools called directly, on LangGraph's `InMemoryStore`. It has no default embedder, so "
        "it has chromadb's; nothing is written to disk",
        "prompts that are optimized from feedback by a model; native to LangGraph",
        store="LangMem",
        tools=("onnxruntime", "tokenizers"),
        ours_too=True,
    ),
    Peer(
        "MemPalace",
        ("mempalace",),
        "from mempalace.searcher import search_memories",
        "memory for agents, by MCP and command line",
        f"{MINILM}, which it downloads on first use",
        "`tool_add_drawer` and `search_memories` with its default embedder",
        "files of projects and whole transcripts mined in one command; multilingual embedder to "
        "choose; many-machine sync",
        store="MemPalace",
    ),
    Peer(
        "OMEGA",
        ("omega-memory",),
        "from omega import SQLiteStore",
        "memory for coding agents",
        "bge-small-en-v1.5, which its set-up downloads; all-MiniLM-L6-v2 does in its place",
        "`SQLiteStore.store` and `query` with all-MiniLM-L6-v2, its own second choice: the first "
        "cannot be had from a package registry",
        "hooks, checkpoints and reminders made for coding agents; Obsidian export",
        store="Omega",
    ),
    Peer(
        "Cognee",
        ("cognee",),
        "import cognee",
        "knowledge graph from documents",
        "a key of a language model for every `cognify`; an embedder (OpenAI's unless configured)",
        "not measured: nothing can be searched before a language model has read it",
        "documents, images and code into a graph; ontologies; a user interface; graph databases",
    ),
    Peer(
        "Graphiti",
        ("graphiti-core",),
        "from graphiti_core import Graphiti",
        "temporal knowledge graph; the open part of Zep",
        "a graph database server (Neo4j, FalkorDB, Neptune) and a key of a language model for "
        "every episode; an embedder",
        "not measured: it needs a server and a language model",
        "a graph of entities and edges that a model extracts, with custom types; graph search",
    ),
    Peer(
        "Zep",
        ("zep-cloud",),
        "from zep_cloud import Zep",
        "client of a hosted service",
        "an account and a key of the service",
        "not measured: the service is elsewhere",
        "operated for you; dashboards and access control",
    ),
    Peer(
        "Hindsight client",
        ("hindsight-client",),
        "from hindsight_client import Hindsight",
        "client of a memory server",
        "its server",
        "not measured: see its server",
        "",
    ),
    Peer(
        "Hindsight server",
        ("hindsight-api-slim",),
        "from hindsight_api import MemoryEngine",
        "memory server, slim form",
        "PostgreSQL with pgvector (an extra embeds one), and for embeddings an endpoint or an "
        "extra with models of a hub; a language model, or none with fewer functions",
        "not measured: without extras it has no embedder, and with them its models come from a "
        "model hub",
        "facts, observations and mental models written by a model; a cross-encoder by default; "
        "more than sixty integrations",
    ),
    Peer(
        "Letta client",
        ("letta-client",),
        "from letta_client import Letta",
        "client of an agent server",
        "a server or an account, and a language model",
        "not measured: it needs a server",
        "whole agents that edit their own memory, not only a memory",
    ),
    Peer(
        "Memori",
        ("memori",),
        "from memori import Memori",
        "memory around clients of language models",
        "a client of a language model, and its own service for what it learns: without an account "
        "up to a limit, else with a key",
        "not measured: it works inside calls of a language model",
        "one line around an existing client",
    ),
)
EVERYONE = (SHARPWAVE, *PEERS)
