"""What others liked: where a new person starts [PV-12].

Only counts of people who agreed, only of base skills, each person weighing the same, and only where
enough people stand behind a number. What is kept is one rounded rate a context and skill: neither
who, nor how many, nor any word. It is worth a few ratings, so one's own soon outweigh it.
"""

from collections import defaultdict

from sharpwave.behavior.skills import catalog, rows
from sharpwave.errors import Overtaken
from sharpwave.formulas.bandit import Odds, population_prior
from sharpwave.ports import Store
from sharpwave.settings.skills import BanditSettings, PopulationSettings
from sharpwave.types.storing import BEHAVIOR, Change, NewTally
from sharpwave.workspace import Resources

EVERYBODY = "*population*"
"""The name under which the rates are kept; nobody's records are."""
_TOPIC = "population/"


def add_up(resources: Resources) -> int:
    """Compute the rates anew from everybody who agrees now; returns how many there are."""
    numbers, store = resources.settings.skills.population, resources.store
    buckets = resources.settings.skills.bandit.buckets
    agreed = [user for user in store.users() if resources.for_user(user).consents.may_count]
    rates = _rates(agreed, store, numbers) if numbers.enabled else {}
    known = {
        (topic, name): tally
        for bucket in range(buckets)
        for topic in [f"{_TOPIC}{bucket}"]
        for name, tally in store.for_user(EVERYBODY).tallies(topic).items()
    }
    tallies = [
        NewTally(*key, {"rate": rate}, known[key].version if key in known else 0)
        for key, rate in rates.items()
        if key not in known or known[key].value != {"rate": rate}
    ]
    tallies += [NewTally(*key, None, known[key].version) for key in known if key not in rates]
    if tallies:
        try:
            change = Change("population", resources.clock.now(), (), tallies=tuple(tallies))
            store.for_user(EVERYBODY).commit(change)
        except Overtaken:
            pass  # somebody else has just done it
    return len(rates)


def priors(
    store: Store, bucket: int, bandit: BanditSettings, numbers: PopulationSettings
) -> dict[str, Odds]:
    """The odds from which a new person starts in a context, by skill."""
    if not numbers.enabled or not numbers.pseudo_counts:
        return {}
    own = Odds(bandit.prior_alpha, bandit.prior_beta)
    return {
        skill: population_prior(own, float(str(tally.value["rate"])), numbers.pseudo_counts)
        for skill, tally in store.for_user(EVERYBODY).tallies(f"{_TOPIC}{bucket}").items()
    }


def _rates(
    users: list[str], store: Store, numbers: PopulationSettings
) -> dict[tuple[str, str], float]:
    """For each context and base skill the mean of people's own rates, where enough people are."""
    liked: dict[tuple[str, str], list[float]] = defaultdict(list)
    for user in users:
        own = store.for_user(user)
        seen = own.tallies(BEHAVIOR + rows.STYLE)
        for bucket in (int(name) for name in seen if name != rows.GENERAL):
            for skill, tally in own.tallies(BEHAVIOR + rows.odds_of(bucket)).items():
                won, lost = (float(str(tally.value[name])) for name in ("won", "lost"))
                if skill in catalog.base() and won + lost:
                    liked[f"{_TOPIC}{bucket}", skill].append(won / (won + lost))
    return {
        key: round(round(sum(shares) / len(shares) / numbers.step) * numbers.step, 4)
        for key, shares in liked.items()
        if len(shares) >= numbers.min_people
    }
