"""Any sequence of calls leaves every store in the same state as the in-memory one.  [D14]"""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from tests.storage.contract import NOW, OTHER_SPACE, SPACE, example, keyed, vectors
from tests.storage.contract_facts import fact, revised
from tests.storage.postgres import server
from tests.storage.reference.store import InMemoryStore

from sharpwave import Forgotten, Kind, SharpwaveError
from sharpwave.ports import Store
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.types.records import State
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import (
    EXPERIENCE,
    Change,
    Evidence,
    Mentioned,
    NewTally,
    Revision,
    Selection,
    Snapshot,
    Space,
    Stated,
)

USERS = ("alice", "bob")
TOPIC = f"{EXPERIENCE}tool"
IDS = [f"id-{number}" for number in range(1, 21)]
users = st.sampled_from(USERS)
numbers = st.integers(1, 12)
spaces = st.sampled_from([SPACE, OTHER_SPACE, None])


class Stores(RuleBasedStateMachine):
    """SQLite beside the reference; other stores say how they are opened."""

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.reference = InMemoryStore()
        self.start()
        self.store = self.opened()

    def start(self) -> None:
        """Make sure that there is nothing in the store yet."""

    def opened(self) -> Store:
        return SqliteStore(self.folder / "memory.db", StoreSettings(synchronous="OFF"))

    @rule(
        user=users,
        ids=st.lists(numbers, min_size=1, max_size=4),
        space=spaces,
        key=st.none() | st.sampled_from(["k1", "k2"]),
        text=st.sampled_from(["same", "other"]),
    )
    def commit(
        self, user: str, ids: list[int], space: Space | None, key: str | None, text: str
    ) -> None:
        records = tuple(example(number, user, text=text) for number in ids)
        if key is not None:
            records = (keyed(records[0], key), *records[1:])
        matrix = vectors(len(records), space) if space else None
        change = Change("remember", NOW, records, matrix, space)
        self.both(lambda store: store.for_user(user).commit(change))

    @rule(
        user=users,
        number=st.integers(13, 20),
        parents=st.lists(st.integers(1, 20), max_size=2),
        closes=st.none() | st.integers(13, 20),
        behind=st.integers(0, 1),
    )
    def state_fact(
        self, user: str, number: int, parents: list[int], closes: int | None, behind: int
    ) -> None:
        told = fact(number, tuple(f"id-{parent}" for parent in parents))
        head = self.reference.for_user(user).slot_heads(["ana|lives_in|"])["ana|lives_in|"]
        closing: tuple[Revision, ...] = ()
        if closes is not None and closes % 2:
            past = revised(fact(closes), state=State.SUPERSEDED, superseded_by=told.id)
            closing = (past,)
        elif closes is not None:
            closing = (revised(fact(closes), state=State.UNCERTAIN, rival=told.id),)
        change = Change(
            "remember",
            NOW,
            (replace(told, user_id=user),),
            revisions=closing,
            evidence=tuple(Evidence("id-13", f"id-{parent}") for parent in parents),
            mentions=(Mentioned(told.id, "ana", f"Ana {number}", EntityKind.PERSON),),
            seen={"ana|lives_in|": max(0, head - behind)},
        )
        self.both(lambda store: store.for_user(user).commit(change))

    @rule(
        user=users,
        number=st.none() | st.integers(1, 4),
        name=st.sampled_from(["grep", "sed"]),
        count=st.none() | st.integers(0, 2),
        behind=st.integers(0, 1),
    )
    def learn(
        self, user: str, number: int | None, name: str, count: int | None, behind: int
    ) -> None:
        known = self.reference.for_user(user).tallies(TOPIC).get(name)
        seen = max(0, (known.version if known else 0) - behind)
        value = None if count is None else {"n": count}
        told = () if number is None else (example(number, user, kind=Kind.INTERACTION),)
        change = Change("log", NOW, told, tallies=(NewTally(TOPIC, name, value, seen),))
        self.both(lambda store: store.for_user(user).commit(change))

    @rule(user=users, ids=st.lists(st.integers(1, 20), min_size=1, max_size=3))
    def forget(self, user: str, ids: list[int]) -> None:
        selection = Selection(ids=tuple(f"id-{number}" for number in ids))
        self.both(lambda store: store.for_user(user).forget(selection, NOW))

    @rule(user=users, session=st.sampled_from(["session-0", "session-1"]))
    def forget_session(self, user: str, session: str) -> None:
        self.both(lambda store: store.for_user(user).forget(Selection(session=session), NOW))

    @rule(user=users)
    def erase(self, user: str) -> None:
        self.both(lambda store: store.for_user(user).forget(Selection(everything=True), NOW))

    @rule(user=users, chosen=st.lists(numbers, unique=True, max_size=3), space=spaces)
    def reembed(self, user: str, chosen: list[int], space: Space | None) -> None:
        if space and self.reference.for_user(user).head().epoch:
            matrix = vectors(len(chosen), space)
            self.both(lambda store: store.for_user(user).replace_vectors(space, chosen, matrix))

    @rule(user=users, chosen=st.lists(numbers, max_size=3), hours=st.integers(-5, 5))
    def touch(self, user: str, chosen: list[int], hours: int) -> None:
        at = NOW + timedelta(hours=hours)
        self.both(lambda store: store.for_user(user).touch(chosen, at))
        self.reopen()  # accesses are durable once the store was closed

    @rule(user=users, space=st.sampled_from([SPACE, OTHER_SPACE]), behind=st.integers(0, 3))
    def save_snapshot(self, user: str, space: Space, behind: int) -> None:
        head = self.reference.for_user(user).head()
        snapshot = Snapshot(head._replace(seq=max(0, head.seq - behind)), space, b"index")
        self.both(lambda store: store.for_user(user).save_snapshot(snapshot))

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = self.opened()

    @invariant()
    def same_state(self) -> None:
        assert state(self.store) == state(self.reference)

    def both(self, action: Callable[[Store], object]) -> None:
        assert outcome(action, self.store) == outcome(action, self.reference)

    def teardown(self) -> None:
        assert self.store.verify().ok
        self.store.close()
        shutil.rmtree(self.folder)


