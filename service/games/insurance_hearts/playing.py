"""Playing the thirteen tricks (H-LEAD.1, H-FOLLOW.1)."""

from msgspec import convert

from service.games.decks import Emitter
from service.games.full_viewpoint import FullViewpoint
from service.games.game import Known, Viewpoint
from service.games.insurance_hearts import ending
from service.games.insurance_hearts.commands import PlayCard
from service.games.insurance_hearts.events import CardPlayed, PlayBegun, TrickTaken
from service.games.insurance_hearts.refusals import STANDARD
from service.games.insurance_hearts.scoring import score_hand
from service.games.insurance_hearts.seat_cards import hand_of
from service.games.insurance_hearts.state import TRICKS, Phase, State
from service.games.insurance_hearts.tricks import LEAD, breaks_hearts, refusal_of, taker
from service.games.insurance_hearts.turns import must_be_held, must_be_phase, must_be_turn
from service.games.table_state import clockwise


def begin(emitter: Emitter[State], known: Known) -> None:
    """Begin the tricks: the player who has the two of clubs leads this card (H-LEAD.1)."""
    state = emitter.state
    viewpoint = FullViewpoint(state, known)
    leader = next(seat for seat in state.players if LEAD in hand_of(state, seat, viewpoint))
    emitter.emit(PlayBegun(leader=leader, to_play=_order(state, leader)))


def play(state: State, command: PlayCard, viewpoint: Viewpoint) -> CardPlayed:
    """Play a card, if the card is in the hand that *viewpoint* sees (H-FOLLOW.1)."""
    must_be_phase(state, Phase.PLAYING, rule=STANDARD)
    seat = must_be_turn(state, command.by, rule=STANDARD, ruling="H-FOLLOW.1")
    hand = hand_of(state, seat, viewpoint)
    must_be_held(hand, command.card, rule=STANDARD, ruling="H-FOLLOW.1")
    if refusal := refusal_of(state, hand, command.card):
        raise refusal
    is_first_break = not state.hearts_are_broken and breaks_hearts(command.card, state.options)
    return CardPlayed(seat=seat, card=command.card, breaks_hearts=is_first_break)


def take_full_trick(emitter: Emitter[State], known: Known) -> None:
    """After the fourth card, give the trick to its taker; after the last trick, score and end the hand."""
    state = emitter.state
    if state.to_play:
        return
    winner = taker(state.trick)
    is_last = sum(state.tricks.values()) + 1 == TRICKS
    to_play = () if is_last else _order(state, winner)
    emitter.emit(TrickTaken(seat=winner, cards=tuple(played.card for played in state.trick), to_play=to_play))
    if is_last:
        _score(emitter, known)


def _order(state: State, leader: int) -> tuple[int, ...]:
    """List the seats in the order in which they play a trick that *leader* leads: clockwise (H-FOLLOW.1)."""
    return (leader, *clockwise(tuple(state.players), leader)[:-1])


def _score(emitter: Emitter[State], known: Known) -> None:
    state = emitter.state
    insured = state.players if state.options.insurance else ()
    insurance = {seat: convert(known.sealed(seat, "insurance"), int) for seat in insured}
    emitter.emit(score_hand(state.players, state.taken, insurance, state.bids))
    ending.end_hand(emitter, known)
