"""What the figures were measured on and with."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.processes import ENVIRONMENT

PACKAGES = ("sharpwave", "numpy", "apsw-sqlite3mc", "chromadb", "mem0ai", "qdrant-client")


def describe() -> dict[str, str]:
    """Versions, processor, load and settings, by name."""
    about = {name: _version(name) for name in PACKAGES}
    about["python"] = platform.python_version()
    about["processor"] = f"{_processor()}, {os.cpu_count()} cores"
    about["load average"] = " ".join(f"{load:.2f}" for load in os.getloadavg())
    about["environment"] = " ".join(f"{key}={value}" for key, value in ENVIRONMENT.items())
    about["at"] = datetime.now(UTC).isoformat(timespec="seconds")
    return about


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "from the checkout" if package == "sharpwave" else "not installed"


def _processor() -> str:
    """Name of the processor; on ARM Linux only numbers are known."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or platform.machine()
    pairs = (line.partition(":") for line in info.read_text().splitlines())
    fields = {name.strip(): value.strip() for name, _, value in pairs}
    if "model name" in fields:
        return fields["model name"]
    implementer, part = fields.get("CPU implementer", "?"), fields.get("CPU part", "?")
    return f"{platform.machine()} implementer {implementer} part {part}"
