"""Plays small games with the present release, and keeps the database: `python -m tests.upgrades.keep_database`."""

import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from service import __version__
from service.database.schema_check import head_revision
from service.games import CURRENT
from tests.cli.commands import Instance, Said, run, running_server
from tests.disputes.complaints import Desk
from tests.dossier.made import RULES, play
from tests.http.service import Table, running
from tests.upgrades.kept import KeptSeat, KnownLog, kept, leaves_of, pack

SEATS: Final = 4
OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {**RULES, "bankrupt": {"buy_in": 40}, "insurance": {"buy_in": 60}}
SIGNED: Final = ("--game", "insurance_hearts", "--option", "target=1", "--signed", "--seeds", "players", "--hands", "1")


def keep(folder: Path) -> KnownLog:
    """Make the database in *folder*: each game, signed moves, disputes, an import, an erasure and a signed log."""
    instance = _instance(folder)
    _serve(instance, *SIGNED)
    seats: dict[str, list[KeptSeat]] = {}
    unfinished: dict[str, str] = {}
    with running(folder, instance.database) as service:
        for game in CURRENT:
            table = Table(service, SEATS, game=game, **OPTIONS.get(game, {})).started()
            play(service, table, 2, Random(game))
            unfinished[game] = table.id
            seats[game] = [KeptSeat(one.owner, one.token) for one in table.players.values()]
            if game == "bankrupt":
                Desk(table).opened()
            if game == "insurance_hearts":
                Desk(table, unit="points").corrected()
        service.keep_log()
    _done(instance.run("erase", "--owner", seats["insurance_hearts"][0].owner))
    with TemporaryDirectory() as other_folder:
        other = _instance(Path(other_folder))
        _serve(other, "--players", "2", "--option", "buy_in=2", "--hands", "1")
        export = Path(other_folder) / "export"
        export.write_text(_done(other.run("export")).out)
        _done(instance.run("import", str(export)))
    _serve(instance)  # when the server stops, it signs the whole log
    _done(instance.run("verify"))
    leaves, digest = leaves_of(instance)
    return KnownLog(__version__, head_revision(), leaves, digest, unfinished, seats)


def _instance(folder: Path) -> Instance:
    instance = Instance(f"sqlite:///{folder / 'chiptrail.db'}", folder)
    _done(instance.run("migrate"))
    return instance


def _serve(instance: Instance, *game: str) -> None:
    """Start and stop a server; if there are flags *game* for `chiptrail play`, let bots play in between."""
    with running_server([*instance.flags, "--workers", "1"], instance.data / "log") as server:
        if game:
            key = str(instance.data / "first-key.txt")
            _done(run("play", "--url", server.url, "--key-file", key, *game))


def _done(said: Said) -> Said:
    assert said.code == 0, said.err
    return said


def main() -> None:
    """Keep the database of this release; never replace a kept database."""
    name = head_revision()
    if name in kept():
        sys.exit(f"The database of the schema {name} is kept already, and does not change.")
    with TemporaryDirectory() as folder:
        known = keep(Path(folder))
        file = pack(name, Path(folder), known)
    print(f"{file.name}: {known.leaves} leaves, {file.stat().st_size:,} bytes")  # noqa: T201 -- prints to a terminal


if __name__ == "__main__":
    main()
