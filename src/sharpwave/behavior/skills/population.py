"""Starting odds of a new user, from what other consenting users liked [PV-12].

Counts only users who agreed, only base skills, every user with the same weight, and only rates with
enough users behind them. Only one rounded rate per context and skill is stored: no names, counts or
text. A rate weighs a few ratings, so the user's own soon outweigh it.
"""

from collections import defaultdict

from sharpwave.behavior.skills import catalog, learning
from sharpwave.errors import Overtaken
from sharpwave.formulas.bandit import Odds, population_prior
from sharpwave.tallies import Sheet, stored
from sharpwave.types.storing import BEHAVIOR, Change
from sharpwave.workspace import Resources, Workspace

POPULATION_USER = "*population*"
"""The user name under which the rates are stored; it has no records."""
MIN_PEOPLE = 5
"""Minimum number of users behind a rate that is stored and used."""
PSEUDO_COUNTS = 4.0
"""Number of ratings that a rate counts as."""
ROUNDED_TO = 0.05
"""Rates are rounded to this, to hide single users."""
_TOPIC = "population/"


def update_rates(resources: Resources) -> int:
    """Recompute the rates from all users who agree now; returns how many rates there are."""
    store = resources.store.for_user(POPULATION_USER)
    rates, sheet = _rates(resources), Sheet.blank(_TOPIC)
    for (bucket, skill), rate in rates.items():
        sheet.put(bucket, skill, {"rate": rate})
    tallies = sheet.instead_of(stored(store, _TOPIC))
    if tallies:
        try:
            store.commit(Change("population", resources.clock.now(), (), tallies=tallies))
        except Overtaken:
            pass  # another process has just written them
    return len(rates)


def priors(workspace: Workspace, bucket: int) -> dict[str, Odds]:
    """The odds from which a new user starts in a context, by skill."""
    store = workspace.shared.store.for_user(POPULATION_USER)
    return {
        skill: population_prior(learning.PRIOR, float(str(tally.value["rate"])), PSEUDO_COUNTS)
        for skill, tally in store.tallies(f"{_TOPIC}{bucket}").items()
    }


def _rates(resources: Resources) -> dict[tuple[str, str], float]:
    """Mean of the users' own rates by context and base skill, where there are enough users."""
    liked: dict[tuple[str, str], list[float]] = defaultdict(list)
    for user in resources.store.users():
        workspace = resources.for_user(user)
        if not workspace.consents.may_count:
            continue
        store = workspace.store
        styles = store.tallies(BEHAVIOR + learning.STYLE)
        for bucket in (int(name) for name in styles if name != learning.GENERAL):
            odds = store.tallies(BEHAVIOR + learning.odds_topic(bucket))
            for skill, tally in odds.items():
                won, lost = (float(str(tally.value[name])) for name in ("won", "lost"))
                if skill in catalog.base() and won + lost:
                    liked[str(bucket), skill].append(won / (won + lost))
    return {
        key: round(round(sum(shares) / len(shares) / ROUNDED_TO) * ROUNDED_TO, 4)
        for key, shares in liked.items()
        if len(shares) >= MIN_PEOPLE
    }
