"""A stand-in for wrk, which need not be installed: makes a few moves at each table and returns invented figures."""

import socket
from collections.abc import Sequence
from http.client import HTTPResponse
from pathlib import Path

from service.bench.wrk import Load, Player

MOVES = 40


def run(_url: str, players: Sequence[Player], _seconds: int, _folder: Path) -> Load:
    """Make the next moves at each table, one table after another, each table on its own connection."""
    made = tuple(_play_one(player) for player in players)
    return Load(1_000_000, 5_000, 9_000, 0, made, ())


def _play_one(player: Player) -> int:
    headers = dict(line.split(": ") for line in player.requests[0][0].split("\r\n")[1:-1])
    host, port = headers["Host"].split(":")
    with socket.create_connection((host, int(port))) as connection:
        for number in range(player.made, player.made + MOVES):
            before, after = player.requests[number % len(player.requests)]
            connection.sendall(f"{before}{player.key}{number}{after}".encode())
            response = HTTPResponse(connection)
            response.begin()
            said = response.read()
            assert response.status == 200, said
    return player.made + MOVES
