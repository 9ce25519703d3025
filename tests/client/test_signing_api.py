"""A client that knows no rules signs the values that a dry run would seal, but only if it chose these values."""

from collections.abc import Iterator
from contextlib import closing

import msgspec
import pytest

from service.client import Action, Client
from service.client.signing_api import SealsOther, SigningApi
from service.entropy import Entropy
from tests.client.lying import Liar, Lie, lying
from tests.databases import Databases
from tests.http.service import Table, accepted, running

KEY = Entropy().secret()


@pytest.fixture(scope="module")
def hearts(
    all_databases: Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Table, SigningApi, Liar]]:
    """Yield a table of Insurance Hearts at which seat 1 signs, the API of seat 1, and the `Liar` that answers it."""
    folder = tmp_path_factory.mktemp("signing")
    with all_databases.migrated("sqlite") as database, running(folder, database) as service:
        table = Table(service, 4, game="insurance_hearts").seated()
        with lying(service) as (liar, url), closing(Client(url, table.players[1].token, Entropy())) as client:
            api = SigningApi(client, lambda: KEY)
            api.register(table.id)
            accepted(table.host.do(table.path, "start_game"))
            dealer = table.due_seat
            api.actions(table.id, wait_seconds=0)
            if dealer == 1:
                api.act(table.id, {"type": "deal_hand"})
            else:
                accepted(table.players[dealer].do(table.path, "deal_hand"))
            yield table, api, liar


def sealed_action(api: SigningApi, table: Table) -> Action:
    """Return the last listed action; each action that is listed now writes a slip."""
    *_, move = api.actions(table.id, wait_seconds=0).items
    return move.lowest


def test_a_client_that_starts_again_goes_on_with_its_registered_key(hearts: tuple[Table, SigningApi, Liar]) -> None:
    table, api, _ = hearts
    again, position = SigningApi(api.client, lambda: KEY), table.position
    again.register(table.id)
    assert table.position == position


def test_a_registration_is_signed_again_if_others_act_in_between(hearts: tuple[Table, SigningApi, Liar]) -> None:
    table, api, liar = hearts
    other = Table(table.service, 2)
    api.take_seat(other.id, other.buy_in)

    def a_player_comes(body: bytes) -> bytes:
        liar.lies.clear()
        accepted(other.players[2].post(f"{other.path}/seats", {"chips": other.buy_in}), 201)
        return body

    liar.lies[f"GET .*{other.id}/actions"] = a_player_comes
    api.register(other.id)
    signing = api.actions(other.id, wait_seconds=0).signing
    assert signing
    assert signing.public_key


def test_another_action_is_not_signed_as_if_it_were_what_the_action_seals(
    hearts: tuple[Table, SigningApi, Liar],
) -> None:
    table, api, liar = hearts
    other = Table(table.service, 2)
    api.take_seat(other.id, other.buy_in)
    api.register(other.id)
    liar.lies["POST .*/actions"] = saying(seals={"decision": "resign", "fields": []})
    position = other.position
    with pytest.raises(SealsOther, match=r"would seal \{\} as resign for the action"):
        api.act(other.id, {"type": "leave_seat"})
    liar.lies.clear()
    assert other.position == position


def saying(**members: object) -> Lie:
    """Return a lie that changes *members* of a response."""
    return lambda body: msgspec.json.encode(msgspec.json.decode(body) | members)


def test_values_that_the_player_has_not_chosen_are_not_signed(hearts: tuple[Table, SigningApi, Liar]) -> None:
    table, api, liar = hearts
    action = sealed_action(api, table)

    members = [{"field": name, "value": value} for name, value in action.items() if name != "type"]
    position = table.position
    for fields in (
        [{"field": members[0]["field"], "value": ["2c", "2d", "2h"]}, *members[1:]],
        [{"field": "another", "value": {members[0]["field"]: 7}}, *members],
    ):
        liar.lies["POST .*/actions"] = saying(seals={"decision": "slip_written", "fields": fields})
        with pytest.raises(SealsOther, match="would seal"):
            api.act(table.id, action)
    liar.lies.clear()
    assert table.position == position


def test_a_sealed_choice_is_signed_by_a_client_that_knows_no_rules(hearts: tuple[Table, SigningApi, Liar]) -> None:
    table, api, _ = hearts
    done = api.act(table.id, sealed_action(api, table))
    leaf = table.host.get(f"{table.path}/events/{done.position}").get_json()["leaf"]
    assert leaf["by"] == "seat:1"
    assert leaf["sig"]["signature"]
    assert all(field["choice"] for field in leaf["priv"].values())
