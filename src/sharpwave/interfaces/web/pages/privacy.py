"""What is agreed to, kept, taken along and erased; who did what; who may come in."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import html, ui

from sharpwave.interfaces.web import exporting
from sharpwave.interfaces.web.parts import badges, fields, layout, times
from sharpwave.interfaces.web.parts.actions import Look, button, confirmed, dialog_on_page, done
from sharpwave.interfaces.web.parts.badges import Tone
from sharpwave.interfaces.web.parts.paging import Paged, of_list, table
from sharpwave.interfaces.web.shown import privacy as shown
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.access import ApiKey, Scope
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import AuditEntry
from sharpwave.types.working import Purpose

TITLE = "Privacy"
ICON = "shield"
PATH = "/privacy"
_AT_ONCE = 10
_NEWEST = 2**63 - 1


async def show(visit: Visit) -> None:
    """Draw the page."""
    await _consent(visit)
    with layout.grid():
        _export(visit)
        await _erase(visit)
    _retention(visit)
    if visit.may_admin:
        await _audit(visit)
        await _keys(visit)


async def _consent(visit: Visit) -> None:
    agreed = await visit.ask(visit.memory.consents)
    with layout.card("Consent", "What you agree to; it holds from the next word on."):
        with html.ul().classes("sw-list"):
            for purpose, (title, words) in shown.PURPOSES.items():
                with html.li().classes("sw-consent"):
                    with html.div():
                        html.div(title).classes("sw-strong")
                        html.div(words).classes("sw-soft sw-small")
                    turn = partial(_agree, visit, purpose, title)
                    fields.switch(title, agreed[purpose], turn, enabled=visit.may_write)


async def _agree(visit: Visit, purpose: Purpose, title: str, granted: bool) -> None:
    await visit.ask(visit.memory.consent, purpose.value, granted)
    done(f"{title}: {'agreed' if granted else 'no longer agreed'}.")


def _export(visit: Visit) -> None:
    about = "Every record as a line of JSON, to keep or to import elsewhere."
    with layout.card("Take it along", about), layout.row():
        html.a("Download everything", href=f"/ui{exporting.PATH}", download="").classes("sw-link")


async def _erase(visit: Visit) -> None:
    with layout.card("Erase everything", "Every memory of yours and all that was made of it."):
        if not visit.may_write:
            html.p("Your key does not allow it.").classes("sw-soft")
            return
        place = html.div(role="status")

        async def erase() -> None:
            if not await _typed(visit.principal.user_id):
                return
            receipt = await visit.ask(visit.memory.forget, everything=True)
            place.clear()
            with place:
                _receipt(visit, receipt)

        with layout.row():
            button("Erase everything of mine", erase, Look.DANGER)


def _receipt(visit: Visit, receipt: Forgotten) -> None:
    html.h3("Receipt").classes("sw-strong")
    layout.pairs(dict(shown.receipt(receipt)))
    if not receipt.traces_cleared and visit.may_admin:

        async def scrub() -> None:
            await visit.ask(visit.memory.scrub)
            done("The file was rewritten: no trace is left.")

        button("Rewrite the file now", scrub)


async def _typed(user: str) -> bool:
    """Ask for the name, so that nobody erases everything by a slip."""
    with dialog_on_page("Erase everything") as dialog, ui.card().classes("sw-dialog"):
        html.h2("Erase everything?").classes("sw-card-title")
        html.p("This cannot be undone. Type your name to go on:").classes("sw-soft")
        html.code(user)
        name = fields.text_field("Your name")
        with html.div().classes("sw-row sw-dialog-buttons"):
            button("Cancel", lambda: dialog.submit(False))
            yes = button("Erase everything", lambda: dialog.submit(True), Look.DANGER)
            yes.disable()
        name.on_value_change(lambda event: yes.set_enabled(event.value == user))
    agreed = await dialog
    right = name.value == user
    dialog.delete()
    return bool(agreed and right)


def _retention(visit: Visit) -> None:
    about = "Set by whoever runs this server. A night of the week lets go of what is over its time."
    with layout.card("How long things are kept", about):
        rows = [
            (one.what, one.how_long, partial(_code, one.setting))
            for one in shown.retention(visit.settings.retention)
        ]
        table(("What", "Kept", "Setting"), rows)


def _code(words: str) -> None:
    html.code(words)


async def _audit(visit: Visit) -> None:
    async def load(begin: Any, size: int) -> tuple[Sequence[AuditEntry], Any]:
        before = _NEWEST if begin is None else begin
        found = await visit.ask(visit.memory.audit, 0, size, before=before)
        return found, found[-1].seq if len(found) == size and found[-1].seq > 1 else None

    def draw(found: Sequence[AuditEntry]) -> None:
        rows = [(partial(times.moment, one.at), *shown.action(one)) for one in found]
        table(("When", "No.", "Done", "By", "How many"), rows)

    about = "Everything that was done to the file, the newest first: digests of users, never words."
    with layout.card("Audit", about):
        listed = Paged(load, draw, _no_audit, _AT_ONCE)
    await listed.show()


async def _keys(visit: Visit) -> None:
    keys = visit.memory.keys

    async def revoke(key: ApiKey) -> None:
        words = "Whoever uses it is refused from now on. This cannot be undone."
        if await confirmed(f"Revoke the key {key.name}?", words, "Revoke it"):
            await visit.ask(keys.revoke, key.name)
            done("Revoked.")
            await listed.show(again=True)

    def draw(found: Sequence[ApiKey]) -> None:
        rows = [
            (
                one.name,
                one.user_id,
                shown.rights(one),
                partial(_used, one),
                partial(_end, one, revoke),
            )
            for one in found
        ]
        table(("Name", "Opens the memory of", "Allows", "Last used", "Revoke"), rows)

    with layout.card("Keys", "Who may come in. A secret is shown once, when the key is made."):
        listed = Paged(of_list(partial(visit.ask, keys.all)), draw, _no_keys, _AT_ONCE)
        secret = html.div(role="status")
        await _new_key(visit, secret, listed)
    await listed.show()


async def _new_key(visit: Visit, secret: ui.element, listed: Paged[ApiKey]) -> None:
    async def make() -> None:
        scopes = [one for one, box in boxes.items() if box.value]
        made = await visit.ask(visit.memory.keys.create, name.value, user.value, scopes)
        secret.clear()
        with secret:
            html.p("Copy the secret now; it is not shown again:")
            html.code(made.secret).classes("sw-words")
        name.value = ""
        await listed.show()

    with layout.details("Make a key"):
        with layout.row():
            name = fields.text_field("Name of the key")
            user = fields.text_field("Whose memory", visit.principal.user_id)
        with layout.row():
            chosen = {Scope.READ, Scope.WRITE}
            boxes = {one: ui.checkbox(one.value, value=one in chosen) for one in Scope}
            button("Make it", make, Look.PRIMARY)


def _used(key: ApiKey) -> None:
    if key.used_at is None:
        html.span("never").classes("sw-soft")
    else:
        times.moment(key.used_at)


def _end(key: ApiKey, revoke: Any) -> None:
    if key.revoked_at is not None:
        badges.badge("revoked", Tone.BAD)
        return
    made = button("Revoke", partial(revoke, key), Look.PLAIN)
    made.props["aria-label"] = f"Revoke: {key.name}"


def _no_audit() -> None:
    html.p("Nothing was done yet.").classes("sw-soft")


def _no_keys() -> None:
    html.p("There are no keys.").classes("sw-soft")
