"""What a hook does where no server has the memory open: it opens it, and answers by itself.

Somebody waits for it, so nothing of the command line is loaded.
"""

import json

from sharpwave import Memory, Settings, load_settings
from sharpwave.interfaces.hooks import events, listener
from sharpwave.interfaces.hooks.meeting_point import MeetingPoint
from sharpwave.interfaces.mcp.visit import Visit
from sharpwave.types.access import Principal, Scope

HOOK = "hook"


def serve(event: str, given: str | bytes, point: MeetingPoint, **options: str | None) -> None:
    """Do what an event asks for, and print what is remembered; `options` are db, user, settings."""
    told = json.loads(given)
    named = {"path": options.get("db"), "user": options.get("user")}
    arguments = {name: value for name, value in named.items() if value is not None}
    settings = load_settings(options.get("settings"), **arguments)
    with Memory.open(settings=settings) as memory:
        answer = answering(memory, settings)
        listener.take_in(point.missed, answer)
        if text := answer(event, told):
            print(text)


def answering(memory: Memory, settings: Settings) -> listener.Answer:
    """What answers hooks from an open memory. Hooks come from the user's own machine."""
    visit = Visit(memory, Principal(memory.user_id, frozenset(Scope), HOOK), settings)
    return lambda event, told: events.answer(event, told, visit)
