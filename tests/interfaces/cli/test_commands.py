"""The command line: every command, as a person and as a program would call it."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.importers.samples import claude, claude_message, write_zip

from sharpwave import SharpwaveError, __version__
from sharpwave.interfaces.cli.app import COMMANDS, EXIT_CODES, SECTIONS, main


class Shell:
    """Runs `sharpwave` commands on one memory file."""

    def __init__(
        self, path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.path = path
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def run(self, *arguments: str, fails: int = 0) -> str:
        given = ["sharpwave", *arguments]
        if arguments[0] != "demo" and "--help" not in arguments:
            given += ["--db", str(self.path)]
        self._monkeypatch.setattr(sys, "argv", given)
        with pytest.raises(SystemExit) as left:
            main()
            sys.exit(0)
        printed = self._capsys.readouterr()
        assert (left.value.code or 0) == fails, printed
        return printed.out + (printed.err if fails else "")

    def json(self, *arguments: str, fails: int = 0) -> Any:
        printed = self.run(*arguments, "--json", fails=fails)
        return json.loads(printed[: printed.rindex("}") + 1])


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    return Shell(tmp_path / "memory.db", capsys, monkeypatch)


def test_remember_recall_forget(shell: Shell) -> None:
    receipt = shell.json("remember", "I keep bees on the roof.", "--speaker", "Ana")
    assert "bees on the roof" in shell.run("recall", "bees")
    found = shell.json("recall", "bees", "-k", "1", "--since", "2020-01-01")
    (item,) = found["items"]
    assert item["record"]["id"] == receipt["ids"][0]
    assert item["record"]["provenance"]["channel"] == "cli"
    assert item["score"] == pytest.approx(sum(item["terms"].values()))
    assert found["decision"] in {"assert", "hedge", "verify", "clarify", "abstain"}
    assert "Forgot 1 memories" in shell.run("forget", receipt["ids"][0], "--yes")
    assert "Nothing found among 0 memories" in shell.run("recall", "bees")


def test_recall_explains_itself(shell: Shell) -> None:
    for text in ("I live in Lisbon.", "I live in Porto now.", "I  LIVE in Porto now."):
        shell.run("remember", text)
    plain = shell.run("recall", "Where do I live?")
    told = shell.run("recall", "Where do I live?", "--explain")
    assert "Left out" in told and "Left out" not in plain
    assert "says the same as 1" in told and "its meaning" in told
    left = shell.json("recall", "Where do I live?")["left_out"]
    assert {"id", "text", "why", "instead", "score", "terms", "kind"} == left[0].keys()


def test_users_and_erasure(shell: Shell) -> None:
    shell.run("remember", "mine", "--user", "ana")
    shell.run("remember", "yours", "--user", "bo")
    assert shell.json("stats", "--all")["users"] == 2
    erased = shell.json("forget", "--everything", "--yes", "--user", "ana")
    assert (erased["memories"], erased["users"], erased["traces_cleared"]) == (1, 1, True)
    assert "1 memories (1 turn) of 1 users" in shell.run("stats", "--all")


def test_moving(shell: Shell, tmp_path: Path) -> None:
    shell.run("remember", "a sentence to move")
    export = tmp_path / "out.jsonl"
    assert "Exported 1" in shell.run("export", str(export))
    refused = " ".join(shell.run("export", str(export), fails=2).split())
    assert "already exists" in refused
    brought = shell.json("import", str(export), "--own", "--user", "new")
    assert brought == {"added": 1, "already_there": 0, "left_out": 0}
    assert shell.run("export", "-").count("\n") == 2
    copy = tmp_path / "copy.db"
    assert shell.json("backup", str(copy))["bytes"] > 0
    shell.run("forget", "--everything", "--yes")
    assert "already" in shell.run("restore", str(copy), fails=2)
    restored = shell.json("restore", str(copy), "--replace")
    assert restored["memories"] == 1, "what was forgotten stays forgotten"
    assert restored["re_erased"] == 1
    assert shell.json("stats", "--user", "new")["memories"] == 1


def test_importing_chats(shell: Shell, tmp_path: Path) -> None:
    conversation = claude(claude_message(1, "human", "I keep bees on the roof."), {"uuid": "bad"})
    export = write_zip(tmp_path / "claude.zip", {"conversations.json": [conversation]})
    told = shell.run("import", str(export), "--own")
    assert "Imported 1 memories; 0 were there already." in told
    assert "1 conversations (claude)" in told and "Skipped 1" in told and "message 2" in told
    found = shell.json("recall", "bees", "-k", "1")["items"][0]["record"]
    assert found["provenance"]["source"] == "user_message"
    done = shell.json("import", str(export), "--format", "claude", "--own")
    assert (done["format"], done["added"], done["already_there"]) == ("claude", 0, 1)
    assert done["problems"][0]["reason"]
    wrong = shell.json("import", str(export), "--format", "chatgpt", fails=2)
    assert wrong["error"]["code"] == "wrong_format"
    assert "expected conversations with a 'mapping'" in wrong["error"]["message"]
    shell.run("import", str(export), "--format", "diary", fails=2)


def test_our_own_export_is_found_out(shell: Shell, tmp_path: Path) -> None:
    shell.run("remember", "a sentence to move")
    export = str(tmp_path / "out.jsonl")
    shell.run("export", export)
    done = shell.json("import", export, "--format", "sharpwave", "--user", "new")
    assert done == {"added": 1, "already_there": 0, "left_out": 0}
    again = shell.json("import", export, "--user", "new")
    assert again == {"added": 0, "already_there": 1, "left_out": 0}


def test_consent_says_what_is_only_assumed(shell: Shell) -> None:
    """A server of the same file would not assume it."""
    told = dict(line.split(None, 1) for line in shell.run("consent", "memory").splitlines())
    assert told["memory"] == "yes"
    assert told["learning"] == "yes, assumed, but a server asks first"
    assert shell.json("consent") == {
        "memory": True, "learning": True, "sensitive": False, "egress": True, "population": False,
    }  # fmt: skip
    assert shell.json("consent", "memory", "learning", "--withdraw")["learning"] is False
    assert "assumed" not in shell.run("consent")


def test_care(shell: Shell, tmp_path: Path) -> None:
    assert "not there" in shell.run("doctor")
    shell.run("remember", "something worth checking")
    assert "All well: 1 memories" in shell.run("verify")
    assert shell.json("verify")["ok"] is True
    assert "nothing is wrong" in shell.run("doctor")
    assert shell.json("reembed") == {"reembedded": 0}
    saved = shell.json("doctor", "--recover", str(tmp_path / "saved.db"))
    assert saved["recovered"] == 1


def test_damage_is_told_with_advice(shell: Shell) -> None:
    shell.run("remember", "precious " * 500)
    data = bytearray(shell.path.read_bytes())
    where = data.find(b"precious precious", 3 * 4096)
    data[where : where + 8] = b"Precious"
    shell.path.write_bytes(data)
    assert "Damage: 1 memories" in shell.run("verify", fails=7)
    assert "--recover" in shell.run("doctor", fails=7)
    found = shell.json("recall", "precious")
    assert found["items"] == [] and "left out" in found["notes"][0]


def test_encryption(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.run("remember", "a secret garden")
    key = tmp_path / "key"
    key.write_text("cd" * 32)
    key.chmod(0o600)
    assert "Done" in shell.run("rekey", "--new-key-file", str(key))
    assert b"secret garden" not in shell.path.read_bytes()
    assert "give its key" in shell.run("recall", "garden", fails=8)
    assert "SHARPWAVE_ENCRYPTION" in shell.run("doctor", fails=8)
    monkeypatch.setenv("SHARPWAVE_ENCRYPTION__KEY_FILE", str(key))
    assert "secret garden" in shell.run("recall", "garden")


def test_a_typing_error_makes_no_new_file(shell: Shell, tmp_path: Path) -> None:
    kept = (["verify"], ["backup", "b.db"], ["scrub"], ["reembed"], ["export", "-"])
    read = (["recall", "x"], ["context", "x"], ["forget", "x"], ["stats"])
    for command in (*kept, *read):
        told = " ".join(shell.run(*command, fails=3).split())
        assert "there is no memory file" in told and "`sharpwave remember` makes one" in told
    assert list(tmp_path.iterdir()) == []


def test_erasing_in_a_program_needs_yes(shell: Shell) -> None:
    shell.run("remember", "something")
    assert "--yes" in shell.run("forget", "--everything", "--json", fails=2)
    assert shell.json("stats")["memories"] == 1


def test_demo_shows_its_answers_and_why(shell: Shell, tmp_path: Path) -> None:
    shown = shell.run("demo", "--keep", str(tmp_path / "demo.db"))
    answers = shown.partition("? What is the name of Maya's dog?")[2]
    assert "Her name is Pixel" in answers.split("\n 2 ")[0]
    assert "sure that the first items hold the answer" in answers and "tokens" in answers
    again = shell.json("demo", "--keep", str(tmp_path / "demo.db"))
    assert again["remembered"]["ids"] == again["remembered"]["replayed"], "nothing stored twice"
    assert [len(found["items"]) for found in again["recalled"]][:3] == [3, 3, 3]
    assert [found["decision"] for found in again["recalled"]][1::2] == ["assert", "abstain"]


def test_errors_have_codes_and_advice(shell: Shell, tmp_path: Path) -> None:
    shell.run("remember", "Something.")
    assert "no memory 'nope'" in shell.run("forget", "nope", fails=3)
    assert "say what to forget" in shell.run("forget", fails=2)
    assert shell.json("remember", " ", fails=2)["error"]["code"] == "invalid_input"
    assert "cannot read" in shell.run("import", str(tmp_path / "no.jsonl"), fails=2)
    assert "not a date" in shell.run("recall", "x", "--since", "yesterday", fails=2)
    assert "no settings file" in shell.run("stats", "--settings", "none.toml", fails=2)


def test_version(shell: Shell) -> None:
    assert shell.run("--version", "demo") == f"{__version__}\n"


def test_every_error_has_an_exit_code() -> None:
    def codes(error: type[SharpwaveError]) -> set[str]:
        return {error.code}.union(*(codes(child) for child in error.__subclasses__()))

    assert codes(SharpwaveError) - {"error"} == EXIT_CODES.keys()


STAYS = ("keys", "llm", "mcp", "worker", "hook")
"""Folders of commands, one that runs until it is stopped, and one that only speaks JSON."""


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in STAYS])
def test_every_command_has_help_and_json(shell: Shell, name: str) -> None:
    shown = shell.run(name, "--help")
    assert "--json" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(shell: Shell, name: str) -> None:
    assert COMMANDS[name][1] in " ".join(shell.run(name, "--help").split())


@pytest.mark.parametrize(
    ("group", "option", "command"),
    [
        ("sleep", ("--db", "other.db"), ("log",)),
        ("sleep", ("--user", "ben"), ("undo", "r1")),
        ("sleep", ("--json",), ("status",)),
        ("sleep", ("--dry-run",), ("status",)),
        ("mcp", ("--db", "other.db"), ("install", "cursor", "--dry-run")),
        ("mcp", ("-u", "ben"), ("install", "cursor", "--dry-run")),
        ("keys", ("--db", "other.db"), ("list",)),
        ("llm", ("--user", "ben"), ("test",)),
    ],
)
def test_an_option_before_the_subcommand_is_refused(
    shell: Shell, group: str, option: tuple[str, ...], command: tuple[str, ...]
) -> None:
    said = shell.run(group, *option, *command, fails=2)
    hint = f"goes after '{command[0]}'" if group in ("sleep", "mcp") else "COMMAND [OPTIONS]"
    assert hint in said


def test_an_unknown_command_is_told(shell: Shell) -> None:
    assert "No such command 'recal'. Did you mean 'recall'?" in shell.run("recal", fails=2)
    assert "No such command 'xyzzy'" in shell.run("xyzzy", fails=2)


def test_the_list_of_commands_has_sections(shell: Shell) -> None:
    shown = shell.run("--help")
    listed = re.findall(r"^  ([a-z-]+) ", shown, re.MULTILINE)
    assert [name for name in listed if name in COMMANDS] == list(COMMANDS)
    assert [title for title in SECTIONS if f"\n{title}:\n" in shown] == list(SECTIONS)


def test_where_there_is_nothing_a_sentence_says_so(shell: Shell) -> None:
    shell.run("remember", "Hm.")
    for name in ("profile", "tasks", "notes", "jobs", "behaviors", "preferences", "experience"):
        assert shell.run(name).startswith(("No", "There are no")), name
    assert "no run of sleep yet" in shell.run("sleep", "log")
    assert "keys create" in shell.run("keys", "list")


def test_nothing_is_imported_that_is_not_needed() -> None:
    """`--help` answers without NumPy."""
    asked = "import sys; from sharpwave.interfaces.cli import app; {}; print(*sys.modules)"
    listed = imported(asked.format("app.app(['--help'], standalone_mode=False)"))
    assert "sharpwave.interfaces.cli.app" in listed
    assert listed.isdisjoint({"numpy", "pydantic", "sharpwave.memory"})
    run = imported(asked.format("app.command('recall')"))
    assert "sharpwave.memory" in run


def imported(program: str) -> set[str]:
    """The modules that a program says it has imported, in a process of its own."""
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(found.stdout.split())


@pytest.mark.spec("KG-04")
def test_who_somebody_is_and_how_two_are_connected(shell: Shell) -> None:
    for said in ("My sister Ana lives in Porto.", "Ana goes by Nini.", "Remind me to call Nini."):
        shell.run("remember", said)
    told = shell.run("about", "Nini")
    for part in ("Ana (person; ", "also Nini: Ana goes by Nini", "Ana lives in Porto", "to do:"):
        assert part in told
    found = shell.json("about", "my sister")
    assert found["name"] == "Ana" and [fact["object"] for fact in found["facts"]] == ["Porto"]
    assert "user - Ana - Porto" in shell.run("related", "me", "Porto")
    assert "Nothing known" in shell.run("related", "me", "Mars")
    assert "Ana lives in Porto" in shell.run("related", "Nini")


def _rows(shell: Shell, *arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(shell.run(*arguments, "--json"))
    return rows


def _fact(shell: Shell, said: str, part: str) -> str:
    shell.run("remember", said)
    return next(str(one["id"]) for one in _rows(shell, "facts") if part in one["text"])


def test_a_fact_is_corrected_by_the_beginning_of_its_id(shell: Shell) -> None:
    wrong = _fact(shell, "I live in Steyr.", "Steyr")
    assert "The user lives in Wels" in shell.run("correct", wrong[:20], "I live in Wels.")
    assert [(one["object"], one["trust"]) for one in _rows(shell, "facts")] == [("Wels", "user")]
    assert "I live in Steyr." in shell.run("explain", wrong[:22])
    assert "no fact" in shell.run("correct", "zzz", "I live in Wels.", fails=3)
    assert "ids begin with" in shell.run("explain", wrong[:2], fails=2)


def test_ids_and_contexts_are_whole_in_a_narrow_pipe(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "Always answer in whole sentences, with the sources at the end, and without headings."
    shell.run("remember", long)
    shell.run("remember", "My cousin Philomena restores old clocks in a workshop near Innsbruck.")
    (rule,) = shell.json("behaviors")["behaviors"]
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    run = "from sharpwave.interfaces.cli.app import main; main()"
    for command, wanted in (
        (("behaviors",), rule["id"]),
        (("context", "How shall I answer, and what does Philomena do?"), rule["rule"]),
    ):
        made = subprocess.run(
            [sys.executable, "-c", run, *command, "--db", str(shell.path)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert wanted in made.stdout


@pytest.mark.parametrize("answer", ["n\n", "", "y\n"])
def test_forgetting_asks_first_also_in_a_pipe(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    id_ = shell.json("remember", "The spare key lies under the third pot.")["ids"][0]
    assert id_ in shell.run("recall", "spare key"), "the id to forget it by"
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    asked = shell.run("forget", id_[:24], fails=answer != "y\n")
    assert "third pot" in asked
    assert shell.json("stats")["by_kind"].get("turn", 0) == (answer != "y\n")


def test_a_stalled_task_is_taken_up_again(shell: Shell) -> None:
    shell.run("remember", "I have to renew my passport by Friday.")
    (task,) = _rows(shell, "tasks")
    shell.run("tasks", "--stall", task["id"][:20])
    assert not _rows(shell, "tasks", "--status", "active")
    shell.run("tasks", "--reopen", task["id"])
    assert _rows(shell, "tasks", "--status", "active")
    dropped = shell.run("tasks", "--drop", task["id"])
    assert "dropped: Renew my passport" in dropped and "no open tasks" in dropped
