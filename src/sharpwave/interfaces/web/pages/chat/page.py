"""A conversation: each answer has its skill, its context, and a place for what you think of it."""

from secrets import token_hex

from nicegui import html, ui

from sharpwave import Said
from sharpwave.interfaces.web.pages.chat import rating, why
from sharpwave.interfaces.web.parts.actions import Look, button
from sharpwave.interfaces.web.parts.fields import text_field
from sharpwave.interfaces.web.parts.layout import card, details, empty, told
from sharpwave.interfaces.web.parts.prompts import assembled
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.answers import Receipt, Reply
from sharpwave.types.contexts import Context
from sharpwave.types.records import Channel, Role

TITLE = "Chat"
ICON = "chat_bubble_outline"
PATH = "/chat"


async def show(visit: Visit) -> None:
    """Draw the page."""
    if not visit.may_write:
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
        send = button("Send", None, Look.PRIMARY, "send").props("type=submit")

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
                await _turn(visit, session, words)
        finally:
            send.props(remove="loading")

    form.on("submit.prevent", say)
    field.on("keydown.enter.exact.prevent", say)


async def _turn(visit: Visit, session: str, words: str) -> None:
    """One turn: what is known for it, the answer, and both remembered."""
    memory, author = visit.memory, visit.principal.key_name
    context = await visit.ask(memory.context, words, skill=True)
    said = Said(words, session=session, channel=Channel.DASHBOARD, author=author)
    receipt = await visit.ask(memory.remember, said)
    reply = await visit.ask(memory.reply, words, context.text)
    if reply.text:
        answer = Said(
            reply.text, Role.ASSISTANT, session=session, channel=Channel.DASHBOARD, author=author
        )
        await visit.ask(memory.remember, answer)
    _answer(visit, context, receipt, reply)


def _answer(visit: Visit, context: Context, receipt: Receipt, reply: Reply) -> None:
    with html.article().classes("sw-card sw-answer") as place:
        if reply.text:
            html.div(reply.text).classes("sw-words")
            html.div(f"{reply.model}, {reply.tokens} tokens").classes("sw-small sw-soft")
        else:
            told(f"No answer: {reply.why_not}. This is what it would be told:").classes("sw-soft")
            html.pre(context.text, tabindex="0").classes("sw-prompt")
        learned = [one.text for one in (*receipt.learned, *receipt.rules) if one.id]
        if learned:
            html.div("Learned: " + "; ".join(dict.fromkeys(learned))).classes("sw-small sw-soft")
        if context.choice is not None:
            rating.thumbs(visit, context.choice)
            why.skill(context.choice)
        if reply.text:
            with details(f"What it was told: {context.tokens} tokens"):
                assembled(context, visit.settings.context.budget_tokens)
    ui.run_javascript(f"getElement({place.id}).scrollIntoView({{block: 'nearest'}})")
