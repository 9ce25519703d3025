"""Other decks: they agree with everything that a viewer has seen, and differ in the cards hidden from the viewer."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from service.cards import PACK, Face, suit
from service.database.engines import reading
from service.event_store.codec import RecordedEvent
from service.games.bankrupt.events import CardExchanged, UpturnedExposed
from service.games.bankrupt.state import State as Bankrupt
from service.games.common_events import CardsDealt, CardsShown, HandDealt
from service.games.insurance_hearts.events import BidsOpened
from service.games.insurance_hearts.state import Phase, State as Hearts, receiver
from service.games.table_state import seat_of
from tests.tables.games import owner, situation_of
from tests.tables.worlds import Overrides, Request, World, other_faces

FACES: Final = ("card", "cards", "shown")
"""Members of commands whose values are faces."""
LEAD: Final = "2c"


def elsewhere(
    world: World, table: str, viewer: str, script: Sequence[Request], chance: random.Random
) -> tuple[Overrides, list[Request]]:
    """Reorder every deck that is not revealed, but keep everything that *viewer* has seen of the deck in play.

    Return the faces of these decks, and the script that plays the same game with them. In this script, the sealed
    choices of other players name the cards that these players hold in the reordered decks.
    """
    table_at = situation_of(world, table)
    seat = seat_of(table_at.state, owner(world, viewer))
    with reading(world.parts.engine) as connection:
        recorded = world.parts.log.reader.read(connection, table_at.stream_id)
        orders = {
            epoch: world.parts.sealed_store.deck(lambda: connection, table_at, epoch).order
            for epoch in table_at.state.decks
        }
    if isinstance(table_at.state, Hearts):
        return _hearts(table_at.state, seat, orders, recorded, script, chance)
    return _by_place(table_at.state, seat, orders, recorded, chance), list(script)


def orders_differ(one: World, other: World, table: str) -> bool:
    """Return whether the order of an unrevealed deck differs between the two worlds."""
    table_at = situation_of(one, table)
    orders = []
    for world in (one, other):
        with reading(world.parts.engine) as connection:
            orders.append(
                [
                    world.parts.sealed_store.deck(lambda: connection, table_at, epoch).order
                    for epoch in table_at.state.decks
                ]
            )
    return orders[0] != orders[1]


def _by_place(
    state: Any,  # noqa: ANN401 -- the state may be of any game
    seat: int,
    orders: Mapping[str, tuple[Face, ...]],
    recorded: Iterable[RecordedEvent],
    chance: random.Random,
) -> Overrides:
    """Return the faces of the decks, in which every card that *seat* has not seen is moved to another place.

    A card of a hand that was played in a showdown swaps places only with a card of its own rank (`other_faces`).
    """
    seen = {state.upturned} if isinstance(state, Bankrupt) and state.upturned_in_view else set()
    played: set[int] = set()
    hands: dict[int, list[int]] = {}
    for event in (one.event for one in recorded):
        _deal(hands, event, state.epoch)
        match event:
            case CardsShown() if event.epoch == state.epoch:
                seen.update(card.pos for card in event.cards)
                played.update(card for seat in {card.seat for card in event.cards} for card in hands[seat])
            case UpturnedExposed() if event.epoch == state.epoch:
                seen.add(event.pos)
            case CardsDealt() if event.epoch == state.epoch and seat:
                seen.update(position for position, to in event.cards if to == seat)
            case _:
                pass
    nothing: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    known = {state.epoch: (frozenset(seen), frozenset(played))}
    return {epoch: other_faces(order, *known.get(epoch, nothing), chance) for epoch, order in orders.items()}


def _deal(hands: dict[int, list[int]], event: object, epoch: str) -> None:
    """Update *hands*, the positions of the cards in each seat's hand, from *event*."""
    match event:
        case HandDealt():
            hands.clear()
        case CardExchanged() if event.seat in hands:  # `hands` lacks hands of earlier decks.
            del hands[event.seat][event.card - 1]
        case CardsDealt() if event.epoch == epoch:
            for position, to in event.cards:
                if isinstance(to, int):
                    hands.setdefault(to, []).append(position)
        case _:
            pass


def _hearts(
    state: Hearts,
    seat: int,
    orders: Mapping[str, tuple[Face, ...]],
    recorded: Sequence[RecordedEvent],
    script: Sequence[Request],
    chance: random.Random,
) -> tuple[Overrides, list[Request]]:
    """Permute the cards that *seat* has not seen and can't infer, in the decks and in others' choices of this hand.

    While tricks are played, only cards of the same suit change places, because players must follow suit if they can.
    """
    nothing: frozenset[Face] = frozenset()
    others = {epoch: _renamed(nothing, chance, by_suit=False) for epoch in orders}
    if state.epoch:
        known = _known_in_hearts(state, seat, orders[state.epoch], recorded, script)
        others[state.epoch] = _renamed(known, chance, by_suit=state.phase is Phase.PLAYING)
    faces = {epoch: tuple(others[epoch][face] for face in order) for epoch, order in orders.items()}
    if not state.epoch:
        return faces, list(script)
    dealt = max(number for number, one in enumerate(script) if one.body.get("type") == "deal_hand")
    now = [replace(one, body=_named(one.body, others[state.epoch])) for one in script[dealt:]]
    return faces, [*script[:dealt], *now]


def _known_in_hearts(
    state: Hearts, seat: int, order: Sequence[Face], recorded: Sequence[RecordedEvent], script: Sequence[Request]
) -> frozenset[Face]:
    """Return the faces of this hand that *seat* has seen or can infer."""
    known = {order[position] for position in (*state.dealt.get(seat, ()), *state.on_table)}
    known.update(card for cards in state.played.values() for card in cards)
    if state.has_passed and seat:
        passing = [one for one in script if one.body.get("type") == "pass_cards"][-len(state.players) :]
        giver = next(one for one in state.players if receiver(state, one) == seat)
        known.update(*(one.body["cards"] for one in passing if one.who == f"player {giver}"))
    if state.gained:
        opened = [one.event for one in recorded if isinstance(one.event, BidsOpened)][-1]
        known.update(bid.shown for bid in opened.bids)
    if state.phase is Phase.PLAYING:
        known.add(LEAD)  # The holder of this card is public.
    return frozenset(known)


def _renamed(known: frozenset[Face], chance: random.Random, *, by_suit: bool) -> dict[Face, Face]:
    """Return the new face of each face: a *known* face stays; if *by_suit* is True, every face keeps its suit."""
    names = {face: face for face in PACK}
    free = [face for face in PACK if face not in known]
    groups = [[face for face in free if suit(face) == one] for one in "cdhs"] if by_suit else [free]
    for group in groups:
        if len(group) > 1:
            turn = chance.randrange(1, len(group))
            names |= dict(zip(group, (*group[turn:], *group[:turn]), strict=True))
    return names


def _named(body: Mapping[str, Any], names: Mapping[Face, Face]) -> dict[str, Any]:
    """Return the command *body* with each face replaced by its new face in *names*."""
    renamed = dict(body)
    for member in FACES:
        match body.get(member):
            case str(card) if card in names:
                renamed[member] = names[card]
            case list(cards):
                renamed[member] = [names[card] for card in cards]
            case _:
                pass
    return renamed
