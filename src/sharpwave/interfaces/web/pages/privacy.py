"""Consent, retention, export, erasure, audit and keys."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import html, ui
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from sharpwave.errors import SharpwaveError
from sharpwave.interfaces.rest.import_export import as_lines
from sharpwave.interfaces.rest.problems import of_error
from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.records import PagedList, Tone, of_list, table
from sharpwave.interfaces.web.sessions import VIEWER, Viewer
from sharpwave.settings.core import RetentionSettings
from sharpwave.types.access import ApiKey, Scope
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import AuditEntry
from sharpwave.types.working import Purpose

PURPOSES = {
    Purpose.MEMORY: (
        "Remember",
        "That anything is stored at all. Off: nothing new is kept and nothing is recalled; what "
        "is there stays until you erase it.",
    ),
    Purpose.LEARNING: (
        "Learn how to help me",
        "That rules, style and skills are learned from what you say and how you rate answers.",
    ),
    Purpose.SENSITIVE: (
        "Keep secrets as they were said",
        "That cards, passwords and identity numbers are stored. Off: they are blacked out.",
    ),
    Purpose.EGRESS: (
        "Send words to a model elsewhere",
        "That redacted text goes to a language model on another machine, if one is set up.",
    ),
    Purpose.POPULATION: (
        "Count with others",
        "That counts of which skills you liked are added up with those of others; never words.",
    ),
}


def retention_rows(settings: RetentionSettings) -> list[tuple[str, str, str]]:
    """Retention times: what, how long, and the name of the setting."""
    kept = (
        ("What was said", "turns_days"),
        ("What agents did", "interactions_days"),
        ("Choices of a skill without feedback, until they are set aside", "trajectories_days"),
        ("… and until they are erased", "trajectories_erased_days"),
    )
    return [(what, _days(getattr(settings, name)), f"retention.{name}") for what, name in kept]


def receipt_lines(receipt: Forgotten) -> dict[str, object]:
    """What was erased, line by line."""
    traces = "copies are left in unused parts of the file, or beside it, until it is scrubbed"
    counts = {
        "Memories erased": receipt.memories,
        "… of these because they rested on the others": receipt.derived,
        "Interactions erased that were still going on": receipt.unfinished,
        "Vectors erased": receipt.vectors,
        "Snapshots of the index erased": receipt.snapshots,
        "Users erased": receipt.users,
        "Old copies of the file erased": receipt.copies,
    }
    return {
        **{what: f"{count:,}" for what, count in counts.items()},
        "Traces": "no byte of it is left in the file" if receipt.traces_cleared else traces,
    }


def action_words(entry: AuditEntry) -> tuple[str, str, str, str]:
    """A line of the audit: number, what was done, by whom, how many."""
    counts = ", ".join(f"{what}: {count:,}" for what, count in entry.counts.items() if count)
    return f"{entry.seq:,}", entry.action.replace("_", " "), entry.actor[:8] or "—", counts or "—"


def _days(value: float | None) -> str:
    if value is None:
        return "for good"
    return f"{value:g} {'day' if value == 1 else 'days'}"


EXPORT_PATH = "/export"


async def export(request: Request) -> Response:
    """Send every record as a line of JSON, as `Memory.export` gives them."""
    viewer: Viewer = request.scope[VIEWER]
    try:
        sent = await run_in_threadpool(as_lines, await viewer.ask(viewer.memory.export))
    except SharpwaveError as error:
        return of_error(error)
    sent.headers["content-disposition"] = 'attachment; filename="sharpwave-export.jsonl"'
    return sent


_AT_ONCE = 10
_NEWEST = 2**63 - 1


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    await _consent(viewer)
    with components.grid():
        about = "Every record as a line of JSON, to keep or to import elsewhere."
        with components.card("Take it along", about), components.row():
            html.a("Download everything", href=f"/ui{EXPORT_PATH}", download="").classes("sw-link")
        await _erase(viewer)
    _retention(viewer)
    if viewer.may_admin:
        await _audit(viewer)
        await _keys(viewer)


async def _consent(viewer: Viewer) -> None:
    agreed = await viewer.ask(viewer.memory.admin.consents)
    with components.card("Consent", "What you agree to; it holds from the next word on."):
        with html.ul().classes("sw-list"):
            for purpose, (title, words) in PURPOSES.items():
                with html.li().classes("sw-consent"):
                    with html.div():
                        html.div(title).classes("sw-strong")
                        html.div(words).classes("sw-soft sw-small")
                    turn = partial(_agree, viewer, purpose, title)
                    components.switch(title, agreed[purpose], turn, enabled=viewer.may_write)


async def _agree(viewer: Viewer, purpose: Purpose, title: str, granted: bool) -> None:
    await viewer.ask(viewer.memory.admin.consent, purpose.value, granted)
    components.notify_done(f"{title}: {'agreed' if granted else 'no longer agreed'}.")


async def _erase(viewer: Viewer) -> None:
    with components.card("Erase everything", "Every memory of yours and all that was made of it."):
        if not viewer.may_write:
            html.p("Your key does not allow it.").classes("sw-soft")
            return
        place = html.div(role="status")

        async def erase() -> None:
            if not await _confirm_by_name(viewer.principal.user_id):
                return
            receipt = await viewer.ask(viewer.memory.forget, everything=True)
            place.clear()
            with place:
                _receipt(viewer, receipt)

        with components.row():
            components.button("Erase everything of mine", erase, components.ButtonStyle.DANGER)


def _receipt(viewer: Viewer, receipt: Forgotten) -> None:
    html.h3("Receipt").classes("sw-strong")
    components.pairs(receipt_lines(receipt))
    if not receipt.traces_cleared and viewer.may_admin:

        async def scrub() -> None:
            await viewer.ask(viewer.memory.admin.scrub)
            components.notify_done("The file was rewritten: no trace is left.")

        components.button("Rewrite the file now", scrub)


async def _confirm_by_name(user: str) -> bool:
    """Require the user's name to be typed before everything is erased."""
    with components.dialog_on_page("Erase everything") as dialog, ui.card().classes("sw-dialog"):
        html.h2("Erase everything?").classes("sw-card-title")
        html.p("This cannot be undone. Type your name to go on:").classes("sw-soft")
        html.code(user)
        name = components.text_field("Your name")
        yes = components.submit_buttons(dialog, "Erase everything", components.ButtonStyle.DANGER)
        yes.disable()
        name.on_value_change(lambda event: yes.set_enabled(event.value == user))
    is_agreed = await dialog
    is_right = name.value == user
    dialog.delete()
    return bool(is_agreed and is_right)


