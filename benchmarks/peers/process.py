"""A worker of one peer, as the measuring process sees it."""

import json
import subprocess
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.peers.environments import ROOT, Environment

_NUMBERS = count()


class Failed(Exception):
    """A peer did not do what was asked; the end of what it wrote says why."""


class Process:
    """One line of JSON there, one back."""

    def __init__(self, environment: Environment, model: Path, core: int) -> None:
        assert environment.peer.store
        self.peer, self.name = environment.peer, environment.peer.name
        self._log = environment.folder / f"worker-{next(_NUMBERS)}.log"
        command: Sequence[str | Path] = [
            environment.python,
            "-m",
            "benchmarks.peers.worker",
            environment.peer.store,
            model,
            str(core + 1),
        ]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log.open("w"),
            text=True,
            cwd=ROOT,
            env={**environment.variables(), "OMEGA_ONNX_MODEL_DIR": str(model)},
        )

    def do(self, what: str, **more: Any) -> dict[str, Any]:
        """What it answers."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None and answers is not None
        try:
            asked.write(json.dumps({"do": what, **more}) + "\n")
            asked.flush()
        except BrokenPipeError:
            raise Failed(self._why()) from None
        line = answers.readline()
        if not line:
            raise Failed(self._why())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _why(self) -> str:
        return f"{self.name}: {self._log.read_text('utf-8', errors='replace')[-1500:]}"
