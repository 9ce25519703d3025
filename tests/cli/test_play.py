"""Whole games over HTTP by independent clients on a real server, on each kind of database."""

import json
import re
import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Event

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from service.bots.host import Game, Host
from service.bots.parallel_games import play_in_parallel
from service.cli.support import server_process
from service.client.client import Client
from service.client.endpoints import Api
from service.client.kept.kept_file import KeptFile
from service.client.table_answers import Table
from service.entropy import Entropy
from service.games import CURRENT
from service.transparency import signed_note
from tests.cli.commands import Instance, Served, kill, leaves_of, run, running_server, start
from tests.games.facts import facts_of

FULL = pytest.mark.full
SHARE = [
    pytest.param(("sensible", "random"), 4, id="two"),
    pytest.param(("random", "sensible", "random", "sensible", "random", "sensible"), 5, id="six", marks=FULL),
    pytest.param(("random",) * 17, 1, id="seventeen"),
]


@pytest.fixture
def host(served: Served) -> Iterator[Host]:
    entropy = Entropy()
    made = Host(served.url, served.instance.first_key, entropy, patience_seconds=30, draw=entropy.secret)
    yield made
    made.close()


@pytest.mark.parametrize(("kinds", "buy_in"), SHARE)
def test_a_game_is_played_to_the_last_player_and_paid_out(host: Host, kinds: tuple[str, ...], buy_in: int) -> None:
    table = host.play(Game(game="bankrupt", kinds=kinds, seed="share", options={"buy_in": buy_in}))
    assert table.status == "finished"
    assert set(table.balances.values()) == {0}
    house = [line.amount for line in host.api.statement(table.table, "house")]
    assert house == [*[-buy_in] * len(kinds), len(kinds) * buy_in]
    assert host.api.adjudication(table.table, table.hand).verdict == "clean"


@pytest.mark.parametrize("game", CURRENT)
def test_a_signed_game_is_played_and_every_decision_of_a_player_is_signed(host: Host, game: str) -> None:
    seats = CURRENT[game].seats.default
    kinds = tuple(("sensible", "random")[seat % 2] for seat in range(seats))
    table = host.play(
        Game(game=game, kinds=kinds, seed="signed", options=facts_of(game).short, most_hands=2, signed=True)
    )
    assert table.hand > 0
    for hand in range(1, table.hand + 1):
        judged = host.api.adjudication(table.table, hand)
        assert (judged.verdict, judged.unsigned_seats) == ("clean", ())
        assert all(one.is_signed == one.by.startswith("seat:") for one in judged.decisions)


@pytest.mark.parametrize("game", CURRENT)
def test_a_signed_game_with_players_seeds_verifies_clean_and_every_commitment_and_seed_is_signed(
    served: Served, host: Host, game: str
) -> None:
    seats = CURRENT[game].seats.default
    kinds = tuple(("sensible", "random")[seat % 2] for seat in range(seats))
    asked = Game(
        game=game, kinds=kinds, seed="both", options=facts_of(game).short, most_hands=2, signed=True, seeds="players"
    )
    table = host.play(asked)
    said = served.instance.run("verify", "--table", table.table, "--json")
    assert (said.code, json.loads(said.out)["verdict"]) == (0, "clean")
    told = leaves_of(served.instance.run("export", "--table", table.table).out)
    leaves = [json.loads(leaf) for leaf in told.splitlines()]
    for kind in ("deck_seed_committed", "deck_seed_revealed"):
        given = [one for one in leaves if one["type"] == kind]
        assert {one["by"] for one in given} == {f"seat:{seat}" for seat in range(1, seats + 1)}
        assert all("sig" in one for one in given)
    (level,) = {one["pub"]["level"] for one in leaves if one["type"] == "deck_fixed"}
    assert level == "joint"


@pytest.mark.parametrize("players", [5, pytest.param(2, marks=FULL), pytest.param(17, marks=FULL)])
def test_insurance_without_gambling_is_played_to_the_last_player_and_paid_out(host: Host, players: int) -> None:
    kinds = tuple(("sensible", "random")[seat % 2] for seat in range(players))
    options = {"form": "non_gambling", "buy_in": 20, "standard_bets": [10, 20, 40]}
    table = host.play(Game(game="insurance", kinds=kinds, seed=f"last of {players}", options=options))
    assert table.status == "finished"
    assert set(table.balances.values()) == {0}
    house = [line.amount for line in host.api.statement(table.table, "house")]
    assert house == [*[-20] * players, players * 20]
    assert host.api.adjudication(table.table, table.hand).verdict == "clean"


