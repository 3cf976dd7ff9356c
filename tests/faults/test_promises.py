"""The short version of every other check: privacy, isolation, hostile input.

In a file of its own, so that it runs beside those of durability.
"""

from pathlib import Path

import pytest
from tests.faults.harness import Options, checks

SEED = 1


@pytest.mark.faults
@pytest.mark.timeout(600)  # long on a busy machine
@pytest.mark.parametrize(
    "name", [name for name in checks() if not name.startswith("d") and name != "l3_soak"]
)  # the soak takes minutes, and more than two busy cores: `python -m tests.faults.run soak`
def test_promise(name: str, tmp_path: Path) -> None:
    result = checks()[name](Options(SEED, long=False, folder=tmp_path))
    assert result.passed, result.to_line()
