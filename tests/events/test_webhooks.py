"""Webhooks: signed, in order, again after a failure, and never to an address inside."""

import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.events.receiving import INSIDE, Receiver

from sharpwave import InvalidInput, Memory, NotFound, ProviderError, Settings
from sharpwave.errors import ProviderMisbehaved, ProviderUnavailable
from sharpwave.events.webhook_sender import WebhookSender
from sharpwave.events.webhooks import ATTEMPTS
from sharpwave.settings.server import WebhookSettings
from sharpwave.testing import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    settings = Settings.model_validate(
        {"embedder": {"provider": "hash"}, "server": {"webhooks": INSIDE.model_dump()}}
    )
    with Memory.open(tmp_path / "m.db", user="ana", settings=settings, clock=clock) as opened:
        yield opened


def test_what_happens_is_told_in_order_and_signed(memory: Memory, receiver: Receiver) -> None:
    memory.remember("Before anybody asked.")
    made = memory.admin.add_webhook(receiver.url)
    assert memory.admin.deliver() == 0
    first = memory.remember("I keep bees.")
    memory.user("bob").remember("I am Bob.")
    memory.forget(*first.ids)
    assert memory.admin.deliver() == 2 and memory.admin.deliver() == 0
    told = [body for body, _, _ in receiver.heard]
    assert [one["topic"] for one in told] == ["memory.remembered", "memory.forgotten"]
    assert told[0]["payload"]["ids"][0] == first.ids[0]
    assert told[0]["seq"] < told[1]["seq"] and "bees" not in json.dumps(told)
    for _, headers, body in receiver.heard:
        moment, _, signed = headers["Sharpwave-Signature"].partition(",v1=")
        wanted = hmac.new(
            made.secret.encode(), moment[2:].encode() + b"." + body, hashlib.sha256
        ).hexdigest()
        assert hmac.compare_digest(signed, wanted)
    (hook,) = memory.admin.webhooks()
    assert hook.id == made.webhook.id and made.secret not in repr(hook)


def test_only_the_topics_that_were_asked_for(memory: Memory, receiver: Receiver) -> None:
    memory.admin.add_webhook(receiver.url, ["memory.forgotten"])
    receipt = memory.remember("I keep bees.")
    assert memory.admin.deliver() == 0
    memory.forget(*receipt.ids)
    assert memory.admin.deliver() == 1


def test_what_fails_is_tried_again_later_and_given_up_at_last(
    memory: Memory, receiver: Receiver, clock: FrozenClock
) -> None:
    memory.admin.add_webhook(receiver.url)
    receiver.status = 503
    memory.remember("I keep bees.")
    assert memory.admin.deliver() == 0
    (hook,) = memory.admin.webhooks()
    assert hook.failures == 1 and "503" in str(hook.error) and hook.not_before is not None
    assert memory.admin.deliver() == 0 and len(receiver.heard) == 1, "not before its time"
    clock.advance(seconds=60)
    receiver.status = 200
    memory.remember("I sail.")
    assert memory.admin.deliver() == 2
    assert memory.admin.webhooks()[0].failures == 0
    receiver.status = 302
    memory.remember("I row.")
    for _ in range(ATTEMPTS + 2):
        memory.admin.deliver()
        clock.advance(hours=1)
    (hook,) = memory.admin.webhooks()
    assert hook.given_up and hook.failures == ATTEMPTS


def test_another_process_goes_on_where_one_stopped(
    memory: Memory, receiver: Receiver, tmp_path: Path
) -> None:
    memory.admin.add_webhook(receiver.url)
    memory.remember("I keep bees.")
    settings = Settings.model_validate(
        {"embedder": {"provider": "hash"}, "server": {"webhooks": INSIDE.model_dump()}}
    )
    with Memory.open(tmp_path / "m.db", settings=settings) as other:
        assert other.admin.deliver() == 1
    assert memory.admin.deliver() == 0


