"""Ways to forge a game of Insurance Hearts, each with the place where the audit must find the forgery."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from service.event_store.entries import Secret
from service.event_store.leaf import Until
from service.games.common_events import GameEnded, HandDealt
from service.games.game import SERVICE
from service.games.insurance_hearts.events import (
    AuctionSettled,
    BidsOpened,
    BidWritten,
    CardPlayed,
    CardsPassed,
    FootTold,
    HandCancelled,
    HandFinished,
    HandScored,
    LeftoverChosen,
    LeftoverGiven,
    PassAwaited,
    PassChosen,
    PlayBegun,
    SlipsAwaited,
    SlipWritten,
    TrickTaken,
)
from tests.audit.recording import Fact, place_of, resealed, with_members

NEVER_OPEN = Until(never=(), open=())

Facts = list[Fact]
Forgery = Callable[[Facts], tuple[Facts, int, str]]
"""Forges facts; returns them, the index of the first wrong fact, and the beginning of the wrong member's path."""


def secret_of(happened: Facts, place: int, field: str, **members: Any) -> Secret:  # noqa: ANN401 -- the value may be any JSON
    """Return a copy of the secret that the fact at *place* sealed under *field*, with these *members* changed."""
    return replace(happened[place].secrets[field], **members)


def sealing(kind: type, field: str, **members: Any) -> Forgery:  # noqa: ANN401 -- the value may be any JSON
    """Return a forgery that changes *members* of the secret that the first decision of a *kind* seals under *field*."""

    def forge(happened: Facts) -> tuple[Facts, int, str]:
        place = place_of(happened, kind)
        changed = secret_of(happened, place, field, **members)
        return resealed(happened, place, **{field: changed}), place, f"priv.{field}.{next(iter(members))}"

    return forge


def sealing_odd(kind: type, field: str, value: object) -> Forgery:
    """Return a forgery that seals *value*, which no command can have, in the first decision of a *kind*."""

    def forge(happened: Facts) -> tuple[Facts, int, str]:
        place = place_of(happened, kind)
        changed = secret_of(happened, place, field, value=value)
        return resealed(happened, place, **{field: changed}), place, "decision"

    return forge


def telling(kind: type, change: Callable[[Any], Mapping[str, Any]]) -> Forgery:
    """Return a forgery that changes members of the first event of a *kind*."""

    def forge(happened: Facts) -> tuple[Facts, int, str]:
        place = place_of(happened, kind)
        members = change(happened[place].event)
        return with_members(happened, place, **members), place, next(iter(members))

    return forge


def _slip_of_another_number(happened: Facts) -> tuple[Facts, int, str]:
    scored = place_of(happened, HandScored)
    slip = max(p for p, fact in enumerate(happened[:scored]) if isinstance(fact.event, SlipWritten))
    number = happened[slip].secrets["insurance"].value
    changed = secret_of(happened, slip, "insurance", value=(number + 1) % 7)
    return resealed(happened, slip, insurance=changed), scored, "transfers"


def _number_beyond_all(happened: Facts) -> tuple[Facts, int, str]:
    slip = place_of(happened, SlipWritten)
    return resealed(happened, slip, insurance=secret_of(happened, slip, "insurance", value=7)), slip, "decision"


def _number_that_is_none(happened: Facts) -> tuple[Facts, int, str]:
    slip = place_of(happened, SlipWritten)
    return resealed(happened, slip, insurance=secret_of(happened, slip, "insurance", value="3")), slip, "decision"


def _foot_left_out_of_the_callers(happened: Facts) -> tuple[Facts, int, str]:
    untold = next(p for p, one in enumerate(happened) if isinstance(one.event, FootTold) and not one.event.callers)
    slip = max(p for p, fact in enumerate(happened[:untold]) if isinstance(fact.event, SlipWritten))
    return resealed(happened, slip, foot=secret_of(happened, slip, "foot", value=True)), untold, "callers"


def _second_foot(happened: Facts) -> tuple[Facts, int, str]:
    cancelled = place_of(happened, HandCancelled)
    (caller, *_) = happened[cancelled].event.callers
    later = [p for p, one in enumerate(happened) if p > cancelled and isinstance(one.event, SlipWritten)]
    slip = next(p for p in later if happened[p].event.seat == caller)
    return resealed(happened, slip, foot=secret_of(happened, slip, "foot", value=True)), slip, "decision"


def _cards_of_somebody_else(happened: Facts) -> tuple[Facts, int, str]:
    mine, other = place_of(happened, PassChosen), place_of(happened, PassChosen, 1)
    theirs = happened[other].secrets["cards"].value
    return resealed(happened, mine, cards=secret_of(happened, mine, "cards", value=theirs)), mine, "decision"


