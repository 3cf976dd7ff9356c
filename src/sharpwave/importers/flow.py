"""Import of another program's export, from start to end.

    1 find      the file            -> its format, by FORMATS
    2 read      its values          -> messages, and what is damaged    a reader for each format
    3 remember  batches of messages -> stored, or known already         the caller's function

Each batch is durable before the next is read, and every message has its own key: an import that was
interrupted can simply be repeated.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from sharpwave.errors import KeyReused, SharpwaveError
from sharpwave.importers.formats import find_export
from sharpwave.importers.items import ImportedMessage, Item, batches, store_in_halves
from sharpwave.types.answers import ImportedChats, ImportProblem, Receipt
from sharpwave.types.message import Message

MAX_PROBLEMS = 100
"""Maximum number of problems reported with their place; the others are only counted."""

Remember = Callable[[Sequence[Message]], Receipt]
Progress = Callable[[int], None] | None


def take_in(
    path: Path,
    format_name: str | None,
    own: bool,
    remember: Remember,
    batch_records: int,
    progress: Progress,
) -> ImportedChats:
    """Pass every message of an export to `remember`, in batches, and count the results."""
    export = find_export(path, format_name)
    tally = ImportTally()
    for batch in batches(export.items(own), batch_records):
        tally.leave_out(batch)
        tally.store([item for item in batch if isinstance(item, ImportedMessage)], remember)
        if progress:
            progress(tally.done)
    return tally.result(export.format.name)


class ImportTally:
    """Counts of the messages processed so far."""

    def __init__(self) -> None:
        self.done = 0
        self._added = self._known = self._skipped = 0
        self._problems: list[ImportProblem] = []
        self._left_out: Counter[str] = Counter()
        self._sessions: set[str] = set()

    def leave_out(self, batch: Sequence[Item]) -> None:
        """Count what will not be stored."""
        for item in batch:
            if isinstance(item, ImportProblem):
                self._skip(item)
            elif not isinstance(item, ImportedMessage):
                self._left_out[item.reason] += 1

    def store(self, batch: Sequence[ImportedMessage], remember: Remember) -> None:
        """Store a batch and count the results."""

        def store(part: Sequence[ImportedMessage]) -> None:
            receipt = remember([imported.message for imported in part])
            known = len(receipt.replayed)
            self._count(part, added=len(receipt.ids) - known, known=known)
            self._skip_refused(part, receipt)

        if batch:
            store_in_halves(batch, store, self._refused)

    def result(self, format_name: str) -> ImportedChats:
        """The counts as the caller gets them."""
        return ImportedChats(
            format=format_name,
            added=self._added,
            already_there=self._known,
            conversations=len(self._sessions),
            skipped=self._skipped,
            problems=tuple(self._problems),
            left_out=dict(self._left_out),
        )

    def _count(self, batch: Sequence[ImportedMessage], added: int, known: int) -> None:
        self.done += added + known
        self._known += known
        self._added += added
        if added or known:
            self._sessions.update(
                imported.message.session for imported in batch if imported.message.session
            )

    def _refused(self, imported: ImportedMessage, error: SharpwaveError) -> None:
        if isinstance(error, KeyReused):  # the same text of the same message, with other metadata
            self._count([imported], added=0, known=1)
        else:
            self._skip(ImportProblem(imported.place, str(error)))

    def _skip_refused(self, batch: Sequence[ImportedMessage], receipt: Receipt) -> None:
        """Count refused messages, with the reasons from `learned` or `notes` of the receipt."""
        places = dict.fromkeys((batch[0].place, batch[-1].place))
        for number in range(len(batch) - len(receipt.ids)):
            reason = receipt.learned[number].reason if receipt.learned else " ".join(receipt.notes)
            self._skip(ImportProblem(" to ".join(places), reason))

    def _skip(self, problem: ImportProblem) -> None:
        self.done += 1
        self._skipped += 1
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(problem)
