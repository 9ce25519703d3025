"""The sheets of CSV agree with the API, and say that they are whole."""

from collections import defaultdict

from tests.exports.played_tables import Balances, World, rows_of
from tests.http.service import accepted

CHIPS, POINTS = "amount_chips", "amount_points"


def test_the_transfers_add_up_to_every_balance_and_each_amount_is_in_the_column_of_its_unit(world: World) -> None:
    found: Balances = defaultdict(int)
    for row in rows_of(world.export("csv").out):
        assert (row[CHIPS] == "") != (row[POINTS] == "")
        unit = "chips" if row[CHIPS] else "points"
        found[row["table"], row["source"], unit] -= int(row[CHIPS] or row[POINTS])
        found[row["table"], row["target"], unit] += int(row[CHIPS] or row[POINTS])
        worth = ("10", "USD") if row["game"] == "bankrupt" else ("", "")
        assert (row["chip_worth_minor_units"], row["currency"]) == worth
    assert {name: balance for name, balance in found.items() if balance} == world.balances()


def test_a_statement_has_the_postings_of_each_account_as_the_api_lists_them(world: World) -> None:
    for table in world.tables.values():
        rows = rows_of(world.export("csv", "--sheet", "statements", "--table", table.id).out)
        for account in accepted(table.host.get(f"{table.path}/balances")).json["balances"]:
            postings = accepted(table.host.get(f"{table.path}/accounts/{account}/postings?limit=1000")).json["items"]
            ours = [
                (row["position"], row["ordinal"], row["counterparty"], row[amount], row[balance], row["rule"])
                for row in rows
                if row["account"] == account
                for amount, balance in [(CHIPS, "balance_chips") if row[CHIPS] else (POINTS, "balance_points")]
            ]
            assert ours == [
                tuple(str(one[name]) for name in ("position", "ordinal", "counterparty", "amount", "balance", "rule"))
                for one in postings
            ]


def test_the_hands_have_each_seat_with_what_the_api_says_of_it(world: World) -> None:
    for name, table in world.tables.items():
        unit = "points" if name == "insurance_hearts" else "chips"
        rows = rows_of(world.export("csv", "--sheet", "hands", "--table", table.id).out)
        assert rows
        for row in rows:
            hand = accepted(table.host.get(f"{table.path}/hands/{row['hand']}")).json
            (seat,) = [one for one in hand["seats"] if str(one["seat"]) == row["seat"]]
            amounts = [row[f"{part}_{unit}"] for part in ("opening", "net", "closing")]
            assert amounts == [str(seat[part]) for part in ("opening", "net", "closing")]
            assert (row["first_position"], row["last_position"]) == (str(hand["first"]), str(hand["last"]))
            assert row["owner"] == table.players[seat["seat"]].owner
        hands = accepted(table.host.get(f"{table.path}/hands")).json["items"]
        assert {row["hand"] for row in rows} == {str(one["hand"]) for one in hands if one["is_settled"]}


def test_the_sheets_of_an_owner_have_only_what_is_the_owners(world: World) -> None:
    owner = world.tables["bankrupt"].players[1].owner
    of_owner = {sheet: rows_of(world.export("csv", "--sheet", sheet, "--owner", owner).out) for sheet in SHEETS}
    of_all = {sheet: rows_of(world.export("csv", "--sheet", sheet).out) for sheet in SHEETS}
    for sheet, names in SHEETS.items():
        assert of_owner[sheet]
        assert of_owner[sheet] == [row for row in of_all[sheet] if owner in {row[name] for name in names}]
    assert {row["account"] for row in of_owner["statements"]} == {"stack:1", "ante:1", "offer:1", f"adjustment:{owner}"}


SHEETS = {"transfers": ("source_owner", "target_owner"), "statements": ("owner",), "hands": ("owner",)}
