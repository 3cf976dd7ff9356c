"""The write path. Each step is one file in this folder, in this order.

    1 intake     messages                 -> turns, checked and in normal form
    2 screen     turns                    -> turns without secrets, or refused
    3 extract    turns                    -> what they say, by rules; `structured`; `read_later`
    4 gate       what they say            -> what may pass, or a reason
    5 effects    what may pass            -> with known facts and tasks that it ends or replaces
    6 reconcile  all of it                -> new, known, newer, ended or contradicted
    7 embed      turns and new records    -> a change with their vectors, or without and a note why
    8 commit     one transaction          -> Receipt

The user's consent says whether anything may be kept, and under which policy. A step never calls
another step; only `commit` writes. If a rule, a model or the embedder fails, the words are stored.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from sharpwave.errors import ErasedMeanwhile, Overtaken
from sharpwave.knowledge.draft import Extracted
from sharpwave.remember import (
    commit,
    effects,
    extract,
    gate,
    imported,
    intake,
    read_later,
    reconcile,
    screen,
    structured,
)
from sharpwave.types.answers import Imported, Outcome, Receipt
from sharpwave.types.message import Message
from sharpwave.types.storing import Carried, NewJob
from sharpwave.types.structured import NOTHING, Structure
from sharpwave.types.working import Job
from sharpwave.workspace import Workspace

BATCH_RECORDS = 500
"""Records at once when importing or exporting."""
TRIES = 8
"""Tries to write when others keep changing the same facts."""
TOO_BUSY = "the words are stored, but nothing was learned from them: others kept changing the facts"


def remember(
    messages: Sequence[Message], workspace: Workspace, structure: Structure = NOTHING
) -> Receipt:
    """Store messages and what they say, durably and in order: all of it, or nothing.

    `structure` is the caller's reading of them. If something of the user is forgotten meanwhile,
    the messages are read again with what is left.
    """
    return workspace.retried(lambda fresh: _remember(messages, fresh, structure))


def _remember(messages: Sequence[Message], workspace: Workspace, structure: Structure) -> Receipt:
    now, settings, consents = workspace.clock.now(), workspace.settings, workspace.consents
    if not consents.may_remember:
        return Receipt((), now, notes=(consents.refusal,))
    records = intake.to_records(messages, workspace.user_id, now)
    message_of = {record.id: message for record, message in zip(records, messages, strict=True)}
    known = workspace.store.known(intake.keys(records))
    screened = screen.screen(records, consents.policy, known)
    context = extract.surroundings(screened.records, message_of, workspace.store)
    reader, names = workspace.shared.reader, workspace.shared.names
    found = extract.find(screened.records, message_of, context, settings.remember, reader, names)
    from_caller = structured.find(structure, screened.records, known, context.own_names, workspace)
    extracted = structured.merged(found.extracted, from_caller.extracted)
    passed, rejected = gate.judge(extracted, settings.remember.min_confidence, consents.may_learn)
    unread: str | None = None
    jobs: tuple[NewJob, ...] = ()
    if workspace.llm_reads:
        most = settings.remember.read_after_turns
        jobs = read_later.jobs(screened.records, workspace.store, now, most)
    elif settings.remember.extract:
        unread = extract.unread(screened.records, extracted)
    notes = tuple(note for note in (screened.note, found.note, unread, *from_caller.notes) if note)
    written = commit.Written(screened.records, found.mentions, jobs)
    receipt = _settle(passed, written, workspace)
    learned = (*screened.refused, *from_caller.rejected, *rejected, *receipt.learned)
    return replace(receipt, learned=learned, notes=(*notes, *receipt.notes))


def read_now(session: str, workspace: Workspace) -> None:
    """Let a model read the last turns of a session without waiting for a pause."""
    number = read_later.waiting_for_pause(session, workspace.store)
    if number is not None:
        workspace.shared.store.jobs.hasten(workspace.clock.now(), number)


def settle(extracted: Sequence[Extracted], job: Job, workspace: Workspace) -> tuple[Outcome, ...]:
    """Store what a model read in turns that were stored earlier, and finish its job."""
    learn = workspace.consents.may_learn
    passed, rejected = gate.judge(extracted, workspace.settings.remember.min_confidence, learn)
    if not passed:
        return tuple(rejected)
    receipt = _settle(passed, commit.Written([], finishes=job), workspace)
    if TOO_BUSY in receipt.notes:
        raise Overtaken(TOO_BUSY)
    return (*rejected, *receipt.learned)


def take_in(
    exported: Iterable[Carried],
    workspace: Workspace,
    own: bool,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """Store records that were exported earlier; those already there are left as they are."""
    added = known = left_out = 0
    for batch in imported.batches(exported, BATCH_RECORDS):
        imported_batch = workspace.fresh().retried(partial(_take_in, batch, own))
        added, known = added + imported_batch.added, known + imported_batch.already_there
        left_out += imported_batch.left_out
        if progress:
            progress(added + known + left_out)
    return Imported(added, known, left_out)


def _take_in(batch: Sequence[Carried], own: bool, workspace: Workspace) -> Imported:
    kept = imported.accepted(batch, own, workspace.store)
    records, now = [record for record, _ in kept], workspace.clock.now()
    change, _ = commit.to_change(records, "import", now, workspace.embedder)
    new, old = commit.commit_imported(change, kept, workspace.store)
    return Imported(new, old, len(batch) - len(kept))


def _settle(items: Sequence[Extracted], written: commit.Written, workspace: Workspace) -> Receipt:
    """Decide and write; decide again if another writer was faster."""
    now = workspace.clock.now()
    for _ in range(TRIES if items else 0):
        new = reconcile.still_new(items, written.turns, workspace.store)
        decided = reconcile.decide(workspace, effects.with_targets(new, workspace), now)
        records = [*written.turns, *decided.draft.new]
        change, note = commit.to_change(records, "remember", now, workspace.embedder)
        try:
            whole = commit.with_links(change, written, decided)
            return commit.write(whole, note, workspace.store, decided.draft.outcomes)
        except ErasedMeanwhile:
            raise  # what was extracted may rest on what is gone
        except Overtaken:
            continue
    if not written.turns:
        return Receipt((), now, notes=(TOO_BUSY,))
    change, note = commit.to_change(written.turns, "remember", now, workspace.embedder)
    receipt = commit.write(commit.with_links(change, written), note, workspace.store)
    return replace(receipt, notes=(*receipt.notes, TOO_BUSY)) if items else receipt
