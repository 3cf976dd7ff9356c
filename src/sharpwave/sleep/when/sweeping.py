"""What doors noted of requests, and what agents left undone, goes in time, whoever it is of.

A night does so for whoever sleeps. Who only made requests has no memories and never sleeps, and who
has not come for long sleeps once a week: so once a night one worker of all looks at everybody.
"""

import logging
import threading
from contextlib import suppress

from sharpwave.errors import Overtaken, SharpwaveError
from sharpwave.ports import Ports
from sharpwave.settings.tree import Settings
from sharpwave.sleep import tidying
from sharpwave.sleep.when import claims, schedule
from sharpwave.tallies.requests import ASKED
from sharpwave.types.storing import OPEN

_LOG = logging.getLogger(__name__)
_NAME = "sweeping"


def look(ports: Ports, settings: Settings, stop: threading.Event) -> int:
    """Sweep if it is time and nobody else is at it; returns of how many users something went."""
    when = settings.sleep.schedule
    since = schedule.last_time(when.cron, ports.clock.now())
    claim = claims.take(_NAME, ports, since, when.lease_s)
    if claim is None:
        return 0
    count = 0
    with suppress(Overtaken):  # it took so long that another began anew
        for user_id in _users(ports):
            if stop.is_set():
                claim.let_go()
                return count
            claim.keep()
            count += sweep_user(user_id, ports, settings)
        claim.done()
    return count


def sweep(ports: Ports, settings: Settings) -> int:
    """Sweep now; returns of how many users something went."""
    return sum(sweep_user(user_id, ports, settings) for user_id in _users(ports))


def sweep_user(user_id: str, ports: Ports, settings: Settings) -> bool:
    """Let go of what is over its time; True if there was anything. It can wait for tomorrow."""
    try:
        return bool(tidying.left_over(user_id, ports, settings))
    except SharpwaveError:
        _LOG.warning("what is over its time is left for tomorrow", exc_info=True)
        return False


def _users(ports: Ports) -> list[str]:
    return sorted({*ports.store.users_with(ASKED), *ports.store.users_with(OPEN)})
