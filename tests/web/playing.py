"""A service where a person plays with bots, by the page's forms; the bots are threads of the test."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from html.parser import HTMLParser
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

from msgspec import Struct
from werkzeug.test import TestResponse

from service.api_keys.repository import SCOPES
from service.bots.sensible_bot import SensibleBot
from service.client.client import Client
from service.client.endpoints import Api
from service.client.player import play
from service.clock import Clock
from service.games.sample_tables import buy_in
from tests.http.service import Person, Service, accepted, running, serving
from tests.web.world import Visitor

SHORT: Final[Mapping[str, Mapping[str, object]]] = {
    "bankrupt": {"buy_in": 12},
    "insurance": {"form": "non_gambling", "buy_in": 20},
    "insurance_hearts": {"target": 1},
}
"""The options of short games."""
_WAIT: Final = 30


class Seat(Struct, frozen=True):
    """The seat of a *person* at *table*: seat 1; `page` is the path of the page where the person plays."""

    table: str
    person: Person

    @property
    def page(self) -> str:
        return f"/play/{self.table}"

    @property
    def api(self) -> str:
        return f"/v1/tables/{self.table}"

    def shown(self) -> dict[str, Any]:
        """Return the table as the API shows it to the person."""
        shown: dict[str, Any] = accepted(self.person.get(self.api)).json
        return shown

    def is_due(self) -> bool:
        """Wait until the person must decide, and return True; return False if the game is over."""
        while True:
            listed = accepted(self.person.get(f"{self.api}/actions?wait={_WAIT}")).json
            if "seat:1" in listed["due"]:
                return True
            if listed["status"] in {"finished", "closed"}:
                return False

    def position_when_due_alone(self) -> int:
        """Wait until nobody but the person must decide, and return the position: no bot moves before the person."""
        while (shown := self.shown())["due"] != ["seat:1"]:
            accepted(self.person.get(f"{self.api}/events?after={shown['position']}&wait={_WAIT}"))
        return int(shown["position"])


class House:
    """A service at *url*, with tables for a person and bots."""

    def __init__(self, service: Service, url: str) -> None:
        self.service: Final = service
        self.url: Final = url
        self.host: Final = service.person(*SCOPES)

    def open(self, game: str, options: Mapping[str, object] | None = None, seeds: str = "operator") -> Seat:
        """Open a table for four players, let a person take seat 1, and return this seat."""
        body = {"game": game, "seats": 4, "options": SHORT[game] if options is None else options, "seeds": seeds}
        table = accepted(self.host.post("/v1/tables", body), 201).json["table"]
        seat = Seat(table, self.service.person("play"))
        chips = {"chips": buy_in(seat.shown()["options"])}
        accepted(seat.person.post(f"{seat.api}/seats", chips), 201)
        return seat

    @contextmanager
    def with_bots(self, seat: Seat) -> Iterator[None]:
        """Let three bots take seats beside the person, start the game, and let them play during the block."""
        stop, chips = Event(), {"chips": buy_in(seat.shown()["options"])}
        bots = [self.service.person("play") for _ in range(3)]
        for bot in bots:
            accepted(bot.post(f"{seat.api}/seats", chips), 201)
        accepted(self.host.do(seat.api, "start_game"))
        threads = [Thread(target=self._play, args=(bot, seat.table, stop), daemon=True) for bot in bots]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def _play(self, bot: Person, table: str, stop: Event) -> None:
        client = Client(self.url, bot.token, Clock())
        with closing(client):
            play(Api(client), table, SensibleBot(bot.owner), stop)


@contextmanager
def house(folder: Path, database_url: str) -> Iterator[House]:
    """Yield a house on a new database."""
    with running(folder, database_url) as service, serving(service) as url:
        yield House(service, url)


class SentForm(Struct):
    """A form on a page: its fields and their values, and the *options* of each field that has several options."""

    action: str
    kind: str
    fields: dict[str, list[str]]
    options: dict[str, list[str]]
    buttons: list[tuple[str, str]]
    counts: dict[str, int]

    def filled(self, **chosen: str) -> dict[str, list[str]]:
        """Return the fields that a browser sends: with the first options, or with the values in *chosen*."""
        sent = {name: list(values) for name, values in self.fields.items()}
        for name, count in self.counts.items():
            sent[name] = self.options[name][:count]
        if self.buttons and self.buttons[0][0]:
            sent[self.buttons[0][0]] = [self.buttons[0][1]]
        return sent | {f"m.{member}": [value] for member, value in chosen.items()}


def forms_of(html: str) -> list[SentForm]:
    """Return all forms on a page, in order."""
    reader = _Forms()
    reader.feed(html)
    return reader.forms


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[SentForm] = []
        self._count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(SentForm(given["action"], given.get("data-type", ""), {}, {}, [], {}))
        elif tag == "p":
            self._count = int(given.get("data-count", 0))
        elif tag == "button" and self.forms:
            self.forms[-1].buttons.append((given.get("name", ""), given.get("value", "")))
        elif tag == "input" and self.forms:
            self._field(self.forms[-1], given)

    def _field(self, form: SentForm, given: Mapping[str, str]) -> None:
        name, kind = given["name"], given.get("type", "text")
        if kind in {"radio", "checkbox"}:
            form.options.setdefault(name, []).append(given["value"])
            if kind == "checkbox":
                form.counts[name] = self._count
        if kind not in {"radio", "checkbox"} or "checked" in given:
            form.fields.setdefault(name, []).append(given["value"])


class FormPlayer:
    """Plays in *seat* by the page's forms, in a browser without scripts."""

    def __init__(self, house: House, seat: Seat) -> None:
        self.visitor: Final = Visitor(house.service, seat.person.token)
        self.seat: Final = seat

    def moves(self) -> list[SentForm]:
        """Return the forms for actions on the page as it is now."""
        return [form for form in forms_of(self.visitor.page(self.seat.page)) if form.action == self.seat.page]

    def send(self, form: SentForm, **chosen: str) -> TestResponse:
        """Send *form*, with the values *chosen* for members."""
        return self.visitor.client.post(form.action, data=form.filled(**chosen))

    def move(self) -> str:
        """Make the first move on the page, and return its type; each action that the API lists must have a form."""
        listed = accepted(self.seat.person.get(f"{self.seat.api}/actions")).json["items"]
        forms = self.moves()
        assert {one["action"]["type"] for one in listed} <= {one.kind for one in forms}
        form = forms[0]
        answer = self.send(form)
        assert answer.status_code == 303, answer.text
        return form.kind
