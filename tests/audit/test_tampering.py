"""The audit finds changes of stored data, and names the place and the expected value.

The last tests show changes that the audit can't find.
"""

from collections.abc import Callable

import msgspec
import pytest
from sqlalchemy import Engine

from service.audit.verdicts import Verdict
from service.canonical import canonical
from tests.audit.forging import FINISHED, LIVE, Forger, Leaf, name, of

RULES = "rules_must_make_the_same"


@pytest.fixture
def forger(engine: Engine) -> Forger:
    return Forger(engine)


def test_nothing_is_found_if_nothing_was_altered(forger: Forger) -> None:
    report = forger.verify()
    assert not report.findings
    assert not report.has_failed
    assert dict(report.tables) == {Verdict.CLEAN: 1, Verdict.PENDING: 1}
    assert report.hands[Verdict.FAILED] == report.hands[Verdict.UNDECIDABLE] == 0


# Rows of events are changed, and no hash is updated.


def test_one_chip_changed_in_an_event_breaks_the_chain_and_the_rules(forger: Forger) -> None:
    position = forger.position_of("round_won")
    forger.alter(position, _one_chip_more)
    taken = forger.leaves()[position]["pub"]["transfers"][0][2]
    findings = forger.findings()
    rules, chain = of(findings, RULES), of(findings, "next_leaf_must_name_this_one")
    assert (rules.table, rules.position) == (name(FINISHED), position)
    assert (rules.expected, rules.found) == (str(taken - 1), str(taken))
    assert rules.detail.endswith(": transfers[0].amount")
    assert (chain.table, chain.position) == (name(FINISHED), position)


def test_the_last_leaf_altered_is_found_by_the_head_row(forger: Forger) -> None:
    last = max(forger.leaves())
    forger.alter(last, lambda leaf: leaf.update(at="2026-01-01T00:00:00.001Z"))
    (finding,) = forger.findings()
    assert (finding.table, finding.position) == (name(FINISHED), last)
    assert finding.check == "head_row_must_be_the_last_leaf"


def test_an_event_dropped_leaves_a_gap(forger: Forger) -> None:
    position = forger.position_of("antes_placed")
    forger.sql("DELETE FROM events WHERE stream_id = :id AND position = :position", position=position)
    finding = of(forger.findings(), "positions_must_run_on")
    assert (finding.table, finding.position, finding.expected) == (name(FINISHED), position, "an event")
    assert finding.found == f"nothing before {position + 1}"


def test_two_swapped_events_are_found_by_their_positions(forger: Forger) -> None:
    position = forger.position_of("antes_placed")
    statement = "UPDATE events SET position = :new WHERE stream_id = :id AND position = :old"
    for old, new in ((position, 99_999), (position + 1, position), (99_999, position + 1)):
        forger.sql(statement, old=old, new=new)
    swapped = [one for one in forger.findings() if one.check == "position_must_be_the_leafs"]
    assert [(one.position, one.found) for one in swapped] == [
        (position, f"position {position + 1}"),
        (position + 1, f"position {position}"),
    ]


def test_another_way_to_write_the_same_leaf_is_found(forger: Forger) -> None:
    spaced = canonical(forger.leaves()[3]).replace(b",", b", ", 1)
    forger.sql("UPDATE events SET leaf = :leaf WHERE stream_id = :id AND position = 3", leaf=spaced)
    finding = of(forger.findings(), "leaf_must_be_canonical")
    assert (finding.table, finding.position) == (name(FINISHED), 3)


@pytest.mark.parametrize("kind", ["deck_opened", "deck_fixed", "deck_revealed"])
def test_an_event_of_a_deck_is_read_even_if_its_leaf_is_not_canonical(forger: Forger, kind: str) -> None:
    position = forger.position_of(kind)
    reordered = dict(reversed(forger.leaves()[position].items()))
    forger.sql(
        "UPDATE events SET leaf = :leaf WHERE stream_id = :id AND position = :position",
        position=position,
        leaf=msgspec.json.encode(reordered),
    )
    assert {(one.check, one.position) for one in forger.findings()} == {
        ("leaf_must_be_canonical", position),
        ("next_leaf_must_name_this_one", position),
    }


