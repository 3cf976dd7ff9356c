"""Doubt: ask a model about facts in different slots that may contradict each other [CON-02].

Rules compare only what competes for one slot. "I am a vegetarian" and "I grill steak every Sunday"
do not; but they are close in meaning, and have one subject. Without a model, or without consent,
nothing changes. The answer deletes nothing: of two facts of the same trust the newer replaces one
that is old, and where both are new the user is asked.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np

from sharpwave.knowledge.draft import NOVELTY_COSINE
from sharpwave.knowledge.settle_facts import CHANGE_OF_MIND_DAYS
from sharpwave.llm.prompts.sleep import ConflictOutput, render_conflict
from sharpwave.llm.prompts.transcript import new_nonce
from sharpwave.sleep.journal import Revised, Step
from sharpwave.sleep.run import SleepRun
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import ACTIVE, Kind, Record, State, Trust
from sharpwave.types.sleep import ReportEntry
from sharpwave.types.storing import Stated

MIN_COSINE = 0.5
"""Minimum cosine of two facts that are compared."""
NEIGHBOURS = 3
"""Number of nearest facts that a new fact is compared with."""
MAX_QUESTIONS = 20
"""Most questions to the model in one run; the rest waits for the next."""
MAX_COMPARED = 2000
"""Most facts that are compared, the newest."""
_COMPARED = "facts_compared"
"""The high-water mark: facts up to here were compared with those before them."""


def plan(run: SleepRun) -> list[str]:
    """The pairs to ask about, the oldest first, each once."""
    if not run.may_ask():
        return []
    facts = _comparable(run)
    mark = run.mark(_COMPARED)
    pairs = [(older, newer) for older, newer in _near(run, facts) if newer.number > mark]
    chosen = pairs[:MAX_QUESTIONS]
    newest = facts[-1].number if facts else 0
    last = chosen[-1][1].number if len(chosen) < len(pairs) else newest
    run.set_mark(_COMPARED, max(last, mark))
    return [f"{older.id} {newer.id}" for older, newer in chosen]


def process(run: SleepRun, items: Sequence[str]) -> Step:
    """Ask about one pair, and act on the answer."""
    ids = items[0].split()
    facts = {record.id: record for record in run.workspace.store.find(ids)}
    pair = [facts[id_] for id_ in ids if id_ in facts and facts[id_].standing.state in ACTIVE]
    if len(pair) < len(ids):
        return Step()  # forgotten or settled since
    older, newer = pair
    older_line, newer_line = run.lines(pair)
    prompt = render_conflict(older_line, newer_line, new_nonce())
    answer = run.ask(prompt, ConflictOutput, LLMRole.UTILITY)
    if run.model_is_away:
        run.set_mark(_COMPARED, min(newer.number - 1, run.mark(_COMPARED)))  # the next run asks
    if answer is None or not answer.inconsistent:
        return Step()
    heads = run.workspace.store.slot_heads([str(fact.slot) for fact in pair])
    min_age = timedelta(days=CHANGE_OF_MIND_DAYS)
    if newer.valid_from - older.standing.last_seen_at >= min_age:
        return replace(_newer_version(older, newer), seen=heads)
    return replace(_conflict(older, newer), seen=heads)


def _newer_version(older: Record, newer: Record) -> Step:
    closed = replace(older.standing, state=State.SUPERSEDED, superseded_by=newer.id)
    until = max(newer.valid_from, older.valid_from)
    why = f"by the word of a model, it cannot hold beside {older.id}, which is older"
    return Step(
        revised=(Revised(older, closed, until),), entries=(ReportEntry("replaced", newer.id, why),)
    )


def _conflict(older: Record, newer: Record) -> Step:
    revised = tuple(
        Revised(fact, replace(fact.standing, state=State.UNCERTAIN, rival=rival.id), fact.valid_to)
        for fact, rival in ((older, newer), (newer, older))
    )
    why = f"by the word of a model, it cannot hold beside {older.id}; the user is asked"
    return Step(revised=revised, entries=(ReportEntry("doubted", newer.id, why),))


def _comparable(run: SleepRun) -> list[Record]:
    """Trusted facts that hold, the oldest first."""
    facts = run.workspace.store.stated(Stated(kinds={Kind.FACT}, states=ACTIVE))
    trusted = [
        fact
        for fact in facts
        if fact.statement
        and fact.provenance.trust > Trust.UNTRUSTED
        and (fact.valid_to is None or fact.valid_to > run.now)
    ]
    return sorted(trusted, key=lambda fact: fact.number)[-MAX_COMPARED:]


def _near(run: SleepRun, facts: list[Record]) -> list[tuple[Record, Record]]:
    """Pairs of one subject and one trust, in different slots, that are close in meaning."""
    workspace = run.workspace
    numbers, matrix = workspace.store.vectors(
        [fact.number for fact in facts], workspace.embedder.space
    )
    by_number = {fact.number: fact for fact in facts}
    records = [by_number[number] for number in numbers.tolist()]
    pairs = []
    for place, newer in enumerate(records):
        near = matrix[:place] @ matrix[place]
        close = np.flatnonzero((near >= MIN_COSINE) & (near < NOVELTY_COSINE))
        nearest = close[np.argsort(-near[close], kind="stable")][:NEIGHBOURS]
        pairs += [
            (records[neighbour], newer)
            for neighbour in nearest
            if _competes(records[neighbour], newer)
        ]
    return pairs


def _competes(older: Record, newer: Record) -> bool:
    return (
        older.statement is not None
        and newer.statement is not None
        and older.statement.subject == newer.statement.subject
        and older.slot != newer.slot
        and older.provenance.trust == newer.provenance.trust
    )
