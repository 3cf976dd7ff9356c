"""What others liked: where a new person starts [PV-12].

Only counts of people who agreed, only of base skills, each person weighing the same, and only where
enough people stand behind a number. What is kept is one rounded rate a context and skill: neither
who, nor how many, nor any word. It is worth a few ratings, so one's own soon outweigh it.
"""

from collections import defaultdict

from sharpwave.behavior.skills import catalog, rows
from sharpwave.errors import Overtaken
from sharpwave.formulas.bandit import Odds, population_prior
from sharpwave.ports import Ports, Store
from sharpwave.privacy.consent import may_count
from sharpwave.settings.privacy import PrivacySettings
from sharpwave.settings.skills import BanditSettings, PopulationSettings
from sharpwave.settings.tree import Settings
from sharpwave.types.storing import BEHAVIOR, Change, NewTally

EVERYBODY = "*population*"
"""The name under which the rates are kept; nobody's records are."""
_TOPIC = "population/"


def add_up(ports: Ports, settings: Settings) -> int:
    """Compute the rates anew from everybody who agrees now; returns how many there are."""
    numbers, store = settings.skills.population, ports.store
    buckets = settings.skills.bandit.buckets
    agreed = [user for user in store.users() if _agrees(user, store, settings.privacy)]
    rates = _rates(agreed, store, numbers) if numbers.enabled else {}
    known = {
        (topic, name): tally
        for bucket in range(buckets)
        for topic in [f"{_TOPIC}{bucket}"]
        for name, tally in store.tallies(EVERYBODY, topic).items()
    }
    tallies = [
        NewTally(*key, {"rate": rate}, known[key].version if key in known else 0)
        for key, rate in rates.items()
        if key not in known or known[key].value != {"rate": rate}
    ]
    tallies += [NewTally(*key, None, known[key].version) for key in known if key not in rates]
    if tallies:
        try:
            store.commit(
                Change(EVERYBODY, "population", ports.clock.now(), (), tallies=tuple(tallies))
            )
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
        for skill, tally in store.tallies(EVERYBODY, f"{_TOPIC}{bucket}").items()
    }


def _agrees(user: str, store: Store, privacy: PrivacySettings) -> bool:
    """Whoever is not to be remembered or learned from does not count for others either."""
    return may_count(store.ledger.consents(user), privacy)


def _rates(
    users: list[str], store: Store, numbers: PopulationSettings
) -> dict[tuple[str, str], float]:
    """For each context and base skill the mean of people's own rates, where enough people are."""
    liked: dict[tuple[str, str], list[float]] = defaultdict(list)
    for user in users:
        seen = store.tallies(user, BEHAVIOR + rows.STYLE)
        for bucket in (int(name) for name in seen if name != rows.GENERAL):
            for skill, tally in store.tallies(user, BEHAVIOR + rows.odds_of(bucket)).items():
                won, lost = (float(str(tally.value[name])) for name in ("won", "lost"))
                if skill in catalog.base() and won + lost:
                    liked[f"{_TOPIC}{bucket}", skill].append(won / (won + lost))
    return {
        key: round(round(sum(shares) / len(shares) / numbers.step) * numbers.step, 4)
        for key, shares in liked.items()
        if len(shares) >= numbers.min_people
    }
