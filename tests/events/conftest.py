"""Somebody who is told, for the tests of this folder."""

import threading
from collections.abc import Iterator

import pytest
from tests.events.receiving import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.answers.set()
    found.server.shutdown()
    thread.join()
    found.server.server_close()
