"""Learn the bundled phrases with the built-in embedder, and write what was learned.

    python -m training.feedback

Needed after a change of the phrases, of the embedder's table, or of the numbers that learning
depends on; a test tells when it was forgotten. Some seconds.
"""

from pathlib import Path

from sharpwave.behavior.reading.learned import BUNDLED, digest, save
from sharpwave.behavior.reading.learning import learn
from sharpwave.behavior.reading.phrases import load_phrases
from sharpwave.providers.sharpwave_embedder.embedder import SharpwaveEmbedder
from sharpwave.tunables.reading import ReadingSettings

OUT = Path("src/sharpwave/data") / BUNDLED


def main() -> None:
    """Learn, write, and tell how large it is."""
    phrases, embedder, settings = load_phrases(), SharpwaveEmbedder(), ReadingSettings()
    learned = learn(phrases, embedder, settings)
    save(OUT, digest(phrases, embedder.space, settings), learned)
    print(f"{OUT}: {OUT.stat().st_size / 1e6:.2f} MB, {len(learned.runs)} runs of letters")


if __name__ == "__main__":
    main()
