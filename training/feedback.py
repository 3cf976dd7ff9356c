"""Learn the bundled phrases with the built-in embedder, and write what was learned.

    python -m training.feedback

Needed after a change of the phrases, of the embedder's table, or of the numbers that learning
depends on; a test tells when it was forgotten. Less than a minute.
"""

from pathlib import Path

from sharpwave.behavior.feedback.classifier_model import (
    BUNDLED,
    learn_meaning,
    learn_spelling,
    meaning_digest,
    spelling_digest,
)
from sharpwave.behavior.feedback.phrases import load_phrases
from sharpwave.embedding.table_embedder import TableEmbedder
from training.model_files import write_comments

OUT = Path("src/sharpwave/data") / BUNDLED


def main() -> None:
    """Learn, write, and tell how large it is."""
    phrases, embedder = load_phrases(), TableEmbedder()
    spelled = learn_spelling(phrases)
    meant = learn_meaning(phrases, spelled, embedder)
    spelling = spelling_digest(phrases)
    write_comments(OUT, spelling, meaning_digest(spelling, embedder.space), spelled, meant)
    print(f"{OUT}: {OUT.stat().st_size / 1e6:.2f} MB, {len(spelled.runs)} runs of letters")


if __name__ == "__main__":
    main()
