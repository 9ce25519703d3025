"""The settlement of a round, which is won, won uncontested, or dead, and its payments (Rules 9, 10, 13 to 18)."""

from collections.abc import Mapping
from typing import Literal

from service.games import decks
from service.games.bankrupt import showdown
from service.games.bankrupt.accounts import CENTRE, ante
from service.games.bankrupt.ending import end_round
from service.games.bankrupt.events import (
    AntesReturned,
    CentreCollected,
    CentreDivided,
    Claim,
    RoundDead,
    RoundWon,
    RoundWonUncontested,
)
from service.games.bankrupt.showdown import Hand
from service.games.bankrupt.state import State, alive, from_heaps, in_round
from service.games.common_events import CardsShown
from service.games.decks import Emitter
from service.games.game import Known, SaltedFace
from service.games.table_state import balance_of, clockwise
from service.ledger import chips, stack


def settle_uncontested(emitter: Emitter[State], known: Known) -> None:
    """Let the last player in the round win it: the winner takes nothing from antes and shows no card (B11.4)."""
    (winner,) = in_round(emitter.state)
    emitter.emit(RoundWonUncontested(winner=winner, centre=_centre(emitter.state, winner)))
    _collect_centre(emitter, winner)
    return_antes(emitter)
    end_round(emitter, known)


def settle_showdown(emitter: Emitter[State], known: Known) -> None:
    """Show the cards, and settle the round by the cards (Rule 13)."""
    state = emitter.state
    positions = [position for seat in in_round(state) for position in state.cards[seat]]
    cards = {card.pos: card for card in known.faces(state.epoch, positions)}
    hands = {seat: _hand(state, cards, seat) for seat in in_round(state)}
    strengths = {seat: showdown.strength(hand) for seat, hand in hands.items()}
    best = max(strengths.values())
    leaders = tuple([seat for seat, strength in strengths.items() if strength == best])
    shown = tuple(
        [
            decks.shown_card(cards[position], seat)
            for seat in hands
            for position in _positions_shown(state, hands, leaders, seat, cards)
        ]
    )
    emitter.emit(CardsShown(epoch=state.epoch, cards=shown))
    if len(leaders) == 1:
        _settle_won_round(emitter, leaders[0], hands)
    else:
        _settle_dead_round(emitter, leaders)
    end_round(emitter, known)


def _hand(state: State, cards: Mapping[int, SaltedFace], seat: int) -> Hand:
    first, second = state.cards[seat]
    return showdown.high_first(cards[first].face, cards[second].face)


def _positions_shown(
    state: State, hands: Mapping[int, Hand], leaders: tuple[int, ...], seat: int, cards: Mapping[int, SaltedFace]
) -> tuple[int, ...]:
    """List the positions of the cards that *seat* shows: two or, with the option show_one_card, perhaps one (BO1.1)."""
    first, second = state.cards[seat]
    if not state.options.show_one_card or showdown.must_show_second(hands, leaders, seat):
        return first, second
    return (first,) if cards[first].face == hands[seat].high else (second,)


def _settle_won_round(emitter: Emitter[State], winner: int, hands: Mapping[int, Hand]) -> None:
    state = emitter.state
    losers = tuple(seat for seat in clockwise(tuple(sorted(hands)), winner) if seat != winner)
    claims = tuple(_claim(state, winner, loser, hands) for loser in losers)
    transfers = tuple(
        chips(ante(claim.seat), stack(winner), claim.taken, rule=claim.rule) for claim in claims if claim.taken
    )
    emitter.emit(
        RoundWon(
            winner=winner,
            multiplier=state.dead_rounds + 1,
            claims=claims,
            centre=_centre(state, winner),
            transfers=transfers,
        )
    )
    _collect_centre(emitter, winner)
    return_antes(emitter)


def _claim(state: State, winner: int, loser: int, hands: Mapping[int, Hand]) -> Claim:
    """Return the claim of *winner* on the antes of *loser*.

    The winner takes at most the pieces of these antes (B17.1). A winner on last legs also takes at most as many pieces
    as the winner placed this round (B18.2).
    """
    debt = showdown.debt(hands[winner], hands[loser])
    due = debt.pieces * (state.dead_rounds + 1)
    taken, cap = due, ""
    if winner in state.last_legs and state.antes_placed[winner] < taken:
        taken, cap = state.antes_placed[winner], "B18.2"
    if balance_of(state, ante(loser)) < taken:
        taken, cap = balance_of(state, ante(loser)), "B17.1"
    return Claim(
        seat=loser,
        winning=debt.winning,
        losing=debt.losing,
        difference=debt.pieces,
        due=due,
        taken=taken,
        rule=debt.rule,
        ruling=debt.ruling,
        cap=cap,
        from_heaps=from_heaps(state, loser, taken),
    )


def _centre(state: State, winner: int) -> Literal["empty", "stays", "collected"]:
    """Return what happens to the centre: the winner collects it after offering or accepting, or on last legs."""
    if not balance_of(state, CENTRE):
        return "empty"
    return "collected" if winner in state.involved or winner in state.last_legs else "stays"


def _collect_centre(emitter: Emitter[State], winner: int) -> None:
    state = emitter.state
    if _centre(state, winner) != "collected":
        return
    amount = balance_of(state, CENTRE)
    rule, ruling = ("14", "B12.7") if winner in state.involved else ("18", "B12.8")
    collected = chips(CENTRE, stack(winner), amount, rule=rule)
    emitter.emit(CentreCollected(winner=winner, chips=amount, ruling=ruling, transfers=(collected,)))


def _settle_dead_round(emitter: Emitter[State], leaders: tuple[int, ...]) -> None:
    """Emit a dead round; after the last dead round allowed, divide the centre and return the antes (Rule 17, B17.2)."""
    state = emitter.state
    dead_rounds = state.dead_rounds + 1
    emitter.emit(RoundDead(seats=leaders, dead_rounds=dead_rounds))
    if dead_rounds < state.options.max_dead_rounds:
        return
    seats = clockwise(alive(state), state.dealer)
    share, residue = divmod(balance_of(state, CENTRE), len(seats))
    transfers = tuple(chips(CENTRE, stack(seat), share, rule="17") for seat in seats if share)
    emitter.emit(CentreDivided(seats=seats, share=share, residue=residue, transfers=transfers))
    return_antes(emitter)


def return_antes(emitter: Emitter[State]) -> None:
    """Move what is left of each ante back to its player's stack (Rule 17, B6.2)."""
    state = emitter.state
    antes = {seat: balance_of(state, ante(seat)) for seat in clockwise(alive(state), state.dealer)}
    transfers = tuple(chips(ante(seat), stack(seat), pieces, rule="17") for seat, pieces in antes.items() if pieces)
    emitter.emit(AntesReturned(transfers=transfers))
