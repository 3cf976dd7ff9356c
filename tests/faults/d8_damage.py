"""D8: damage to the file itself: a few bytes overwritten, the end cut off, the log deleted.

Whatever is then served equals what was stored, or is absent; what is absent is reported by opening,
reading or `verify`; every error is one of ours. `salvage` gets back what was not hit. A file that
is only locked is never taken for damaged.
Control: reading rows without comparing them to their checksum.
"""

import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

import apsw
from tests.faults.harness import Figures, Options, Result, judged, settings, without_checksums

from sharpwave import Memory, Message, Record, SharpwaveError, wiring
from sharpwave.errors import StoreBusy
from sharpwave.settings.storage import EncryptionSettings, StoreSettings
from sharpwave.storage.sqlite.key import Key, raw_key
from sharpwave.storage.sqlite.salvage import salvage
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.testing import resources_of
from sharpwave.types.records import content_hash

NAME = "d8_damage"
HEX_KEY = "5a" * 32
DAMAGE_BYTES = 16
USERS = ("ana", "bób", "チャーリー")
QUERY = "the garden and the river"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
STORE = StoreSettings()
FAULTS = (
    "altered_served",
    "unreported",
    "foreign_errors",
    "encrypted_undetected",
    "salvaged_altered",
    "salvage_below_95",
    "busy_taken_for_damage",
)
FOREIGN = (apsw.Error, ArithmeticError, LookupError, ValueError, TypeError, AttributeError)
"""What must not reach a caller: SQLite's errors, and those of our own code on broken content."""

Harm = Callable[[Path, random.Random], None]


@mock.patch("sharpwave.storage.sqlite.connection.BUSY_TIMEOUT_S", 0.2)
def run(options: Options) -> Result:
    hits, cuts, logs = (200, 50, 20) if options.long else (12, 4, 2)
    plain, encrypted = options.folder / "plain.db", options.folder / "encrypted.db"
    count = 360 if options.long else 150
    original = _make(plain, None, options.seed, count)
    _make(encrypted, HEX_KEY, options.seed, count)
    rng = random.Random(options.seed)
    found = Trials(original)
    found.series(plain, _overwrite, hits, rng)
    found.series(plain, _cut, cuts, rng)
    found.crash_image(options.folder, logs)
    sealed = Trials(_read_all(encrypted, raw_key(HEX_KEY)), raw_key(HEX_KEY))
    sealed.series(encrypted, _overwrite, hits, rng)
    sealed.salvaging = False  # which records a cut leaves whole cannot be told from outside
    sealed.series(encrypted, _cut, cuts, rng)
    figures = {
        **found.figures(),
        "encrypted_trials": sealed.trials,
        "encrypted_undetected": sealed.undetected,
        "encrypted_salvaged": sealed.salvaged_share(),
        "busy_taken_for_damage": _busy(plain),
    }
    for fault in ("altered_served", "unreported", "foreign_errors", "salvaged_altered"):
        figures[fault] += sealed.figures()[fault]
    control = _control(plain, original, hits, options.seed)
    return judged(NAME, options, figures, FAULTS, control, ("altered_served",))


def _control(plain: Path, original: dict[str, Record], hits: int, seed: int) -> Figures:
    broken = Trials(original, salvaging=False)
    with without_checksums():
        broken.series(plain, _overwrite, hits, random.Random(seed))
    return broken.figures()


# ---- what is damaged


def _make(path: Path, key: str | None, seed: int, count: int) -> dict[str, Record]:
    rng = random.Random(seed)
    words = "garden river stone bridge lamp winter letter bread window road".split()
    encryption = EncryptionSettings.model_validate({"key": key})
    with Memory.open(path, user=USERS[0], settings=settings(encryption=encryption)) as memory:
        for number in range(count):
            length = rng.choice((3, 8, 8, 20, 60, 200, 1500))
            text = f"begin{number} " + " ".join(rng.choices(words, k=length)) + f" end{number}"
            said = Message(text, session=f"s{number % 9}", speaker="Ana", metadata={"n": number})
            memory.user(USERS[number % 3]).remember(said)
        backup = path.with_name("tight.db")
        memory.admin.backup(backup)  # without free pages, so that every byte belongs to something
    shutil.move(backup, path)
    return _read_all(path, raw_key(key) if key else None)


