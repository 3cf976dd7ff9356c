"""The write path. Each step is one file in this folder, in this order.

    1 intake   what was said            -> records, checked and in normal form
    2 embed    records                  -> a change with their vectors, or without and a note why
    3 commit   one transaction          -> Receipt

A step never calls another step, and never opens a transaction; only `commit` writes. If the
embedder fails, the words are stored all the same: nothing said is ever lost to a model.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from sharpwave.ports import Ports
from sharpwave.remember import commit, embed, intake
from sharpwave.settings import RememberSettings
from sharpwave.types.answers import Imported, Receipt
from sharpwave.types.records import Record
from sharpwave.types.said import Said


def remember(
    said: Sequence[Said], user_id: str, ports: Ports, settings: RememberSettings
) -> Receipt:
    """Store what was said, durably and in order: all of it, or nothing."""
    now = ports.clock.now()
    records = intake.to_records(said, user_id, now, settings)
    change, note = embed.to_change(records, user_id, "remember", now, ports.embedder)
    return commit.write(change, note, ports.store)


def take_in(
    records: Iterable[Record],
    user_id: str,
    ports: Ports,
    settings: RememberSettings,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """Store records that were exported earlier; those already there are left as they are."""
    added = known = 0
    safe = (intake.checked(record, user_id, settings) for record in records)
    for batch in _batches(safe, settings.batch_records):
        now = ports.clock.now()
        change, note = embed.to_change(batch, user_id, "import", now, ports.embedder)
        receipt = commit.write(change, note, ports.store)
        known += len(receipt.replayed)
        added += len(receipt.ids) - len(receipt.replayed)
        if progress:
            progress(added + known)
    return Imported(added, known)


def reembed(
    user_id: str, ports: Ports, settings: RememberSettings, progress: Callable[[int], None] | None
) -> int:
    """Give every record that lacks a vector of the current embedder one; can be interrupted."""
    done = after = 0
    while records := ports.store.unembedded(
        user_id, ports.embedder.space, after, settings.batch_records
    ):
        matrix = embed.matrix(records, ports.embedder)
        numbers = [record.number for record in records]
        ports.store.replace_vectors(user_id, ports.embedder.space, numbers, matrix)
        after = numbers[-1]
        done += len(records)
        if progress:
            progress(done)
    return done


def _batches(records: Iterable[Record], size: int) -> Iterable[list[Record]]:
    rest = iter(records)
    while batch := list(islice(rest, size)):
        yield batch
