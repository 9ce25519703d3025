"""A person who plays in a real browser, by clicks or by keyboard alone."""

from typing import Final

from playwright.sync_api import Locator, Page

from tests.web.playing import House, Seat

_READY: Final = "#actions:not(:has([aria-busy])) form.action"
_FOCUSED: Final = "#actions form.action :focus"
_PATIENCE: Final = 60_000
"""How many milliseconds bots may need for their moves; if the person has lost, the bots still play to the end."""


class PagePlayer:
    """Plays in *seat* on *page*, with the browser's clicks."""

    def __init__(self, house: House, seat: Seat, page: Page) -> None:
        self.seat: Final = seat
        self.page: Final = page
        self._url = house.url

    def sign_in(self) -> None:
        """Sign in by the link with the key, which leads to the page for playing."""
        self.page.goto(f"{self._url}/sign-in?to={self.seat.page}#{self.seat.person.token}")
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(f"{self._url}{self.seat.page}")

    def is_due(self) -> bool:
        """Wait until the page shows that the person must decide, and return True; False if the game is over."""
        state = f'#play[data-due="yes"] {_READY}:visible, #play[data-over="yes"]'
        self.page.wait_for_selector(state, timeout=_PATIENCE)
        return self.page.locator('#play[data-over="no"]').count() == 1

    def must_be_due_alone(self) -> None:
        """Wait until only the person must decide and the page shows this; then the page changes no form by itself."""
        position = self.seat.position_when_due_alone()
        self.page.wait_for_selector(f'#play[data-position="{position}"] {_READY}:visible', timeout=_PATIENCE)

    @property
    def form(self) -> Locator:
        """The form of the first action."""
        return self.page.locator("#actions form.action:visible").first

    def move(self) -> str:
        """Make the first move on the page, and return its type."""
        kind = self.form.get_attribute("data-type") or ""
        with self.page.expect_response(self._is_answer):
            self.press()
        self.page.wait_for_selector("#actions:not(:has([aria-busy]))")
        return kind

    def press(self) -> None:
        """Tick as many boxes as the first action needs, and send the action."""
        for number in range(self._to_choose()):
            self.form.get_by_role("checkbox").nth(number).check()
        self.form.get_by_role("button").first.click()

    def _to_choose(self) -> int:
        group = self.form.locator("[data-count]")
        return int(group.get_attribute("data-count") or 0) if group.count() else 0

    def _is_answer(self, response: object) -> bool:
        request = getattr(response, "request")  # noqa: B009 -- its type is only `object`
        return bool(request.method == "POST" and request.url.endswith(self.seat.page))


class KeyboardPlayer(PagePlayer):
    """Plays by keyboard alone: the focus is on the first action when it is the person's turn."""

    def press(self) -> None:
        """Tick as many boxes as the first action needs, and send the action."""
        self.page.wait_for_selector(_FOCUSED)
        for _ in range(self._to_choose()):
            self.page.keyboard.press("Space")
            self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")
