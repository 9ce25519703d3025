"""The end of a hand and of the game (H-DEAL.1, H-END.1)."""

from service.games import decks
from service.games.common_events import GameEnded
from service.games.decks import Emitter
from service.games.game import Known
from service.games.insurance_hearts.events import HandFinished
from service.games.insurance_hearts.state import State
from service.games.table_state import balance_of, clockwise
from service.ledger import score


def end_hand(emitter: Emitter[State], known: Known) -> None:
    """Retire the deck and pass the deal on; end the game if a total has reached the target (H-END.1)."""
    state = emitter.state
    decks.retire(emitter, known, state.epoch)
    emitter.emit(HandFinished(dealer=clockwise(tuple(state.players), state.dealer)[0]))
    totals = {seat: balance_of(state, score(seat)) for seat in state.players}
    if max(totals.values()) < state.options.target:
        return
    lowest = min(totals.values())
    emitter.emit(GameEnded(winners=tuple(seat for seat, total in totals.items() if total == lowest)))
    decks.reveal_unused(emitter, known)
