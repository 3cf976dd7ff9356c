"""A GLiNER model as a finder of names: slower than our rules, and at home in more languages.

Any model of that library, from a folder on this machine; nothing is downloaded. The documents name
gliner_medium-v2.1 [MDL-03]. Needs the package `gliner`.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

from sharpwave.embedding.local.loading import package, readable, torch_device
from sharpwave.errors import InvalidSettings
from sharpwave.types.statements import EntityKind, Mention, Span

EXTRA = "gliner"


class GlinerNames:
    """Finds names with a model in a folder. Safe to share between threads."""

    def __init__(self, folder: Path, threshold: float, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        library = package("gliner", EXTRA)
        try:
            self._model = library.GLiNER.from_pretrained(
                str(folder), local_files_only=True, map_location=torch_device(device, EXTRA)
            )
        # Whatever the library raises at a model that is none, the user must hear of the folder.
        except Exception as error:
            raise InvalidSettings(f"the model in {folder} is no use: {error}") from error
        self._threshold = threshold
        self._lock = threading.Lock()

    def find(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """The names in each text, each once, where it first stands."""
        if not texts:
            return []
        shown = [readable(text) for text in texts]
        labels = [kind.value for kind in EntityKind]
        with self._lock:
            found = self._model.inference(shown, labels, threshold=self._threshold)
        return [_mentions(each) for each in found]


def _mentions(found: Sequence[dict[str, object]]) -> tuple[Mention, ...]:
    made: dict[str, Mention] = {}
    for one in sorted(found, key=lambda one: int(str(one["start"]))):
        name = " ".join(str(one["text"]).split())
        span = Span(int(str(one["start"])), int(str(one["end"])))
        made.setdefault(name, Mention(name, EntityKind(str(one["label"])), span))
    return tuple(made.values())
