from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.evals.sets_of_our_own import write_all, write_locomo

from evals import embedders, models, retrievers, sets
from evals.metrics import Scores
from sharpwave import InvalidInput, NotFound


def test_keywords_and_hashes_find_what_shares_words(tmp_path: Path) -> None:
    found = embedders.compare(["bm25", "hash"], sets.NAMES, write_all(tmp_path))
    assert found.notes == ()
    assert [result.name for result in found.results] == ["bm25", "hash"]
    for result in found.results:
        by_set = {one.set: one for one in result.sets}
        assert by_set["locomo"].micro == Scores(1, 0.75, 1, 1, 1)
        assert by_set["prefeval"].macro == Scores(1, 1, 1, 1, 1)
        assert (by_set["locomo"].questions, by_set["locomo"].skipped) == (3, 1)
    keywords, hashes = found.results
    assert (keywords.dimension, hashes.dimension) == (None, 384)
    assert keywords.beside_bm25 == ()
    assert [one.set for one in hashes.beside_bm25] == [one.set for one in hashes.sets]


def test_micro_leaves_the_adversarial_out_and_macro_does_not(tmp_path: Path) -> None:
    write_locomo(tmp_path)
    data = sets.load("locomo", tmp_path)
    all_right, all_wrong = Scores(1, 1, 1, 1, 1), Scores(0, 0, 0, 0, 0)
    scored = [("4", all_right), ("4", all_right), ("1", all_wrong), ("5", all_wrong)]
    found = embedders.average(data, scored)
    assert found.micro.ndcg_at_10 == pytest.approx(2 / 3)
    assert found.macro.ndcg_at_10 == pytest.approx(1 / 3)
    assert list(found.categories) == ["1", "4", "5"]


def test_bm25_by_hand() -> None:
    search = retrievers.Keywords().index(["red fox", "red hen", "blue whale"])
    scores = search("the red fox?")
    # Every text has two terms: a single match counts just its idf.
    assert scores == pytest.approx([np.log(8 / 3) + np.log(1.6), np.log(1.6), 0.0])


def test_of_equal_scores_the_earlier_is_first() -> None:
    assert retrievers.ranking(np.array([0.0, 1.0, 0.0, 1.0])) == [1, 3, 0, 2]


def test_a_set_that_is_missing_is_a_note_and_none_at_all_an_error(tmp_path: Path) -> None:
    write_locomo(tmp_path)
    found = embedders.compare(["bm25"], ["locomo", "realtalk"], tmp_path)
    assert [one.set for one in found.results[0].sets] == ["locomo"]
    assert found.notes[0].startswith("realtalk is not there")
    with pytest.raises(NotFound, match="realtalk is not there"):
        embedders.compare(["bm25"], ["realtalk"], tmp_path)


def test_a_peer_that_is_missing_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(models, "import_module", refuse)
    write_locomo(tmp_path)
    found = embedders.compare(list(models.EMBEDDERS), ["locomo"], tmp_path)
    assert found.results == ()
    assert len(found.notes) == len(models.EMBEDDERS)
    assert all("is not installed" in note for note in found.notes)


def test_a_name_that_nobody_has_is_refused(tmp_path: Path) -> None:
    write_locomo(tmp_path)
    with pytest.raises(InvalidInput, match="no embedder 'magic'; there are: bm25, sharpwave"):
        embedders.compare(["magic"], ["locomo"], tmp_path)


def test_cost_is_of_different_sentences_of_twenty_words(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(30))
    talk = sets.Conversation("one", ("too short", long, f"{long} again", f"other {long}"), (), 0)
    timed = embedders.timed_sentences([sets.DataSet("own", (talk,))])
    assert [len(sentence.split()) for sentence in timed] == [20, 20]
    embedder = retrievers.open_named("hash").embedder
    assert embedder is not None
    assert embedders.cpu_ms_a_sentence(embedder, timed) is None, "all went into the warm-up"
    cost = embedders.cpu_ms_a_sentence(embedder, timed * 5)
    assert cost is not None and cost >= 0


def test_a_table_may_be_named_by_its_file(tmp_path: Path) -> None:
    write_locomo(tmp_path)
    found = embedders.compare([str(tmp_path / "none.npz")], ["locomo"], tmp_path)
    assert "left out: cannot read" in found.notes[0]
