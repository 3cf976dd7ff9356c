"""Thumbs, the five reasons, and up to 300 characters [UI-02, UI-03, UI-04]."""

from functools import partial

from nicegui import html

from sharpwave.interfaces.web.parts.actions import Look, button, icon_button
from sharpwave.interfaces.web.parts.fields import choice as choice_field
from sharpwave.interfaces.web.parts.fields import text_field
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.skills import FeedbackReceipt, SkillChoice

REASONS = {
    "": "no reason",
    "too_verbose": "Too verbose",
    "too_brief": "Too brief",
    "wrong_tone": "Wrong tone",
    "not_helpful": "Not helpful",
    "incorrect_info": "Incorrect info",
}
MOST_CHARS = 300


def thumbs(visit: Visit, choice: SkillChoice) -> None:
    """A rating counts at once; a reason or some words may follow and replace it."""
    rated = {"reward": 0}
    with html.div().classes("sw-row sw-thumbs"):
        up = icon_button("thumb_up_off_alt", "Good answer")
        down = icon_button("thumb_down_off_alt", "Bad answer")
        told = html.span(role="status").classes("sw-small sw-soft")
    with html.form().classes("sw-row sw-say-more") as form:
        reason = choice_field("Reason", REASONS, "").classes("sw-reason")
        words = text_field("In your words (optional)", most=MOST_CHARS).classes("sw-grow")
        button("Send", None, Look.QUIET).props("type=submit").props["aria-label"] = "Send feedback"
    form.set_visibility(False)

    async def give(reward: int) -> None:
        rated["reward"] = reward
        receipt = await visit.ask(
            visit.memory.feedback,
            choice.message_id,
            reward,
            reason.value or None,
            (words.value or "").strip() or None,
            choice.skill.id,
        )
        up.set_icon("thumb_up" if reward > 0 else "thumb_up_off_alt")
        down.set_icon("thumb_down" if reward < 0 else "thumb_down_off_alt")
        told._text = _thanks(receipt)
        told.update()

    async def rate(reward: int) -> None:
        await give(reward)
        form.set_visibility(True)

    async def send() -> None:
        await give(rated["reward"])
        form.set_visibility(False)

    up.on_click(partial(rate, 1))
    down.on_click(partial(rate, -1))
    form.on("submit.prevent", send)


def _thanks(receipt: FeedbackReceipt) -> str:
    if receipt.id is None:
        return "Thanks. Nothing was kept: you did not agree to being learned from."
    skill = (receipt.skill or "").replace("_", " ").capitalize()
    return f"Thanks. {skill}: {receipt.old_confidence:.0%} → {receipt.new_confidence:.0%} sure"
