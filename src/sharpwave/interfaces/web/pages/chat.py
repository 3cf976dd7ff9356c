"""A chat: each answer with its skill, its context and a rating."""

from functools import partial
from secrets import token_hex

from nicegui import html, ui

from sharpwave.interfaces.web.components import (
    Bar,
    ButtonStyle,
    bars,
    button,
    card,
    details,
    empty,
    icon_button,
    paragraph,
    text_field,
)
from sharpwave.interfaces.web.components import choice as choice_field
from sharpwave.interfaces.web.records import assembled_prompt, table
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.answers import Receipt, Reply
from sharpwave.types.contexts import Context
from sharpwave.types.message import Message
from sharpwave.types.records import Channel, Role
from sharpwave.types.skills import FeedbackReceipt, SkillCandidate, SkillChoice


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    if not viewer.may_write:
        with card():
            empty("lock", "This key may look only", "To talk, sign in with a key that may write.")
        return
    session = f"chat-{token_hex(8)}"
    talk = html.div(role="log", **{"aria-label": "Conversation"}).classes("sw-talk")
    with talk, card() as first:
        empty(
            "chat_bubble_outline",
            "Say something",
            "What you say is remembered, and what it teaches is learned. If a language model is "
            "set up it answers; without one you see what it would have been told.",
        )
    with html.form().classes("sw-row sw-say") as form:
        field = text_field("Message", long=True).classes("sw-grow")
        send = button("Send", None, ButtonStyle.PRIMARY, "send").props("type=submit")

    async def say() -> None:
        words = (field.value or "").strip()
        if not words:
            return
        field.value = ""
        first.set_visibility(False)
        with talk:
            html.div(words).classes("sw-said sw-words")
        send.props("loading")
        try:
            with talk:
                await _turn(viewer, session, words)
        finally:
            send.props(remove="loading")

    form.on("submit.prevent", say)
    field.on("keydown.enter.exact.prevent", say)


async def _turn(viewer: Viewer, session: str, words: str) -> None:
    """One turn: get the context, remember the message, answer, and remember the answer."""
    memory, author = viewer.memory, viewer.principal.key_name
    context = await viewer.ask(memory.context, words, skill=True)
    message = Message(words, session=session, channel=Channel.DASHBOARD, author=author)
    receipt = await viewer.ask(memory.remember, message)
    reply = await viewer.ask(memory.skills.reply, words, context.text)
    if reply.text:
        answer = Message(
            reply.text, Role.ASSISTANT, session=session, channel=Channel.DASHBOARD, author=author
        )
        await viewer.ask(memory.remember, answer)
    _answer(viewer, context, receipt, reply)


def _answer(viewer: Viewer, context: Context, receipt: Receipt, reply: Reply) -> None:
    with html.article().classes("sw-card sw-answer") as place:
        if reply.text:
            html.div(reply.text).classes("sw-words")
            html.div(f"{reply.model}, {reply.tokens} tokens").classes("sw-small sw-soft")
        else:
            paragraph(f"No answer: {reply.why_not}. This is what it would be told:").classes(
                "sw-soft"
            )
            html.pre(context.text, tabindex="0").classes("sw-prompt")
        learned = [outcome.text for outcome in (*receipt.learned, *receipt.rules) if outcome.id]
        if learned:
            html.div("Learned: " + "; ".join(dict.fromkeys(learned))).classes("sw-small sw-soft")
        if context.choice is not None:
            rating_buttons(viewer, context.choice)
            skill_reasons(context.choice)
        if reply.text:
            with details(f"What it was told: {context.tokens} tokens"):
                assembled_prompt(context, viewer.settings.context.budget_tokens)
    ui.run_javascript(f"getElement({place.id}).scrollIntoView({{block: 'nearest'}})")


REASONS = {
    "": "no reason",
    "too_verbose": "Too verbose",
    "too_brief": "Too brief",
    "wrong_tone": "Wrong tone",
    "not_helpful": "Not helpful",
    "incorrect_info": "Incorrect info",
}
MOST_CHARS = 300


def rating_buttons(viewer: Viewer, choice: SkillChoice) -> None:
    """Thumbs that rate at once; a later rating with a reason or comment replaces the first."""
    rated = {"reward": 0}
    with html.div().classes("sw-row sw-thumbs"):
        up = icon_button("thumb_up_off_alt", "Good answer")
        down = icon_button("thumb_down_off_alt", "Bad answer")
        status = html.span(role="status").classes("sw-small sw-soft")
    with html.form().classes("sw-row sw-say-more") as form:
        reason = choice_field("Reason", REASONS, "").classes("sw-reason")
        words = text_field("In your words (optional)", max_chars=MOST_CHARS).classes("sw-grow")
        button("Send", None, ButtonStyle.QUIET).props("type=submit").props["aria-label"] = (
            "Send feedback"
        )
    form.set_visibility(False)

    async def give(reward: int) -> None:
        rated["reward"] = reward
        receipt = await viewer.ask(
            viewer.memory.feedback,
            choice.message_id,
            reward,
            reason.value or None,
            (words.value or "").strip() or None,
            choice.skill.id,
        )
        up.set_icon("thumb_up" if reward > 0 else "thumb_up_off_alt")
        down.set_icon("thumb_down" if reward < 0 else "thumb_down_off_alt")
        status._text = _thanks(receipt)
        status.update()

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


_TITLES = ("skill", "score", "fits", "experience", "style", "confidence")


def skill_reasons(choice: SkillChoice) -> None:
    """The chosen skill, and the other candidates."""
    with details(f"Why this skill: {choice.skill.name}"), html.div().classes("sw-column"):
        html.p(choice.reason)
        if choice.is_exploration:
            html.p("It was tried out of curiosity, to learn whether you like it.")
        if choice.candidates:
            best = choice.candidates[0]
            bars(
                [
                    Bar("fits the message", best.trigger),
                    Bar("experience", best.sampled),
                    Bar("your style", best.alignment),
                    Bar("confidence", best.confidence),
                ]
            )
            html.p("All that were considered:").classes("sw-small sw-soft")
            table(_TITLES, [_row(candidate) for candidate in choice.candidates])


def _row(candidate: SkillCandidate) -> tuple[str, ...]:
    names = ("score", "trigger", "sampled", "alignment", "confidence")
    numbers = (f"{getattr(candidate, name):.2f}" for name in names)
    return candidate.skill.replace("_", " "), *numbers
