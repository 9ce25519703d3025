"""The end of a round and of the game, and resigning (Rules 5, 7, 19 and 20)."""

from service.games import decks
from service.games.bankrupt import dealing
from service.games.bankrupt.accounts import CENTRE, ante
from service.games.bankrupt.commands import Resign
from service.games.bankrupt.events import PlayerBankrupt, PlayerResigned, RoundEnded
from service.games.bankrupt.state import Phase, State, alive, order, pieces
from service.games.bankrupt.turns import must_be_in_the_game, must_be_phase
from service.games.common_events import CardsBottomed, GameEnded
from service.games.decks import Emitter
from service.games.game import Known
from service.games.table_state import balance_of, clockwise
from service.ledger import HOUSE, Transfer, chips, stack

MOST_FOR_THE_CENTRE = 9


def end_round(emitter: Emitter[State], known: Known) -> None:
    """Remove bankrupt players, pass the deal on, and end the game if one player is left (B5.2, B20.1).

    If the game goes on, put the used cards under the deck (B7.2). If the upturned card was exposed, retire the deck
    instead, and perform the ritual with the next deck once that deck is ready (B7.0).
    """
    for seat in order(emitter.state):
        if not pieces(emitter.state, seat):
            emitter.emit(PlayerBankrupt(seat=seat))
    state = emitter.state
    remaining = alive(state)
    over = len(remaining) == 1
    if not over and state.exposed == -1:
        emitter.emit(CardsBottomed(epoch=state.epoch, positions=_used_cards(state)))
    emitter.emit(RoundEnded(dealer=0 if over else clockwise(remaining, state.dealer)[0]))
    if over:
        end_game(emitter, remaining[0], known)
    elif state.exposed != -1:
        decks.retire(emitter, known, state.epoch)
        dealing.perform_ritual_once_possible(emitter, known)


def _used_cards(state: State) -> tuple[int, ...]:
    """List the used cards: seat by seat from the dealer's left, first the seat's discard, then its hand (B7.2)."""
    seats = clockwise(tuple(sorted(state.cards)), state.dealer)
    return tuple(
        position
        for seat in seats
        for position in (*((state.discards[seat],) if seat in state.discards else ()), *state.cards[seat])
    )


def end_game(emitter: Emitter[State], winner: int, known: Known) -> None:
    """Give the last player their antes and the centre, pay all their chips out, and reveal the decks (B20.2, G.7)."""
    state = emitter.state
    accounts = (ante(winner), CENTRE, stack(winner))
    ante_chips, centre_chips, stack_chips = (balance_of(state, account) for account in accounts)
    transfers = (
        *_transfer_if_any(ante(winner), stack(winner), ante_chips, rule="20"),
        *_transfer_if_any(CENTRE, stack(winner), centre_chips, rule="20"),
        *_transfer_if_any(stack(winner), HOUSE, stack_chips + ante_chips + centre_chips, rule="G.7"),
    )
    emitter.emit(GameEnded(winners=(winner,), transfers=transfers))
    decks.reveal_all(emitter, known)


def resign(state: State, command: Resign) -> PlayerResigned:
    """Let a player resign between rounds, and share their pieces between the other players and the centre (B19.1)."""
    must_be_phase(state, Phase.BETWEEN_ROUNDS, rule="19")
    seat = must_be_in_the_game(state, command.by)
    others = tuple(other for other in clockwise(alive(state), seat) if other != seat)
    total = pieces(state, seat)
    share, residue = divmod(total, len(others)) if total > MOST_FOR_THE_CENTRE else (0, total)
    transfers = (
        *_transfer_if_any(ante(seat), stack(seat), balance_of(state, ante(seat)), rule="19"),
        *(chips(stack(seat), stack(other), share, rule="19") for other in others if share),
        *_transfer_if_any(stack(seat), CENTRE, residue, rule="19"),
    )
    dealer = others[0] if state.dealer == seat else state.dealer
    return PlayerResigned(seat=seat, share=share, residue=residue, dealer=dealer, transfers=transfers)


def end_once_one_is_left(emitter: Emitter[State], known: Known) -> None:
    """End the game if only one player is left (Rule 20)."""
    remaining = alive(emitter.state)
    if len(remaining) == 1:
        end_game(emitter, remaining[0], known)


def _transfer_if_any(source: str, target: str, amount: int, *, rule: str) -> tuple[Transfer, ...]:
    return (chips(source, target, amount, rule=rule),) if amount else ()
