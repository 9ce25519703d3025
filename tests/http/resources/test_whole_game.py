"""A whole game over real HTTP, from the buy-in to the payout, with only the actions that the service lists."""

import random
from threading import Thread
from typing import Any

import msgspec
import pytest
import urllib3

from service.client.client import Client
from service.entropy import Entropy
from service.event_store.leaf import NO_HASH, leaf_hash
from service.secrets.receipts import Receipt, verify
from tests.http.service import Person, Service, Table

SEATS, BUY_IN = 3, 6
Object = dict[str, Any]


@pytest.mark.walk
def test_a_game_is_played_to_the_last_player_by_clients_who_only_follow_their_actions(
    served: tuple[Service, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, url = served
    chance = random.Random(11)  # so that the game always has the same length
    monkeypatch.setattr(service.parts.clock, "secret", lambda: chance.randbytes(32))
    table = Table(service, SEATS, buy_in=BUY_IN).seated()
    receipts: list[Any] = []
    failures: list[BaseException] = []
    threads = [
        Thread(target=_play, args=(url, table, player, random.Random(seat), receipts, failures))
        for seat, player in table.players.items()
    ]
    for thread in threads:
        thread.start()
    _ask(url, table.host).post(f"{table.path}/actions", Object, {"type": "start_game"})
    for thread in threads:
        thread.join()
    assert failures == []
    _must_be_whole(service, url, table, receipts)


def _play(
    url: str, table: Table, player: Person, dice: random.Random, receipts: list[Any], failures: list[BaseException]
) -> None:
    client = _ask(url, player)
    try:
        while True:
            seen = client.get(f"{table.path}/actions", Object, wait=20)
            if seen["status"] == "finished":
                return
            moves = [item for item in seen["items"] if item["action"]["type"] != "resign"]
            if not moves:
                continue
            move = dice.choice(moves)
            action = {**move["action"], **{b["member"]: dice.randint(b["least"], b["most"]) for b in move["bounds"]}}
            receipts.append(client.post(f"{table.path}/actions", Object, action)["receipt"])
    except BaseException as error:  # noqa: BLE001  # Whatever it is, the test shows it.
        failures.append(error)
    finally:
        client.close()


def _must_be_whole(service: Service, url: str, table: Table, receipts: list[Any]) -> None:
    spectator = _ask(url, service.spectator)
    view = spectator.get(table.path, Object)
    assert view["status"] == "finished"
    assert not any(view["balances"].values())
    leaves = _leaves(url, table)
    assert [leaf["position"] for leaf in leaves] == list(range(1, view["position"] + 1))
    for receipt in receipts:
        assert verify(Receipt(**receipt), service.parts.signer.public_key)
    (winner,) = view["winners"]
    lines = spectator.get(f"{table.path}/accounts/stack:{winner}/postings", Object, limit=1000)["items"]
    assert (lines[0]["amount"], lines[0]["counterparty"]) == (BUY_IN, "house")
    assert (lines[-1]["amount"], lines[-1]["counterparty"]) == (-BUY_IN * SEATS, "house")
    hands = spectator.get(f"{table.path}/hands", Object, limit=1000)["items"]
    for hand in hands:
        assert spectator.get(f"{table.path}/hands/{hand['hand']}/adjudication", Object)["verdict"] == "clean"


class _Item(msgspec.Struct):
    leaf: msgspec.Raw
    hash: str


class _Page(msgspec.Struct):
    items: list[_Item]


def _leaves(url: str, table: Table) -> list[Any]:
    """Read the whole stream page by page, following Link, and check its hash chain."""
    path, prev, leaves = f"{table.path}/events?limit=7", NO_HASH, []
    while path:
        response = urllib3.request("GET", url + path)
        for item in msgspec.json.decode(response.data, type=_Page).items:
            assert leaf_hash(bytes(item.leaf)).hex() == item.hash
            leaf = msgspec.json.decode(item.leaf)
            assert leaf["prev"] == prev
            prev = item.hash
            leaves.append(leaf)
        path = response.headers["Link"].partition(">")[0].lstrip("<") if "Link" in response.headers else ""
    return leaves


def _ask(url: str, person: Person) -> Client:
    return Client(url, person.token, Entropy())
