"""The dashboard on the app of the REST door."""

from fastapi import FastAPI
from starlette.routing import Mount, Route

from sharpwave.interfaces.auth.gate import Gate
from sharpwave.interfaces.web.entrance import PATH, Entrance
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings


def mount(app: FastAPI, memory: Memory, settings: Settings, gate: Gate) -> Entrance:
    """Put the dashboard on an app, at /ui; whoever runs the app enters `running()` of it."""
    entrance = Entrance(memory, settings, gate)
    app.router.routes += [
        Route("/", entrance.welcome, methods=["GET"]),
        Route(PATH, entrance.welcome, methods=["GET"]),
        Mount(PATH, entrance),
    ]
    return entrance
