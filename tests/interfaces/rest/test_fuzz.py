"""Schemathesis finds nothing: A11 in short; `fuzz.py` has the long form."""

import pytest
from tests.interfaces.rest.fuzz import fuzz

FUZZED = ["--exclude-path-regex", "/admin/", "--exclude-method", "GET"]


@pytest.mark.timeout(600)  # long on a busy machine
@pytest.mark.parametrize(
    ("tenant", "options"),
    [
        ("ana", ["--phases", "fuzzing", "--max-examples", "1", *FUZZED]),
        ("root", ["--phases", "coverage", "--include-path-regex", "/v1/(recall|forget)$"]),
    ],
)
def test_the_document_tells_the_truth(tenant: str, options: list[str]) -> None:
    done = fuzz(tenant, *options)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "No issues found" in done.stdout
