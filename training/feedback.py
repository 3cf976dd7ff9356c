"""Learn the bundled phrases with the built-in embedder, and write what was learned.

    python -m training.feedback

Needed after a change of the phrases, of the embedder's table, or of the numbers that learning
depends on; a test tells when it was forgotten. Less than a minute.
"""

from pathlib import Path

from sharpwave.behavior.intent.learned import BUNDLED, meaning_digest, save, spelling_digest
from sharpwave.behavior.intent.learning import learn_meaning, learn_spelling
from sharpwave.behavior.intent.phrases import load_phrases
from sharpwave.embedding.table_embedder import SharpwaveEmbedder
from sharpwave.settings.reading import ReadingSettings

OUT = Path("src/sharpwave/data") / BUNDLED


def main() -> None:
    """Learn, write, and tell how large it is."""
    phrases, embedder, settings = load_phrases(), SharpwaveEmbedder(), ReadingSettings()
    spelled = learn_spelling(phrases, settings)
    meant = learn_meaning(phrases, spelled, embedder, settings, settings.pair_directions)
    spelling = spelling_digest(phrases, settings)
    save(OUT, spelling, meaning_digest(spelling, embedder.space, settings), spelled, meant)
    print(f"{OUT}: {OUT.stat().st_size / 1e6:.2f} MB, {len(spelled.runs)} runs of letters")


if __name__ == "__main__":
    main()
