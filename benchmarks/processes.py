"""Each measurement in a fresh process: its memory is its own, and its caches start empty."""

import multiprocessing
import os
import socket
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
}
"""What every contender runs under: one BLAS thread, and nothing sent anywhere."""


class MeasurementFailed(Exception):
    """A measurement failed; its traceback is in the message."""


def alone(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` returns when it runs in a fresh process without a network."""
    os.environ.update(ENVIRONMENT)  # before the child imports NumPy
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(sender, work, args, kwargs), daemon=True)
    child.start()
    sender.close()
    try:
        done, value = receiver.recv()
    except EOFError:
        child.join()
        raise MeasurementFailed(f"the process ended with {child.exitcode}") from None
    finally:
        receiver.close()
    child.join()
    if not done:
        raise MeasurementFailed(value)
    result: T = value
    return result


def _work(
    sender: Connection, work: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    _no_network()
    try:
        sender.send((True, work(*args, **kwargs)))
    except Exception:  # noqa: BLE001 - told to the parent, which raises it
        sender.send((False, traceback.format_exc()))
    finally:
        sender.close()


def _no_network() -> None:
    def refuse(*_: object) -> None:
        raise OSError("the benchmark runs without a network")

    socket.socket.connect = refuse  # type: ignore[method-assign]
