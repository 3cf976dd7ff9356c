"""What went wrong, in words, and what to do about it."""

from nicegui import html, ui

from sharpwave.errors import (
    AccessError,
    Busy,
    NotFound,
    ProviderError,
    SharpwaveError,
    StorageError,
    TooManyRequests,
    Unauthorized,
)

_HINTS: tuple[tuple[type[SharpwaveError], str], ...] = (
    (Unauthorized, "Sign in again with a key that is valid."),
    (TooManyRequests, "Wait a moment, then try again."),
    (AccessError, "Ask whoever runs this server for a key that allows it."),
    (NotFound, "It may have been forgotten meanwhile. Load the page again."),
    (Busy, "Try again in a moment."),
    (ProviderError, "What is stored is safe. Try again later, or look at the model's settings."),
    (StorageError, "Nothing was half-written. `sharpwave doctor` looks at the file."),
)


def hint(error: SharpwaveError) -> str:
    """What to do; empty where the message says it already."""
    return next((words for kind, words in _HINTS if isinstance(error, kind)), "")


def told(error: Exception) -> None:
    """Say it in a corner of the page; what is no error of ours is in the server's log."""
    if isinstance(error, SharpwaveError):
        words = f"{_sentence(str(error))} {hint(error)}".strip()
    else:
        words = "Something unexpected happened; the log of the server says what."
    ui.notify(words, type="negative", multi_line=True, timeout=8000, close_button="Close")


def card(error: SharpwaveError) -> None:
    """In place of a page that cannot be shown."""
    with html.section().classes("sw-card sw-problem").props("role=alert"):
        html.h2("This cannot be shown").classes("sw-card-title")
        html.p(_sentence(str(error)))
        if words := hint(error):
            html.p(words).classes("sw-soft")


def _sentence(words: str) -> str:
    shown = words[:1].upper() + words[1:]
    return shown if shown.endswith((".", "!", "?")) else f"{shown}."
