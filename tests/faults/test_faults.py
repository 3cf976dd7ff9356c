"""The short version of every fault check."""

from pathlib import Path

import pytest
from tests.faults.harness import Options, checks

SEED = 1


@pytest.mark.faults
@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", list(checks()))
def test_fault(name: str, tmp_path: Path) -> None:
    result = checks()[name](Options(SEED, long=False, folder=tmp_path))
    assert result.passed, result.to_line()
