"""The bot in thirty lines plays a whole game, and the page on the client kit shows this bot."""

import re
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from service.client import Api, Client, KeptLog, Problem, example_bot, follow
from service.clock import Clock
from service.dossier import verify
from tests.databases import Databases
from tests.house.tree import ROOT
from tests.http.service import Table, running, serving

PAGE = (ROOT / "service" / "client" / "README.md").read_text()
PROGRAM = Path(example_bot.__file__).read_text()


def test_two_of_these_bots_play_a_whole_game_with_seeds_of_their_own(
    all_databases: Databases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with all_databases.migrated("sqlite") as database, running(tmp_path, database) as service, serving(service) as url:
        table = Table(service, 2, buy_in=2, seeds="players")
        bots = []
        for seat, player in table.players.items():
            (tmp_path / f"key-{seat}").write_text(player.token)
            asked = (url, str(tmp_path / f"key-{seat}"), table.id, str(tmp_path / f"kept-{seat}"))
            bots.append(Thread(target=example_bot.main, args=asked))
            bots[-1].start()
        client = Client(url, table.host.token, Clock())
        events = follow(Api(client), table.id)
        types = []
        for event in events:
            types.append(event.leaf.type)
            if types.count("seat_taken") == 2 and types[-1] == "seat_taken":
                table.host.do(table.path, "start_game")
            if types[-1] == "game_ended":
                service.keep_log()  # so that the bots need not wait for a checkpoint
        for bot in bots:
            bot.join()
        assert [one.leaf.position for one in follow(Api(client), table.id, after=5)] == [*range(6, len(types) + 1)]
        client.close()
        assert "game_ended" in types
        said = capsys.readouterr().out.splitlines()
        (winner,) = table.view()["winners"]
        assert [line.partition(";")[0] for line in said] == [f"seats ({winner},) won"] * 2
        assert all("waiting=0, hidden=()" in line for line in said)
        (tmp_path / "dossier.zip").write_bytes(table.host.get(f"{table.path}/dossier").get_data())
        with closing(KeptLog(tmp_path / "kept-1")) as kept:
            files = [word for path in kept.save(tmp_path, table.id) for word in ("--kept", str(path))]
        assert verify.main([str(tmp_path / "dossier.zip"), *files]) == 0
        assert "1 checkpoints, 0 proofs, 1 receipts and 1 log keys agree" in capsys.readouterr().out


def test_the_page_shows_how_a_host_opens_a_table_and_makes_keys(
    all_databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"```python\n([^`]*host = [^`]*)```", PAGE)
    with all_databases.migrated("sqlite") as database, running(tmp_path, database) as service, serving(service) as url:
        key = tmp_path / "chiptrail-data" / "first-key.txt"
        key.parent.mkdir()
        key.write_text(f"{service.person('host', 'admin').token}\n")
        with pytest.raises(Problem, match=r"409 .*seats"):
            exec(program.replace("http://127.0.0.1:8000", url), {})  # noqa: S102  # it is the program of the page
    assert (tmp_path / "my-key.txt").read_text().startswith("ctk_")


def test_the_programs_on_the_page_watch_the_tables_of_an_owner(
    all_databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    of_owner, of_table = re.findall(r"```python\n([^`]*(?:feed|follow)\([^`]*)```", PAGE)

    def printed(program: str, **names: object) -> list[str]:
        exec(program.replace("http://127.0.0.1:8000", url), {"follow": follow, **names})  # noqa: S102  # of the page
        return capsys.readouterr().out.splitlines()

    with all_databases.migrated("sqlite") as database, running(tmp_path, database) as service, serving(service) as url:
        table = Table(service, 2)
        Path("my-key.txt").write_text(f"{table.host.token}\n")
        service.keep_log()
        assert printed(of_owner) == [f"{table.id} 1 table_opened", f"{table.id} 2 deck_opened"]
        assert printed(of_owner) == []
        table.host.do(table.path, "close_table")
        service.keep_log()
        assert printed(of_owner) == [f"{table.id} 3 table_closed", f"{table.id} 4 deck_unused"]
        with closing(Client(url, "")) as client:
            shown = printed(of_table, api=Api(client), table=table.id)
        assert shown == ["1 table_opened", "2 deck_opened", "3 table_closed", "4 deck_unused"]


def test_the_page_shows_the_program_that_this_test_runs() -> None:
    assert f"```python\n{PROGRAM}```\n" in PAGE
    no_code = ('"""', "import ", "from ")
    assert len([line for line in PROGRAM.splitlines() if line and not line.strip().startswith(no_code)]) <= 30