def test_bytes_that_are_no_leaf_are_found_and_the_chain_after_them_is_still_checked(forger: Forger) -> None:
    forger.sql("UPDATE events SET leaf = :leaf WHERE stream_id = :id AND position = 3", leaf=b"{}")
    forger.sql("UPDATE events SET cmd = NULL WHERE stream_id = :id AND position = 5")
    findings = forger.findings()
    assert of(findings, "leaf_must_be_readable").position == 3
    assert of(findings, "cmd_column_must_be_the_leafs").position == 5


def test_a_command_in_the_row_of_a_consequence_is_found(forger: Forger) -> None:
    position = next(position for position, leaf in forger.leaves().items() if not leaf.get("cmd"))
    statement = "UPDATE events SET cmd = :cmd WHERE stream_id = :id AND position = :position"
    forger.sql(statement, position=position, cmd=bytes(range(14)))
    assert of(forger.findings(), "cmd_column_must_be_the_leafs").position == position


# The hash chain is valid: only the rules, the decks and the sealed values show the change.


def test_one_changed_chip_is_found_by_the_rules_even_in_a_chain_that_was_made_to_fit(forger: Forger) -> None:
    position = forger.position_of("round_won")
    forger.forge(position, _one_chip_more)
    findings = forger.findings()
    assert (findings[0].check, findings[0].position) == (RULES, position)
    assert "next_leaf_must_name_this_one" not in {finding.check for finding in findings}


def test_one_chip_changed_in_every_part_of_its_event_is_still_found_by_the_rules(forger: Forger) -> None:
    position = forger.position_of("seat_taken")
    forger.forge(position, _one_chip_more_of_all)
    finding = of(forger.findings(), RULES)
    assert finding.position == position
    assert finding.expected.startswith("refused, buy_in_must_be_the_tables: ")


def test_an_answer_with_another_number_of_chips_than_the_offer_is_found(forger: Forger) -> None:
    position = forger.position_of("upping_accepted")
    forger.forge(position, _one_chip_more_of_all)
    finding = of(forger.findings(), RULES)
    assert finding.position == position
    assert int(finding.found) == int(finding.expected) + 1


def test_a_consequence_dropped_is_missed_by_the_rules(forger: Forger) -> None:
    position = forger.position_of("centre_collected")
    forger.rechain(_without(forger, position))
    finding = of(forger.findings(), RULES)
    assert (finding.position, finding.expected, finding.found) == (position, "centre_collected", "antes_returned")


def test_a_decision_dropped_is_missed_by_the_rules(forger: Forger) -> None:
    position = forger.position_of("cards_held")
    assert forger.leaves()[position + 1].get("cmd"), "this decision has no consequence"
    forger.rechain(_without(forger, position))
    finding = of(forger.findings(), RULES)
    assert finding.position == position
    assert "turn_must_be_yours" in finding.expected


def test_consequences_swapped_are_found_by_the_rules(forger: Forger) -> None:
    position = forger.position_of("antes_placed")
    leaves = forger.leaves()
    leaves[position], leaves[position + 1] = leaves[position + 1], leaves[position]
    forger.rechain(leaves.values())
    finding = of(forger.findings(), RULES)
    assert (finding.position, finding.expected, finding.found) == (position, "antes_placed", "cards_dealt")


def test_the_end_of_a_command_cut_off_is_missed_by_the_rules(forger: Forger) -> None:
    position = forger.position_of("antes_returned", -1, LIVE)
    forger.rechain(list(forger.leaves(LIVE).values())[: position - 1], LIVE)
    finding = of(forger.findings(), RULES)
    assert (finding.table, finding.position) == (name(LIVE), position)
    assert (finding.expected, finding.found) == ("antes_returned", "nothing")


def test_a_missing_settlement_is_found_before_anybody_can_compute_it(forger: Forger) -> None:
    position = forger.position_of("cards_shown", -1, LIVE)
    leaves = list(forger.leaves(LIVE).values())[: position - 1]
    forger.rechain(leaves, LIVE)
    finding = of(forger.findings(), RULES)
    assert (finding.table, finding.position) == (name(LIVE), position)
    assert (finding.expected, finding.found) == (f"a consequence after {leaves[-1]['type']}", "nothing")


BY = {
    "a decision of another seat": ("seat_taken", "seat:3", "seat:1"),
    "a consequence of a player": ("antes_placed", "seat:3", "service"),
    "a table that its host did not open": ("table_opened", "seat:1", "host"),
}


