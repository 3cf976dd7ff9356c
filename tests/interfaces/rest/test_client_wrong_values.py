"""Wrong values through `Memory.connect`: the same typed errors as without a server."""

from operator import attrgetter

import pytest
from tests.interfaces.rest.serving import EVERYTHING, Served
from tests.journeys.test_wrong_values import attempt, methods, needed, odd, parameters

from sharpwave import Memory
from sharpwave.client.forms import function_of

STEP = 4
"""Every fourth odd value is enough: the methods behind the server are tried with all."""
OFFERED = [name for name in methods() if name not in ("user", "admin.shared_secret")]


@pytest.mark.parametrize("name", OFFERED)
def test_a_wrong_value_gives_a_typed_error(served: Served, name: str) -> None:
    key = served.key(f"root {name}", *EVERYTHING)
    with Memory.connect(served.url, key, user=f"user {name}") as memory:
        method, given = attrgetter(name)(memory), needed(memory, name)
        wrong = [
            found
            for parameter, one in parameters(function_of(name)).items()
            for value in odd(one)[STEP::STEP]
            if (found := attempt(method, {**given, parameter: value})) is not None
        ]
    assert not wrong


@pytest.mark.parametrize("name", ["admin.shared_secret", "admin.subscribe"])
def test_what_a_server_does_not_offer_says_so(served: Served, name: str) -> None:
    with Memory.connect(served.url, served.key("root", *EVERYTHING)) as memory:
        assert attempt(attrgetter(name)(memory), {}) is None
