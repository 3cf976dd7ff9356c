"""What is done to the file when nobody waits: old copies of what was forgotten go, the log shrinks.

No ANALYZE: SQLite keeps samples of what it counts, names among them, where forgetting does not
reach. Statements name the index that they need instead.
"""

from pathlib import Path

from sharpwave.errors import StoreBusy, StoreDegraded, StoreFull
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite.files import scrub
from sharpwave.storage.sqlite.files.copy import file_bytes
from sharpwave.storage.sqlite.statements import Connection
from sharpwave.storage.sqlite.writer import Writer
from sharpwave.types.storing import Tidied


def scrubbed(writer: Writer, settings: StoreSettings, up_to_mib: int | None) -> bool:
    """Rewrite the file if it is no larger than this; False if it is, or somebody is in the way."""

    def work(db: Connection) -> bool:
        if up_to_mib is not None and not scrub.is_within(db, up_to_mib):
            return False
        return scrub.scrub(db, settings)

    try:
        return writer.run_alone(work)
    except (StoreBusy, StoreDegraded, StoreFull):
        return False  # the erasure itself is durable: an error would say that it is not


def tidy(writer: Writer, path: Path, settings: StoreSettings) -> Tidied:
    """Finish a scrub that is due, and empty the log."""
    before = file_bytes(path)
    if writer.run_alone(scrub.is_due):
        done = scrubbed(writer, settings, settings.scrub_at_night_mib)
    else:
        done = False
        writer.run_alone(lambda db: scrub.empty_log(db, settings))
    return Tidied(done, max(0, before - file_bytes(path)))
