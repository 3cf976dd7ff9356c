"""The write path. Each step is one file in this folder, in this order.

    1 intake     what was said            -> turns, checked and in normal form
    2 screen     turns                    -> turns without secrets, or refused
    3 extract    turns                    -> what they say, by rules; `read_again` by a model
    4 gate       what they say            -> what may pass, or a reason
    5 reconcile  what may pass            -> new, known, newer, ended or contradicted
    6 embed      turns and new records    -> a change with their vectors, or without and a note why
    7 commit     one transaction          -> Receipt

Before all, the user's consent says whether anything may be kept, and under which policy. A step
never calls another step, and never opens a transaction; only `commit` writes. If a rule, a
model or the embedder fails, the words are stored all the same: nothing said is ever lost to it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sharpwave.errors import Overtaken
from sharpwave.knowledge.draft import Heard
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.ports import Ports
from sharpwave.privacy import consent
from sharpwave.remember import (
    carried,
    commit,
    embed,
    extract,
    gate,
    intake,
    read_again,
    reconcile,
    screen,
)
from sharpwave.settings.remember import RememberSettings
from sharpwave.settings.tree import Settings
from sharpwave.types.answers import Imported, Outcome, Receipt
from sharpwave.types.records import Record, State
from sharpwave.types.said import Said
from sharpwave.types.storing import Carried, NewJob
from sharpwave.types.working import Job

Later = Callable[[Sequence[Record]], tuple[NewJob, ...]]
WITHDRAWN = "nothing was stored: this user does not agree to being remembered"
TOO_BUSY = "the words are stored, but nothing was learned from them: others kept changing the facts"


def remember(
    said: Sequence[Said], user_id: str, ports: Ports, settings: Settings, later: Later | None = None
) -> Receipt:
    """Store what was said and what it says, durably and in order: all of it, or nothing.

    `later` names further work for a model on the turns, to be queued with them.
    """
    now = ports.clock.now()
    agreed = ports.store.ledger.consents(user_id)
    if not consent.may_remember(agreed, settings.privacy):
        return Receipt((), now, notes=(WITHDRAWN,))
    records = intake.to_records(said, user_id, now, settings.remember)
    told = {record.id: one for record, one in zip(records, said, strict=True)}
    again = ports.store.known(user_id, intake.keys(records))
    screened = screen.screen(records, consent.policy(agreed, settings.privacy), again)
    context = extract.surroundings(screened.records, user_id, ports.store)
    found = extract.find(screened.records, told, context, settings.remember, ports.names)
    learn = consent.may_learn(agreed, settings.privacy)
    passed, rejected = gate.judge(found.heard, settings.knowledge, learn)
    notes = tuple(note for note in (screened.note, found.note) if note)
    jobs: tuple[NewJob, ...] = ()
    if ports.llm is not None and consent.may_send(agreed, settings.privacy):
        jobs = read_again.jobs(screened.records) if settings.remember.extract_with_llm else ()
        jobs += later(screened.records) if later else ()
    written = commit.Written(screened.records, found.mentions, jobs)
    receipt = _settle(passed, written, user_id, ports, settings)
    learned = (*screened.refused, *rejected, *receipt.learned)
    return replace(receipt, learned=learned, notes=(*notes, *receipt.notes))


def work(job: Job, ports: Ports, settings: Settings) -> tuple[Outcome, ...]:
    """Let a model read turns that were stored earlier; returns what was learned."""
    found = ports.store.find(job.user_id, job.ids)
    turns = [turn for turn in found if turn.standing.state is State.ACTIVE]
    agreed = ports.store.ledger.consents(job.user_id)
    if not turns:
        return ()
    heard, dropped = read_again.ask(turns, AllowedLLM(job.user_id, ports, settings))
    learn = consent.may_learn(agreed, settings.privacy)
    passed, rejected = gate.judge(heard, settings.knowledge, learn)
    receipt = _settle(passed, commit.Written([]), job.user_id, ports, settings)
    if TOO_BUSY in receipt.notes:
        raise Overtaken(TOO_BUSY)
    return (*dropped, *rejected, *receipt.learned)


def take_in(
    exported: Iterable[Carried],
    user_id: str,
    ports: Ports,
    settings: RememberSettings,
    own: bool,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """Store records that were exported earlier; those already there are left as they are."""
    added = known = left_out = 0
    for batch in carried.batches(exported, settings.batch_records):
        kept = carried.accepted(batch, own, user_id, ports.store, settings)
        records, now = [record for record, _ in kept], ports.clock.now()
        change, _ = embed.to_change(records, user_id, "import", now, ports.embedder)
        new, old = commit.bring_in(change, kept, ports.store)
        added, known, left_out = added + new, known + old, left_out + len(batch) - len(kept)
        if progress:
            progress(added + known + left_out)
    return Imported(added, known, left_out)


def reembed(
    user_id: str, ports: Ports, settings: RememberSettings, progress: Callable[[int], None] | None
) -> int:
    """Give every record that lacks a vector of the current embedder one; can be interrupted."""
    done = after = 0
    while records := ports.store.unembedded(
        user_id, ports.embedder.space, after, settings.batch_records
    ):
        matrix = embed.matrix(records, ports.embedder)
        numbers = [record.number for record in records]
        ports.store.replace_vectors(user_id, ports.embedder.space, numbers, matrix)
        after = numbers[-1]
        done += len(records)
        if progress:
            progress(done)
    return done


def _settle(
    heard: Sequence[Heard], written: commit.Written, user_id: str, ports: Ports, settings: Settings
) -> Receipt:
    """Decide and write; whoever was overtaken by another writer decides again."""
    now = ports.clock.now()
    for _ in range(settings.knowledge.retries if heard else 0):
        news = reconcile.still_news(heard, written.turns, user_id, ports.store)
        decided = reconcile.decide(news, user_id, now, ports, settings.knowledge)
        records = [*written.turns, *decided.draft.new]
        change, note = embed.to_change(records, user_id, "remember", now, ports.embedder)
        try:
            whole = commit.with_links(change, written, decided, news)
            return commit.write(whole, note, ports.store, decided.draft.outcomes)
        except Overtaken:
            continue
    change, note = embed.to_change(written.turns, user_id, "remember", now, ports.embedder)
    receipt = commit.write(commit.with_links(change, written), note, ports.store)
    return replace(receipt, notes=(*receipt.notes, TOO_BUSY)) if heard else receipt
