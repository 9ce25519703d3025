"""The players' choices on their cards: hold, throw in or exchange (Rule 11)."""

from service.games.bankrupt import refusals
from service.games.bankrupt.accounts import CENTRE, ante
from service.games.bankrupt.commands import ExchangeCard, HoldCards, ThrowIn
from service.games.bankrupt.events import CardExchanged, CardsHeld, HandThrownIn
from service.games.bankrupt.state import Phase, State, all_will_have_decided, from_heaps
from service.games.bankrupt.turns import must_be_phase, must_be_turn
from service.games.game import Refusal
from service.games.table_state import balance_of
from service.ledger import chips


def hold(state: State, command: HoldCards) -> CardsHeld:
    """Keep both cards."""
    return CardsHeld(seat=_seat(state, command.by), all_have_decided=all_will_have_decided(state))


def exchange(state: State, command: ExchangeCard) -> CardExchanged:
    """Discard one card; the top card of the deck takes its place (B11.1, B11.6)."""
    seat = _seat(state, command.by)
    if command.card not in (1, 2):
        raise Refusal(refusals.CARD_MUST_BE_FIRST_OR_SECOND)
    return CardExchanged(seat=seat, card=command.card, all_have_decided=all_will_have_decided(state))


def throw_in(state: State, command: ThrowIn) -> HandThrownIn:
    """Leave the round; if the ante has any pieces, forfeit one of them to the centre (B11.2, B11.3)."""
    seat = _seat(state, command.by)
    if not may_throw_in(state, seat):
        raise Refusal(
            refusals.THROW_INS_IN_A_ROW_MUST_BE_WITHIN_THE_LIMIT,
            f"At this table a player may throw in at most {state.options.max_throw_ins_in_a_row} rounds in a row.",
        )
    pieces = min(1, balance_of(state, ante(seat)))
    return HandThrownIn(
        seat=seat,
        rounds_in_a_row=state.throw_ins_in_a_row.get(seat, 0) + 1,
        from_heaps=from_heaps(state, seat, pieces),
        all_have_decided=all_will_have_decided(state),
        transfers=(chips(ante(seat), CENTRE, pieces, rule="11"),) if pieces else (),
    )


def may_throw_in(state: State, seat: int) -> bool:
    """Return whether *seat* may throw in without exceeding the table's limit of rounds in a row (B11.3, BO2.1)."""
    return state.throw_ins_in_a_row.get(seat, 0) < state.options.max_throw_ins_in_a_row


def _seat(state: State, by: str) -> int:
    must_be_phase(state, Phase.DECIDING, rule="11")
    return must_be_turn(state, by, rule="11", ruling="B11.1")