def test_removing_and_erasing(memory: Memory, receiver: Receiver) -> None:
    made = memory.admin.add_webhook(receiver.url)
    memory.admin.remove_webhook(made.webhook.id)
    with pytest.raises(NotFound):
        memory.admin.remove_webhook(made.webhook.id)
    memory.admin.add_webhook(receiver.url)
    memory.remember("I keep bees.")
    memory.forget(everything=True)
    memory.remember("I am somebody new.")
    assert memory.admin.deliver() == 0 and memory.admin.webhooks() == []
    with pytest.raises(NotFound):
        memory.user("bob").admin.remove_webhook(made.webhook.id)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "gopher://a.b/", "https://", "https://u:p@a.b/", "x", "http://a:b/"],
)
def test_what_is_no_address(memory: Memory, url: str) -> None:
    with pytest.raises(InvalidInput):
        memory.admin.add_webhook(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://0x7f.1/",
        "http://localhost/",
        "http://inside.test/",
    ],
)
def test_addresses_inside_are_refused_when_connecting(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """A6: whatever the name looks like, what counts is the address that it leads to."""
    sender = WebhookSender(WebhookSettings())
    monkeypatch.setattr("socket.getaddrinfo", _resolver)
    monkeypatch.setattr("socket.create_connection", _never)
    with pytest.raises(ProviderUnavailable, match="public network"):
        sender.post(url, b"{}", {})


NOT_PUBLIC = [
    "169.254.169.254",
    "10.1.2.3",
    "172.31.255.255",
    "192.168.0.9",
    "0.0.0.0",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "192.88.99.1",
    "198.18.0.1",
    "224.0.0.251",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fd00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "feff::1",
    "ff02::1",
    "ff0e::1",
    "100::1",
    "5f00::1",
    "2001:db8::1",
    "3fff::1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::10.0.0.1",
    "::7f00:1",
    "::8.8.8.8",
    "64:ff9b::10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::8.8.8.8",
    "64:ff9b:1:ffff::a9fe:a9fe",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "2001:0:7f00:1::1",
    "2001:0:808:808:0:0:f5ff:fffe",
    "2001:2::1",
    "2001:20::1",
    "2606:4700::5efe:10.0.0.1",
    "2606:4700::200:5efe:a9fe:a9fe",
]
PUBLIC = [
    "8.8.8.8",
    "93.184.216.34",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
    "2400:cb00:2048:1::6814:55",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_of_the_public_network_are_connected_to(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    asked: list[object] = []
    monkeypatch.setattr("socket.getaddrinfo", lambda *given, **named: [_row(address)])

    def connect(to: object, **named: object) -> None:
        asked.append(to)
        raise OSError("nobody there")

    monkeypatch.setattr("socket.create_connection", connect)
    with pytest.raises(ProviderUnavailable):
        WebhookSender(WebhookSettings()).post("https://example.test/", b"{}", {})
    assert asked == [(address, 443)]


def test_errors_do_not_tell_what_a_name_leads_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is not there, and names inside, look the same from outside."""
    told = set()

    def missing(*given: object, **named: object) -> list[Any]:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr("socket.create_connection", _never)
    rows = [partial(_leads_to, address) for address in NOT_PUBLIC]
    for resolver in (missing, lambda *given, **named: [], *rows):
        monkeypatch.setattr("socket.getaddrinfo", resolver)
        with pytest.raises(ProviderError) as raised:
            WebhookSender(WebhookSettings()).post("https://db.corp.test/", b"{}", {})
        told.add((type(raised.value), str(raised.value)))
    assert len(told) == 1


@pytest.mark.parametrize("inside", NOT_PUBLIC)
def test_a_name_that_leads_inside_among_others_is_refused(
    monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    monkeypatch.setattr("socket.create_connection", _never)
    monkeypatch.setattr(
        "socket.getaddrinfo", lambda *given, **named: [_row("93.184.216.34"), _row(inside)]
    )
    with pytest.raises(ProviderUnavailable, match="public network"):
        WebhookSender(WebhookSettings()).post("https://example.test/", b"{}", {})


def test_the_connection_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that leads elsewhere the second time is not asked a second time."""
    asked: list[object] = []
    monkeypatch.setattr("socket.getaddrinfo", lambda *given, **named: [_row("93.184.216.34")])

    def connect(address: object, **named: object) -> None:
        asked.append(address)
        raise OSError("nobody there")

    monkeypatch.setattr("socket.create_connection", connect)
    with pytest.raises(ProviderUnavailable):
        WebhookSender(WebhookSettings()).post("https://example.test/", b"{}", {})
    assert asked == [("93.184.216.34", 443)]


def _row(address: str) -> tuple[Any, ...]:
    return (2, 1, 6, "", (address, 443))


def _leads_to(address: str, *given: object, **named: object) -> list[tuple[Any, ...]]:
    return [_row(address)]


def _resolver(host: str, *given: object, **named: object) -> list[tuple[Any, ...]]:
    """As the system does: other ways to write an address, and a name that leads inside."""
    known = {"::1": "::1", "::ffff:127.0.0.1": "::ffff:127.0.0.1"}
    return [_row(known.get(host, "127.0.0.1"))]


def _never(*given: object, **named: object) -> None:
    raise AssertionError("nothing may be connected to")


def test_errors_are_provider_errors() -> None:
    assert issubclass(ProviderMisbehaved, ProviderError)