def _two_cards(happened: Facts) -> tuple[Facts, int, str]:
    place = place_of(happened, PassChosen)
    two = happened[place].secrets["cards"].value[:2]
    return resealed(happened, place, cards=secret_of(happened, place, "cards", value=two)), place, "decision"


def _bid_for_more(happened: Facts) -> tuple[Facts, int, str]:
    bid = next(
        p for p, one in enumerate(happened) if isinstance(one.event, BidWritten) and one.secrets["bid"].value["card"]
    )
    opened = next(p for p, one in enumerate(happened) if p > bid and isinstance(one.event, BidsOpened))
    value = happened[bid].secrets["bid"].value
    changed = secret_of(happened, bid, "bid", value={**value, "points": value["points"] + 1})
    return resealed(happened, bid, bid=changed), opened, "bids["


def _shown_card_of_somebody_else(happened: Facts) -> tuple[Facts, int, str]:
    mine, other = place_of(happened, BidWritten), place_of(happened, BidWritten, 1)
    value = {**happened[mine].secrets["bid"].value, "shown": happened[other].secrets["bid"].value["shown"]}
    return resealed(happened, mine, bid=secret_of(happened, mine, "bid", value=value)), mine, "decision"


def _bid_of_more_members(happened: Facts) -> tuple[Facts, int, str]:
    place = place_of(happened, BidWritten)
    value = {**happened[place].secrets["bid"].value, "mark": 1}
    return resealed(happened, place, bid=secret_of(happened, place, "bid", value=value)), place, "priv.bid.value"


def _order_of_choosing(happened: Facts) -> tuple[Facts, int, str]:
    several = (p for p, one in enumerate(happened) if isinstance(one.event, AuctionSettled) and one.event.choosing[1:])
    place = next(several)
    return with_members(happened, place, choosing=happened[place].event.choosing[::-1]), place, "choosing"


def _leftover_that_is_none(happened: Facts) -> tuple[Facts, int, str]:
    place = place_of(happened, LeftoverChosen)
    return with_members(happened, place, card="2c"), place, "decision"


def _another_name(happened: Facts) -> tuple[Facts, int, str]:
    slip = place_of(happened, SlipWritten)
    sealed = happened[slip].secrets["insurance"]
    return resealed(happened, slip, insurance=None, number=sealed), slip, "priv.insurance"


def _one_field_more(happened: Facts) -> tuple[Facts, int, str]:
    place = place_of(happened, PassChosen)
    return resealed(happened, place, foot=Secret(True, (), NEVER_OPEN)), place, "priv.foot"


def _nothing_sealed(happened: Facts) -> tuple[Facts, int, str]:
    place = place_of(happened, PassChosen)
    return resealed(happened, place, cards=None), place, "decision"


def _sealed_by_a_card(happened: Facts) -> tuple[Facts, int, str]:
    place = place_of(happened, CardPlayed)
    return resealed(happened, place, note=Secret("!", (1,), NEVER_OPEN)), place, "priv.note"


def _sealed_by_a_consequence(happened: Facts) -> tuple[Facts, int, str]:
    place = place_of(happened, SlipsAwaited)
    return resealed(happened, place, foot=Secret(True, (1,), NEVER_OPEN)), place, "priv"


def _slip_of_the_service(happened: Facts) -> tuple[Facts, int, str]:
    """Make the service the author of a slip whose number is not 0; if time is called, the service writes 0."""
    numbers = [(p, one) for p, one in enumerate(happened) if isinstance(one.event, SlipWritten)]
    place, slip = next((p, one) for p, one in numbers if one.secrets["insurance"].value and one.by != SERVICE)
    slip = replace(slip, by=SERVICE, event=replace(slip.event, called="host"))
    return [*happened[:place], slip, *happened[place + 1 :]], place, ""


def _call_of_nobody(happened: Facts) -> tuple[Facts, int, str]:
    """Clear `called` in a decision of the service, as if nobody had called time."""
    place = next(p for p, one in enumerate(happened) if getattr(one.event, "called", ""))
    return with_members(happened, place, called=""), place, "called"


def _call_for_a_player(happened: Facts) -> tuple[Facts, int, str]:
    """Record that the host called time for a card that a player played."""
    cards = ((p, one) for p, one in enumerate(happened) if isinstance(one.event, CardPlayed))
    place = next(p for p, one in cards if one.by != SERVICE)
    return with_members(happened, place, called="host"), place, "called"


def _another_seat(event: Any) -> int:  # noqa: ANN401 -- the event may have any type
    return int(event.seat % 4 + 1)