@pytest.mark.parametrize("case", BY)
def test_an_event_with_a_false_author_is_found(forger: Forger, case: str) -> None:
    kind, by, expected = BY[case]
    position = forger.position_of(kind)
    forger.forge(position, lambda leaf: leaf.update(by=by))
    finding = of(forger.findings(), RULES)
    assert (finding.position, finding.expected, finding.found) == (position, expected, by)
    assert finding.detail.endswith(": by")


def test_a_players_choice_recorded_as_a_called_time_is_found(forger: Forger) -> None:
    position = forger.position_of("hand_thrown_in")
    forger.forge(position, lambda leaf: leaf.update(by="service"))
    finding = of(forger.findings(), RULES)
    assert (finding.position, finding.expected, finding.found) == (position, "cards_held", "hand_thrown_in")


def test_a_decision_without_a_command_is_found(forger: Forger) -> None:
    position = forger.position_of("cards_held")
    forger.forge(position, lambda leaf: leaf.pop("cmd"))
    finding = of(forger.findings(), RULES)
    assert (finding.position, finding.expected, finding.found) == (position, "a command's id", "nothing")


def test_a_command_recorded_twice_is_found(forger: Forger) -> None:
    first, second = (forger.position_of("cards_held", number) for number in (0, 1))
    cmd = forger.leaves()[first]["cmd"]
    forger.alter(second, lambda leaf: leaf.update(cmd=cmd))
    finding = of(forger.findings(), "command_must_be_recorded_once")
    assert (finding.position, finding.found) == (second, cmd)


def test_a_leaf_of_another_stream_is_found(forger: Forger) -> None:
    forger.forge(5, lambda leaf: leaf.update(stream=f"table/{name(LIVE)}"))
    (finding,) = forger.findings()
    assert (finding.table, finding.position) == (name(FINISHED), 5)
    assert (finding.expected, finding.found) == (f"table/{name(FINISHED)}", f"table/{name(LIVE)}")


# Cards and decks.


def test_an_altered_face_does_not_fit_the_deck(forger: Forger) -> None:
    position = forger.position_of("cards_shown", 1)
    card = forger.leaves()[position]["pub"]["cards"][0]
    other = _another(card["face"])
    forger.forge(position, lambda leaf: leaf["pub"]["cards"][0].update(face=other))
    findings = forger.findings()
    finding = of(findings, "face_must_be_the_decks")
    assert (finding.table, finding.position) == (name(FINISHED), position)
    assert (finding.expected, finding.found) == (card["face"], other)
    assert of(findings, RULES).position == position


def test_an_altered_salt_does_not_fit_the_deck(forger: Forger) -> None:
    position = forger.position_of("upturned_exposed")
    forger.forge(position, lambda leaf: leaf["pub"].update(salt="0" * 64))
    assert of(forger.findings(), "salt_must_be_the_decks").position == position


def test_an_altered_face_of_a_live_deck_is_found_and_the_right_face_is_not_shown(forger: Forger) -> None:
    position = forger.position_of("cards_shown", -1, LIVE)
    face = forger.leaves(LIVE)[position]["pub"]["cards"][0]["face"]
    forger.forge(position, lambda leaf: leaf["pub"]["cards"][0].update(face=_another(face)), LIVE)
    finding = of(forger.findings(), "face_must_be_the_decks")
    assert (finding.table, finding.position, finding.found) == (name(LIVE), position, _another(face))
    assert finding.expected == "another value, which is not public yet"


def test_one_chip_changed_in_a_live_hand_is_found_from_the_faces_that_were_shown(forger: Forger) -> None:
    position = forger.position_of("round_won", -1, LIVE)
    forger.forge(position, _one_chip_more, LIVE)
    assert (of(forger.findings(), RULES).table, of(forger.findings(), RULES).position) == (name(LIVE), position)


def test_cards_dealt_from_below_do_not_follow_the_deck(forger: Forger) -> None:
    position = forger.position_of("cards_dealt", 3)
    forger.forge(position, lambda leaf: leaf["pub"]["cards"][0].__setitem__(0, 51))
    findings = forger.findings()
    assert of(findings, "deal_must_follow_the_deck").position == of(findings, RULES).position == position


def test_used_cards_put_under_the_deck_in_another_order_are_found(forger: Forger) -> None:
    position = forger.position_of("cards_bottomed")
    forger.forge(position, lambda leaf: leaf["pub"]["positions"].reverse())
    assert of(forger.findings(), RULES).position == position


