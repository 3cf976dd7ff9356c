"""Opening the proxy: on this machine only, unless there are keys and somebody said otherwise."""

from collections.abc import Callable
from pathlib import Path

from sharpwave import Memory, Settings
from sharpwave.errors import InvalidSettings
from sharpwave.interfaces.proxy.app import create_app
from sharpwave.interfaces.proxy.upstream import base_url
from sharpwave.interfaces.rest import server
from sharpwave.interfaces.rest.guard.hosts import is_loopback


def fit_to_pass(settings: Settings) -> Settings:
    """Settings that can be served with: the proxy's address takes the place of the server's."""
    proxy = settings.proxy
    base_url(proxy.upstream)
    if proxy.without_key and not is_loopback(proxy.host):
        raise InvalidSettings(
            f"refused to listen on {proxy.host} without keys: everybody who reaches it could read "
            "this memory. Leave out --without-key, or listen on 127.0.0.1"
        )
    here = settings.server.model_copy(update={"host": proxy.host, "port": proxy.port})
    return server.fit_to_serve(settings.model_copy(update={"server": here}))


def key_file(memory: Memory, settings: Settings) -> Path | None:
    """Where the key for this machine is, if one is needed and we know it."""
    return None if settings.proxy.without_key else server.key_for_this_machine(memory, settings)


def door(memory: Memory, settings: Settings, opened: Callable[[str], None]) -> server.Door:
    """A server that listens already."""
    return server.Door(memory, settings, opened, app=create_app(memory, settings))
