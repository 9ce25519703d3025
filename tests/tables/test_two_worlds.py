"""If two worlds differ only in facts that are hidden from a viewer, the viewer gets byte-equal responses in both."""

import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec import structs

from service.database.engines import reading
from service.games import CURRENT
from service.transparency import tree
from service.transparency.sequencer import Sequencer
from tests import seeds
from tests.databases import Databases
from tests.games.facts import facts_of
from tests.tables.asking import must_be_fed_the_same, must_see_the_same, questions
from tests.tables.elsewhere import elsewhere, orders_differ
from tests.tables.games import (
    Game,
    Plays,
    Worlds,
    asked,
    played,
    players_of,
    replay,
    resigned,
    situation_of,
    world_games,
)
from tests.tables.sweep import Sweep
from tests.tables.worlds import (
    AUDITOR,
    GUEST,
    HOST,
    LINES,
    SPECTATOR,
    STRANGER,
    Request,
    answer_parts,
    masked,
    masked_text,
)

GAMES: Final = world_games()
GUESTS: Final = [pytest.param(game, id=about) for about, game in GAMES.items() if game.terms.has_guest]
"""Private games with a guest; players may take seats between their hands, so the invitation stays open during play."""
WITHOUT_GUESTS: Final = [about for about, game in GAMES.items() if not game.terms.has_guest]
OF_RUN: Final = seeds.some("games in two worlds", WITHOUT_GUESTS, (len(WITHOUT_GUESTS) + 1) // 2)
HALF_DAILY = [
    pytest.param(GAMES[about], id=about, marks=[] if about in OF_RUN else [pytest.mark.full])
    for about in WITHOUT_GUESTS
]
TO_THE_END: Final = [
    pytest.param(Game(name, terms), id=f"{CURRENT[name].sheet.title} {terms.seed}")
    for name in CURRENT
    for terms in facts_of(name).worlds_to_the_end
]


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory, all_databases: Databases) -> Iterator[Plays]:
    """Yield the games that several tests read, each played once."""
    with ExitStack() as stack:
        yield Plays(stack, tmp_path_factory.mktemp("plays"), all_databases)


@pytest.mark.parametrize("game", HALF_DAILY)
def test_hidden_facts_change_no_answer_to_a_viewer(
    tmp_path: Path, all_databases: Databases, game: Game, sweep: Sweep
) -> None:
    chance = sweep.chance
    players = players_of(game)
    worlds = Worlds(tmp_path, all_databases, players)
    with worlds.made({}) as world:
        table, script = played(world, game, random.Random(game.terms.seed))
        assert resigned(script) == game.must_resign
    for length in sweep.some(sorted(chance.sample(range(_started(script), len(script) + 1), 4)), 1):
        with worlds.made({}) as one:
            replay(one, script[:length])
            viewers = (chance.choice(players), chance.choice((SPECTATOR, HOST, AUDITOR, STRANGER)))
            for viewer in sweep.some(viewers, 1):
                faces, elsewhere_script = elsewhere(one, table, viewer, script[:length], chance)
                with worlds.made(faces) as other:
                    replay(other, elsewhere_script)
                    assert orders_differ(one, other, table)
                    must_see_the_same(one, other, viewer, table, script[:length], sweep)
                    if viewer != SPECTATOR:
                        assert bool(must_be_fed_the_same(one, other, viewer)) == (viewer != STRANGER)


def _started(script: Sequence[Request]) -> int:
    """Return the number of requests up to the start of the game; before the start, `leave_seat` would be recorded."""
    return 1 + next(number for number, one in enumerate(script) if one.body.get("type") == "start_game")


@pytest.mark.parametrize("game", GUESTS)
def test_an_invited_owner_learns_no_more_than_a_spectator_of_a_public_table(
    tmp_path: Path, all_databases: Databases, plays: Plays, game: Game, sweep: Sweep
) -> None:
    chance = sweep.chance
    worlds = Worlds(tmp_path, all_databases, players_of(game))
    table, script = plays.of(game).table, plays.of(game).script
    for length in sweep.some(sorted(chance.sample(range(_started(script) + 1, len(script) + 1), 3)), 1):
        with worlds.made({}) as one:
            replay(one, script[:length])
            assert one.get(GUEST, f"/v1/tables/{table}").status_code == 200
            faces, elsewhere_script = elsewhere(one, table, GUEST, script[:length], chance)
            with worlds.made(faces) as other:
                replay(other, elsewhere_script)
                assert orders_differ(one, other, table)
                must_see_the_same(one, other, GUEST, table, script[:length], sweep)
                assert must_be_fed_the_same(one, other, GUEST)


