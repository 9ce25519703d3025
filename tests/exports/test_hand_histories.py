"""Hand histories say of each ended hand what the report of `chiptrail hand` says, and show no hidden card."""

import re

from tests.exports.played_tables import World, faces_of
from tests.http.service import accepted


def test_each_ended_hand_is_told_as_the_command_for_one_hand_tells_it(world: World) -> None:
    for table in world.tables.values():
        said = world.export("text", "--table", table.id)
        assert (said.code, said.err) == (0, "")
        *histories, end = said.out.split("\n\n\n")
        hands = [one["hand"] for one in accepted(table.host.get(f"{table.path}/hands")).json["items"]]
        settled = hands[: len(histories)]
        assert end == f"The end: {len(histories)} hands of 1 tables; whole.\n"
        assert len(hands) - len(histories) <= 1
        assert [re.match(r"Hand (\d+) of tbl", one)[1] for one in histories] == [str(one) for one in settled]  # type: ignore[index]
        for hand, history in zip(settled, histories, strict=True):
            report = world.instance.run("hand", table.id, str(hand)).out
            assert history[history.index("Cards dealt") :].strip() in report
        for seat, player in table.players.items():
            assert f"Seat {seat}: {player.owner}\n" in histories[0]


def test_a_card_that_nobody_may_see_yet_is_in_no_history(world: World) -> None:
    table = world.tables["insurance"]
    hand = accepted(world.service.spectator.get(f"{table.path}/hands/1")).json
    text = world.export("text", "--table", table.id).out.split("\n\n\n")[0]
    assert faces_of(text) == sorted(card["face"] for card in hand["cards"])


def test_the_histories_of_an_owner_and_a_time_are_of_the_hands_that_ended_then_with_the_owner(world: World) -> None:
    table = world.tables["bankrupt"]
    whole = world.export("text", "--table", table.id).out.split("\n\n\n")
    assert world.export("text", "--owner", table.players[2].owner).out.split("\n\n\n") == whole
    hands = world.export("csv", "--sheet", "hands", "--table", table.id).out.splitlines()[1:-1]
    ended = sorted({line.split(",")[7] for line in hands})
    middle = ended[len(ended) // 2]
    before, after = (world.export("text", "--table", table.id, flag, middle).out for flag in ("--to", "--from"))
    assert before.split("\n\n\n")[:-1] + after.split("\n\n\n")[:-1] == whole[:-1]
    assert len(before.split("\n\n\n")) > 1
