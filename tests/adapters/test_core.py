"""Things kept by name: the core of the store and of the files."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave import InvalidInput, Memory, Record
from sharpwave.interfaces.adapters import core
from sharpwave.interfaces.adapters.core import NamedRecords, NewRecord, separate_user
from sharpwave.testing import workspace_of


def test_the_last_one_counts_and_the_old_one_is_gone(memory: Memory) -> None:
    shelf = NamedRecords(memory, "file")
    shelf.put([NewRecord("a", "The key lies under the mat.")])
    first = shelf.get("a")
    shelf.put([NewRecord("a", "The key hangs in the shed.", {"n": 1}), NewRecord("b", "Bees")])
    again = shelf.get("a")
    assert first and again
    assert again.text == "The key hangs in the shed." and again.data == {"n": 1}
    assert again.created_at == first.created_at < again.updated_at
    assert [kept.name for kept in shelf.everything()] == ["a", "b"]
    assert not any("mat" in record.text for record in memory.admin.recent(99))
    shelf.drop(["a", "never there"])
    assert shelf.get("a") is None and [kept.name for kept in shelf.everything()] == ["b"]


def test_all_or_nothing(memory: Memory) -> None:
    shelf = NamedRecords(memory, "item")
    shelf.put([NewRecord("a", "before")])
    with pytest.raises(InvalidInput):
        shelf.put([NewRecord("a", "after"), NewRecord("b", "fine", {"bad": float("nan")})])
    assert [kept.text for kept in shelf.everything()] == ["before"]
    with pytest.raises(InvalidInput, match="256"):
        shelf.put([NewRecord("n" * 300, "too long a name")])


def test_a_crash_between_writing_and_forgetting_shows_only_the_new(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = NamedRecords(memory, "item")
    shelf.put([NewRecord("a", "The old address is Elm Street.")])
    with monkeypatch.context() as crash:
        crash.setattr(NamedRecords, "_drop_older", lambda *_: None)
        shelf.put([NewRecord("a", "The new address is Oak Street.")])
    (kept,) = shelf.everything()
    assert kept.text.startswith("The new") and shelf.get("a") == kept
    shelf.put([NewRecord("a", "third")])
    assert len(memory.admin.recent(99, session="item:a")) == 1


def test_many_writers_leave_one(memory: Memory) -> None:
    shelf = NamedRecords(memory, "item")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: shelf.put([NewRecord("a", f"number {number}")]), range(12)))
    assert len(shelf.everything()) == 1 and shelf.get("a") == shelf.everything()[0]


def test_more_than_a_page_is_listed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "PAGE", 7)
    shelf = NamedRecords(memory, "item")
    shelf.put([NewRecord(str(number), f"text {number}") for number in range(30)])
    assert {kept.name for kept in shelf.everything()} == {str(number) for number in range(30)}


def test_what_policy_takes_out_is_not_kept(memory: Memory) -> None:
    shelf = NamedRecords(memory, "item")
    shelf.put([NewRecord("ana@example.org", "note", {"password": "password: hunter2", "n": 1})])
    (kept,) = shelf.everything()
    assert kept.name == "ana@example.org", "a name is found again, whatever it looks like"
    assert "hunter2" not in str(kept.data) and kept.data["n"] == 1


def test_alike_things_are_all_found(memory: Memory) -> None:
    shelf = NamedRecords(memory, "item")
    shelf.put([NewRecord(name, "The deploy is on Friday.") for name in "abc"])
    shelf.put([NewRecord("hidden", "The deploy is on Friday.", searched=False)])
    ranking = shelf.ranked("When is the deploy?")
    scores = ranking.scores
    named = {kept.name for kept in shelf.everything() if kept.id in scores}
    assert named == {"a", "b", "c"} and sorted(scores.values(), reverse=True) == [*scores.values()]
    assert {kept.name for kept in shelf.best(ranking, 10)} == named
    assert len(shelf.best(ranking, 2)) == 2


def test_of_what_is_ranked_only_what_is_kept_still_counts(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = NamedRecords(memory, "item")
    shelf.put(
        [NewRecord("a", "The deploy is on Friday."), NewRecord("b", "The deploy is at noon.")]
    )
    ranking = shelf.ranked("When is the deploy?")
    with monkeypatch.context() as crash:
        crash.setattr(NamedRecords, "_drop_older", lambda *_: None)
        shelf.put([NewRecord("a", "The deploy is on Monday.")])
    assert [kept.name for kept in shelf.best(ranking, 10)] == ["b"], "there is a newer one"
    shelf.drop(["b"])
    memory.remember("I deploy on Sunday.", session="elsewhere", idempotency_key="x")
    assert shelf.best(ranking, 10) == []


def test_without_consent_nothing_is_listed(memory: Memory) -> None:
    shelf = NamedRecords(memory, "item")
    shelf.put([NewRecord("a", "The deploy is on Friday.")])
    memory.admin.consent("memory", False)
    assert shelf.everything() == [] and shelf.get("a") is None
    assert shelf.best(shelf.ranked("When is the deploy?"), 10) == []


def test_nobody_s_name_leads_into_what_is_kept_apart(memory: Memory) -> None:
    """Whatever a user is called, and whichever key somebody asks for."""
    ours = separate_user(memory.user("a"), "store", "b", "store", "c")
    assert ours.user_id != separate_user(memory.user("a/store/b"), "store", "c").user_id
    assert (
        ours.user_id
        != separate_user(separate_user(memory.user("a"), "store", "b"), "store", "c").user_id
    )
    with pytest.raises(InvalidInput, match="apart"):
        memory.admin.keys.create("thief", ours.user_id)


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=3), st.data())
def test_different_labels_are_different_users(labels: list[str], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=3))

    class Named:
        user_id = "root/x"

        def user(self, name: str) -> str:
            return name

    one, other = separate_user(Named(), *labels), separate_user(Named(), *others)  # type: ignore[arg-type]
    assert (one == other) == (labels == others)


def test_a_folder_is_found_without_reading_the_rest(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = NamedRecords(memory, "file")
    names = ["/a", "/a/x", "/a/é y", "/a0", "/b/x", "/a/x/z"]
    shelf.put([NewRecord(name, f"Words of {name}") for name in names])
    memory.remember([f"The parcel number {number} was late." for number in range(30)])
    read: list[str] = []
    store_class = type(workspace_of(memory).store)
    within = store_class.latest_within

    def watched(*asked: Any) -> list[Record]:
        found = within(*asked)
        read.extend(turn.text for turn in found)
        return found

    monkeypatch.setattr(store_class, "latest_within", watched)
    assert [kept.name for kept in shelf.everything("/a/")] == ["/a/x", "/a/é y", "/a/x/z"]
    assert shelf.holds("/a/x/") and not shelf.holds("/c/")
    assert len(read) == 4, "three files, and the first of a folder"