def test_a_card_put_under_the_deck_that_was_never_dealt_is_found(forger: Forger) -> None:
    position = forger.position_of("cards_bottomed")
    forger.forge(position, lambda leaf: leaf["pub"]["positions"].__setitem__(0, 51))
    assert of(forger.findings(), "bottomed_cards_must_be_used").position == position


def test_a_ritual_that_leaves_other_cards_is_found(forger: Forger) -> None:
    position = forger.position_of("card_upturned")
    forger.forge(position, lambda leaf: leaf["pub"]["order"].__setitem__(0, 8))
    assert of(forger.findings(), "order_must_be_of_the_same_cards").position == position


def test_an_altered_commitment_does_not_fit_the_seed(forger: Forger) -> None:
    position = forger.position_of("deck_opened", 2)
    forger.forge(position, lambda leaf: leaf["pub"].update(server_commit="0" * 64))
    findings = forger.findings()
    revealed = of(findings, "server_commit_must_bind_the_seed")
    assert revealed.position == forger.position_of("deck_revealed", 2)
    assert revealed.expected == f"a seed with the commitment {'0' * 64}"
    assert of(findings, "sealed_value_must_be_committed_to").position == position


def test_another_revealed_seed_does_not_fit_the_commitment(forger: Forger) -> None:
    position = forger.position_of("deck_revealed", 2)
    forger.forge(position, lambda leaf: leaf["pub"].update(server_seed="0" * 64))
    findings = forger.findings()
    assert of(findings, "server_commit_must_bind_the_seed").position == position
    assert of(findings, RULES).position == forger.position_of("deck_fixed", 2)


@pytest.mark.parametrize("stream_id", [FINISHED, LIVE])
@pytest.mark.parametrize("member", ["transcript", "deck_root"])
def test_another_fixed_deck_does_not_follow_from_the_seeds(forger: Forger, member: str, stream_id: bytes) -> None:
    position = forger.position_of("deck_fixed", -1, stream_id)
    forger.forge(position, lambda leaf: leaf["pub"].update({member: "0" * 64}), stream_id)
    finding = of(forger.findings(), "fixed_deck_must_be_the_seeds")
    assert (finding.table, finding.position, finding.found) == (name(stream_id), position, "0" * 64)


def test_a_retired_deck_that_is_not_revealed_is_found(forger: Forger) -> None:
    position = forger.position_of("deck_revealed", 1, LIVE)
    epoch = forger.leaves(LIVE)[position]["pub"]["epoch"]
    forger.rechain(_without(forger, position, LIVE), LIVE)
    findings = forger.findings()
    finding = of(findings, "retired_deck_must_be_told")
    assert finding.position == forger.position_of("deck_opened", 1, LIVE)
    assert (finding.expected, finding.found, finding.detail) == (
        "revealed once it is retired",
        "not revealed",
        f"{epoch}: epoch",
    )
    assert of(findings, RULES).position == position
    assert of(findings, RULES).expected == "deck_revealed"


def test_an_epoch_opened_twice_is_found(forger: Forger) -> None:
    epoch = forger.leaves()[forger.position_of("deck_opened", 1)]["pub"]["epoch"]
    position = forger.position_of("deck_opened", 2)
    forger.forge(position, lambda leaf: leaf["pub"].update(epoch=epoch))
    finding = of(forger.findings(), "epoch_must_be_opened_once")
    assert (finding.position, finding.found) == (position, epoch)


DECKS: dict[str, tuple[str, int, str, dict[str, object]]] = {
    "a pack of another kind": ("deck_opened", 1, "pack_must_be_the_games", {"input_id": "0" * 64}),
    "a pack of another size": ("deck_opened", 1, "pack_must_be_the_games", {"n": 51}),
    "a fixed deck that was not in reserve": (
        "deck_fixed",
        1,
        "deck_must_be_in_reserve",
        {"epoch": f"{name(FINISHED)}/1"},
    ),
    "a deck revealed that was never fixed": (
        "deck_revealed",
        1,
        "seed_must_be_told_once",
        {"epoch": f"{name(FINISHED)}/9"},
    ),
    "a deck revealed twice": ("deck_revealed", 1, "seed_must_be_told_once", {"epoch": f"{name(FINISHED)}/1"}),
    "a fixed deck revealed as unused": ("deck_unused", 0, "seed_must_be_told_once", {"epoch": f"{name(FINISHED)}/2"}),
    "a deal from another deck": (
        "cards_dealt",
        5,
        "deal_must_be_from_the_deck_in_play",
        {"epoch": f"{name(FINISHED)}/1"},
    ),
    "a face of a deck that is not fixed": (
        "cards_shown",
        1,
        "face_must_be_of_a_fixed_deck",
        {"epoch": f"{name(FINISHED)}/9"},
    ),
}


