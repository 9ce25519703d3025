"""`chiptrail export` and `import`: from one place to another, and what is said of it."""

from pathlib import Path

from service.bots.client import Client
from service.bots.endpoints import Api
from service.bots.host import Game, Host
from service.entropy import Entropy
from tests.cli.commands import Place, Served, running_server


def _two_tables(served: Served) -> tuple[str, str]:
    """Return a table that was played to its end, and one whose game has begun."""
    host = Host(served.url, served.place.first_key, Entropy())
    try:
        over = host.play(Game(game="bankrupt", kinds=("random", "random"), seed="1", options={"buy_in": 12})).table
        live = host.api.open_table("bankrupt", 2, {"buy_in": 12})
        for _ in range(2):
            Api(Client(served.url, host.api.make_key("play", label="").token, Entropy())).take_seat(live, 12)
        host.api.act(live, {"type": "start_game"})
        return over, live
    finally:
        host.close()


def test_what_is_exported_is_imported_elsewhere_and_verified(place: Place, tmp_path: Path) -> None:
    with running_server([*place.flags], tmp_path / "log") as server:
        over, live = _two_tables(Served(place, server))
    exported = place.run("export")
    assert exported.code == 0
    file = tmp_path / "tables.ndjson"
    file.write_text(exported.out)
    there = Place(f"sqlite:///{tmp_path / 'there.db'}", tmp_path / "there")
    assert there.run("migrate").code == 0
    done = there.run("import", str(file))
    assert (done.code, done.err) == (0, "")
    said = {line.split()[0]: line for line in done.out.splitlines()[:-1]}
    assert said[over].endswith("clean: imported, read-only")
    assert said[live].endswith("pending: imported, read-only; its game was not over")
    assert there.run("export").out == exported.out
    assert there.run("verify").code == 0
    assert there.run("rebuild").code == 0
    assert there.run("verify").code == 0
    again = there.run("import", str(file))
    assert (again.code, again.out.count("no new events")) == (0, 2)


def test_what_was_not_taken_in_is_named_at_the_end_and_by_the_exit_code(place: Place, tmp_path: Path) -> None:
    with running_server([*place.flags], tmp_path / "log") as server:
        over, live = _two_tables(Served(place, server))
    lines = [line for line in place.run("export").out.splitlines(keepends=True) if '"stream"' in line]
    spoilt = [line for line in lines if live not in line or '"position":3,' not in line]
    assert len(spoilt) == len(lines) - 1
    file = tmp_path / "tables.ndjson"
    file.write_text("".join(spoilt))
    there = Place(f"sqlite:///{tmp_path / 'there.db'}", tmp_path / "there")
    assert there.run("migrate").code == 0
    done = there.run("import", str(file))
    assert done.code == 1
    assert "1 tables imported, 0 continued, 0 unchanged, 1 rejected" in done.out
    assert done.out.splitlines()[0].startswith(f"{over}  ")
    assert done.err.startswith(f"chiptrail: Not everything was imported:\n  {live}: line ")
    assert "Position 3 must come here, not 4." in done.err
    file.write_text("".join(lines))
    done = there.run("import", str(file))
    assert (done.code, done.err) == (0, "")
    assert "1 tables imported, 0 continued, 1 unchanged, 0 rejected" in done.out


def test_a_file_that_fails_ends_with_the_code_of_what_is_wrong(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "empty"
    file.write_text("")
    done = place.run("import", str(file))
    assert (done.code, "no table in it" in done.err) == (1, True)
    file.write_text("chips\n")
    done = place.run("import", str(file))
    assert (done.code, "line 1: This is no JSON" in done.err) == (1, True)
    assert place.run("import", str(tmp_path / "nowhere")).code == 2
