"""Tables whose export has everything: chips with and without a worth, points, a correction, a player who left."""

import csv
import io
import json
import re
from collections import Counter
from http.client import OK
from random import Random
from typing import Any, NamedTuple

from tests.cli.commands import Instance, Said
from tests.disputes.complaints import Desk
from tests.dossier.made import play
from tests.http.service import Service, Table, accepted
from tests.play.hearts import ALL_RULES

Balances = dict[tuple[str, str, str], int]
"""Balances by table, account and unit; accounts with the balance 0 are left out."""


class World(NamedTuple):
    """An instance, a service on it, and the tables by game; *left* is the player who left the table of Insurance."""

    instance: Instance
    service: Service
    tables: dict[str, Table]
    left: str

    def export(self, form: str, *more: str) -> Said:
        return self.instance.run("export", "--format", form, *more)

    def balances(self, *, adjusted: bool = True) -> Balances:
        """Return the API's balances that are not 0; if *adjusted* is True, also the adjustments of owners."""
        found: Balances = {}
        for table in self.tables.values():
            answer = accepted(table.host.get(f"{table.path}/balances")).json
            for account, balance in answer["balances"].items():
                unit = "points" if account.split(":")[0] in {"pool", "score"} else "chips"
                found[table.id, account, unit] = balance
            for one in answer["owners"] if adjusted else ():
                found[table.id, f"adjustment:{one['owner']}", one["unit"]] = one["adjustments"]
        return {name: balance for name, balance in found.items() if balance}


def played(service: Service, instance: Instance) -> World:
    """Play some hands of each game; dispute and correct one hand in each of two games; let a player leave Insurance."""
    rules: dict[str, Any] = {**ALL_RULES, "target": 60}
    tables = {
        "bankrupt": Table(service, 3, buy_in=40, worth={"currency": "USD", "minor": 10}).started(),
        "insurance": Table(service, 3, game="insurance", buy_in=60).started(),
        "insurance_hearts": Table(service, 4, game="insurance_hearts", **rules).started(),
    }
    for name, table in tables.items():
        play(service, table, 9 if name == "bankrupt" else 3, Random(name))
    Desk(tables["bankrupt"]).corrected()
    Desk(tables["insurance_hearts"], unit="points").corrected()
    return World(instance, service, tables, _leave(service, tables["insurance"]))


def _leave(service: Service, table: Table) -> str:
    for number in range(4, 9):
        for player in table.players.values():
            if player.do(table.path, "leave_seat").status_code == OK:
                return player.owner
        play(service, table, number, Random(f"{number}"))
    raise AssertionError("Nobody may leave.")


def rows_of(text: str) -> list[dict[str, str]]:
    """Return the rows of a whole sheet of CSV, without its last row."""
    *rows, last = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    assert last["record"] == "end"
    assert last["note"].startswith(f"whole: {len(rows)} rows of"), last
    return rows


def sums_of_journal(journal: str) -> tuple[Balances, int]:
    """Check the sums and the asserted balances of a journal; return the balances, and the number of transactions.

    Each posting of a transaction has four spaces, its account, two spaces, and its amount with the balance after it.
    """
    found: Counter[tuple[str, str, str]] = Counter()
    transactions = 0
    for block in journal.split("\n\n"):
        added: Counter[str] = Counter()
        for line in block.splitlines():
            if line.startswith("    "):
                account, _, rest = line.strip().partition("  ")
                amount, _, asserted = rest.partition("  ;")[0].partition(" = ")
                number, _, unit = amount.strip().partition(" ")
                root, table, own = account.split(":", 2)
                assert root == "tables"
                added[unit] += int(number)
                found[table, own, unit] += int(number)
                assert asserted.strip() == f"{found[table, own, unit]} {unit}", line
        assert not any(added.values()), block
        transactions += bool(added)
    plain = {
        (table, own, "chips" if "chips" in unit else unit): balance
        for (table, own, unit), balance in found.items()
        if balance
    }
    return plain, transactions


def sums_of_hledger(balances: str) -> Balances:
    """Return the balances in the output of `hledger balance --output-format json`."""
    rows, _ = json.loads(balances)
    found: Balances = {}
    for _, account, _, amounts in rows:
        root, table, own = account.split(":", 2)
        assert root == "tables"
        for one in amounts:
            unit = "chips" if "chips" in one["acommodity"] else one["acommodity"]
            found[table, own, unit] = one["aquantity"]["decimalMantissa"]
            assert one["aquantity"]["decimalPlaces"] == 0
    return {name: balance for name, balance in found.items() if balance}


def faces_of(history: str) -> list[str]:
    """Return the faces of the cards that were dealt, as a hand history has them, sorted."""
    told = re.search("Cards dealt: (.*?)[.]\nDecisions", history, re.DOTALL)
    assert told
    return sorted(re.findall(r"\b[2-9TJQKA][cdhs]\b|[?]{2}", told[1]))