def _next(seat: int) -> int:
    return seat % 4 + 1


def _one_more(event: HandScored) -> Mapping[str, Any]:
    return {"scores": (replace(event.scores[0], score=event.scores[0].score + 1), *event.scores[1:])}


FORGERIES: Mapping[str, Forgery] = {
    "slip of another number": _slip_of_another_number,
    "number beyond all": _number_beyond_all,
    "number that is none": _number_that_is_none,
    "slip of the service": _slip_of_the_service,
    "call of nobody": _call_of_nobody,
    "call for a player": _call_for_a_player,
    "foot left out of the callers": _foot_left_out_of_the_callers,
    "foot that nobody called": telling(FootTold, lambda _: {"callers": (1,)}),
    "second foot": _second_foot,
    "caller of a cancelled hand": telling(HandCancelled, lambda one: {"callers": (*one.callers, 9)}),
    "cards of somebody else": _cards_of_somebody_else,
    "two cards": _two_cards,
    "direction": telling(PassAwaited, lambda _: {"direction": "across"}),
    "passed elsewhere": telling(CardsPassed, lambda _: {"direction": "across"}),
    "bid for more": _bid_for_more,
    "shown card of somebody else": _shown_card_of_somebody_else,
    "bid of more members": _bid_of_more_members,
    "bid opened with other points": telling(
        BidsOpened, lambda one: {"bids": (replace(one.bids[0], points=99), *one.bids[1:])}
    ),
    "tie for others": telling(
        AuctionSettled, lambda one: {"sold": (replace(one.sold[0], seat=_another_seat(one.sold[0])), *one.sold[1:])}
    ),
    "order of choosing": _order_of_choosing,
    "leftover that is none": _leftover_that_is_none,
    "leftover for another": telling(LeftoverGiven, lambda one: {"seat": _another_seat(one)}),
    "leader": telling(PlayBegun, lambda one: {"leader": _next(one.leader)}),
    "taker": telling(TrickTaken, lambda one: {"seat": _another_seat(one)}),
    "order of the first trick": telling(PlayBegun, lambda one: {"to_play": one.to_play[::-1]}),
    "order of the next trick": telling(TrickTaken, lambda one: {"to_play": one.to_play[::-1]}),
    "break of hearts": telling(CardPlayed, lambda _: {"breaks_hearts": True}),
    "trick": telling(TrickTaken, lambda one: {"cards": one.cards[::-1]}),
    "score": telling(HandScored, _one_more),
    "queen": telling(HandScored, lambda one: {"queen": _next(one.queen)}),
    "shooter": telling(HandScored, lambda _: {"shooter": 1}),
    "dealer": telling(HandFinished, lambda one: {"dealer": _next(one.dealer)}),
    "winner": telling(GameEnded, lambda one: {"winners": (_next(one.winners[0]),)}),
    "hand": telling(HandDealt, lambda one: {"hand": one.hand + 1}),
    "another name": _another_name,
    "one field more": _one_field_more,
    "nothing sealed": _nothing_sealed,
    "sealed by a card": _sealed_by_a_card,
    "sealed by a consequence": _sealed_by_a_consequence,
    "number to all": sealing(SlipWritten, "insurance", to=(1, 2, 3, 4)),
    "number to nobody": sealing(SlipWritten, "insurance", to=()),
    "number open early": sealing(SlipWritten, "insurance", until=Until(("hand_cancelled",), ("foot_told",))),
    "number never open": sealing(SlipWritten, "insurance", until=Until(("foot_told",), ("hand_scored",))),
    "number open though the hand is off": sealing(SlipWritten, "insurance", until=Until((), ("hand_scored",))),
    "number as a boolean": sealing_odd(SlipWritten, "insurance", value=False),
    "foot as a number": sealing_odd(SlipWritten, "foot", value=0),
    "foot of null": sealing(SlipWritten, "foot", value=None),
    "foot open for nobody": sealing(SlipWritten, "foot", until=NEVER_OPEN),
    "cards shown to another": sealing(
        PassChosen, "cards", until=Until((), ("deck_revealed",), {"cards_passed": (1, 2, 3, 4)})
    ),
    "cards shown early": sealing(PassChosen, "cards", until=Until((), ("deck_revealed",), {"pass_chosen": (1,)})),
    "cards open late": sealing(PassChosen, "cards", until=Until((), ("hand_finished",), {})),
    "cards open for nobody": sealing(PassChosen, "cards", until=NEVER_OPEN),
    "bid open for nobody": sealing(BidWritten, "bid", until=NEVER_OPEN),
}
