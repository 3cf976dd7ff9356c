"""What people do on the pages: ask, correct, forget, rate; and what they see then."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect
from tests.interfaces.rest.serving import Served
from tests.interfaces.web import demo
from tests.interfaces.web.browser import let_in, visit

from sharpwave import Memory, Message


def told(served: Served, user: str, *said: str) -> Memory:
    memory = served.memory.user(user)
    memory.remember(list(said))
    return memory


def test_today_shows_what_was_learned_and_what_waits(served: Served, page: Page) -> None:
    let_in(page, served, "dana")
    visit(page, "/")
    expect(page.get_by_text("Nothing is remembered yet")).to_be_visible()
    memory = served.memory.user("dana")
    demo.load(memory)
    visit(page, "/")
    expect(page.get_by_role("heading", name="Learned lately")).to_be_visible()
    expect(page.get_by_text("Renew my passport").first).to_be_visible()
    page.get_by_role("button", name="Done: Renew my passport").click()
    expect(page.get_by_text("Nothing. Tasks come from")).to_be_visible()
    page.get_by_role("button", name="The user is not allergic to pollen").click()
    expect(page.get_by_text("None: nothing that you said")).to_be_visible()
    facts = [fact.text for fact in memory.facts.profile()]
    assert "The user is not allergic to pollen" in facts


def test_a_question_shows_what_answers_it_and_why(served: Served, page: Page) -> None:
    told(served, "ada", "My sister Ana lives in Porto.", "I bought apples.")
    let_in(page, served, "ada")
    visit(page, "/ask?q=Where+does+Ana+live%3F")
    field = page.get_by_label("Ask your memory")
    expect(field).to_have_value("Where does Ana live?")
    expect(page.get_by_text("Can it be answered?")).to_have_count(0)
    field.press("Enter")
    expect(page.get_by_text("can be said outright")).to_be_visible()
    first = page.get_by_role("listitem").first
    expect(first).to_contain_text("Ana lives in Porto")
    first.get_by_text("Why:").click()
    expect(first.get_by_role("meter").first).to_be_visible()
    prompt = page.get_by_label("The text of the prompt")
    expect(prompt).to_contain_text("Ana lives in Porto")
    expect(page.get_by_role("meter", name="tokens")).to_be_visible()


def test_a_fact_is_corrected_and_the_page_follows(served: Served, page: Page) -> None:
    memory = served.memory.user("cleo")
    memory.remember(Message("I live in Braga.", at=datetime(2026, 3, 1, tzinfo=UTC)))
    let_in(page, served, "cleo")
    visit(page, "/profile")
    page.get_by_role("button", name="Open: The user lives in Braga").click()
    field = page.get_by_label("Say how it really is")
    expect(field).to_have_value("The user lives in Braga")
    field.fill("The user lives in Lisbon")
    page.get_by_role("button", name="Correct it").click()
    expect(page.get_by_role("button", name="Timeline: The user lives in Lisbon")).to_be_visible()
    expect(page.get_by_role("button", name="Timeline: The user lives in Braga")).to_have_count(0)
    page.get_by_role("button", name="Timeline: The user lives in Lisbon").click()
    expect(page.get_by_text("The user lives in Braga")).to_be_visible()
    (fact,) = memory.facts.list(predicate="lives_in")
    assert fact.object == "Lisbon"


def test_a_correction_of_a_sentence_takes_its_place(served: Served, page: Page) -> None:
    memory = told(served, "olga", "My sister Ilse plays the harp.")
    (wrong,) = memory.facts.list(predicate="sister")
    let_in(page, served, "olga")
    visit(page, f"/memories?id={wrong.id}")
    page.get_by_label("Say how it really is").fill("Ilse is my cousin's violin teacher.")
    page.get_by_role("button", name="Correct it").click()
    expect(page.get_by_text("versioned")).to_be_visible()
    texts = [fact.text for fact in memory.facts.list()]
    assert wrong.text not in texts and "Ilse is my cousin's violin teacher." in texts


def test_a_search_shows_a_fact_beside_the_message_with_the_same_words(
    served: Served, page: Page
) -> None:
    said = "The key of the cellar hangs behind the blue door in the hall."
    memory = told(served, "rita", said)
    assert [fact.text for fact in memory.facts.list()] == [said]
    let_in(page, served, "rita")
    visit(page, "/memories")
    page.get_by_label("Search").fill("cellar key")
    before = page.locator(".sw-list").element_handle()
    page.get_by_role("button", name="Search").click()
    page.wait_for_function("(list) => !list.isConnected", arg=before)
    expect(page.get_by_role("button", name="Open: The key of the cellar")).to_have_count(2)


def test_today_counts_the_rules_that_hold_and_says_what_is_overdue(
    served: Served, page: Page
) -> None:
    memory = told(
        served, "vera", "Always answer in French.", "Always use metric units.",
        "I have to send the tax form by 1 March 2026.",
    )  # fmt: skip
    memory.behavior.delete(memory.behavior.rules()[0].id)
    let_in(page, served, "vera")
    visit(page, "/")
    expect(page.locator(".sw-numbers")).to_contain_text("rule of yours")
    (task,) = memory.tasks.list()
    memory.tasks.set_status(task.id, "stalled")
    visit(page, "/")
    due = page.locator(".sw-card", has=page.get_by_role("heading", name="Overdue and due soon"))
    expect(due).to_contain_text("tax form")
    expect(due).to_contain_text("stalled")


def test_tasks_are_finished_given_up_and_taken_up_again(served: Served, page: Page) -> None:
    memory = told(served, "tess", "I have to repair the fence.", "I have to phone Ana tomorrow.")
    let_in(page, served, "tess")
    visit(page, "/")
    page.get_by_role("link", name="Tasks").click()
    expect(page.get_by_role("heading", name="Open tasks")).to_be_visible()
    page.get_by_role("button", name="Done: Repair the fence").click()
    expect(page.get_by_role("button", name="Reopen: Repair the fence")).to_be_visible()
    page.get_by_role("button", name="Give up: Phone Ana").click()
    expect(page.get_by_role("button", name="Reopen: Phone Ana")).to_be_visible()
    assert memory.tasks.list() == []
    page.get_by_role("button", name="Reopen: Repair the fence").click()
    expect(page.get_by_role("button", name="Done: Repair the fence")).to_be_visible()
    assert [task.title for task in memory.tasks.list()] == ["Repair the fence"]
    assert [task.title for task in memory.tasks.list("dropped")] == ["Phone Ana"]


def test_today_says_at_which_hour_something_is_due(served: Served, page: Page) -> None:
    told(served, "vito", "I have to phone Ana on 2 March 2026 at 15:00.")
    let_in(page, served, "vito")
    visit(page, "/")
    due = page.locator(".sw-card", has=page.get_by_role("heading", name="Overdue and due soon"))
    expect(due.locator('time[datetime="2026-03-02T15:00:00+00:00"]')).to_be_visible()


def test_a_timeline_of_what_was_forgotten_meanwhile_says_so(served: Served, page: Page) -> None:
    memory = told(served, "elsa", "I live in Braga.")
    let_in(page, served, "elsa")
    visit(page, "/profile")
    memory.forget(everything=True)
    page.get_by_role("button", name="Timeline: The user lives in Braga").click()
    expect(page.get_by_text("It was forgotten meanwhile.")).to_be_visible()


def test_a_double_click_turns_one_page(served: Served, page: Page) -> None:
    told(served, "dora", *(f"The {n}th parcel is at the depot." for n in range(45)))
    let_in(page, served, "dora")
    visit(page, "/memories")
    label, lists = page.locator(".sw-pager span").first, page.locator(".sw-record .sw-words")
    first = lists.first.inner_text()
    twice = "button => { button.click(); button.click(); }"
    page.get_by_role("button", name="Next page").evaluate(twice)
    expect(lists.first).not_to_have_text(first)
    expect(label).to_have_text("Page 2")
    page.get_by_role("button", name="Page before").evaluate(twice)
    expect(lists.first).to_have_text(first)
    expect(label).to_have_text("Page 1")
    expect(page.get_by_text("Something unexpected happened")).to_have_count(0)
    page.get_by_role("button", name="Next page").click()
    expect(label).to_have_text("Page 2")


def test_forgetting_asks_first_and_gives_a_receipt(served: Served, page: Page) -> None:
    memory = told(served, "fred", "My brother Tom lives in Bern.", "I bought apples.")
    let_in(page, served, "fred")
    visit(page, "/memories")
    page.get_by_label("Search").fill("Where does Tom live?")
    before = page.locator(".sw-list").element_handle()
    page.get_by_role("button", name="Search").click()
    page.wait_for_function("(list) => !list.isConnected", arg=before)  # what was found is shown
    page.get_by_role("button", name="Open: Tom lives in Bern").click()
    expect(page.get_by_text("Rests on")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Open: My brother Tom").click()
    expect(page.get_by_text("Led to")).to_be_visible()
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    assert memory.admin.stats().by_kind["turn"] == 2
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_text("no trace is left")).to_be_visible()
    assert memory.facts.list(subject="Tom") == [] and memory.admin.stats().by_kind["turn"] == 1


@pytest.mark.spec("EVL-23", "UI-02", "UI-03", "UI-04", "UI-05", "SEC-07")
def test_feedback_moves_the_skill_that_answered(served: Served, page: Page) -> None:
    memory = told(served, "gil", "I am allergic to penicillin.")
    let_in(page, served, "gil")
    visit(page, "/chat")
    page.get_by_label("Message").fill("What am I allergic to?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("there is no language model")).to_be_visible()
    expect(page.locator(".sw-prompt").first).to_contain_text("allergic to penicillin")
    page.get_by_text("Why this skill").click()
    expect(page.get_by_role("meter", name="confidence")).to_be_visible()
    page.get_by_role("button", name="Bad answer").click()
    expect(page.get_by_text("Thanks.")).to_be_visible()
    page.get_by_label("Reason").click()
    page.get_by_role("option", name="Too verbose").click()
    words = page.get_by_label("In your words")
    words.fill("x" * 400)
    assert len(words.input_value()) == 300
    words.fill("Shorter, please.")
    page.get_by_role("button", name="Send feedback").click()
    expect(words).to_be_hidden()
    (turn,) = memory.skills.trajectories(1)
    known = memory.skills.get(turn.skill)
    assert turn.reward == -1 and turn.user_input == "What am I allergic to?"
    assert (known.negative, known.positive) == (1, 0) and known.confidence < 0.5
    given = memory.admin.memories(kinds=["feedback"]).items
    (rating,) = [one for one in given if one.metadata.get("reason")]
    assert (rating.metadata["reason"], rating.text) == ("too_verbose", "Shorter, please.")
    assert (rating.metadata["message_id"], rating.metadata["skill"]) == (
        turn.message_id,
        turn.skill,
    )
