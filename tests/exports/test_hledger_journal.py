"""hledger reads a journal, the journal agrees with all our balances, and each transaction names its event."""

import re
from pathlib import Path

import pytest

from tests.exports.hledger import hledger
from tests.exports.played_tables import World, sums_of_hledger, sums_of_journal
from tests.http.service import Table, accepted


def test_hledger_accepts_the_journal_and_finds_every_balance_of_ours(world: World, tmp_path: Path) -> None:
    said = world.export("hledger")
    assert (said.code, said.err) == (0, "")
    journal = tmp_path / "all.journal"
    journal.write_text(said.out)
    hledger(journal, "check", "--strict")
    found = sums_of_hledger(hledger(journal, "balance", "--flat", "--output-format", "json"))
    assert found == world.balances()
    assert {unit for _, _, unit in found} == {"chips", "points"}
    assert any("adjustment:" in account for _, account, _ in found)


def test_each_transaction_sums_to_zero_and_each_asserted_balance_is_the_sum_so_far(world: World) -> None:
    said = world.export("hledger")
    found, transactions = sums_of_journal(said.out)
    assert found == world.balances()
    assert said.out.endswith(f"; The end: {transactions} transactions of 3 tables; whole.\n")


def test_each_transaction_names_its_rule_ruling_time_hand_and_event(world: World) -> None:
    table = world.tables["bankrupt"]
    journal = world.export("hledger", "--table", table.id).out
    paid = [
        (payout["position"], payout["payout"]["rule"], payout["payout"]["ruling"], hand)
        for hand in range(1, 9)
        for payout in accepted(table.host.get(f"{table.path}/hands/{hand}")).json["payouts"]
        if payout["payout"]["amount"]
    ]
    tags = re.compile(r", rule:([^,]*), ruling:([^,]*), time:2[^,]*Z, hand:([1-8]), position:(\d+), event:")
    found = [(int(at), rule, ruling, int(hand)) for rule, ruling, hand, at in tags.findall(journal)]
    assert found == paid
    assert re.search(r", rule:G\.3, time:2[^,]*Z, dispute:1, position:\d+, event:correction_approved, by:", journal)


def test_hledger_values_chips_at_their_worth_and_finds_the_postings_of_an_owner(world: World, tmp_path: Path) -> None:
    table = world.tables["bankrupt"]
    journal = tmp_path / "one.journal"
    journal.write_text(world.export("hledger", "--table", table.id).out)
    stacks = sums_of_hledger(hledger(journal, "balance", "--flat", "stack:1", "--value=end", "-O", "json"))
    chips = world.balances()[table.id, "stack:1", "chips"]
    assert stacks == {(table.id, "stack:1", "USD minor"): chips * 10}
    owner = table.players[1].owner
    own = sums_of_hledger(hledger(journal, "balance", "--flat", f"tag:owner={owner}", "-O", "json"))
    assert {account for _, account, _ in own} >= {"stack:1", f"adjustment:{owner}"}
    assert own[table.id, "stack:1", "chips"] == chips


@pytest.mark.parametrize("game", ["bankrupt", "insurance_hearts"])
def test_a_journal_of_a_later_time_opens_with_the_balances_before_it(world: World, tmp_path: Path, game: str) -> None:
    table = world.tables[game]
    whole = world.export("hledger", "--table", table.id).out
    times = sorted(set(re.findall("time:(2[^,\n]*Z)", whole)))
    since = times[len(times) // 2]
    later = world.export("hledger", "--table", table.id, "--from", since).out
    earlier = world.export("hledger", "--table", table.id, "--to", since).out
    assert "opening balances" in later
    assert sums_of_journal(later)[0] == sums_of_journal(whole)[0]
    moved = sum(" * (" in line for line in (earlier + later).splitlines())
    assert moved == sum(" * (" in line for line in whole.splitlines())
    journal = tmp_path / "later.journal"
    journal.write_text(later)
    hledger(journal, "check", "--strict")
    for player in table.players.values():
        own = sums_of_hledger(hledger(journal, "balance", "--flat", f"tag:owner={player.owner}", "-O", "json"))
        assert own == {name: left for name, left in world.balances().items() if _is_of(player.owner, table, name)}
    after_all = world.export("hledger", "--table", table.id, "--from", "2999-01-01").out
    assert sums_of_journal(after_all)[0] == sums_of_journal(whole)[0]


def _is_of(owner: str, table: Table, name: tuple[str, str, str]) -> bool:
    seat = next(number for number, player in table.players.items() if player.owner == owner)
    return name[0] == table.id and (name[1].endswith(f":{seat}") or name[1] == f"adjustment:{owner}")


def test_the_first_millisecond_of_a_journal_is_not_before_the_chosen_time(world: World) -> None:
    table = world.tables["bankrupt"]
    first = re.findall("time:(2[^,\n]*)Z", world.export("hledger", "--table", table.id).out)[0]
    journals = [
        world.export("csv", "--table", table.id, "--from", f"{first}{more}Z").out for more in ("", "000", "001")
    ]
    assert journals[0] == journals[1]
    assert [f"{first}Z" in one for one in journals] == [True, True, False]


def test_an_owner_who_has_left_still_has_the_whole_table(world: World) -> None:
    table = world.tables["insurance"]
    whole = world.export("hledger", "--table", table.id).out
    of_owner = world.export("hledger", "--owner", world.left).out
    assert of_owner == whole
    assert "; The end: 0 transactions of 0 tables; whole." in world.export("hledger", "--owner", f"own_{'f' * 32}").out
