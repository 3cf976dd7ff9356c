"""The first visit: sign in, see what is there, sign out."""

from playwright.sync_api import Page, expect
from tests.interfaces.rest.serving import Served
from tests.interfaces.web.browser import sign_in


def test_whoever_has_a_key_comes_in_and_goes_out(served: Served, page: Page) -> None:
    page.goto("/")
    expect(page).to_have_url(f"{served.url}/ui/login")
    sign_in(page, served, "maya")
    expect(page.get_by_role("heading", name="Today")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(f"{served.url}/ui/login")