@pytest.mark.parametrize(("players", "hands"), [(3, 2), pytest.param(6, 6, marks=FULL), pytest.param(2, 6, marks=FULL)])
def test_insurance_with_gambling_goes_on_until_all_have_left_with_their_chips(
    host: Host, players: int, hands: int
) -> None:
    kinds = tuple(("random", "sensible")[seat % 2] for seat in range(players))
    table = host.play(Game(game="insurance", kinds=kinds, seed=f"{players} gamble", options={}, most_hands=hands))
    assert (table.status, table.winners) == ("closed", ())
    assert 0 < table.hand <= hands + players  # a player may have to wait for the end of a hand before leaving
    assert set(table.balances.values()) == {0}
    assert sum(line.amount for line in host.api.statement(table.table, "house")) == 0


@pytest.mark.parametrize(
    ("rules", "target"),
    [
        pytest.param(True, 1, id="three rules"),
        pytest.param(True, 10, id="three rules, for longer", marks=FULL),
        pytest.param(False, 10, id="hearts", marks=FULL),
    ],
)
def test_insurance_hearts_is_played_to_its_target_for_points(
    host: Host,
    rules: bool,  # noqa: FBT001
    target: int,
) -> None:
    options = {"insurance": rules, "bidding": rules, "foot": rules, "target": target}
    kinds = ("sensible", "random", "sensible", "random")
    table = host.play(Game(game="insurance_hearts", kinds=kinds, seed="points", options=options))
    assert table.status == "finished"
    scores = {int(seat): points for seat, points in table.view["scores"].items()}
    assert table.winners == tuple(seat for seat, points in scores.items() if points == min(scores.values()))
    assert sum(scores.values()) == -table.balances["pool"]
    assert {host.api.adjudication(table.table, hand + 1).verdict for hand in range(table.hand)} == {"clean"}


def test_the_played_games_verify_clean(served: Served, host: Host) -> None:
    table = host.play(Game(game="bankrupt", kinds=("sensible", "random"), seed="verify", options={"buy_in": 5}))
    said = served.instance.run("verify", "--table", table.table, "--json")
    assert said.code == 0
    report = json.loads(said.out)
    assert report["verdict"] == "clean"
    assert report["tables"] == {"clean": 1, "pending": 0, "undecidable": 0, "failed": 0}
    assert report["hands"] == {"clean": table.hand, "pending": 0, "undecidable": 0, "failed": 0}


def test_games_are_played_from_the_command_line_and_each_receipt_is_kept_and_proven(
    served: Served, tmp_path: Path
) -> None:
    key_file, kept = served.instance.data / "first-key.txt", tmp_path / "kept.sqlite"
    asked = ("--url", served.url, "--key-file", str(key_file), "--games", "2", "--at-once", "2", "--players", "3")
    more = ("--option", "buy_in=3", "--option", "show_one_card=true", "--seed", "x", "--keep", str(kept))
    said = run("play", *asked, *more, "--json")
    assert said.code == 0
    assert re.fullmatch(r"kept: the log of [\d,]+ leaves has every acknowledged event\n", said.err)
    games = [json.loads(line) for line in said.out.splitlines()]
    assert len({game["table"] for game in games}) == 2
    assert all(game["kinds"] == [("sensible", "random")[(game["winners"][0] - 1) % 2]] for game in games)
    with closing(KeptFile(kept, Entropy())) as file:
        for game in games:
            (receipt,) = file.receipts(f"table/{game['table']}")
            assert (receipt.is_proven, receipt.receipt.position) == (True, game["events"])


def test_a_server_that_contradicts_what_is_kept_and_a_damaged_file_end_the_command(
    served: Served, tmp_path: Path
) -> None:
    kept, key_file = tmp_path / "kept.sqlite", served.instance.data / "first-key.txt"
    asked = ("play", "--url", served.url, "--key-file", str(key_file), "--keep", str(kept))
    another = signed_note.verifier_key("chiptrail/another", Ed25519PrivateKey.generate())
    said = run(*asked, "--log-key", str(another))
    assert said.code == 3
    assert "log_key_must_stay: The log has the key " in said.err
    kept.write_bytes(b"")
    said = run(*asked)
    assert said.code == 1
    assert f"{kept} is no file of a client, or was emptied" in said.err


