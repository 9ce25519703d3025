"""`/tables/{table}/accounts` and `…/{account}`: the balances of a table, and the statement of an account."""

from collections.abc import Iterator
from typing import Any, Final

from flask import Blueprint, render_template, request

from service.ledger import unit_of
from service.web.asking.viewer import ask
from service.web.drawing import rule_links
from service.web.drawing.plots.balance_line import balance_line

pages = Blueprint("accounts_page", __name__)

_DRAWN: Final = 10_000
_AT_ONCE: Final = 1_000
_LINES: Final = 100


@pages.get("/tables/<table>/accounts")
def get_accounts_page(table: str) -> str:
    """Return the page with the balances of all accounts of a table."""
    at = request.args.get("at", "")
    ledger = ask(f"/v1/tables/{table}/balances", {"at": at})
    return render_template(
        "figures/accounts.html",
        table=ask(f"/v1/tables/{table}"),
        ledger=ledger,
        units={account: unit_of(account) for account in ledger["balances"]},
    )


@pages.get("/tables/<table>/accounts/<account>")
def get_account_page(table: str, account: str) -> str:
    """Return the page with the statement of an account: a plot of its balance, and a page of its postings."""
    after = request.args.get("after", "")
    path = f"/v1/tables/{table}/accounts/{account}/postings"
    statement = ask(path, {"after": after, "limit": _LINES})
    drawn = _drawn(path, statement, after)
    return render_template(
        "figures/account.html",
        table=ask(f"/v1/tables/{table}"),
        statement=statement,
        after=after,
        drawn=len(drawn),
        is_cut=len(drawn) >= _DRAWN,
        rule_link=rule_links.link,
        line=balance_line(drawn) if drawn else None,
    )


def _drawn(path: str, statement: Any, after: str) -> list[Any]:  # noqa: ANN401 -- JSON
    """Return the postings for the plot: the first `_DRAWN` of the account, or *statement* if it has all postings."""
    if not (after or statement["has_more"]):
        return list(statement["items"])
    return [posting for page in _pages(path) for posting in page]


def _pages(path: str) -> Iterator[Any]:
    after = ""
    for _ in range(_DRAWN // _AT_ONCE):
        page = ask(path, {"after": after, "limit": _AT_ONCE})
        yield page["items"]
        if not page["has_more"]:
            return
        after = page["next"]
