"""Idempotency: a command is recorded once, no matter how many requests with its key arrive at the same time."""

from tests.cli.commands import Served
from tests.faults.servers import wait_until
from tests.once.clients import Crowd, Person, a_hundredfold


def test_a_hundred_identical_posts_at_once_make_one_set_of_events_and_a_hundred_equal_answers(crowd: Crowd) -> None:
    host = crowd.person("host")
    players = [crowd.person("play"), crowd.person("play")]
    body = {"game": "bankrupt", "seats": 2, "options": {"buy_in": 12}}
    told = [a_hundredfold(crowd, host, "/v1/tables", body)]
    table = told[0].headers["Location"]
    told += [a_hundredfold(crowd, player, f"{table}/seats", {"chips": 12}) for player in players]
    told.append(a_hundredfold(crowd, host, f"{table}/actions", {"type": "start_game"}))
    dealer = players[int(host.get(table).json["due"][0].removeprefix("seat:")) - 1]
    told.append(a_hundredfold(crowd, dealer, f"{table}/actions", {"type": "deal_hand"}))
    assert sum(len(item["openings"]) for item in told[-1].json["events"]) == 2
    stream = host.get(f"{table}/events?limit=1000").json["items"]
    assert [one["hash"] for one in stream] == [event["hash"] for one in told for event in one.json["events"]]


def test_a_hundred_identical_posts_at_once_make_one_key(crowd: Crowd) -> None:
    host = crowd.person("host")
    made = a_hundredfold(crowd, host, "/v1/keys", {"label": "Ann"}).json["key"]
    assert [one["id"] for one in host.get("/v1/keys").json["items"] if one["made_by"] == host.owner] == [made["id"]]


def test_no_secret_is_in_the_log_of_a_server(kind: str, served: Served, crowd: Crowd) -> None:
    host, player = crowd.person("host"), crowd.person("play")
    wrong = crowd.twin(Person(served.url, player.token[:-1]))
    assert wrong.get("/v1/whoami").status == 401
    assert player.post("/v1/keys", {}, "not mine to make").status == 403
    assert host.delete(f"/v1/keys/key_{player.token.split('_')[1]}").status == 404
    file = served.instance.data.parent / f"{kind}.log"
    requests = '"method":"GET","route":"/v1/whoami"', '"method":"POST","route":"/v1/keys"', '"method":"DELETE"'
    wait_until(lambda: all(request in file.read_text() for request in requests))
    log = file.read_text()
    for person in (crowd.admin, host, player):
        assert person.token.split("_")[2][:-1] not in log
