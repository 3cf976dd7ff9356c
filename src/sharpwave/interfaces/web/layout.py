"""The layout around every page: menu, user, theme, and error messages."""

from collections.abc import Awaitable, Callable

from nicegui import html, ui
from starlette.requests import Request

from sharpwave import errors
from sharpwave.interfaces.web import navigation
from sharpwave.interfaces.web.components import icon_button
from sharpwave.interfaces.web.sessions import VIEWER, Viewer

_HEAD = """
<link rel="stylesheet" href="/ui/static/sharpwave.css">
<script src="/ui/static/times.js" defer></script>
"""
_THEMES: dict[bool | None, tuple[str, str]] = {
    None: ("brightness_auto", "as this machine"),
    False: ("light_mode", "light"),
    True: ("dark_mode", "dark"),
}
_NEXT_THEME: dict[bool | None, bool | None] = {None: True, True: False, False: None}


def with_layout(page: navigation.Page) -> Callable[[Request], Awaitable[None]]:
    """A page function for NiceGUI that draws the page inside the layout."""

    async def build(request: Request) -> None:
        viewer: Viewer = request.scope[VIEWER]
        ui.add_head_html(_HEAD)
        ui.on_exception(notify_error)
        with _layout(viewer, page):
            try:
                await page.show(viewer)
            except errors.SharpwaveError as error:
                error_card(error)

    return build


def _layout(viewer: Viewer, page: navigation.Page) -> ui.element:
    dark = ui.dark_mode(viewer.session.dark)
    html.a("Skip to the content", href="#content").classes("sw-skip")
    with html.div().classes("sw-frame"):
        with html.header().classes("sw-side"):
            with html.div().classes("sw-brand"):
                html.img(src="/ui/static/icon.svg", alt="", width="28", height="28")
                html.span("Sharpwave")
                menu = icon_button("menu", "Menu").classes("sw-menu")
            with html.div().classes("sw-drawer") as drawer:
                _menu(page)
                _user_menu(viewer, dark)
        menu.on_click(lambda: drawer.classes(toggle="sw-open"))
        with html.div(id="content", tabindex="-1").classes("sw-main"):
            html.h1(page.title).classes("sw-title")
            content: ui.element = html.div().classes("sw-page")
    return content


def _menu(current: navigation.Page) -> None:
    with html.nav(**{"aria-label": "Pages"}).classes("sw-nav"):
        for title, pages in navigation.GROUPS.items():
            if title:
                html.div(title).classes("sw-nav-group")
            for page in pages:
                link = html.a(href=f"/ui{page.path}").classes("sw-nav-link")
                if page is current:
                    link.props["aria-current"] = "page"
                with link:
                    ui.icon(page.icon).props["aria-hidden"] = "true"
                    html.span(page.title)


def _user_menu(viewer: Viewer, dark: ui.dark_mode) -> None:
    with html.div().classes("sw-who"):
        with html.div().classes("sw-who-name"):
            html.span(viewer.principal.user_id).classes("sw-strong")
            html.span("can change things" if viewer.may_write else "can only look")
        with html.div().classes("sw-who-buttons"):
            look = icon_button("", "")
            _apply_theme(look, viewer.session.dark)

            def switch_theme() -> None:
                viewer.session.dark = _NEXT_THEME[viewer.session.dark]
                dark.set_value(viewer.session.dark)
                _apply_theme(look, viewer.session.dark)

            look.on_click(switch_theme)
            with html.form(method="post", action="/ui/logout"):
                icon_button("logout", "Sign out").props("type=submit")


def _apply_theme(look: ui.button, dark: bool | None) -> None:
    icon, words = _THEMES[dark]
    look.set_icon(icon)
    look.props["aria-label"] = look.props["title"] = f"Look: {words}. Change it"
    look.update()


_HINTS: tuple[tuple[type[errors.SharpwaveError], str], ...] = (
    (errors.Unauthorized, "Sign in again with a key that is valid."),
    (errors.TooManyRequests, "Wait a moment, then try again."),
    (errors.AccessError, "Ask whoever runs this server for a key that allows it."),
    (errors.NotFound, "It may have been forgotten meanwhile. Load the page again."),
    (errors.Busy, "Try again in a moment."),
    (
        errors.ProviderError,
        "What is stored is safe. Try again later, or look at the model's settings.",
    ),
    (errors.StorageError, "Nothing was half-written. `sharpwave doctor` looks at the file."),
)


def hint(error: errors.SharpwaveError) -> str:
    """What to do about an error; empty if its message says it already."""
    return next((words for kind, words in _HINTS if isinstance(error, kind)), "")


def notify_error(error: Exception) -> None:
    """Show an error as a notification; details of unexpected errors are in the server's log."""
    if isinstance(error, errors.SharpwaveError):
        words = f"{_sentence(error.public)} {hint(error)}".strip()
    else:
        words = "Something unexpected happened; the log of the server says what."
    ui.notify(words, type="negative", multi_line=True, timeout=8000, close_button="Close")


def error_card(error: errors.SharpwaveError) -> None:
    """A card in place of a page that cannot be shown."""
    with html.section().classes("sw-card sw-problem").props("role=alert"):
        html.h2("This cannot be shown").classes("sw-card-title")
        html.p(_sentence(error.public))
        if words := hint(error):
            html.p(words).classes("sw-soft")


def _sentence(words: str) -> str:
    shown = words[:1].upper() + words[1:]
    return shown if shown.endswith((".", "!", "?")) else f"{shown}."
