"""How a hand is settled, and how it and the game end (WINNING, PAYOUT, END OF HAND)."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from service import cards
from service.cards import Face
from service.games import decks
from service.games.common_events import GameEnded
from service.games.decks import Emitter
from service.games.game import Known
from service.games.insurance.events import HandEnded, HandSettled, Outcome, PlayerKnockedOut, Result
from service.games.insurance.state import State, able, bettors
from service.games.table_state import balance_of, clockwise
from service.ledger import HOUSE, Transfer, bet, chips, insurance, stack

_TWO, _ACE = (cards.rank(face) for face in ("2c", "Ac"))


class Move(NamedTuple):
    """A *transfer* of a settlement, the result that it belongs to, and the *reason*."""

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
    transfers = tuple(move.transfer for move in moves(banker, results))
    emitter.emit(HandSettled(banker=banker, card=face, results=results, transfers=transfers))
    _end_hand(emitter, known)


def moves(banker: int, results: tuple[Result, ...]) -> Iterator[Move]:
    """Yield what is moved, in the order of I-PAY.1: what the banker collects, what goes back, what the banker pays."""
    for one in results:
        if one.insurance and one.outcome != "tied":
            yield Move(chips(insurance(one.seat), stack(banker), one.insurance, rule="PAYOUT"), one, "insurance")
        if one.outcome == "lost" and not one.insurance:
            yield Move(chips(bet(one.seat), stack(banker), one.bet, rule=_paid_by(one)), one, "lost")
    for one in results:
        if one.outcome == "lost" and one.insurance:
            yield Move(chips(bet(one.seat), stack(one.seat), one.bet, rule="PAYOUT"), one, "insured")
        if one.outcome == "tied":
            yield Move(chips(bet(one.seat), stack(one.seat), one.bet, rule="WINNING"), one, "tied")
            if one.insurance:
                yield Move(chips(insurance(one.seat), stack(one.seat), one.insurance, rule="WINNING"), one, "tied")
    for one in results:
        if one.outcome == "won":
            yield Move(chips(bet(one.seat), stack(one.seat), one.bet, rule=_paid_by(one)), one, "own")
            if paid := one.bet - one.short:
                yield Move(chips(stack(banker), stack(one.seat), paid, rule=_paid_by(one)), one, "won")


def _paid_by(result: Result) -> str:
    """Name the section by which a bet is paid or collected: the first deal's, where the banker's card decided alone."""
    return "PAYOUT" if result.card else "FIRST ROUND DEAL"


def _result(state: State, seat: int, face: Face) -> Result:
    """Work out how the hand ended for *seat* against the banker's *face* (WINNING, I-DEAL1.1, I-DEAL2.1)."""
    laid, insured = balance_of(state, bet(seat)), balance_of(state, insurance(seat))
    rank = cards.rank(face)
    if rank in {_TWO, _ACE}:
        return Result(seat=seat, outcome="won" if rank == _TWO else "lost", bet=laid, insurance=insured)
    own = state.shown[state.cards[seat]]
    return Result(seat=seat, outcome=_outcome(cards.rank(own), rank), bet=laid, insurance=insured, card=own)


def _outcome(own: int, bankers: int) -> Outcome:
    if own == bankers:
        return "tied"
    return "won" if own > bankers else "lost"


def _with_shortfalls(banker: int, held: int, results: tuple[Result, ...]) -> tuple[Result, ...]:
    """Have the banker pay as far as the chips go, from the banker's left, the last one in part (I-PAY.2)."""
    collected = sum(move.transfer.amount for move in moves(banker, results) if move.transfer.target == stack(banker))
    left = held + collected
    paid = []
    for one in results:
        short = max(0, one.bet - left) if one.outcome == "won" else 0
        left -= one.bet - short if one.outcome == "won" else 0
        paid.append(replace(one, short=short))
    return tuple(paid)


def _end_hand(emitter: Emitter[State], known: Known) -> None:
    """Put out who has run out, and the cards away; the last player left has won (NON-GAMBLING VARIATION)."""
    state = emitter.state
    if not state.is_gambling:
        for seat in clockwise(state.playing, state.banker):
            if not balance_of(state, stack(seat)):
                emitter.emit(PlayerKnockedOut(seat=seat))
    emitter.emit(HandEnded(banker=state.banker))
    left = able(emitter.state)
    if not state.is_gambling and len(left) == 1:
        _end_game(emitter, left[0], known)


def _end_game(emitter: Emitter[State], winner: int, known: Known) -> None:
    """Pay the winner out, and reveal the decks (G.7)."""
    state = emitter.state
    paid = chips(stack(winner), HOUSE, balance_of(state, stack(winner)), rule="G.7")
    emitter.emit(GameEnded(winners=(winner,), transfers=(paid,)))
    decks.retire(emitter, known, state.epoch)
    decks.reveal_unused(emitter, known)