@pytest.mark.walk
def test_insurance_hearts_is_played_from_the_command_line_and_its_author_is_named(served: Served) -> None:
    key_file = served.instance.data / "first-key.txt"
    asked = ("--url", served.url, "--key-file", str(key_file), "--game", "insurance_hearts")
    said = run("play", *asked, "--option", "target=1", "--option", "foot=false")
    assert (said.code, said.err) == (0, "")
    credited, result = said.out.splitlines()
    assert credited == "Insurance Hearts, a variation of Hearts contributed by Daniel Calizaya"
    assert ", 1 hands, " in result


def test_a_number_of_players_that_a_game_is_not_for_is_named(served: Served) -> None:
    key_file = served.instance.data / "first-key.txt"
    asked = ("--url", served.url, "--key-file", str(key_file), "--game", "insurance_hearts", "--players", "3")
    said = run("play", *asked)
    assert said.code == 1
    assert "Insurance Hearts has 4 seats" in said.err
    assert "Traceback" not in said.err


def test_a_table_with_a_time_limit_goes_on_without_its_players(served: Served, host: Host) -> None:
    client = host.api.client
    body = {"game": "bankrupt", "seats": 2, "options": {"buy_in": 2}, "time_limit_seconds": 1}
    table = client.post("/v1/tables", dict[str, object], body)["table"]
    for _ in range(2):
        player = Client(served.url, host.api.make_key("play", label="asleep").token, Entropy())
        Api(player).take_seat(str(table), 2)
        player.close()
    host.api.act(str(table), {"type": "start_game"})
    started = host.api.table(str(table)).position
    seen = client.get(f"/v1/tables/{table}/events", _Events, after=started, limit=1, wait=30)
    assert [item.leaf["by"] for item in seen.items] == ["service"]  # no player started this deal


class _Event(Struct):
    leaf: dict[str, object]


class _Events(Struct):
    items: list[_Event]


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("--bots", "clever"), 2, "clever"),
        (("--option", "buy_in"), 2, "NAME=VALUE"),
        (("--key-file", "nowhere.txt"), 1, "nowhere.txt"),
        (("--log-key", "chiptrail/log_1+00000000+AAAA"), 2, "no public Ed25519 key"),
        (("--receipt-key", "12"), 2, "64 hex digits"),
    ],
)
def test_wrong_use_is_named(arguments: tuple[str, ...], code: int, word: str) -> None:
    said = run("play", "--url", "http://127.0.0.1:1", *arguments)
    assert said.code == code
    assert word in said.err


def test_a_missing_server_ends_the_command_with_a_clear_message(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("ctk_1_2")
    asked = ("--url", "http://127.0.0.1:1", "--key-file", str(tmp_path / "key"), "--patience", "0")
    said = run("play", *asked)
    assert said.code == 1
    assert "http://127.0.0.1:1 gave no answer" in said.err
    assert "Traceback" not in said.err


def test_an_invalid_key_ends_the_command_with_a_clear_message(served: Served, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"ctk_{'0' * 32}_{'0' * 64}")
    said = run("play", "--url", served.url, "--key-file", str(tmp_path / "key"))
    assert said.code == 1
    assert "401 key_must_be_valid" in said.err


def test_an_interrupt_ends_the_command_in_the_middle_of_a_game(instance: Instance) -> None:
    with running_server([*instance.flags, "--workers", "1"], instance.data.with_suffix(".log")) as server:
        watcher = Api(_client(server.url, instance))
        # A shell's background job ignores SIGINT; if the tests are such a job, the command must not inherit that.
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)
        playing = start("play", "--url", server.url, "--key-file", str(instance.data / "first-key.txt"), "--games", "9")
        signal.signal(signal.SIGINT, before)
        try:
            _wait_for(watcher, 20)
            playing.send_signal(signal.SIGINT)
            _, err = playing.communicate(timeout=60)
        finally:
            watcher.client.close()
            kill(playing)
    assert (playing.returncode, err.strip()) == (1, "Aborted!")


