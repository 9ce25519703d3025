"""A service with a finished game of each kind, and viewers of its pages."""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from werkzeug.test import Client, TestResponse

from service.api_keys.repository import SCOPES
from service.bots.host import Game, Host
from service.client.table_answers import Table as Played
from service.entropy import Entropy
from service.games import CURRENT
from tests.http.disputes import Case
from tests.http.service import Service, accepted, running, serving

SHORT: Final[Mapping[str, Mapping[str, object]]] = {
    "bankrupt": {"buy_in": 4},
    "insurance": {"form": "gambling"},
    "insurance_hearts": {"target": 10},
}
DISPUTED: Final = "table of the dispute"
_KINDS: Final = ("sensible", "random", "sensible", "random")
FROM_A_PAGE: Final = {"Sec-Fetch-Site": "same-origin"}
"""The header that a browser sends with a form of this service's own pages."""
_FORM_TOKEN: Final = re.compile('name="form_token" value="([0-9a-f]*)"')


class Visitor:
    """A browser without scripts: it keeps the service's cookies."""

    def __init__(self, service: Service, token: str = "") -> None:
        self.client: Final = Client(service.app)
        if token:
            assert self.post("/sign-in", key=token).status_code == 303

    def get(self, path: str) -> TestResponse:
        return self.client.get(path)

    def page(self, path: str) -> str:
        """Return the page at *path*, which the viewer must be able to see."""
        response = self.get(path)
        assert response.status_code == 200, response.text
        return response.text

    def post(self, path: str, **fields: str) -> TestResponse:
        """Post a form with *fields* and with the form token that the pages have for this viewer."""
        token = _FORM_TOKEN.search(self.client.get("/sign-in").text)
        assert token
        return self.client.post(path, data={"form_token": token[1], **fields}, headers=FROM_A_PAGE)


class World:
    """A service at *url*, and a finished table of each game in `played`."""

    def __init__(self, service: Service, url: str) -> None:
        self.service: Final = service
        self.url: Final = url
        self.admin: Final = service.person(*SCOPES)
        self.spectator: Final = Visitor(service)
        with closing(Host(url, self.admin.token, Entropy(), patience_seconds=60, draw=Entropy().secret)) as host:
            self.played: Final[Mapping[str, Played]] = {
                game: host.play(Game(game=game, kinds=_KINDS, seed="1", options=SHORT[game], most_hands=2))
                for game in CURRENT
            }
            self.players: Final = host.players
        case = Case(service, hands=1)
        self.disputed: Final = case.table.id
        case.do(case.taken(), case.auditor, "question", question="Who saw it?")
        service.keep_log()

    def examples(self) -> list[dict[str, str]]:
        """Return, for each game, a value of each argument that the path of a page has."""
        return [
            {
                "table": played.table,
                "hand": "1",
                "account": self._account(played.table),
                "game": game,
                "dispute": "1",
                DISPUTED: self.disputed,
            }
            for game, played in self.played.items()
        ]

    def _account(self, table: str) -> str:
        """Return an account of *table*."""
        balances = accepted(self.service.spectator.get(f"/v1/tables/{table}/balances")).json["balances"]
        return str(next(iter(balances)))


@contextmanager
def played_world(folder: Path, database_url: str) -> Iterator[World]:
    """Yield a world on a new database."""
    with running(folder, database_url) as service, serving(service) as url:
        yield World(service, url)
