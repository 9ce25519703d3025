"""The fact of Insurance Hearts that a dry run must not disclose: whether another player called a foot."""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Final

from sqlalchemy import Engine

from service.bench.headless import HeadlessService, Table
from service.bench.trials import HiddenFact, Sides
from service.games import CURRENT
from service.games.common_commands import DealHand
from service.games.insurance_hearts.commands import WriteSlip

_GAME: Final = CURRENT["insurance_hearts"]
_DEALER: Final = 1  # the dealer has the same seat at both tables, so that no public fact differs


def with_a_foot(engine: Engine) -> Sides:
    """Return two dry runs of a hand's last slip: in one, another player has called a foot; in the other, nobody has."""
    service = HeadlessService(engine)
    tables = (Table(service, number, {}, game=_GAME) for number in count(1))
    alike = (table for table in tables if table.table_at.state.dealer == _DEALER)
    return Sides(*(_last_slip(next(alike), foot=foot) for foot in (True, False)))


HIDDEN_FACTS: Final[Mapping[str, HiddenFact]] = {"foot": with_a_foot}


def _last_slip(table: Table, *, foot: bool) -> Callable[[], None]:
    table.do(table.table_at.due[0], DealHand(by=""))
    first, *_, last = table.table_at.due
    for actor in table.table_at.due[:-1]:
        table.do(actor, WriteSlip(by="", insurance=0, foot=foot and actor == first))
    return table.trial(last, WriteSlip(by="", insurance=0))