def _retention(viewer: Viewer) -> None:
    about = "Set by whoever runs this server. A night of the week lets go of what is over its time."
    with components.card("How long things are kept", about):
        found = retention_rows(viewer.settings.retention)
        rows = [(what, kept, partial(html.code, setting)) for what, kept, setting in found]
        table(("What", "Kept", "Setting"), rows)


async def _audit(viewer: Viewer) -> None:
    async def load(begin: Any, size: int) -> tuple[Sequence[AuditEntry], Any]:
        before_number = _NEWEST if begin is None else begin
        entries = await viewer.ask(viewer.memory.admin.audit, 0, size, before=before_number)
        return entries, entries[-1].seq if len(entries) == size and entries[-1].seq > 1 else None

    def draw(entries: Sequence[AuditEntry]) -> None:
        rows = [(partial(records.moment, entry.at), *action_words(entry)) for entry in entries]
        table(("When", "No.", "Done", "By", "How many"), rows)

    about = "Everything that was done to the file, the newest first: digests of users, never words."
    with components.card("Audit", about):
        listed = PagedList(load, draw, "Nothing was done yet.", _AT_ONCE)
    await listed.show()


async def _keys(viewer: Viewer) -> None:
    keys = viewer.memory.admin.keys

    async def revoke(key: ApiKey) -> None:
        words = "Whoever uses it is refused from now on. This cannot be undone."
        if await components.confirm(f"Revoke the key {key.name}?", words, "Revoke it"):
            await viewer.ask(keys.revoke, key.name)
            components.notify_done("Revoked.")
            await listed.show(same_page=True)

    def draw(keys: Sequence[ApiKey]) -> None:
        rows = [
            (
                key.name,
                key.user_id,
                ", ".join(sorted(key.scopes)),
                partial(_used, key),
                partial(_end, key, revoke),
            )
            for key in keys
        ]
        table(("Name", "Opens the memory of", "Allows", "Last used", "Revoke"), rows)

    with components.card("Keys", "Who may come in. A secret is shown once, when the key is made."):
        load = of_list(partial(viewer.ask, keys.all))
        listed = PagedList(load, draw, "There are no keys.", _AT_ONCE)
        await _new_key(viewer, html.div(role="status"), listed)
    await listed.show()


async def _new_key(viewer: Viewer, secret: ui.element, listed: PagedList[ApiKey]) -> None:
    async def make() -> None:
        scopes = [scope for scope, box in boxes.items() if box.value]
        new_key = await viewer.ask(viewer.memory.admin.keys.create, name.value, user.value, scopes)
        secret.clear()
        with secret:
            html.p("Copy the secret now; it is not shown again:")
            html.code(new_key.secret).classes("sw-words")
        name.value = ""
        await listed.show()

    with components.details("Make a key"):
        with components.row():
            name = components.text_field("Name of the key")
            user = components.text_field("Whose memory", viewer.principal.user_id)
        with components.row():
            chosen = {Scope.READ, Scope.WRITE}
            boxes = {scope: ui.checkbox(scope.value, value=scope in chosen) for scope in Scope}
            components.button("Make it", make, components.ButtonStyle.PRIMARY)


def _used(key: ApiKey) -> None:
    if key.used_at is None:
        html.span("never").classes("sw-soft")
    else:
        records.moment(key.used_at)


def _end(key: ApiKey, revoke: Any) -> None:
    if key.revoked_at is not None:
        records.badge("revoked", Tone.BAD)
        return
    components.button("Revoke", partial(revoke, key), components.ButtonStyle.PLAIN, about=key.name)
