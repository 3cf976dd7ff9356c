"""Our queue of jobs on PostgreSQL beside procrastinate: cost, order, and what a death leaves.

    python -m benchmarks.queues [--jobs 1000] [--users 100]        (needs procrastinate)

Jobs that do nothing, one lock a user, one worker and then two, each a process of its own. Then a
worker dies with a job in its hands: who takes it over, and is its late word still heard?
"""

import argparse
import asyncio
import multiprocessing
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.storage.contract import example

from benchmarks.machine import describe
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.types.storing import Change, NewJob

LEASE = timedelta(seconds=60)
Did = list[tuple[str, int]]


def _store(url: str) -> PostgresStore:
    return PostgresStore(url, PostgresSettings(), StoreSettings())


def _queue_ours(url: str, jobs: int, users: int) -> None:
    """With a memory each, in its transaction."""
    store, now = _store(url), datetime.now(UTC)
    for number in range(jobs):
        user, job = f"user-{number % users}", NewJob("nothing", {"n": number})
        change = Change("remember", now, (example(number, user),), jobs=(job,))
        store.for_user(user).commit(change)
    store.close()


def _work_ours(url: str, answer: Any) -> None:
    store, did = _store(url), []
    began = time.process_time()
    while job := store.jobs.lease(datetime.now(UTC), LEASE):
        did.append((job.user_id, int(str(job.payload["n"]))))
        store.jobs.finish(job, datetime.now(UTC))
    answer.put((did, time.process_time() - began))
    store.close()


def _procrastinate(url: str) -> tuple[Any, Did]:
    import procrastinate

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))
    did: Did = []

    async def nothing(user: str, n: int) -> None:
        did.append((user, n))

    app.task(name="nothing")(nothing)
    return app, did


def _queue_theirs(url: str, jobs: int, users: int) -> None:
    app, _ = _procrastinate(url)

    async def queue() -> None:
        async with app.open_async():
            await app.schema_manager.apply_schema_async()
            for number in range(jobs):
                user = f"user-{number % users}"
                await app.configure_task("nothing", lock=user).defer_async(user=user, n=number)

    asyncio.run(queue())


def _work_theirs(url: str, answer: Any) -> None:
    app, did = _procrastinate(url)

    async def work() -> float:
        async with app.open_async():
            began = time.process_time()
            while True:
                await app.run_worker_async(
                    concurrency=1, wait=False, install_signal_handlers=False, listen_notify=False
                )
                left = await app.job_manager.list_jobs_async(status="todo")
                if not list(left):
                    return time.process_time() - began

    spent = asyncio.run(work())
    answer.put((did, spent))


def _measure(title: str, work: Callable[[str, Any], None], url: str, count: int) -> None:
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    workers = [context.Process(target=work, args=(url, answer)) for _ in range(count)]
    began = time.monotonic()
    for worker in workers:
        worker.start()
    found = [answer.get() for _ in workers]
    took = time.monotonic() - began
    for worker in workers:
        worker.join()
    done = [one for did, _ in found for one in did]
    in_order = all(
        numbers == sorted(numbers)
        for did, _ in found
        for user in {user for user, _ in did}
        for numbers in [[n for own, n in did if own == user]]
    )
    cpu = 1000 * sum(spent for _, spent in found) / max(len(done), 1)
    print(
        f"{title}, {count} worker(s): {len(done)} jobs, {len(done) - len(set(done))} twice, "
        f"{'in' if in_order else 'OUT OF'} order, {cpu:.2f} ms CPU of the workers each, "
        f"{len(done) / took:.0f}/s with their start",
        flush=True,
    )


def _dies_ours(url: str) -> None:
    store, now = _store(url), datetime.now(UTC)
    dead = store.jobs.lease(now, LEASE)
    held = store.jobs.lease(now, LEASE, dead.number if dead else None)
    taken = store.jobs.lease(now + LEASE, LEASE)
    assert dead and taken
    late = store.jobs.finish(dead, now + LEASE)
    print(
        f"ours: while leased {held}; after the lease another has it: "
        f"{taken.number == dead.number}; late word heard: {late}"
    )
    store.close()


def _dies_theirs(url: str) -> None:
    app, _ = _procrastinate(url)

    async def die() -> None:
        async with app.open_async():
            jobs = app.job_manager
            first, second = [await jobs.register_worker() for _ in range(2)]
            dead = await jobs.fetch_job(queues=None, worker_id=first)
            await app.connector.execute_query_async(
                "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'"
                " WHERE id = %(id)s", id=first,
            )  # fmt: skip
            other = await jobs.fetch_job(queues=None, worker_id=second)
            stalled = list(await jobs.get_stalled_jobs())
            await jobs.retry_job(stalled[0])
            taken = await jobs.fetch_job(queues=None, worker_id=second)
            await jobs.finish_job(dead, status=_succeeded(), delete_job=False)
            state = await jobs.get_job_status_async(job_id=dead.id)
            print(
                f"procrastinate: by itself another has it: {bool(other and other.id == dead.id)}; "
                f"after a task of our own retried {len(stalled)}: {taken.id == dead.id}; late word "
                f"heard, with the job in another's hands: {state.value == 'succeeded'}"
            )

    asyncio.run(die())


def _succeeded() -> Any:
    from procrastinate import jobs

    return jobs.Status.SUCCEEDED


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--users", type=int, default=100)
    asked = parser.parse_args()
    print("\n".join(f"{name}: {value}" for name, value in describe().items()))
    from tests.storage.postgres import server

    parts = (
        ("ours", _queue_ours, _work_ours, _dies_ours),
        ("procrastinate", _queue_theirs, _work_theirs, _dies_theirs),
    )
    for title, queue, work, dies in parts:
        for count in (1, 2):
            url = server.new_database()
            queue(url, asked.jobs, asked.users)
            _measure(title, work, url, count)
            server.drop_database(url)
        url = server.new_database()
        queue(url, 1, 1)
        dies(url)
        server.drop_database(url)


if __name__ == "__main__":
    main()
