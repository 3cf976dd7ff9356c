"""What is left of a recollection if only trusted sources count."""

from dataclasses import replace

from sharpwave.types.answers import Recollection
from sharpwave.types.records import Trust


def only(found: Recollection) -> Recollection:
    """The same without what a tool, a web page or an import said."""
    kept = tuple(
        item for item in found.items if item.record.provenance.trust is not Trust.UNTRUSTED
    )
    return replace(found, items=kept)
