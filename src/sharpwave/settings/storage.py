"""The file, its key and the index in memory."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from sharpwave.settings.group import Group

MIB = 1024 * 1024


class IndexSettings(Group):
    """The in-memory recall index of each user."""

    budget_mib: int = Field(
        1024, ge=1, description="Memory all recall indexes may take before the least used go."
    )
    rescore: int = Field(
        400, ge=10, description="Records that are fetched and scored with their full vectors."
    )
    rescore_share: float = Field(
        0.01, gt=0, le=1, description="At most this share of a small user's records is fetched."
    )
    beside: int = Field(
        20, ge=0, description="The turns before and after this many of the best are candidates too."
    )
    shortlist_factor: int = Field(
        4, ge=1, description="Of the scan by sign bits, this many times more are looked at again."
    )
    bm25_k1: float = Field(1.2, ge=0, le=3, description="BM25: how fast repeated terms saturate.")
    bm25_b: float = Field(0.75, ge=0, le=1, description="BM25: how much long texts are held back.")
    common_term_share: float = Field(
        0.1,
        gt=0,
        le=1,
        description="A term in more than this share of the records is skipped if rarer ones match.",
    )
    common_term_floor: int = Field(
        1000, ge=0, description="Below this many records no term counts as common."
    )
    max_terms: int = Field(16_384, ge=1, description="Terms of one text that keyword search knows.")
    max_word_chars: int = Field(64, ge=4, description="Longer words are cut to this.")
    cached_words: int = Field(65_536, ge=0, description="Words whose stems are kept in memory.")
    tail_records: int = Field(
        2048, ge=16, description="New records gathered before they become a compact segment."
    )
    snapshot_min_records: int = Field(
        2000, ge=1, description="Users with fewer records are indexed from their rows on load."
    )
    snapshot_growth: float = Field(
        0.2, gt=0, description="Save a new snapshot after the index grew by this share."
    )
    load_batch: int = Field(5000, ge=1, description="Rows read at once while following the store.")


class StoreSettings(Group):
    """The SQLite file."""

    synchronous: Literal["FULL", "NORMAL", "OFF"] = Field(
        "FULL", description="Anything but FULL loses acknowledged memories in a power cut."
    )
    busy_timeout_s: float = Field(
        30.0, gt=0, le=600, description="How long a write waits for other processes to finish."
    )
    cache_mib: int = Field(64, ge=1, description="Page cache of each connection.")
    journal_limit_mib: int = Field(
        64, ge=1, description="Size the write-ahead log shrinks back to."
    )
    readers: int = Field(4, ge=2, le=64, description="Reading connections kept open.")
    group_commit_max: int = Field(
        256, ge=1, description="Most calls that share one transaction and one disk sync."
    )
    touch_flush_s: float = Field(
        2.0, gt=0, description="Access counts reach the disk at the latest after this long."
    )
    scrub_at_once_mib: int = Field(
        64, ge=0, description="Up to this size the file is rewritten with every erasure."
    )
    scrub_at_night_mib: int = Field(1024, ge=0, description="Up to this size, in sleep.")
    scrub_wait_s: float = Field(
        0.5, ge=0, le=10, description="How long that waits for readers; nobody can write meanwhile."
    )
    outbox_keep: int = Field(10_000, ge=1, description="Events kept for listeners to catch up.")
    allow_network_filesystem: bool = Field(
        False, description="WAL needs shared memory; on a network filesystem it corrupts files."
    )


class PostgresSettings(Group):
    """A PostgreSQL database instead of the file, shared by any number of machines."""

    url: SecretStr | None = Field(
        None, description="postgresql://role:password@host/database; needs the postgres extra."
    )
    connections: int = Field(8, ge=2, le=1000, description="Connections of one process at most.")
    connect_timeout_s: float = Field(
        10.0, gt=0, le=600, description="How long a call waits for a connection."
    )
    answer_timeout_s: float = Field(
        60.0,
        gt=0,
        le=3600,
        description="How long a statement waits for an answer before the line counts as cut; more "
        "than store.busy_timeout_s.",
    )
    search: Literal["auto", "database", "memory"] = Field(
        "auto",
        description="Where large users are searched: in the database if it has pgvector, there and "
        "nowhere else, or in the memory of each process.",
    )
    search_above: int = Field(
        500_000, ge=0, description="Users with more records are large; looked at in sleep."
    )
    catalog_minutes: float = Field(
        60.0,
        ge=0,
        description="How long one night takes a large user's records in to be searched; the next "
        "goes on from there.",
    )
    graph_above: int = Field(
        50_000, ge=0, description="From so many vectors on they get a graph (HNSW); below, a scan."
    )
    graph_reach: int = Field(
        600, ge=10, le=1000, description="How many vectors of a graph are compared at least."
    )
    graph_scan: int = Field(
        20_000, ge=1, description="How many are looked at to find enough that pass a filter."
    )


class EncryptionSettings(Group):
    """Encryption of the whole file, compatible with SQLCipher 4. Give at most one source."""

    passphrase: SecretStr | None = Field(None, description="A passphrase; derived by PBKDF2.")
    key: SecretStr | None = Field(None, description="A raw key: 64 hexadecimal digits.")
    key_file: Path | None = Field(None, description="A file with the raw key in it, mode 0600.")
    keyring: str | None = Field(
        None, description="Name of the key in the system keyring (needs the keyring extra)."
    )
