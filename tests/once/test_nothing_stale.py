"""A new command with an outdated If-Match records nothing; its response, 412, has the events that the caller missed."""

from functools import partial
from typing import Any, Final

from tests.once.clients import Answer, Crowd, Person, at_once

HANDS: Final = 6


def test_of_simultaneous_commands_at_one_position_one_is_recorded_and_the_others_get_its_events(
    crowd: Crowd,
) -> None:
    host = crowd.person("host")
    players = [crowd.person("play", by=host) for _ in range(3)]
    spare = {player.owner: crowd.person("play", owner=player.owner) for player in players}
    table = _started(host, players)
    for _ in range(HANDS):
        seen = host.get(table).json
        due = players[int(seen["due"][0].removeprefix("seat:")) - 1]
        rivals = [due, spare[due.owner], host]
        bodies = [{"type": "deal_hand"}, {"type": "deal_hand"}, {"type": "call_time"}]
        answers = _all_at(rivals, bodies, table, seen["position"])
        assert sorted(answer.status for answer in answers) == [200, 412, 412]
        for person, answer in zip(rivals, answers, strict=True):
            if answer.status == 412:
                _must_be_what_was_missed(person, answer, table, seen["position"], cards=0 if person is host else 2)
        for player in players:
            stale = player.post(f"{table}/actions", {"type": "hold_cards"}, "stale", If_Match=f'"{seen["position"]}"')
            _must_be_what_was_missed(player, stale, table, seen["position"], cards=2)
        (recorded,) = [answer for answer in answers if answer.status == 200]
        assert host.get(table).json["position"] == recorded.json["position"], "no stale command is recorded"
        _play_the_hand(host, players, table)


def test_if_two_players_take_a_seat_at_the_same_position_only_one_succeeds(crowd: Crowd) -> None:
    host = crowd.person("host")
    players = [crowd.person("play") for _ in range(2)]
    table = host.post("/v1/tables", {"game": "bankrupt", "options": {"buy_in": 12}}, "open").headers["Location"]
    sit = {"chips": 12}
    sits = at_once([partial(who.post, f"{table}/seats", sit, "sit", If_Match='"2"') for who in players])
    assert sorted(answer.status for answer in sits) == [201, 412]
    late = players[[answer.status for answer in sits].index(412)]
    assert late.post(f"{table}/seats", sit, "sit", If_Match='"3"').status == 201
    for who in players:  # A repeat is replayed, although its position is outdated.
        again = who.post(f"{table}/seats", sit, "sit", If_Match='"1"')
        assert (again.status, again.is_replayed) == (201, True)


def _started(host: Person, players: list[Person]) -> str:
    body = {"game": "bankrupt", "seats": len(players), "visibility": "private", "options": {"buy_in": 200}}
    table = host.post("/v1/tables", body, "open").headers["Location"]
    for seat, player in enumerate(players, start=1):
        sitting = {"chips": 200, "player": player.owner, "seat": seat}
        assert host.post(f"{table}/seats", sitting, f"seat {seat}").status == 201
    assert host.post(f"{table}/actions", {"type": "start_game"}, "start").status == 200
    return table


def _all_at(people: list[Person], bodies: list[Any], table: str, position: int) -> list[Answer]:
    """Let all *people* post at the same time, with the same *position* in If-Match; return the responses."""
    path, on = f"{table}/actions", f'"{position}"'
    deeds = enumerate(zip(people, bodies, strict=True))
    return at_once([partial(who.post, path, body, f"{on} {number}", If_Match=on) for number, (who, body) in deeds])


def _must_be_what_was_missed(person: Person, answer: Answer, table: str, position: int, *, cards: int) -> None:
    """Check that *answer* is 412, with the missed events as *person* may read them and openings of *cards* cards."""
    assert (answer.status, answer.json["code"]) == (412, "position_must_match")
    missed = answer.json["missed"]
    assert missed == person.get(f"{table}/events?after={position}&limit={len(missed)}").json["items"]
    assert [item["leaf"]["position"] for item in missed] == list(range(position + 1, answer.json["position"] + 1))
    assert sum(len(item["openings"]) for item in missed) == cards


def _play_the_hand(host: Person, players: list[Person], table: str) -> None:
    """Play the first available action of the player who is due, until the hand is over."""
    while (seen := host.get(table).json)["hand_is_running"]:
        due = players[int(seen["due"][0].removeprefix("seat:")) - 1]
        (first, *_) = [one["action"] for one in due.get(f"{table}/actions").json["items"]]
        assert due.post(f"{table}/actions", first, f"move {seen['position']}").status == 200
