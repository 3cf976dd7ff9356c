"""What doors noted of requests, and what agents left undone, goes in time, whoever it is of.

A night does so for whoever sleeps. Who only made requests has no memories and never sleeps, and who
has not come for long sleeps once a week: so once a night one worker of all looks at everybody.
"""

import logging
import threading
from contextlib import suppress

from sharpwave.errors import Overtaken, SharpwaveError
from sharpwave.sleep import tidying
from sharpwave.sleep.when import claims, schedule
from sharpwave.tallies import REQUESTS
from sharpwave.types.storing import OPEN
from sharpwave.workspace import Resources, Workspace

_LOG = logging.getLogger(__name__)
_NAME = "sweeping"


def look(resources: Resources, stop: threading.Event) -> int:
    """Sweep if it is time and nobody else is at it; returns of how many users something went."""
    when = resources.settings.sleep.schedule
    since = schedule.last_time(when.cron, resources.clock.now())
    claim = claims.take(_NAME, resources, since, when.lease_s)
    if claim is None:
        return 0
    count = 0
    with suppress(Overtaken):  # it took so long that another began anew
        for user_id in _users(resources):
            if stop.is_set():
                claim.let_go()
                return count
            claim.keep()
            count += sweep_user(resources.for_user(user_id))
        claim.done()
    return count


def sweep(resources: Resources) -> int:
    """Sweep now; returns of how many users something went."""
    return sum(sweep_user(resources.for_user(user_id)) for user_id in _users(resources))


def sweep_user(workspace: Workspace) -> bool:
    """Let go of what is over its time; True if there was anything. It can wait for tomorrow."""
    try:
        return bool(tidying.left_over(workspace))
    except SharpwaveError:
        _LOG.warning("what is over its time is left for tomorrow", exc_info=True)
        return False


def _users(resources: Resources) -> list[str]:
    return sorted({*resources.store.users_with(REQUESTS), *resources.store.users_with(OPEN)})
