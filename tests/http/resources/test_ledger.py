"""Balances, now and at earlier positions; flows; and statements: every posting with its rule and its event."""

from collections import Counter
from typing import Any

import pytest

from service.ledger import HOUSE, Transfer, account_seat, book
from tests.http.service import Service, Table, accepted, refused


@pytest.fixture
def table(service: Service) -> Table:
    """Return a table at which a hand was played to its end."""
    made = Table(service, 3, buy_in=30).dealt()
    for type_ in ("hold_cards", "throw_in", "hold_cards"):
        accepted(made.due.do(made.path, type_))
    accepted(made.due.do(made.path, "offer_upping", chips=2))
    accepted(made.due.do(made.path, "accept_upping"))
    while made.view()["hand_is_running"]:
        accepted(made.due.do(made.path, "pass_upping"))
    return made


def _leaves(table: Table) -> list[Any]:
    return [item["leaf"] for item in accepted(table.host.get(f"{table.path}/events?limit=1000")).json["items"]]


def test_balances_at_every_position_follow_from_the_events_up_to_the_position(table: Table) -> None:
    balances: Any = {}
    for leaf in _leaves(table):
        balances, _ = book(balances, [Transfer(*one) for one in leaf["pub"].get("transfers", ())])
        answer = accepted(table.host.get(f"{table.path}/balances?at={leaf['position']}"))
        told = answer.json
        owners = told.pop("owners")
        assert told == {"position": leaf["position"], "balances": dict(sorted(balances.items()))}
        unowned = sum(held for name, held in balances.items() if name != HOUSE and not account_seat(name))
        assert sum(one["winnings"] for one in owners) == -unowned
        assert answer.headers["ETag"] == f'"{leaf["position"]}"'
    assert accepted(table.host.get(f"{table.path}/balances")).json["balances"] == dict(sorted(balances.items()))
    assert table.view()["balances"] == balances
    refused(table.host.get(f"{table.path}/balances?at={table.position + 1}"), 404, "position_must_exist")


def test_flows_are_the_sums_of_the_transfers_between_two_accounts(table: Table) -> None:
    hand = accepted(table.host.get(f"{table.path}/hands")).json["items"][0]
    for query, first, last in (("", 1, table.position), ("?hand=1", hand["first"], hand["last"])):
        sums: Counter[tuple[str, str, str]] = Counter()
        for leaf in _leaves(table):
            if first <= leaf["position"] <= last:
                for source, target, amount, unit, _ in leaf["pub"].get("transfers", ()):
                    sums[source, target, unit] += amount
        found = accepted(table.host.get(f"{table.path}/flows{query}")).json
        assert (found["first"], found["last"]) == (first, last)
        assert {(one["source"], one["target"], one["unit"]): one["amount"] for one in found["items"]} == sums
        assert sums
    refused(table.host.get(f"{table.path}/flows?hand=9"), 404, "hand_must_exist")


@pytest.mark.walk
def test_a_statement_has_every_posting_of_its_account(table: Table) -> None:
    for account, balance in table.view()["balances"].items():
        lines = _statement(table, account, 1000)
        assert sum(line["amount"] for line in lines) == lines[-1]["balance"] == balance
        expected = [
            (leaf["position"], leaf["type"], *_leg(transfer, account))
            for leaf in _leaves(table)
            for transfer in leaf["pub"].get("transfers", ())
            if account in transfer[:2]
        ]
        members = ("position", "type", "counterparty", "amount", "unit", "rule")
        assert [tuple(line[member] for member in members) for line in lines] == expected


def _leg(transfer: list[Any], account: str) -> tuple[str, int, str, str]:
    source, target, amount, unit, rule = transfer
    return (target, -amount, unit, rule) if source == account else (source, amount, unit, rule)


def test_a_statement_is_also_read_page_by_page_within_one_event(table: Table) -> None:
    assert _statement(table, "house", 1) == _statement(table, "house", 1000)
    assert _statement(table, "centre", 1) == _statement(table, "centre", 1000)
    assert len({line["position"] for line in _statement(table, "centre", 1)}) < len(_statement(table, "centre", 1))


def _statement(table: Table, account: str, limit: int) -> list[Any]:
    path = f"{table.path}/accounts/{account}/postings?limit={limit}"
    lines: list[Any] = []
    while path:
        answer = accepted(table.host.get(path))
        assert answer.json["account"] == account
        lines += answer.json["items"]
        path = answer.headers["Link"].partition(">")[0].lstrip("<") if "Link" in answer.headers else ""
    return lines


def test_a_line_names_its_event_by_its_hash(table: Table) -> None:
    items = accepted(table.host.get(f"{table.path}/events?limit=1000")).json["items"]
    hashes = {item["leaf"]["position"]: item["hash"] for item in items}
    lines = _statement(table, "stack:1", 100)
    assert [line["hash"] for line in lines] == [hashes[line["position"]] for line in lines]
    assert (lines[0]["rule"], lines[0]["counterparty"], lines[0]["amount"]) == ("G.7", "house", 30)


def test_an_account_that_was_never_used_is_not_found(table: Table) -> None:
    for account in ("stack:9", "score:1", "pool", "STACK:1", "stack:1;--"):
        refused(table.host.get(f"{table.path}/accounts/{account}/postings"), 404, "account_must_exist")
    details = refused(table.host.get(f"{table.path}/accounts/house/postings?after=x"), 422, _SHAPE)
    assert details["errors"][0]["parameter"] == "after"


_SHAPE = "request_must_have_its_shape"


def test_a_score_has_its_statement_before_the_first_point(quick_service: Service) -> None:
    table = Table(quick_service, 4, game="insurance_hearts").started()
    assert table.view()["balances"] == {"pool": 0, "score:1": 0, "score:2": 0, "score:3": 0, "score:4": 0}
    assert accepted(table.host.get(f"{table.path}/accounts/score:1/postings")).json["items"] == []
    refused(table.host.get(f"{table.path}/accounts/stack:1/postings"), 404, "account_must_exist")
