"""How much `pip install sharpwave` downloads, and whether that is still little enough.

Builds the wheel, downloads it together with the locked core dependencies for this machine, and
counts. Run it with the Python of the development environment: `make budget`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

MAX_PACKAGES = 27
MAX_MB = 90.0  # with the encoder

# Other memory libraries, base install without extras: wheels for CPython 3.12 on Linux x86-64.
PEERS = (("mem0ai 2.2.1", 34, 39.0), ("omega-memory 1.5.20", 31, 54.0))

ROOT = Path(__file__).resolve().parent.parent
BYTES_PER_MB = 1_000_000


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        fetch(Path(folder))
        wheels = sorted(Path(folder).iterdir(), key=lambda wheel: -wheel.stat().st_size)
        sizes = {wheel.name: wheel.stat().st_size / BYTES_PER_MB for wheel in wheels}
    print(report(sizes))
    complaints = over_budget(len(sizes), sum(sizes.values()))
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


def fetch(folder: Path) -> None:
    """Put our own wheel and those of the core lock file into `folder`."""
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    lock = ROOT / "requirements" / "core.lock"
    binary = ("--only-binary", ":all:")
    pip("download", *binary, "--require-hashes", "--dest", str(folder), "--requirement", str(lock))


def pip(*arguments: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check")
    subprocess.run([sys.executable, "-m", "pip", *arguments, *quiet], check=True)


def report(sizes: dict[str, float]) -> str:
    """A table: the largest wheels, ours in total, the peers, the limits."""
    rows = [(name.split("-")[0], 1, mb) for name, mb in list(sizes.items())[:5]]
    lines = ["install budget            packages       MB"]
    lines += [f"  {name:<24}{'':>8}{mb:>9.1f}" for name, _, mb in rows]
    total = sum(sizes.values())
    figures = [("sharpwave, in total", len(sizes), total), *PEERS, ("limit", MAX_PACKAGES, MAX_MB)]
    lines += [f"{name:<26}{packages:>8}{mb:>9.1f}" for name, packages, mb in figures]
    return "\n".join(lines)


def over_budget(packages: int, megabytes: float) -> list[str]:
    """What is too much, in words.

    >>> over_budget(27, 90.0)
    []
    >>> over_budget(28, 90.1)
    ['too many packages: 28, at most 27', 'too large: 90.1 MB, at most 90 MB']
    """
    complaints = []
    if packages > MAX_PACKAGES:
        complaints.append(f"too many packages: {packages}, at most {MAX_PACKAGES}")
    if megabytes > MAX_MB:
        complaints.append(f"too large: {megabytes:.1f} MB, at most {MAX_MB:.0f} MB")
    return complaints


if __name__ == "__main__":
    sys.exit(main())