@pytest.mark.parametrize("case", DECKS)
def test_a_deck_with_events_out_of_order_is_found(forger: Forger, case: str) -> None:
    kind, number, check, members = DECKS[case]
    position = forger.position_of(kind, number)
    forger.forge(position, lambda leaf: leaf["pub"].update(members))
    finding = of(forger.findings(), check)
    assert (finding.table, finding.position) == (name(FINISHED), position)


def test_a_commitment_used_twice_is_found(forger: Forger) -> None:
    commit = forger.leaves()[forger.position_of("deck_opened", 1)]["pub"]["server_commit"]
    position = forger.position_of("deck_opened", 2)
    forger.forge(position, lambda leaf: leaf["pub"].update(server_commit=commit))
    assert of(forger.findings(), "server_commit_must_be_new").position == position


# The sealed store.


@pytest.mark.parametrize("stream_id", [FINISHED, LIVE])
def test_a_sealed_seed_altered_is_found(forger: Forger, stream_id: bytes) -> None:
    position = forger.position_of("deck_opened", -1, stream_id)
    statement = "UPDATE sealed SET ciphertext = :other WHERE stream_id = :id AND position = :position"
    forger.sql(statement, id=stream_id, position=position, other=bytes(48))
    (finding,) = forger.findings()
    assert (finding.table, finding.position, finding.detail) == (name(stream_id), position, "server_seed")
    assert finding.check == "sealed_value_must_be_committed_to"
    assert finding.expected == "the seed as it was sealed"


@pytest.mark.parametrize("number", [-2, -1], ids=["in play", "in reserve"])
def test_a_sealed_seed_of_a_live_deck_that_is_removed_is_an_alarm(forger: Forger, number: int) -> None:
    position = forger.position_of("deck_opened", number, LIVE)
    forger.sql("DELETE FROM sealed WHERE stream_id = :id AND position = :position", id=LIVE, position=position)
    report = forger.verify()
    assert report.has_failed
    assert dict(report.tables) == {Verdict.CLEAN: 1, Verdict.FAILED: 1}
    (finding,) = report.findings
    assert (finding.table, finding.position, finding.detail) == (name(LIVE), position, "server_seed")
    assert (finding.check, finding.verdict) == ("sealed_value_must_be_kept", Verdict.FAILED)


def test_all_hands_of_a_deck_fail_if_the_seed_of_the_deck_was_removed(forger: Forger) -> None:
    before = forger.verify().hands
    position = forger.position_of("deck_opened", -2, LIVE)
    forger.sql("DELETE FROM sealed WHERE stream_id = :id AND position = :position", id=LIVE, position=position)
    assert forger.verify().hands[Verdict.FAILED] >= before[Verdict.PENDING] > 1


def test_a_sealed_seed_that_is_removed_after_its_reveal_is_found(forger: Forger) -> None:
    position = forger.position_of("deck_opened", 1)
    forger.sql("DELETE FROM sealed WHERE stream_id = :id AND position = :position", position=position)
    finding = of(forger.findings(), "sealed_value_must_be_kept")
    assert (finding.position, finding.verdict) == (position, Verdict.FAILED)


# Head rows and projections.


def test_a_head_row_altered_is_found(forger: Forger) -> None:
    last = max(forger.leaves(LIVE))
    forger.sql("UPDATE streams SET head = head + 1 WHERE stream_id = :id", id=LIVE)
    (finding,) = forger.findings()
    assert (finding.table, finding.position) == (name(LIVE), last)
    assert finding.check == "head_row_must_be_the_last_leaf"
    assert finding.expected.startswith(f"position {last},")
    assert finding.found.startswith(f"position {last + 1},")


def test_a_head_row_dropped_is_found(forger: Forger) -> None:
    forger.sql("DELETE FROM streams WHERE stream_id = :id", id=LIVE)
    (finding,) = forger.findings()
    assert (finding.table, finding.check) == (name(LIVE), "head_row_must_be_the_last_leaf")
    assert finding.found == "nothing"