class PostgresStores(Stores):
    """The same on PostgreSQL."""

    database: ClassVar[str]

    def start(self) -> None:
        server.empty_database(self.database)

    def opened(self) -> Store:
        return PostgresStore(self.database, PostgresSettings(), StoreSettings())


def outcome(action: Callable[[Store], object], store: Store) -> object:
    """What a call returns or raises."""
    try:
        result = action(store)
    except SharpwaveError as error:
        return type(error)
    return replace(result, traces_cleared=True) if isinstance(result, Forgotten) else result


def state(store: Store) -> object:
    """Everything a store holds, in comparable form."""
    return [
        store.users(),
        [
            (
                store.for_user(user).scan(0, 1000),
                store.for_user(user).head(),
                [store.for_user(user).changes(since, SPACE, 3) for since in (0, 2, 5)],
                [store.for_user(user).unembedded(space, 0, 99) for space in (SPACE, OTHER_SPACE)],
                [store.for_user(user).load_snapshot(space) for space in (SPACE, OTHER_SPACE)],
                replace(store.for_user(user).counts(), file_bytes=0),
                store.for_user(user).newest([Kind.TURN, Kind.FACT], 99, 3),
                store.for_user(user).known_since(["ana|", "user|"]),
                store.for_user(user).stated(Stated()),
                store.for_user(user).evidence(IDS),
                store.for_user(user).derived(IDS),
                store.for_user(user).entities(9),
                store.for_user(user).mentioned("ana", 99),
                store.for_user(user).tallies(TOPIC),
            )
            for user in USERS
        ],
        [(event.topic, event.user_id, event.payload) for event in store.events(0, 1000)],
        [entry.action for entry in store.audit()],
    ]


Stores.TestCase.settings = settings(stateful_step_count=30)
TestStores = pytest.mark.timeout(300)(Stores.TestCase)


@pytest.mark.timeout(300)
def test_postgres_stores(emptied: str) -> None:
    PostgresStores.database = emptied
    fewer = settings().max_examples // 8  # each look at the whole state asks much of a server
    few = settings(max_examples=fewer, stateful_step_count=25)
    run_state_machine_as_test(PostgresStores, settings=few)
