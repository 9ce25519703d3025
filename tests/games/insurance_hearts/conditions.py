"""Predicates of the conditions of Insurance Hearts; they use queries of the state, but no check in the rules."""

import msgspec

from service.cards import Face, suit
from service.games import common_refusals
from service.games.full_viewpoint import FullViewpoint
from service.games.insurance_hearts import refusals
from service.games.insurance_hearts.commands import PassCards, PlayCard
from service.games.insurance_hearts.options import Options
from service.games.insurance_hearts.seat_cards import hand_of
from service.games.insurance_hearts.state import Phase, State, awaited
from tests.games.conditions import Apart, Asked, Holds, Predicates

START_UP = {"s": 3, "h": 2, "d": 1, "c": 0}


def _options_are_valid(asked: Asked) -> bool:
    try:
        msgspec.convert(asked.command.options, Options)
    except msgspec.ValidationError:
        return False
    return True


def _hand(asked: Asked) -> tuple[Face, ...]:
    return hand_of(asked.state, asked.seat, FullViewpoint(asked.state, asked.known))


def _is(phase: Phase) -> Holds:
    return lambda asked: asked.state.phase is phase


def _is_due(asked: Asked) -> bool:
    return asked.seat in awaited(asked.state)


def _holds_cards(asked: Asked) -> bool:
    match asked.command:
        case PassCards(cards=cards):
            used = set(cards)
        case PlayCard(card=card):
            used = {card}
        case _:
            used = {asked.command.shown}
    return used <= set(_hand(asked))


def _leads(asked: Asked) -> bool:
    return not asked.state.trick


def _is_first_trick(asked: Asked) -> bool:
    return not asked.state.tricks


def _is_a_point(card: Face) -> bool:
    return card == "Qs" or suit(card) == "h"


def _lead_is_two_of_clubs(asked: Asked) -> bool:
    return not (_leads(asked) and _is_first_trick(asked)) or asked.command.card == "2c"


def _hearts_may_be_led(asked: Asked) -> bool:
    if not _leads(asked) or suit(asked.command.card) != "h":
        return True
    return asked.state.hearts_are_broken or {suit(card) for card in _hand(asked)} <= {"h"}


def _suit_is_followed(asked: Asked) -> bool:
    state: State = asked.state
    if _leads(asked):
        return True
    led = suit(state.trick[0].card)
    return suit(asked.command.card) == led or led not in {suit(card) for card in _hand(asked)}


def _first_trick_is_free_of_points(asked: Asked) -> bool:
    if _leads(asked) or not _is_first_trick(asked) or not _is_a_point(asked.command.card):
        return True
    return all(map(_is_a_point, _hand(asked)))


PREDICATES: Predicates = {
    common_refusals.ENOUGH_SEATS_MUST_BE_TAKEN: lambda asked: len(asked.state.players) == 4,
    refusals.SEATS_MUST_BE_WITHIN_THE_GAMES: lambda asked: asked.command.seats == 4,
    refusals.WORTH_MUST_BE_OF_CHIPS: lambda asked: not asked.command.worth_minor and not asked.command.currency,
    refusals.OPTIONS_MUST_BE_THE_GAMES: _options_are_valid,
    refusals.SEAT_MUST_COST_NOTHING: lambda asked: asked.command.chips == 0,
    refusals.HAND_MUST_BE_OVER: _is(Phase.BETWEEN_HANDS),
    refusals.SLIPS_MUST_BE_AWAITED: _is(Phase.SLIPS),
    refusals.PASSES_MUST_BE_AWAITED: _is(Phase.PASSING),
    refusals.BIDS_MUST_BE_AWAITED: _is(Phase.BIDDING),
    refusals.LEFTOVERS_MUST_LIE: _is(Phase.CHOOSING),
    refusals.TRICKS_MUST_BE_PLAYED: _is(Phase.PLAYING),
    refusals.DEALER_MUST_DEAL: lambda asked: asked.seat == asked.state.dealer,
    refusals.TURN_MUST_BE_YOURS: _is_due,
    refusals.CHOICE_MUST_STAND: _is_due,
    refusals.CARD_MUST_BE_HELD: _holds_cards,
    refusals.INSURANCE_MUST_BE_WITHIN_ITS_BOUNDS: lambda asked: (
        0 <= asked.command.insurance <= (6 if asked.state.options.insurance else 0)
    ),
    refusals.FOOT_MUST_BE_PLAYED: lambda asked: asked.state.options.foot or not asked.command.foot,
    refusals.FOOT_MUST_BE_LEFT: lambda asked: asked.seat not in asked.state.feet_used or not asked.command.foot,
    refusals.PASSED_CARDS_MUST_BE_THREE: lambda asked: len(asked.command.cards) == len(set(asked.command.cards)) == 3,
    refusals.CARD_MUST_BE_UP_FOR_AUCTION: lambda asked: asked.command.card in asked.state.auction,
    refusals.BID_MUST_BE_WITHIN_ITS_BOUNDS: lambda asked: (
        START_UP[suit(asked.command.card)] <= asked.command.points <= 999
    ),
    refusals.CARD_MUST_BE_LEFT: lambda asked: asked.command.card in asked.state.left,
    refusals.TWO_OF_CLUBS_MUST_LEAD: _lead_is_two_of_clubs,
    refusals.HEARTS_MUST_BE_BROKEN: _hearts_may_be_led,
    refusals.SUIT_MUST_BE_FOLLOWED: _suit_is_followed,
    refusals.FIRST_TRICK_MUST_BE_FREE_OF_POINTS: _first_trick_is_free_of_points,
}
APART: Apart = {
    (refusals.FOOT_MUST_BE_PLAYED, refusals.FOOT_MUST_BE_LEFT): "without the foot rule nobody has called a foot",
    (refusals.HEARTS_MUST_BE_BROKEN, refusals.SUIT_MUST_BE_FOLLOWED): "a card that leads follows no suit",
}
