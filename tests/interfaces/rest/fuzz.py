"""Schemathesis over the whole document, as two tenants: `python -m tests.interfaces.rest.fuzz`.

The short form is part of the tests; `--long` does all phases with 200 examples a route.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from tests.interfaces.rest.serving import EVERYTHING, serving

from sharpwave.interfaces.rest import limits
from sharpwave.types.access import Scope

# Of these a valid request may still be refused: whether it fits depends on what is stored, or on
# rules that a schema cannot say (a text's combining marks, an end before its start, a file's form).
DEPENDS = [
    "admin_add_webhook",
    "admin_import",
    "admin_import_chats",
    "admin_undo_sleep",
    "agents_add_insight",
    "agents_import_log",
    "agents_log",
    "agents_log_action",
    "agents_observe",
    "agents_rate",
    "agents_start",
    "behavior_accept",
    "behavior_add",
    "behavior_correct",
    "behavior_delete",
    "behavior_edit",
    "behavior_set_preference",
    "behavior_undo",
    "facts_between",
    "facts_correct",
    "facts_end",
    "facts_predict",
    "feedback",
    "forget",
    "memory_feedback",
    "memory_profile_version",
    "remember",
    "skills_archive",
    "skills_create",
    "skills_delete",
    "skills_edit",
    "skills_reset",
    "skills_select",
    "skills_set_style",
    "sleep",
    "tasks_set_status",
]
STATUSES = ["2xx", "3xx", 400, 401, 403, 404, 409, 422, 429]
LETTERS = Path(__file__).parents[3] / ".hypothesis"
"""Where Hypothesis keeps what it knows of Unicode, which takes seconds to find out."""
HOOKS = Path(__file__).with_name("fuzz_hooks.py")
CONFIG = """
hooks = "{hooks}"

[[operations]]
include-operation-id = {depends}
checks.positive_data_acceptance.expected-statuses = {statuses}
"""
TENANTS = {"ana": [Scope.READ, Scope.WRITE], "root": EVERYTHING}


def fuzz(tenant: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Ask a server of our own everything that Schemathesis can think of."""
    patient = patch.object(limits, "WRONG_KEYS_AT_ONCE", 10**9)  # every wrong key is to be seen
    with patient, tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "m.db") as served:
        served.memory.user("ana").remember("My sister Ana lives in Porto.")
        config = Path(folder) / "schemathesis.toml"
        config.write_text(CONFIG.format(hooks=HOOKS, depends=DEPENDS, statuses=STATUSES))
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run"]
        command += [f"{served.url}/openapi.json", "--checks", "all", "--seed", "1"]
        # a busy machine is no finding
        command += ["--suppress-health-check", "too_slow", "--request-timeout", "60"]
        command += ["--generation-database", "none"]
        command += ["--no-shrink", "--warnings", "off", "--continue-on-failure", *options]
        key = served.key(tenant, *TENANTS[tenant])
        return subprocess.run(
            [*command, "--header", f"Authorization: Bearer {key}"],
            cwd=folder,
            env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(LETTERS)},
            capture_output=True,
            text=True,
            check=False,
        )


def main() -> int:
    """Both tenants, as long as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--examples", type=int, default=None)
    given = parser.parse_args()
    examples = given.examples or (200 if given.long else 5)
    worst = 0
    for tenant in TENANTS:
        phases = "examples,coverage,fuzzing,stateful"
        done = fuzz(tenant, "--phases", phases, "--max-examples", str(examples))
        print(f"== {tenant}\n{done.stdout}{done.stderr}")
        worst = max(worst, done.returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