def _read_all(path: Path, key: Key | None) -> dict[str, Record]:
    with closing(SqliteStore(path, STORE, key)) as store:
        return {
            one.id: one for user in store.users() for one in store.for_user(user).scan(0, 10_000)
        }


def _overwrite(path: Path, rng: random.Random) -> None:
    """Random bytes; every other time letters, which are still text where text was."""
    letters = bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz ", k=DAMAGE_BYTES))
    content = rng.choice((letters, rng.randbytes(DAMAGE_BYTES)))
    with path.open("r+b") as file:
        file.seek(rng.randrange(path.stat().st_size - DAMAGE_BYTES))
        file.write(content)


def _cut(path: Path, rng: random.Random) -> None:
    with path.open("r+b") as file:
        file.truncate(rng.randrange(path.stat().st_size))


# ---- what is found


@dataclass(slots=True)
class Trials:
    """What a number of damaged files did."""

    original: dict[str, Record]
    key: Key | None = None
    salvaging: bool = True
    trials: int = 0
    opened: int = 0
    reported: int = 0
    undetected: int = 0
    altered: int = 0
    unreported: int = 0
    foreign: list[str] = field(default_factory=list)
    standing_changed: int = 0
    salvageable: int = 0
    salvaged: int = 0
    salvaged_altered: int = 0

    def series(self, path: Path, harm: Harm, count: int, rng: random.Random) -> None:
        for _ in range(count):
            folder = path.with_name("trial")
            folder.mkdir()
            hurt = folder / "hurt.db"
            shutil.copyfile(path, hurt)
            harm(hurt, rng)
            self._try(hurt)
            shutil.rmtree(folder)

    def crash_image(self, folder: Path, count: int) -> None:
        """A file as it is after a crash, without its log: an older state, but a true one."""
        path = folder / "crash.db"
        with Memory.open(path, user=USERS[0]) as memory:
            for turn in range(count):
                memory.remember([f"begin-{turn}-{number} end-{turn}" for number in range(40)])
                hurt = folder / "without-log.db"
                shutil.copyfile(path, hurt)
                everything = {**self.original, **_of(memory)}
                older = replace(self, original=everything, trials=0)
                served, error = older.look(hurt)
                self.trials += 1
                self.altered += older.altered_among(served)
                self.foreign += [error] if error and error.startswith("!") else []
                _remove(hurt)

    def _try(self, hurt: Path) -> None:
        self.trials += 1
        image = hurt.read_bytes()
        served, error = self.look(hurt)
        if error and error.startswith("!"):
            self.foreign.append(error)
        self.opened += served is not None
        self.reported += error is not None
        self.undetected += error is None
        self.altered += self.altered_among(served)
        missing = len(self.original) - len({one.id for one in served or ()})
        self.unreported += missing > 0 and error is None
        if error is None:
            self.standing_changed += sum(self._differs(one) for one in served or ())
        if self.salvaging:
            hurt.write_bytes(image)  # opening may have written to it
            self._salvage(hurt, image)

    def look(self, hurt: Path) -> tuple[list[Record] | None, str | None]:
        """Everything it serves, by every way of reading, and the first complaint."""
        served: list[Record] = []
        problems: list[str] = []
        with _noted(problems), closing(self._open(hurt)) as memory:
            for user in USERS:
                for read in (self._scan, self._find, self._recall):
                    with _noted(problems):
                        served += read(memory, user)
            with _noted(problems):
                if not memory.admin.verify().ok:
                    problems.append("verify")
        worst = [problem for problem in problems if problem.startswith("!")]
        return served, next(iter(worst + problems), None)

    def _open(self, hurt: Path) -> Memory:
        raw = self.key.raw_hex if self.key else None
        encryption = EncryptionSettings.model_validate({"key": raw})
        return Memory.open(hurt, settings=settings(encryption=encryption, store=STORE))

    def _scan(self, memory: Memory, user: str) -> list[Record]:
        return resources_of(memory).store.for_user(user).scan(0, 10_000)

    def _find(self, memory: Memory, user: str) -> list[Record]:
        return resources_of(memory).store.for_user(user).find(list(self.original)[::7])

    def _recall(self, memory: Memory, user: str) -> list[Record]:
        found = memory.user(user).recall(QUERY, k=100)
        assert all(item.record.user_id == user for item in found), "crossed users"
        return [item.record for item in found]

    def altered_among(self, served: list[Record] | None) -> int:
        return sum(
            one.id not in self.original
            or content_hash(one) != content_hash(self.original[one.id])
            or one.text != self.original[one.id].text
            for one in served or ()
        )

    def _differs(self, one: Record) -> bool:
        """True if the half that no checksum covers was changed by the damage."""
        known = self.original.get(one.id)
        return known is not None and (
            one.standing.stage,
            one.standing.importance,
            one.valid_to,
        ) != (
            known.standing.stage,
            known.standing.importance,
            known.valid_to,
        )

    def _salvage(self, hurt: Path, image: bytes) -> None:
        whole = set(self.original)
        if self.key is None:
            words = set(re.findall(rb"begin\d+|end\d+", image))
            whole = {one.id for one in self.original.values() if _ends(one.text) <= words}
        self.salvageable += len(whole)
        target = hurt.with_name("salvaged.db")
        try:
            salvage(hurt, target, self.key, STORE, now=NOW)
            saved = _read_all(target, self.key)
        except SharpwaveError:
            return
        self.salvaged += len(whole & set(saved))
        self.salvaged_altered += self.altered_among(list(saved.values()))

    def salvaged_share(self) -> float:
        return round(self.salvaged / max(1, self.salvageable), 4)

    def figures(self) -> Figures:
        return {
            "trials": self.trials,
            "reported": self.reported,
            "altered_served": self.altered,
            "unreported": self.unreported,
            "foreign_errors": len(self.foreign),
            "foreign": sorted(set(self.foreign))[:3],
            "standing_changed": self.standing_changed,
            "salvaged_share": self.salvaged_share(),
            "salvaged_altered": self.salvaged_altered,
            "salvage_below_95": int(self.salvaged_share() < 0.95),
        }


