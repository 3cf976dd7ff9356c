"""Settings: defaults, then a file, then the environment, then arguments; each error says which."""

import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from sharpwave import InvalidSettings, Memory, Settings, load_settings
from sharpwave.errors import WrongKey
from sharpwave.sleep import cycle, replay, schedule
from sharpwave.testing import FrozenClock
from sharpwave.wiring import encryption_key, load_weights


@pytest.mark.spec("CFG-09")
def test_later_sources_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "sharpwave.toml"
    file.write_text('user = "from-file"\n[recall]\nk = 5\nassert_at = 0.7\nhedge_at = 0.5\n')
    assert load_settings(file).recall.k == 5
    monkeypatch.setenv("SHARPWAVE_RECALL__K", "6")
    monkeypatch.setenv("SHARPWAVE_RECALL__ASSERT_AT", "0.9")
    loaded = load_settings(file, recall={"k": 9})
    assert (loaded.recall.k, loaded.recall.assert_at, loaded.recall.hedge_at) == (9, 0.9, 0.5)
    assert (loaded.user, loaded.recall.dated_lift) == ("from-file", 0.0)
    monkeypatch.setenv("SHARPWAVE_FILE", str(file))
    assert load_settings().user == "from-file"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"recall": {"k": 0}}, "recall.k: .*greater than or equal to 1"),
        ({"recal": {}}, "recal: there is no such setting"),
        ({"recall": {"kk": 1}}, "recall.kk: there is no such setting"),
        ({"store": {"synchronous": "MAYBE"}}, "store.synchronous: .*FULL"),
        ({"user": ""}, "user: "),
    ],
)
def test_a_wrong_setting_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSettings, match=message):
        load_settings(**arguments)


def test_a_wrong_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidSettings, match="no settings file"):
        load_settings(tmp_path / "missing.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("k = = 1")
    with pytest.raises(InvalidSettings, match="not valid TOML"):
        load_settings(broken)
    monkeypatch.setenv("SHARPWAVE_RECALL__K", "many")
    with pytest.raises(InvalidSettings, match=r"recall\.k"):
        load_settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("active = 'x'\n[presets.a]\n", "no preset 'x'"),
        ("active = 'a'\n[presets.a]\n[users]\nana = 'b'\n", "no preset 'b'"),
        ("active = 'a'\n[presets.a]\nvector=1\n", "vector"),
        ("active = 'a'\n[presets.a.relevance]\nquery=-1\n", "query"),
        ("nonsense", "cannot read"),
    ],
)
def test_a_wrong_weights_file_is_explained(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "weights.toml"
    file.write_text(text)
    with pytest.raises(InvalidSettings, match=message):
        load_weights(file)
    with pytest.raises(InvalidSettings, match="cannot read"):
        load_weights(tmp_path / "missing.toml")
    threads = set(threading.enumerate())
    with pytest.raises(InvalidSettings, match=message):
        Memory.open(tmp_path / "m.db", settings=Settings(weights_file=file))
    assert set(threading.enumerate()) <= threads, "no store stays open"


def test_every_setting_says_what_it_means() -> None:
    def undocumented(group: type[BaseModel], prefix: str) -> list[str]:
        found = []
        for name, field in group.model_fields.items():
            kind = field.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                found += undocumented(kind, f"{prefix}{name}.")
            elif not field.description:
                found.append(prefix + name)
        return found

    assert undocumented(Settings, "") == []


def test_encryption_keys_come_from_one_place(tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_text("ab" * 32 + "\n")
    key_file.chmod(0o600)
    settings = load_settings(encryption={"key_file": key_file})
    assert encryption_key(settings.encryption) is not None
    key_file.chmod(0o644)
    with pytest.raises(InvalidSettings, match="chmod 600"):
        encryption_key(settings.encryption)
    with pytest.raises(InvalidSettings, match="only one"):
        encryption_key(load_settings(encryption={"key": "a", "passphrase": "b"}).encryption)
    with pytest.raises(InvalidSettings, match="64 hexadecimal digits"):
        encryption_key(load_settings(encryption={"key": "abc"}).encryption)


@pytest.mark.spec("SEC-03")
def test_an_encrypted_memory_needs_its_passphrase(tmp_path: Path) -> None:
    secret = load_settings(encryption={"passphrase": "open sesame"})
    with Memory.open(tmp_path / "m.db", settings=secret) as memory:
        memory.remember("The treasure is under the fig tree.")
        for file in tmp_path.iterdir():
            assert b"treasure" not in file.read_bytes(), file.name
    for other in (Settings(), load_settings(encryption={"passphrase": "open barley"})):
        with pytest.raises(WrongKey):
            Memory.open(tmp_path / "m.db", settings=other)
    with Memory.open(tmp_path / "m.db", settings=secret) as memory:
        assert memory.recall("treasure").items[0].text.endswith("fig tree.")
    assert "sesame" not in repr(secret) + str(secret)


def test_the_settings_of_consolidation(tmp_path: Path) -> None:
    sleep = Settings().sleep
    assert sleep.enabled and sleep.cron == "0 2 * * *"
    assert (sleep.idle_cpu_percent, sleep.idle_s) == (20, 300)
    assert (sleep.max_minutes, sleep.at_once) == (60, 4)
    assert (schedule.HEAVY_EVERY_DAYS, cycle.BATCH, replay.ALPHA) == (7, 100, 0.6)
    file = tmp_path / "sharpwave.toml"
    file.write_text("[sleep]\nenabled = false\nat_once = 2\n")
    loaded = load_settings(file).sleep
    assert not loaded.enabled and loaded.at_once == 2


@pytest.mark.spec("CFG-04")
def test_the_settings_of_trajectories(tmp_path: Path) -> None:
    settings = Settings()
    assert settings.skills.log_trajectories
    days = settings.retention
    assert (days.trajectories_days, days.trajectories_erased_days) == (90, 365)
    clock = FrozenClock()
    short = load_settings(
        retention={"trajectories_days": 1, "trajectories_erased_days": 2},
        embedder={"provider": "hash"},
    )
    with Memory.open(tmp_path / "m.db", settings=short, clock=clock) as memory:
        memory.skills.select("How?", message_id="silent")
        memory.skills.select("How?", message_id="rated")
        memory.feedback("rated", 1)
        clock.advance(days=3)
        memory.skills.learn()
        assert [one.message_id for one in memory.skills.trajectories()] == ["rated"], (
            "kept for good"
        )
    off = load_settings(skills={"log_trajectories": False})
    with Memory.open(tmp_path / "off.db", settings=off) as memory:
        memory.skills.select("How?")
        assert memory.skills.trajectories() == []
