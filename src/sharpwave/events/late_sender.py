"""Tells webhooks; what that takes, such as the certificates, is loaded with the first one told."""

from collections.abc import Mapping
from functools import cached_property

from sharpwave.ports import Sender
from sharpwave.settings.server import WebhookSettings


class LateSender:
    """See `ports.Sender`; `WebhookSender` does it."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._settings = settings

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a body; anything but a 2xx answer is an error."""
        self._sender.post(url, body, headers)

    @cached_property
    def _sender(self) -> Sender:
        from sharpwave.events import webhook_sender

        return webhook_sender.WebhookSender(self._settings)