def test_a_server_killed_in_the_middle_of_a_game_is_started_again_and_the_game_goes_on(instance: Instance) -> None:
    port = str(server_process.free_port())
    url = f"http://127.0.0.1:{port}"
    game = Game(game="bankrupt", kinds=("sensible", "random", "random"), seed="killed", options={"buy_in": 12})
    with ThreadPoolExecutor(1) as threads:
        server = start("serve", *instance.flags, "--port", port, "--workers", "1", server_process.END_WITH_INPUT)
        try:
            watcher = Api(_client(url, instance))
            host = Host(url, instance.first_key, Entropy(), patience_seconds=60)
            playing = threads.submit(host.play, game)
            for events in (20, 60):
                _wait_for(watcher, events)
                kill(server)
                server = start(
                    "serve", *instance.flags, "--port", port, "--workers", "1", server_process.END_WITH_INPUT
                )
            table: Table = playing.result(120)
            host.close()
            watcher.client.close()
        finally:
            kill(server)
    assert table.status == "finished"
    said = instance.run("verify", "--json")
    assert said.code == 0
    assert json.loads(said.out)["tables"] == {"clean": 1, "pending": 0, "undecidable": 0, "failed": 0}


def _client(url: str, instance: Instance) -> Client:
    """Return a client of the server at *url*, once the server is ready."""
    client = Client(url, "", Entropy(), patience_seconds=60)
    client.get("/readyz", dict[str, str])
    client.close()
    return Client(url, instance.first_key, Entropy(), patience_seconds=60)


def _wait_for(watcher: Api, events: int) -> None:
    """Return once the only table has more than *events* events."""
    while not (tables := watcher.client.get("/v1/tables", _Tables).items):
        Event().wait(0.05)
    (table,) = tables
    while not watcher.client.get(f"/v1/tables/{table['table']}/events", _Events, after=events, wait=30, limit=1).items:
        pass


class _Tables(Struct):
    items: list[dict[str, object]]


@pytest.mark.full
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_two_hundred_games_of_each_kind_end_and_verify_clean(first: int, served: Served) -> None:
    numbers = range(first, first + 25)
    games = [game for number in numbers for game in (_bankrupt(number), _insurance(number), _hearts(number))]
    tables = set()
    for game, table in play_in_parallel(
        lambda: Host(served.url, served.instance.first_key, Entropy(), patience_seconds=60), games, 8
    ):
        assert table.status in {"finished", "closed"}
        assert sum(table.balances.values()) == 0
        assert game.game == "insurance_hearts" or set(table.balances.values()) == {0}
        assert len(game.kinds) > max(table.winners, default=0) - 1
        tables.add(table.table)
    assert len(tables) == 75
    said = served.instance.run("verify", "--json")
    assert said.code == 0
    assert json.loads(said.out)["tables"]["clean"] >= 75


def _bankrupt(number: int) -> Game:
    dice = Random(f"bankrupt {number}")
    players = dice.choice([2, 2, 3, 3, 4, 4, 4, 4, 5, 6, 7, 9, 12, 17])
    buy_in = 12 if players < 5 else 6 if players < 8 else 3
    options = {"buy_in": buy_in, "show_one_card": dice.random() < 0.3, "max_dead_rounds": dice.choice([1, 3])}
    return _game("bankrupt", number, players, options, dice)


def _insurance(number: int) -> Game:
    dice = Random(f"insurance {number}")
    players = dice.choice([2, 2, 3, 3, 4, 4, 5, 6, 9, 17, 52])
    standard = {"form": "non_gambling", "buy_in": 30, "standard_bets": [10, 20, 40]}
    return _game("insurance", number, players, dice.choice([standard, {}]), dice)


def _hearts(number: int) -> Game:
    dice = Random(f"hearts {number}")
    options = {rule: dice.choice([False, True]) for rule in ("insurance", "bidding", "foot", "queen_breaks_hearts")}
    return _game("insurance_hearts", number, 4, {**options, "target": dice.choice([1, 20, 50])}, dice)


def _game(name: str, number: int, players: int, options: Mapping[str, object], dice: Random) -> Game:
    kinds = tuple(dice.choice(["sensible", "random"]) for _ in range(players))
    return Game(game=name, kinds=kinds, seed=f"full/{number}", options=options, most_hands=4)
