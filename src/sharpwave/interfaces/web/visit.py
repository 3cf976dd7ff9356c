"""Who looks at a page: whose memory it shows, and what may be done there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from starlette.concurrency import run_in_threadpool

from sharpwave.client.calls import CALLS
from sharpwave.errors import Unauthorized
from sharpwave.facades.keys import Keys
from sharpwave.interfaces.auth.gate import Gate, require
from sharpwave.interfaces.rest.guard.rates import Rates
from sharpwave.interfaces.web.sessions import Session
from sharpwave.memory import Memory
from sharpwave.settings.dashboard import DashboardSettings
from sharpwave.settings.tree import Settings
from sharpwave.types.access import Principal, Scope

VISIT = "sharpwave.visit"
"""Where the visit stands in the scope of a request."""
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Visit:
    """A person at a page. Every call of the memory goes through `ask`.

    visit.ask(visit.memory.recall, "Where does Ana live?", k=5)
    """

    memory: Memory
    """Of the user whose key it is; nothing on a page names another."""
    principal: Principal
    settings: Settings
    session: Session
    gate: Gate
    rates: Rates
    query: Mapping[str, str]
    """What stands behind the question mark of the address; never acted on by itself."""

    @property
    def may_write(self) -> bool:
        """Whether to show what changes something."""
        return self.principal.may(Scope.WRITE)

    @property
    def may_admin(self) -> bool:
        """Whether to show what concerns the whole file."""
        return self.principal.may(Scope.ADMIN)

    @property
    def limits(self) -> DashboardSettings:
        """The numbers of this door."""
        return self.settings.server.dashboard

    async def ask(
        self, call: Callable[Given, Answer], *args: Given.args, **named: Given.kwargs
    ) -> Answer:
        """Call a method of the memory in a thread, with the rights that it takes over REST.

        The key is looked at again each time: signed out or revoked means no more answers. It may
        ask as often as over REST.
        """

        def checked() -> Answer:
            if self.session.is_over:
                raise Unauthorized("you are signed out")
            principal = self.gate.admit(self.session.authorization)
            require(principal, _needed(call, named))
            self.rates.take(principal.key_name)
            return call(*args, **named)

        return await run_in_threadpool(checked)


def _needed(call: Callable[..., Any], named: Mapping[str, Any]) -> Scope:
    """The scope of a method in the table of calls."""
    if isinstance(getattr(call, "__self__", None), Keys):
        return Scope.ADMIN
    for one in CALLS:
        fixed = all(named.get(name, False) == value for name, value in one.fixed.items())
        if one.method == call.__name__ and fixed:
            stores = one.writes_if is not None and named.get(one.writes_if)
            return Scope.WRITE if stores else one.scope
    raise LookupError(f"{call.__name__} is no call that doors offer; see facades/remote/calls.py")
