"""The settlement of a hand, and the end of the hand and of the game (WINNING, PAYOUT, END OF HAND)."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from service import cards
from service.cards import Face
from service.games import decks, seating
from service.games.common_events import GameEnded
from service.games.decks import Emitter
from service.games.game import Known
from service.games.insurance.accounts import bet, insurance
from service.games.insurance.events import HandEnded, HandSettled, Outcome, PlayerKnockedOut, Result
from service.games.insurance.state import State, able, bettors
from service.games.table_state import balance_of, clockwise
from service.ledger import Transfer, chips, stack

_TWO, _ACE = (cards.rank(face) for face in ("2c", "Ac"))


class Payment(NamedTuple):
    """A *transfer* of a settlement, its *reason*, and the *result* of the bet that the transfer settles."""

    transfer: Transfer
    result: Result
    reason: str


def settle(emitter: Emitter[State], known: Known) -> None:
    """Settle every bet against the banker's card, and end the hand."""
    state = emitter.state
    banker = state.banker
    face = state.shown[state.cards[banker]]
    results = tuple(_result(state, seat, face) for seat in bettors(state))
    results = _with_shortfalls(banker, balance_of(state, stack(banker)), results)
    transfers = tuple(payment.transfer for payment in payments(banker, results))
    emitter.emit(HandSettled(banker=banker, card=face, results=results, transfers=transfers))
    _end_hand(emitter, known)


def payments(banker: int, results: tuple[Result, ...]) -> Iterator[Payment]:
    """Yield the payments in the order of I-PAY.1: the banker collects, bets go back, the banker pays."""
    for result in results:
        if result.insurance and result.outcome != "tied":
            yield Payment(
                chips(insurance(result.seat), stack(banker), result.insurance, rule="PAYOUT"), result, "insurance"
            )
        if result.outcome == "lost" and not result.insurance:
            yield Payment(chips(bet(result.seat), stack(banker), result.bet, rule=_paid_by(result)), result, "lost")
    for result in results:
        if result.outcome == "lost" and result.insurance:
            yield Payment(chips(bet(result.seat), stack(result.seat), result.bet, rule="PAYOUT"), result, "insured")
        if result.outcome == "tied":
            yield Payment(chips(bet(result.seat), stack(result.seat), result.bet, rule="WINNING"), result, "tied")
            if result.insurance:
                yield Payment(
                    chips(insurance(result.seat), stack(result.seat), result.insurance, rule="WINNING"), result, "tied"
                )
    for result in results:
        if result.outcome == "won":
            yield Payment(chips(bet(result.seat), stack(result.seat), result.bet, rule=_paid_by(result)), result, "own")
            if paid := result.bet - result.short:
                yield Payment(chips(stack(banker), stack(result.seat), paid, rule=_paid_by(result)), result, "won")


def _paid_by(result: Result) -> str:
    """Return the sheet's section that settles a bet: PAYOUT, or FIRST ROUND DEAL if the banker's card alone decided."""
    return "PAYOUT" if result.card else "FIRST ROUND DEAL"


def _result(state: State, seat: int, face: Face) -> Result:
    """Return the result of *seat* against the banker's *face* (WINNING, I-DEAL1.1, I-DEAL2.1)."""
    placed, insured = balance_of(state, bet(seat)), balance_of(state, insurance(seat))
    rank = cards.rank(face)
    if rank in {_TWO, _ACE}:
        return Result(seat=seat, outcome="won" if rank == _TWO else "lost", bet=placed, insurance=insured)
    own = state.shown[state.cards[seat]]
    return Result(seat=seat, outcome=_outcome(cards.rank(own), rank), bet=placed, insurance=insured, card=own)


def _outcome(player_rank: int, banker_rank: int) -> Outcome:
    if player_rank == banker_rank:
        return "tied"
    return "won" if player_rank > banker_rank else "lost"


def _with_shortfalls(banker: int, banker_chips: int, results: tuple[Result, ...]) -> tuple[Result, ...]:
    """Add the shortfall of each winner: the banker pays winners in turn until the banker has no chips (I-PAY.2)."""
    collected = sum(
        payment.transfer.amount for payment in payments(banker, results) if payment.transfer.target == stack(banker)
    )
    available = banker_chips + collected
    with_shortfalls = []
    for result in results:
        short = max(0, result.bet - available) if result.outcome == "won" else 0
        available -= result.bet - short if result.outcome == "won" else 0
        with_shortfalls.append(replace(result, short=short))
    return tuple(with_shortfalls)


def _end_hand(emitter: Emitter[State], known: Known) -> None:
    """End the hand. In the NON-GAMBLING VARIATION, knock out players without chips; the last player left wins."""
    state = emitter.state
    if not state.is_gambling:
        for seat in clockwise(state.playing, state.banker):
            if not balance_of(state, stack(seat)):
                emitter.emit(PlayerKnockedOut(seat=seat))
    emitter.emit(HandEnded(banker=state.banker))
    remaining = able(emitter.state)
    if not state.is_gambling and len(remaining) == 1:
        _end_game(emitter, remaining[0], known)


def _end_game(emitter: Emitter[State], winner: int, known: Known) -> None:
    """End the game: pay the winner out, and reveal the decks (G.7)."""
    emitter.emit(GameEnded(winners=(winner,), transfers=seating.cash_out(emitter.state, winner, rule="G.7")))
    decks.reveal_all(emitter, known)