@contextmanager
def _noted(problems: list[str]) -> Iterator[None]:
    """Note an error instead of raising it; one that is not ours is marked."""
    try:
        yield
    except SharpwaveError as error:
        problems.append(error.code)
    except FOREIGN as error:
        problems.append(f"!{type(error).__name__}: {error}")


def _ends(text: str) -> set[bytes]:
    words = text.encode().split()
    return {words[0], words[-1]}


def _of(memory: Memory) -> dict[str, Record]:
    found = resources_of(memory).store.for_user(USERS[0]).scan(0, 10_000)
    return {one.id: one for one in found}


def _remove(path: Path) -> None:
    for part in path.parent.glob(path.name + "*"):
        part.unlink()


def _busy(path: Path) -> int:
    """Somebody else has the file to themselves: we say so, and change nothing."""
    before = path.read_bytes()
    other = apsw.Connection(str(path))
    other.pragma("locking_mode", "EXCLUSIVE")
    other.pragma("journal_mode", "DELETE")
    other.execute("BEGIN EXCLUSIVE")
    given = settings(path=path, store=STORE)
    problems = 0
    try:
        with closing(wiring.open_store(given)):
            problems += 1
    except StoreBusy:
        pass
    except SharpwaveError:
        problems += 1
    other.execute("ROLLBACK")
    other.close()
    names = {entry.name for entry in path.parent.glob("plain.db*")} - {"plain.db"}
    same = path.read_bytes()[100:] == before[100:]
    return problems + len(names) + (not same)
