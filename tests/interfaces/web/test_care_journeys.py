"""What people do on the pages: settle, sleep and take back, rate, agree, erase."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect
from tests.interfaces.rest.serving import Served
from tests.interfaces.web.browser import let_in, visit
from tests.interfaces.web.living import SHOUT, live

from sharpwave.types.working import Purpose

OURS = "/graph /conflicts /behaviors /skills /experience /sleep /quality /privacy".split()


@pytest.mark.spec("CON-04")
def test_a_conflict_is_shown_with_both_sides_and_settled(served: Served, page: Page) -> None:
    memory = served.memory.user("conny")
    memory.remember("I live in Berlin.")
    memory.remember("I don't live in Berlin.")
    let_in(page, served, "conny")
    visit(page, "/conflicts")
    expect(page.get_by_text("I don't live in Berlin.", exact=True)).to_be_visible()
    expect(page.get_by_text("I live in Berlin.", exact=True)).to_be_visible()
    page.get_by_role("button", name="This is right: The user does not live in Berlin").click()
    expect(page.get_by_text("No contradictions")).to_be_visible()
    assert memory.facts.conflicts() == []
    assert [fact.negated for fact in memory.facts.list(subject="user")] == [True]
    visit(page, "/quality")
    expect(page.get_by_text("2 facts judged.", exact=False)).to_be_visible()


def test_many_questions_come_a_page_at_a_time(served: Served, page: Page) -> None:
    memory = served.memory.user("carla")
    for food in ("figs", "rice", "leek", "tofu", "mint", "kale", "dill"):
        memory.remember([f"I am allergic to {food}.", f"I am not allergic to {food}."])
    assert len(memory.facts.conflicts()) == 7
    let_in(page, served, "carla")
    visit(page, "/")
    page.get_by_role("link", name="More questions").click()
    expect(page.get_by_role("button", name="This is right")).to_have_count(10)
    page.get_by_role("button", name="Next page").click()
    expect(page.get_by_role("button", name="This is right")).to_have_count(4)
    expect(page.get_by_role("button", name="Next page")).to_be_disabled()
    page.get_by_role("button", name="This is right").first.click()
    expect(page.get_by_role("button", name="This is right")).to_have_count(2)
    assert len(memory.facts.conflicts()) == 6


def test_a_skill_of_ones_own_is_changed_and_deleted(served: Served, page: Page) -> None:
    memory = served.memory.user("sven")
    memory.skills.create("a_haiku", "Answer with a haiku.", name="A haiku")
    let_in(page, served, "sven")
    visit(page, "/skills")
    row = page.get_by_role("row").filter(has_text="A haiku")
    row.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="How to answer").fill("Answer with two haiku.")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("Answer with two haiku.")
    assert memory.skills.get("a_haiku").skill.template == "Answer with two haiku."
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(row).to_have_count(0)
    assert "a_haiku" not in [one.skill.id for one in memory.skills.list()]
    expect(page.get_by_role("button", name="Edit: ")).to_have_count(0)


@pytest.mark.spec("SLP-12")
def test_a_night_is_tried_slept_and_taken_back(served: Served, page: Page) -> None:
    memory = served.memory.user("nora")
    before = datetime.now(UTC) - timedelta(days=3)
    for n in range(3):
        memory.remember(f"On day {n} we planned a trip to Porto.", session=f"{n}", at=before)
    let_in(page, served, "nora")
    visit(page, "/sleep")
    page.get_by_role("button", name="Only show what it would do").click()
    expect(page.get_by_role("heading", name="What a run would do now")).to_be_visible()
    assert memory.admin.sleep_log() == [], "nothing was written"
    page.get_by_role("button", name="Sleep now").click()
    expect(page.get_by_role("button", name="Take back")).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("taken back", exact=True)).to_be_visible()
    assert [report.undone for report in memory.admin.sleep_log()] == [True]


@pytest.mark.spec("EVL-23", "UI-01")
def test_a_thumb_moves_the_skill_that_the_page_of_skills_shows(served: Served, page: Page) -> None:
    let_in(page, served, "theo")
    visit(page, "/chat")
    page.get_by_label("Message").fill("How do I sort a list?")
    page.get_by_role("button", name="Send").first.click()
    page.get_by_role("button", name="Good answer").click()
    expect(page.get_by_text("Thanks.", exact=False)).to_be_visible()
    (used,) = [one for one in served.memory.user("theo").skills.list() if one.positive]
    visit(page, "/skills")
    row = page.get_by_role("row").filter(has_text=used.skill.name).first
    expect(row).to_contain_text("1 liked, 0 disliked")
    expect(row).to_contain_text(f"{used.confidence:.0%}")
    row.get_by_role("button", name="Set aside").click()
    expect(row.get_by_role("button", name="Use again")).to_be_visible()
    assert served.memory.user("theo").skills.get(used.skill.id).archived
    page.get_by_role("switch", name="Try other skills now and then").click()
    expect(page.get_by_text("Off: what looks best is always taken.")).to_be_visible()
    assert not served.memory.user("theo").skills.metrics().explores


@pytest.mark.spec("UI-01")
def test_a_rule_is_agreed_to_changed_deleted_and_brought_back(served: Served, page: Page) -> None:
    memory = served.memory.user("rita")
    memory.remember("From now on, always answer in metric units.")
    (rule,) = memory.behavior.pending()
    let_in(page, served, "rita")
    visit(page, "/behaviors")
    page.get_by_role("button", name=f"Agree: {rule.rule}").click()
    expect(page.get_by_text("Nothing to look over")).to_be_visible()
    page.get_by_role("button", name=f"Edit: {rule.rule}").click()
    page.get_by_role("textbox", name="Rule").fill("Answer in metric units, always.")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Delete: Answer in metric units, always.").click()
    page.get_by_role("button", name="Undo: Answer in metric units, always.").click()
    expect(
        page.get_by_role("button", name="Delete: Answer in metric units, always.")
    ).to_be_visible()
    assert [one.rule for one in memory.behavior.rules()] == ["Answer in metric units, always."]


@pytest.mark.spec("UI-01")
def test_what_is_not_agreed_to_is_not_done(served: Served, page: Page) -> None:
    memory = served.memory.user("nina")
    memory.remember("I live in Porto.")
    let_in(page, served, "nina")
    visit(page, "/privacy")
    page.get_by_role("switch", name="Remember").click()
    expect(page.get_by_text("Remember: no longer agreed.")).to_be_visible()
    assert not memory.remember("I live in Rome.").ids
    assert not memory.recall("Where do I live?").items
    page.get_by_role("switch", name="Remember").click()
    expect(page.get_by_text("Remember: agreed.")).to_be_visible()
    assert memory.recall("Where do I live?").items[0].text == "I live in Porto."
    page.get_by_role("switch", name="Learn how to help me").click()
    expect(page.get_by_text("Learn how to help me: no longer agreed.")).to_be_visible()
    memory.remember("From now on, always answer in French.")
    assert memory.behavior.rules() == [], "nothing is learned"


def test_a_switch_that_cannot_be_turned_goes_back(served: Served, page: Page) -> None:
    memory = served.memory.user("stan")
    let_in(page, served, "stan")
    visit(page, "/privacy")
    (key,) = [one.name for one in served.memory.admin.keys.all() if one.user_id == "stan"]
    served.memory.admin.keys.revoke(key)
    page.get_by_role("switch", name="Remember").click()
    expect(page.get_by_text("Sign in again")).to_be_visible()
    expect(page.get_by_role("switch", name="Remember")).to_be_checked()
    assert memory.admin.consents()[Purpose.MEMORY]


@pytest.mark.spec("UI-06", "MET-07")
def test_what_was_measured_is_on_one_page(served: Served, page: Page) -> None:
    memory = served.memory.user("quinn")
    live(memory)
    memory.context("Where does Ana live?")
    let_in(page, served, "quinn")
    visit(page, "/quality")
    for name in ("remember", "recall", "context"):
        row = page.get_by_role("row").filter(has=page.get_by_role("cell", name=name, exact=True))
        expect(row).to_contain_text(" ms")
    told = page.locator("#content")
    for words in ("A context took", "On average", "Expected calibration error", "Brier score"):
        expect(told).to_contain_text(words)
    expect(page.get_by_role("meter", name=re.compile(r"^\d\d:00$"))).to_be_visible()
    expect(page.get_by_role("meter", name="1 to 10")).to_be_visible()
    expect(told).to_contain_text("mean confidence of the rest")
    expect(page.get_by_role("heading", name="Health")).to_be_visible()


def test_the_list_beside_the_drawing_says_the_same(served: Served, page: Page) -> None:
    served.memory.user("greta").remember("My sister Ana lives in Porto.")
    let_in(page, served, "greta")
    visit(page, "/graph")
    line = page.get_by_role("listitem").filter(has=page.get_by_role("button", name="Porto"))
    line.get_by_text("How it is related").click()
    expect(line.get_by_text("Ana lives in Porto")).to_be_visible()


def test_a_name_is_found_as_the_page_says_it(served: Served, page: Page) -> None:
    memory = served.memory.user("gitta")
    memory.remember(["I live in Bern.", "My best friend lives in Rome."])
    let_in(page, served, "gitta")
    visit(page, "/graph")
    drawn = page.locator(".sw-chart svg")
    for name, place in (("You", "Bern"), ("Your best friend", "Rome")):
        drawn.wait_for()  # a chart that goes before it was drawn complains
        page.get_by_label("Begin with a name").fill(name)
        page.get_by_role("button", name="Show", exact=True).click()
        expect(page.get_by_text(f"That is everything around {name}.")).to_be_visible()
        expect(page.get_by_role("button", name=f"{place}: place")).to_be_visible()


@pytest.mark.spec("SEC-08")
def test_everything_is_taken_along_and_erased_with_a_receipt(served: Served, page: Page) -> None:
    memory = served.memory.user("ella")
    memory.remember("My sister Ana lives in Porto.")
    served.memory.user("other").remember("I live in Rome.")
    kept = memory.admin.stats().memories
    let_in(page, served, "ella")
    visit(page, "/privacy")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download everything").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert len(lines) == kept + 1, "a header, and every record"
    assert json.loads(lines[0])["user_id"] == "ella"
    page.get_by_role("button", name="Erase everything of mine").click()
    yes = page.get_by_role("button", name="Erase everything", exact=True)
    page.get_by_label("Your name").fill("elli")
    expect(yes).to_be_disabled()
    page.get_by_label("Your name").fill("ella")
    yes.click()
    expect(page.get_by_role("heading", name="Receipt")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Receipt")).to_contain_text(
        re.compile(rf"Memories erased\s*{kept}")
    )
    assert memory.admin.stats().memories == 0
    assert served.memory.user("other").admin.stats().memories > 0


def test_who_may_only_look_is_shown_no_buttons_and_no_keys(served: Served, page: Page) -> None:
    live(served.memory.user("lou"))
    let_in(page, served, "lou", "read")
    for path in ("/conflicts", "/behaviors", "/sleep", "/experience", "/privacy"):
        visit(page, path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        words = "This is right|Agree|Delete|Undo|Sleep now|Take back|It helped|Erase|Revoke"
        expect(page.get_by_role("button", name=re.compile(words))).to_have_count(0)
    expect(page.get_by_role("heading", name="Keys")).to_have_count(0)
    expect(page.get_by_role("heading", name="Audit")).to_have_count(0)


def test_words_are_never_taken_for_more(served: Served, page: Page) -> None:
    memory = served.memory.user("xena")
    live(memory)
    memory.behavior.add(SHOUT, "style", scope=SHOUT[:60])
    memory.agents.add_insight(SHOUT)
    memory.skills.create("loud", SHOUT, name=SHOUT)
    memory.agents.observe([{"query": SHOUT, "steps": [{"name": SHOUT}], "success": True}] * 3)
    memory.remember(f"I work at {SHOUT}. {SHOUT} is my friend.")
    served.memory.admin.keys.create("<b onclick=alert(1)>", SHOUT[:40], ["read"])
    let_in(page, served, "xena")
    for path in OURS:
        visit(page, path)
        page.wait_for_function("!document.querySelector('.sw-later')")
        assert page.evaluate("window.stolen") is None, path
        assert page.locator("img[src=x], script:text('stolen')").count() == 0, path
        if path in ("/behaviors", "/experience"):
            expect(page.get_by_text(SHOUT, exact=True).first).to_be_visible()
