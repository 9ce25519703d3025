"""A dossier is the same for the same viewer and checkpoint, opens all that its viewer may see, and proves its hand."""

import json
from typing import Any

from service.audit.verdicts import Verdict
from service.dossier import archive, offline_check
from tests.dossier.made import Played, World, dossier, files_of, must_pass, refusals


def lines(data: bytes, name: str) -> list[Any]:
    return [json.loads(line) for line in files_of(data)[name].splitlines()]


def test_each_dossier_of_each_game_passes_every_check(world: World) -> None:
    for played in world.played:
        for data in played.dossiers.values():
            must_pass(data)


def test_the_verdict_on_a_settled_hand_is_clean_once_its_decks_are_revealed(world: World) -> None:
    verdicts = {}
    for played in world.played:
        for name, data in played.dossiers.items():
            report = offline_check.check(data)
            assert report.subject
            verdicts[played.game, name] = report.verdict
            assert report.verdict is not Verdict.FAILED
    assert {verdicts["insurance_hearts", f"hand 1 for {viewer}"] for viewer in ("everybody", "seat 1")} == {
        Verdict.CLEAN
    }
    assert {verdicts[played.game, "hand 3 for seat 3"] for played in world.played} == {Verdict.PENDING}


def test_the_same_viewer_and_checkpoint_give_the_same_bytes(world: World) -> None:
    for played in world.played:
        again = dossier(played.table.players[1], f"{played.table.path}/hands/1")
        assert again == played.dossiers["hand 1 for seat 1"]
        assert archive.packed(files_of(again)) == again


def test_the_events_are_the_leaves_of_the_feed_up_to_the_reveal_of_the_decks(world: World) -> None:
    for played in world.played:
        answer = played.table.host.get(f"{played.table.path}/events?limit=1000")
        leaves = [item["leaf"] for item in answer.json["items"]]  # type: ignore[index]
        assert lines(played.dossiers["the table for everybody"], archive.EVENTS) == leaves
        of_hand = lines(played.dossiers["hand 1 for everybody"], archive.EVENTS)
        assert of_hand == leaves[: len(of_hand)]
        begin = lines(played.dossiers["hand 1 for everybody"], archive.OPENINGS)[0]["begin"]
        hand = played.table.host.get(f"{played.table.path}/hands/1").json
        assert hand
        assert (begin["first"], begin["last"]) == (hand["first"], hand["last"])
        dealt = {leaf["pub"]["epoch"] for leaf in leaves[: begin["last"]] if leaf["type"] == "cards_dealt"}
        told = {leaf["pub"]["epoch"] for leaf in of_hand if leaf["type"] == "deck_revealed"}
        assert dealt <= told or len(of_hand) == len(leaves)


def test_a_viewer_has_the_openings_that_the_feed_gives_and_no_other(world: World) -> None:
    for played in world.played:
        for name, viewer in (("everybody", world.service.spectator), ("seat 3", played.table.players[3])):
            items = viewer.get(f"{played.table.path}/events?limit=1000").json["items"]  # type: ignore[index]
            fields = {json.dumps(one, sort_keys=True) for item in items for one in item["fields"]}
            _, *openings = lines(played.dossiers[f"the table for {name}"], archive.OPENINGS)
            assert {json.dumps(one["field"], sort_keys=True) for one in openings if "field" in one} == fields
            revealed = {item["leaf"]["pub"]["epoch"] for item in items if item["leaf"]["type"] == "deck_revealed"}
            cards = {
                (one["epoch"], one["pos"]): one["face"]
                for item in items
                for one in item["openings"]
                if one["epoch"] not in revealed
            }
            found = {
                (one["card"]["epoch"], one["card"]["pos"]): one["card"]["face"] for one in openings if "card" in one
            }
            assert found == cards


def test_the_dossier_of_a_seat_has_cards_and_choices_that_the_dossier_for_everybody_lacks(world: World) -> None:
    """Without this test, the previous test could pass although no viewer has any opening."""

    def openings(played: Played, viewer: str) -> int:
        return len(lines(played.dossiers[f"the table for {viewer}"], archive.OPENINGS))

    assert any(openings(played, "seat 3") > openings(played, "everybody") for played in world.played)


def test_no_leaf_of_another_table_is_in_a_dossier(world: World) -> None:
    for played in world.played:
        others = [other.table.id.encode() for other in world.played if other is not played]
        for data in played.dossiers.values():
            assert played.table.id.encode() in data
            assert not any(other in data for other in others)


def test_a_salt_or_proof_in_upper_case_is_refused_as_a_second_form(world: World) -> None:
    for played in world.played:
        data = played.dossiers["the table for seat 3"]
        files = files_of(data)
        for number, line in enumerate(files[archive.OPENINGS].splitlines(keepends=True)):
            if b'"salt":"' in line:
                start = line.index(b'"salt":"') + 8
                upper = line[:start] + line[start : start + 64].upper() + line[start + 64 :]
                changed = archive.packed({**files, archive.OPENINGS: files[archive.OPENINGS].replace(line, upper)})
                place = f"openings.ndjson, line {number + 1}"
                assert refusals(changed) == (place, place)
                break
