"""How tables do on LoCoMo dev: the micro average of categories 1 to 4, speaker named.

For evaluation only: the set is not for training (CC BY-NC). `python -m evals embedders` is the
full comparison; this is the quick look.
"""

from pathlib import Path

import numpy as np

from evals import metrics, sets
from sharpwave import Embedder
from sharpwave.embedding.table_embedder import TableEmbedder


def measure(data: Path, tables: list[Path]) -> None:
    """Print one line a table."""
    for table in tables:
        ndcg, recall = locomo(TableEmbedder(table), data)
        print(f"{table.name}: LoCoMo dev NDCG@10 {ndcg:.4f}, R@10 {recall:.4f}")


def locomo(embedder: Embedder, data: Path) -> tuple[float, float]:
    """NDCG@10 and recall@10, mean over the questions that have an answer."""
    gained, found = [], []
    for conversation in sets.load("locomo", data).conversations:
        told = embedder.embed(conversation.statements)
        for question in conversation.questions:
            if question.category != sets.ADVERSARIAL:
                ranked = np.argsort(-(told @ embedder.embed_question(question.text)), kind="stable")
                first = [int(one) for one in ranked[:10]]
                gained.append(metrics.ndcg(first, set(question.evidence), 10))
                found.append(metrics.recall(first, set(question.evidence), 10))
    return float(np.mean(gained)), float(np.mean(found))