@pytest.mark.parametrize("game", GUESTS)
def test_an_invited_owner_sees_a_private_table_as_a_spectator_sees_a_public_table(
    tmp_path: Path, all_databases: Databases, plays: Plays, game: Game, sweep: Sweep
) -> None:
    worlds = Worlds(tmp_path, all_databases, players_of(game))
    private, table, script = plays.of(game)
    with worlds.made({}) as public:
        opening = structs.replace(script[0], body={**script[0].body, "visibility": "public"})
        replay(public, [opening, *script[1:]])
        of_caller = ("/v1/games", "/v1/tables", f"/v1/tables/{table}/actions", f"/v1/tables/{table}/me")
        for path, headers in questions(private, table, sweep):
            if path not in of_caller:
                seen = private.get(GUEST, path, **headers).data  # Read the whole response before the next request.
                open_to_all = public.get(SPECTATOR, path, **headers).data
                assert _masked(seen) == _masked(open_to_all), path
                assert private.get(STRANGER, path, **headers).status_code == 404, path


def _masked(body: bytes) -> list[Any]:
    """Return the lines of a response, with hashes masked, and with "private" replaced by "public"."""
    if not body.startswith(b"{"):
        return masked_text(body).splitlines()
    lines = [masked(msgspec.json.decode(line)) for line in body.splitlines()]
    return [msgspec.json.encode(line).replace(b'"private"', b'"public"') for line in lines]


@pytest.mark.parametrize("game", TO_THE_END)
def test_in_mid_game_a_private_table_looks_missing_to_others(
    tmp_path: Path, all_databases: Databases, plays: Plays, game: Game, sweep: Sweep
) -> None:
    table, script = plays.to_the_end(game)[1:]
    worlds = Worlds(tmp_path, all_databases, players_of(game))
    with worlds.made({}) as one, worlds.made({}) as other:
        replay(one, script[: len(script) // 2])
        assert situation_of(one, table).state.status != "finished"
        for viewer in (SPECTATOR, STRANGER):
            must_see_the_same(one, other, viewer, table, script, sweep)


@pytest.mark.parametrize("game", TO_THE_END)
def test_a_strangers_feed_has_nothing_of_a_private_table_but_the_size_of_the_log(
    tmp_path: Path, all_databases: Databases, plays: Plays, game: Game
) -> None:
    """Everybody knows the size of the log: a checkpoint has it. The cursor discloses nothing else of the table."""
    script = plays.to_the_end(game)[2]
    worlds = Worlds(tmp_path, all_databases, players_of(game))
    with worlds.made({}) as one, worlds.made({}) as other:
        replay(one, script[: len(script) // 2])
        while Sequencer(one.parts.engine).round():
            pass
        with reading(one.parts.engine) as connection:
            size = tree.head(connection).size
        log = one.get(HOST, "/v1/feed?limit=1").get_json()["next"].partition("-")[2]
        for world, cursor in ((one, f"{size - 1}-{log}"), (other, "")):
            page = world.get(STRANGER, "/v1/feed").get_json()
            assert page == {"items": [], "broken": [], "has_more": False, "next": cursor}
            (line,) = world.get(STRANGER, "/v1/feed", Accept=LINES).data.splitlines()
            end = {"is_whole": True, "streams": 0, "leaves": 0, "heads": [], "broken": [], "next": cursor, "why": ""}
            assert msgspec.json.decode(line) == {"end": end}


@pytest.mark.parametrize("game", TO_THE_END)
def test_after_its_end_a_private_table_looks_missing_to_others(
    tmp_path: Path, all_databases: Databases, plays: Plays, game: Game, sweep: Sweep
) -> None:
    one, table, script = plays.to_the_end(game)
    with Worlds(tmp_path, all_databases, players_of(game)).made({}) as other:
        for viewer in (SPECTATOR, STRANGER):
            must_see_the_same(one, other, viewer, table, script, sweep)


@pytest.mark.parametrize("game", TO_THE_END)
def test_the_end_of_a_game_changes_no_view_of_its_past(
    tmp_path: Path, all_databases: Databases, plays: Plays, game: Game, sweep: Sweep
) -> None:
    now, table, script = plays.to_the_end(game)
    base = f"/v1/tables/{table}"
    with Worlds(tmp_path, all_databases, players_of(game)).made({}) as then:
        done = 0
        for length in sweep.every(range(game.seats + 2, len(script), 9), 5):
            replay(then, script[done:length])
            done = length
            at = situation_of(then, table).position
            for viewer in (HOST, AUDITOR, *players_of(game)):
                for path in (f"{base}?at={at}", f"{base}?at={at - 3}", f"{base}/balances?at={at}"):
                    assert answer_parts(then.get(viewer, path)) == answer_parts(now.get(viewer, path)), (viewer, path)
                path = f"{base}/events?limit={min(at, 1_000)}"
                events = [asked(world, viewer, path)["items"] for world in (then, now)]
                assert events[0] == events[1], viewer


@pytest.mark.parametrize("game", TO_THE_END)
def test_once_a_game_is_over_all_its_viewers_see_the_same_hands(plays: Plays, game: Game) -> None:
    world, table, _ = plays.to_the_end(game)
    for hand in range(1, situation_of(world, table).state.hand + 1):
        path = f"/v1/tables/{table}/hands/{hand}"
        told_to = [world.get(viewer, path).data for viewer in (HOST, AUDITOR, *players_of(game))]
        assert b"??" not in told_to[0]
        assert told_to.count(told_to[0]) == len(told_to)
