"""`serve --workers 2`: two processes on one file, seen from outside."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx2
import pytest

from sharpwave import Memory, SharpwaveError
from sharpwave.interfaces.rest.workers import PAUSES_S, SETTLED_S, Restarts

SERVE = [sys.executable, "-c", "from sharpwave.interfaces.start import main; main()", "serve"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


class Company:
    """A running server, by its processes."""

    def __init__(self, process: "subprocess.Popen[str]", told: dict[str, str]) -> None:
        self.process = process
        key = Path(told["key_file"]).read_text().strip()
        self._url, self._headers = told["url"], {"Authorization": f"Bearer {key}"}
        self.open = ExitStack()

    def http(self) -> httpx2.Client:
        """A connection of its own."""
        client = httpx2.Client(
            base_url=self._url, headers=self._headers, trust_env=False, timeout=60
        )
        return self.open.enter_context(client)

    def pids(self) -> set[int]:
        """Who serves now."""
        of_ours = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        named = {int(pid): Path(f"/proc/{pid}/cmdline").read_text() for pid in of_ours.split()}
        return {pid for pid, command in named.items() if "spawn_main" in command}

    def by_worker(self) -> dict[int, httpx2.Client]:
        """A connection to each worker: the system chooses, so new ones are made until all have."""
        found: dict[int, httpx2.Client] = {}
        for _ in range(200):
            client = self.http()
            found.setdefault(self._pid_of(client), client)
            if len(found) == 2:
                return found
        raise AssertionError(f"all connections reached {set(found)}")

    def _pid_of(self, client: httpx2.Client) -> int:
        """Which process a connection ends at: the one that holds the other end of its socket."""
        stream = client.get("/health").extensions["network_stream"]
        port = stream.get_extra_info("client_addr")[1]
        sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        ends = [f"socket:[{row[9]}]" for row in sockets if row[2].endswith(f":{port:04X}")]
        (pid,) = (pid for pid in self.pids() if ends[0] in _held(pid))
        return pid


def _held(pid: int) -> set[str]:
    """What a process has open."""
    found = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            found.add(os.readlink(file))
    return found


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Company]:
    command = [*SERVE, "--workers", "2", "--port", "0", "--json", "--db", str(tmp_path / "m.db")]
    environment = {
        **os.environ,
        "SHARPWAVE_EMBEDDER__PROVIDER": "hash",
        "SHARPWAVE_SERVER__RATE_PER_S": "0",
    }
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            told = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            running = Company(process, told)
            with running.open:
                yield running
        finally:
            process.kill()


@pytest.mark.timeout(120)
def test_two_workers_are_one_server(company: Company, tmp_path: Path) -> None:
    """What one wrote the other reads; one that is killed is replaced; a signal ends all of them."""
    one, other = company.by_worker().values()
    assert one.put("/v1/consents/memory", json={"granted": True}).is_success
    assert one.post("/v1/remember", json={"messages": "Ana lives in Porto."}).status_code == 200
    found = other.post("/v1/recall", json={"query": "Where does Ana live?"}).json()
    assert found["items"][0]["record"]["text"] == "Ana lives in Porto"

    before = company.pids()
    assert len(before) == 2
    os.kill(min(before), signal.SIGKILL)
    again = company.by_worker()  # waits in the socket of the dead one until it is replaced
    assert len(again) == 2 and len(company.pids() - before) == 1
    for client in again.values():
        assert client.get("/v1/facts").json()["items"]

    workers = company.pids()
    company.process.send_signal(signal.SIGTERM)
    assert company.process.wait(30) == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert not (tmp_path / "m.db-wal").exists(), "closed, not killed"
    with Memory.open(tmp_path / "m.db") as memory:
        assert memory.facts.list(subject="Ana")


@pytest.mark.timeout(120)
def test_workers_do_not_outlive_their_server(company: Company) -> None:
    ends = [os.pidfd_open(pid) for pid in company.pids()]
    assert len(ends) == 2
    company.process.kill()
    while ends:  # a process that has ended can be read
        ended, _, _ = select.select(ends, [], [], 60)
        assert ended, "still running without anybody to replace or stop them"
        for end in ended:
            ends.remove(end)
            os.close(end)


def test_a_worker_that_cannot_live_is_given_up() -> None:
    """At once the first time, then less and less often; a long life begins the count anew."""
    tries = Restarts()
    assert [tries.pause_s(0.1) for _ in PAUSES_S] == list(PAUSES_S)
    assert tries.pause_s(SETTLED_S) == PAUSES_S[0] == 0.0
    for _ in PAUSES_S[1:]:
        tries.pause_s(0.1)
    with pytest.raises(SharpwaveError, match="died 7 times"):
        tries.pause_s(0.1)
