"""What stands around every page: the menu, who is signed in, dark or light."""

from collections.abc import Awaitable, Callable

from nicegui import html, ui
from starlette.requests import Request

from sharpwave.errors import SharpwaveError
from sharpwave.interfaces.web import navigation
from sharpwave.interfaces.web.parts import problems
from sharpwave.interfaces.web.parts.actions import icon_button
from sharpwave.interfaces.web.visit import VISIT, Visit

_HEAD = """
<link rel="stylesheet" href="/ui/static/sharpwave.css">
<script src="/ui/static/times.js" defer></script>
"""
_LOOKS: dict[bool | None, tuple[str, str]] = {
    None: ("brightness_auto", "as this machine"),
    False: ("light_mode", "light"),
    True: ("dark_mode", "dark"),
}
_NEXT_LOOK: dict[bool | None, bool | None] = {None: True, True: False, False: None}


def around(page: navigation.Page) -> Callable[[Request], Awaitable[None]]:
    """A page as NiceGUI builds it: in the frame."""

    async def build(request: Request) -> None:
        visit: Visit = request.scope[VISIT]
        ui.add_head_html(_HEAD)
        ui.on_exception(problems.told)
        with _frame(visit, page):
            try:
                await page.show(visit)
            except SharpwaveError as error:
                problems.card(error)

    return build


def _frame(visit: Visit, page: navigation.Page) -> ui.element:
    dark = ui.dark_mode(visit.session.dark)
    html.a("Skip to the content", href="#content").classes("sw-skip")
    with html.div().classes("sw-frame"):
        with html.header().classes("sw-side"):
            with html.div().classes("sw-brand"):
                html.img(src="/ui/static/icon.svg", alt="", width="28", height="28")
                html.span("Sharpwave")
                menu = icon_button("menu", "Menu").classes("sw-menu")
            with html.div().classes("sw-drawer") as drawer:
                _menu(page)
                _who(visit, dark)
        menu.on_click(lambda: drawer.classes(toggle="sw-open"))
        with html.div(id="content", tabindex="-1").classes("sw-main"):
            html.h1(page.TITLE).classes("sw-title")
            content: ui.element = html.div().classes("sw-page")
    return content


def _menu(current: navigation.Page) -> None:
    with html.nav(**{"aria-label": "Pages"}).classes("sw-nav"):
        for title, pages in navigation.GROUPS.items():
            if title:
                html.div(title).classes("sw-nav-group")
            for page in pages:
                link = html.a(href=f"/ui{page.PATH}").classes("sw-nav-link")
                if page is current:
                    link.props["aria-current"] = "page"
                with link:
                    ui.icon(page.ICON).props["aria-hidden"] = "true"
                    html.span(page.TITLE)


def _who(visit: Visit, dark: ui.dark_mode) -> None:
    with html.div().classes("sw-who"):
        with html.div().classes("sw-who-name"):
            html.span(visit.principal.user_id).classes("sw-strong")
            html.span("can change things" if visit.may_write else "can only look")
        with html.div().classes("sw-who-buttons"):
            look = icon_button("", "")
            _show_look(look, visit.session.dark)

            def turn() -> None:
                visit.session.dark = _NEXT_LOOK[visit.session.dark]
                dark.set_value(visit.session.dark)
                _show_look(look, visit.session.dark)

            look.on_click(turn)
            with html.form(method="post", action="/ui/logout"):
                icon_button("logout", "Sign out").props("type=submit")


def _show_look(look: ui.button, dark: bool | None) -> None:
    icon, words = _LOOKS[dark]
    look.set_icon(icon)
    look.props["aria-label"] = look.props["title"] = f"Look: {words}. Change it"
    look.update()
