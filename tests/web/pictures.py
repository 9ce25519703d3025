"""The fixed worlds of the pictures in README.md: the same pages in every run, and a digest of these pages."""

import random
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from flask import Flask
from werkzeug.test import Client

import service.web
from service.transparency import published
from service.transparency.sequencer import Sequencer
from tests.databases import Databases
from tests.games.facts import WorldGame
from tests.tables.games import Game, Worlds, played, players_of
from tests.tables.worlds import World
from tests.web.world import FROM_A_PAGE

FOLDER: Final = Path(service.web.__file__).parent / "screenshots"
DIGEST: Final = FOLDER / "pages.sha256"
MOST_BYTES: Final = 200_000
WIDTH: Final = 1_280
_STATIC: Final = Path(service.web.__file__).parent / "static"
_ASSET: Final = re.compile(r"/assets/[0-9a-f]+/([\w./-]+)")
_IMPORT: Final = re.compile(r"""(?:from|import)\s*\(?["'](\.[\w./-]+)["']""")


class Picture(NamedTuple):
    """A picture, in the file *name*, of the page at *path* for a player of *game*; the window is *height* pixels high.

    *awaited* selects the element that the page's scripts show when they are done; "": the page has no such element.
    """

    name: str
    game: Game
    path: str
    height: int
    awaited: str = ""


_HEARTS: Final = Game("insurance_hearts", WorldGame(seed=21, seats=4, moves=34, options={}))
_BANKRUPT: Final = Game("bankrupt", WorldGame(seed=1, seats=3, moves=60, options={"buy_in": 30}))
PICTURES: Final = (
    Picture("table.png", _HEARTS, "/tables/{table}", 900),
    Picture("hand.png", _BANKRUPT, "/tables/{table}/hands/1", 900),
    Picture("check.png", _BANKRUPT, "/check?table={table}&hand=1", 900, "#check-status.passed"),
)


class Scene(NamedTuple):
    """A picture's page: the *app* that answers, the *path*, and the *token* of the player's cookie."""

    picture: Picture
    app: Flask
    path: str
    token: str


@contextmanager
def scenes(folder: Path) -> Iterator[list[Scene]]:
    """Yield the scene of each picture. Each game is played in a world of its own, where chance and time are fixed."""
    databases = Databases(folder, folder)
    made: list[Scene] = []
    with _worlds(folder, databases) as worlds:
        for picture in PICTURES:
            world, table = worlds[picture.game.name]
            app = world.client.application
            made.append(Scene(picture, app, picture.path.format(table=table), _signed_in(world)))
        yield made
    databases.close()


@contextmanager
def _worlds(folder: Path, databases: Databases) -> Iterator[Mapping[str, tuple[World, str]]]:
    found: dict[str, tuple[World, str]] = {}
    games = {picture.game.name: picture.game for picture in PICTURES}
    rooms = [Worlds(folder / name, databases, players_of(game)).made({}) for name, game in games.items()]
    try:
        for room, (name, game) in zip(rooms, games.items(), strict=True):
            world = room.__enter__()
            table, _ = played(world, game, random.Random(game.terms.seed))
            _keep(world)
            found[name] = world, table
        yield found
    finally:
        for room in rooms[: len(found)]:
            room.__exit__(None, None, None)


def _keep(world: World) -> None:
    """Index all leaves and publish a checkpoint, so that there are dossiers."""
    sequencer = Sequencer(world.parts.engine)
    while sequencer.round():
        pass
    assert world.parts.log_signer
    assert published.publish(world.parts.engine, world.parts.log_signer)


def _signed_in(world: World) -> str:
    """Return the token of a browser that is signed in as the first player."""
    client = Client(world.client.application)
    form = {"key": world.tokens["player 1"], "form_token": ""}
    answer = client.post("/sign-in", data=form, headers=FROM_A_PAGE)
    return answer.headers["Set-Cookie"].partition(";")[0].partition("=")[2]


def digest(all_scenes: list[Scene]) -> str:
    """Return the SHA-256 of the HTML of all pictures' pages, and of the styles and scripts that these use."""
    hashed, used = sha256(), set[str]()
    for scene in all_scenes:
        client = Client(scene.app)
        client.set_cookie("chiptrail_session", scene.token)
        answer = client.get(scene.path)
        assert answer.status_code == 200, scene
        used.update(_ASSET.findall(answer.text))
        hashed.update(_ASSET.sub(r"\1", answer.text).encode())
    for name in sorted(_with_imports(used)):
        hashed.update(name.encode() + b"\n" + (_STATIC / name).read_bytes())
    return hashed.hexdigest()


def _with_imports(names: set[str]) -> set[str]:
    """Return *names* of files, and of the modules that these import."""
    found, waiting = set[str](), set(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        text = (_STATIC / name).read_text(encoding="utf-8") if name.endswith(".js") else ""
        imported = {
            (_STATIC / name).parent.joinpath(path).resolve().relative_to(_STATIC.resolve()).as_posix()
            for path in _IMPORT.findall(text)
        }
        waiting |= imported - found
    return found