def test_rows_of_a_table_that_has_no_events_are_found(forger: Forger) -> None:
    other = b"x" * 16
    forger.sql("UPDATE seats SET stream_id = :other WHERE stream_id = :id AND seat = 2", id=LIVE, other=other)
    of_nobody = [one.check for one in forger.findings() if one.table == name(other)]
    assert of_nobody == ["seats_must_equal_a_rebuild", "head_row_must_be_the_last_leaf"]


ALTERED: dict[str, tuple[str, Callable[[Forger], int], str, str]] = {
    "transfers": ("amount = 13 WHERE position = 3", lambda _: 3, "amount 12", "amount 13"),
    "transfers, a balance": (
        "target_balance = 9 WHERE position = 3",
        lambda _: 3,
        "target_balance 12",
        "target_balance 9",
    ),
    "transfers, an account": ("target = 'centre' WHERE position = 3", lambda _: 3, "target stack:1", "target centre"),
    "seats": ("player = 'me' WHERE seat = 2", lambda forger: max(forger.leaves()), f"player own_{2:032x}", "player me"),
    "hands": ("first = 1 WHERE hand = 1", lambda forger: forger.position_of("round_ended"), "first 16", "first 1"),
    "tables": (
        "status = 'open' WHERE seats = 3",
        lambda forger: max(forger.leaves()),
        "status finished",
        "status open",
    ),
}


@pytest.mark.parametrize("row", ALTERED)
def test_a_row_of_a_projection_altered_is_found(forger: Forger, row: str) -> None:
    change, position, expected, there = ALTERED[row]
    table = row.split(",", maxsplit=1)[0]
    forger.sql(f"UPDATE {table} SET {change} AND stream_id = :id")  # noqa: S608
    (finding,) = forger.findings()
    assert (finding.table, finding.position) == (name(FINISHED), position(forger))
    assert finding.check == f"{table}_must_equal_a_rebuild"
    assert (finding.expected, finding.found) == (expected, there)


KEYS = {"transfers": "position = 3", "seats": "seat = 2", "hands": "hand = 2", "tables": "seats = 3"}


@pytest.mark.parametrize("table", KEYS)
def test_a_row_of_a_projection_dropped_is_found(forger: Forger, table: str) -> None:
    forger.sql(f"DELETE FROM {table} WHERE stream_id = :id AND {KEYS[table]}")  # noqa: S608
    (finding,) = forger.findings()
    assert (finding.table, finding.check) == (name(FINISHED), f"{table}_must_equal_a_rebuild")
    assert finding.found == "nothing"


@pytest.mark.parametrize(
    ("table", "key"), [("transfers", "position = 9999"), ("seats", "seat = 9"), ("hands", "hand = 99")]
)
def test_a_surplus_row_of_a_projection_is_found(forger: Forger, table: str, key: str) -> None:
    forger.sql(f"UPDATE {table} SET {key} WHERE stream_id = :id AND {KEYS[table]}")  # noqa: S608
    missing, surplus = forger.findings()
    assert missing.check == surplus.check == f"{table}_must_equal_a_rebuild"
    assert missing.found == surplus.expected == "nothing"
    assert key.replace("= ", "") in surplus.detail


# The audit cannot find these changes from the stored data alone; it needs receipts, or a tree of all leaves.


def test_a_stream_cut_between_two_commands_is_not_found_without_receipts(forger: Forger) -> None:
    leaves = forger.leaves(LIVE)
    last = max(position for position, leaf in leaves.items() if leaf.get("cmd"))
    assert leaves[last]["type"] == "card_exchanged"
    forger.rechain(list(leaves.values())[: last - 1], LIVE)
    assert not forger.verify().findings


def test_another_choice_without_consequences_is_not_found_without_its_receipt(forger: Forger) -> None:
    position = max(position for position, leaf in forger.leaves(LIVE).items() if leaf.get("cmd"))
    card = forger.leaves(LIVE)[position]["pub"]["card"]
    forger.forge(position, lambda leaf: leaf["pub"].update(card=3 - card), LIVE)
    assert not forger.verify().findings


def _one_chip_more(leaf: Leaf) -> None:
    leaf["pub"]["transfers"][0][2] += 1


def _one_chip_more_of_all(leaf: Leaf) -> None:
    _one_chip_more(leaf)
    leaf["pub"]["chips"] += 1


def _another(face: str) -> str:
    return {"A": "2"}.get(face[0], "A") + face[1]


def _without(forger: Forger, position: int, stream_id: bytes = FINISHED) -> list[Leaf]:
    return [leaf for place, leaf in forger.leaves(stream_id).items() if place != position]
