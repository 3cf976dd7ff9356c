"""A PostgreSQL server of one's own, to be killed and started again, and a line to it to be cut."""

import contextlib
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from tests.storage.postgres import server
from tests.waiting import eventually

_OPTIONS = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "fsync": "off",  # processes are killed here, not machines
    "autovacuum": "off",
}


# Waits until this process closes its end of the pipe, or dies, and then stops the server.
_END = """
cd "$1"
cat >/dev/null
"$2/pg_ctl" --pgdata=data --mode=immediate stop >/dev/null 2>&1
cd / && rm -rf "$1"
"""


class OwnServer:
    """Runs in a folder of its own, on a socket there."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sharpwave-own-postgres-"))
        self._options = {**_OPTIONS, **options, "unix_socket_directories": str(self.folder)}
        self._as_user: dict[str, Any] = {}
        self.programs = server.programs()
        server.allow_old_pgvector()
        if os.geteuid() == 0:
            account = server._ordinary_user()
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            self.programs = server._within_reach(self.programs, self.folder)
            self._as_user = {
                "user": account.pw_uid,
                "group": account.pw_gid,
                "extra_groups": (),
            }
        self._end = subprocess.Popen(
            ["/bin/sh", "-c", _END, "end", str(self.folder), str(self.programs)],
            stdin=subprocess.PIPE,
            start_new_session=True,
            **self._as_user,
        )
        self._run("initdb", "--pgdata=data", *server._DATA_OPTIONS.split())
        self.start()
        with psycopg.connect(self.address("postgres", "postgres"), autocommit=True) as db:
            db.execute(f"CREATE ROLE {server.ROLE} LOGIN")
            db.execute(f"CREATE DATABASE memories OWNER {server.ROLE} TEMPLATE template0")

    def address(self, role: str = server.ROLE, database: str = "memories") -> str:
        """Of a database, for a role."""
        return f"postgresql://{role}@/{database}?host={quote(str(self.folder), safe='')}"

    def start(self) -> None:
        """Start it; after a kill that takes until the last of its processes is gone."""
        if not eventually(self._started):
            raise server.NoPostgres((self.folder / "log").read_text(errors="replace")[-2000:])

    def _started(self) -> bool:
        told = " ".join(f"-c {name}='{value}'" for name, value in self._options.items())
        wait = ("--wait", "--timeout=60", "--log=log")
        try:
            self._run("pg_ctl", "--pgdata=data", *wait, f"--options={told}", "start")
        except subprocess.CalledProcessError:
            return False
        return True

    def kill(self) -> None:
        """Kill the server and every process of it at once."""
        first = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        children = [int(pid) for pid in _children(first)]
        for pid in (first, *children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def stop(self) -> None:
        self._end.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.programs / program, *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            **self._as_user,
        )


@contextmanager
def own_server(**options: str) -> Iterator[OwnServer]:
    """A server for as long as it is needed, with further options."""
    made = OwnServer(options)
    try:
        yield made
    finally:
        made.stop()


class Relay:
    """Passes on whatever goes to the socket of a server and back, unless it is cut."""

    def __init__(self, to: Path) -> None:
        self._to = str(to / ".s.PGSQL.5432")
        self._flowing = threading.Event()
        self._flowing.set()
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def address(self) -> str:
        return f"postgresql://{server.ROLE}@127.0.0.1:{self.port}/memories"

    def cut(self) -> None:
        """From now on nothing gets through, and nobody is told."""
        self._flowing.clear()

    def heal(self) -> None:
        self._flowing.set()

    def close(self) -> None:
        self._closing.set()
        self._flowing.set()
        for thread in self._threads:
            thread.join(5)
        self._listener.close()

    def _accept(self) -> None:
        while not self._closing.is_set():
            ready, _, _ = select.select([self._listener], [], [], 0.1)
            if ready:
                line, _ = self._listener.accept()
                thread = threading.Thread(target=self._pass_on, args=(line,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _pass_on(self, line: socket.socket) -> None:
        with line, socket.socket(socket.AF_UNIX) as behind:
            self._flowing.wait()
            with contextlib.suppress(OSError):
                behind.connect(self._to)
                other = {line: behind, behind: line}
                while not self._closing.is_set():
                    for ready in select.select([line, behind], [], [], 0.1)[0]:
                        content = ready.recv(65536)
                        self._flowing.wait()
                        if not content:
                            return
                        other[ready].sendall(content)


def _children(pid: int) -> list[str]:
    told = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return told.stdout.split()
