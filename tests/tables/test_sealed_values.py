"""Two worlds that differ in a sealed value look alike to everybody but the author until the value is disclosed."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from msgspec.structs import replace

from service.cards import suit
from service.secrets.commitments import field_commitment
from tests.databases import Databases
from tests.games.facts import WorldGame
from tests.tables.asking import must_see_the_same
from tests.tables.games import Game, Plays, Worlds, asked, players_of
from tests.tables.sweep import Sweep
from tests.tables.worlds import AUDITOR, HOST, SPECTATOR, STRANGER, Request, World, answer_parts

PLAYING_AUDITOR: Final = "auditor who may play"
EVERYBODY: Final = ("player 1", "player 2", "player 3", "player 4", HOST, AUDITOR, STRANGER, SPECTATOR, PLAYING_AUDITOR)
UNMOVED: Final = frozenset({"2c", "Qs"})
"""Cards that no change swaps: a swap would change the first lead, or the holder of the queen of spades."""
TO_ANOTHER_HAND: Final = Game("insurance_hearts", WorldGame(seed=21, seats=4, moves=85, options={}))
CALLED_OFF: Final = Game("insurance_hearts", WorldGame(seed=22, seats=4, moves=85, options={}, calls={"foot": 2}))


DAILY_VIEWERS: Final = 2
"""The number of viewers who send requests at each check in a partial sweep; each run draws other viewers."""


class Change(NamedTuple):
    """A change of one sealed *field*: the command at *number* in the script is replaced by *other*."""

    number: int
    other: Request
    field: str

    @property
    def author(self) -> str:
        return self.other.who


class Worldly(NamedTuple):
    """A game that was played in the world *own*, and the worlds *one* and *other* in which the test replays it.

    *made*: for each command of *script*, the types of its events. *positions*: for each command, the table's position
    after the command.
    """

    own: World
    one: World
    other: World
    table: str
    script: Sequence[Request]
    made: Sequence[frozenset[str]]
    positions: Sequence[int]
    sweep: Sweep

    def path(self, rest: str = "") -> str:
        return f"/v1/tables/{self.table}{rest}"

    def numbers(self, *kinds: str) -> list[int]:
        """Return the numbers of the commands of these types in the script."""
        return [number for number, one in enumerate(self.script) if one.body.get("type") in kinds]

    def before(self, number: int) -> Any:
        """Return the view of the author of the command at *number*, right before the command."""
        return asked(self.own, self.script[number].who, self.path(f"?at={self.positions[number - 1]}"))

    def changed(self, number: int, field: str, **members: Any) -> Change:
        request = self.script[number]
        return Change(number, replace(request, body={**request.body, **members}), field)

    def opener(self, change: Change, kind: str) -> int:
        """Return the number of the first command, from *change* on, that makes an event of the type *kind*."""
        return next(number for number, made in enumerate(self.made) if number >= change.number and kind in made)

    def play(self, numbers: range, change: Change, unknowing: Sequence[str]) -> None:
        """Send the commands *numbers* in both worlds; check that all succeed, with equal responses to *unknowing*."""
        for number in numbers:
            request = self.script[number]
            one = self.one.post(request)
            other = self.other.post(change.other if number == change.number else request)
            assert one.status_code == other.status_code < 300, (request, one.data, other.data)
            if request.who in unknowing:
                assert answer_parts(one) == answer_parts(other), request

    def must_be_alike(self, viewers: Sequence[str], number: int) -> None:
        """Check that *viewers*, in a partial sweep some of them, get equal responses after the command at *number*."""
        for viewer in self.sweep.some(viewers, DAILY_VIEWERS):
            must_see_the_same(self.one, self.other, viewer, self.table, self.script[: number + 1], self.sweep)


Pairs = Callable[[Game], AbstractContextManager[Worldly]]


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory, all_databases: Databases) -> Iterator[Plays]:
    """Yield the games, each played once; the tests change one sealed value of a game."""
    with ExitStack() as stack:
        yield Plays(stack, tmp_path_factory.mktemp("plays"), all_databases)


@pytest.fixture
def pairs(tmp_path: Path, all_databases: Databases, plays: Plays, sweep: Sweep) -> Pairs:
    """Return a function that makes two new worlds for a game."""

    @contextmanager
    def made(game: Game) -> Iterator[Worldly]:
        own, table, script = plays.of(game)
        done: list[Any] = [own.post(request).get_json() for request in script]
        worlds = Worlds(tmp_path, all_databases, players_of(game))
        with worlds.made({}) as one, worlds.made({}) as other:
            for world in (one, other):
                world.admit(PLAYING_AUDITOR, "audit", "play")
            made = [frozenset(event["leaf"]["type"] for event in answer["events"]) for answer in done]
            yield Worldly(own, one, other, table, script, made, [answer["position"] for answer in done], sweep)

    return made


@pytest.mark.parametrize(
    "number_of_its_kind",
    [pytest.param(0, id="the first slip"), pytest.param(3, id="the last slip", marks=pytest.mark.full)],
)
def test_the_number_of_a_slip_is_shown_to_nobody_else_before_the_hand_is_scored(
    pairs: Pairs, number_of_its_kind: int
) -> None:
    with pairs(TO_ANOTHER_HAND) as pair:
        number = pair.numbers("write_slip")[number_of_its_kind]
        change = pair.changed(number, "insurance", insurance=(pair.script[number].body["insurance"] + 3) % 7)
        _is_silent_until(pair, change, pair.opener(change, "hand_scored"))
        _must_be_open(pair, change, EVERYBODY)


def test_the_number_of_a_slip_is_never_shown_once_the_hand_is_cancelled(pairs: Pairs) -> None:
    with pairs(CALLED_OFF) as pair:
        number = pair.numbers("write_slip")[2]
        assert not pair.script[number].body["foot"]
        change = pair.changed(number, "insurance", insurance=(pair.script[number].body["insurance"] + 1) % 7)
        end = len(pair.script) - 1
        assert pair.opener(change, "hand_cancelled") < pair.opener(change, "hand_scored") < end
        _is_silent_until(pair, change, end)
        pair.play(range(end, end + 1), change, ())
        pair.must_be_alike(_others(change), end)
        _must_be_open(pair, change, [change.author])


def test_a_foot_is_shown_to_nobody_else_before_the_last_slip_is_in(pairs: Pairs) -> None:
    with pairs(TO_ANOTHER_HAND) as pair:
        change = pair.changed(pair.numbers("write_slip")[0], "foot", foot=True)
        _is_silent_until(pair, change, pair.opener(change, "foot_told"))
        _must_be_open(pair, change, EVERYBODY)


@pytest.mark.parametrize(
    "kind",
    [
        "no bid",
        "another card shown",
        *(pytest.param(kind, marks=pytest.mark.full) for kind in ("other points", "another card")),
    ],
)
def test_a_bid_is_shown_to_nobody_else_before_all_are_opened(pairs: Pairs, kind: str) -> None:
    with pairs(TO_ANOTHER_HAND) as pair:
        change = _other_bid(pair, pair.numbers("place_bid")[0], kind)
        _is_silent_until(pair, change, pair.opener(change, "bids_opened"))
        _must_be_open(pair, change, EVERYBODY)


@pytest.mark.parametrize("giver", [1, *(pytest.param(seat, marks=pytest.mark.full) for seat in (2, 3, 4))])
def test_a_passed_card_is_shown_to_giver_and_receiver_alone(pairs: Pairs, giver: int) -> None:
    with pairs(TO_ANOTHER_HAND) as pair:
        number = next(one for one in pair.numbers("pass_cards") if pair.script[one].who == f"player {giver}")
        change, end = _other_pass(pair, number)
        opened = pair.opener(change, "cards_passed")
        _is_silent_until(pair, change, opened)
        receiver = f"player {giver % 4 + 1}"  # In the first hand, cards are passed to the left.
        _must_be_open(pair, change, [change.author, receiver])
        unknowing = [who for who in _others(change) if who != receiver]
        assert end > opened + 1
        pair.play(range(opened + 1, end), change, unknowing)
        pair.must_be_alike(unknowing, end - 1)


def _is_silent_until(pair: Worldly, change: Change, opener: int) -> None:
    """Play up to and including the command at *opener*; before it, check that only the author can notice *change*."""
    unknowing = _others(change)
    pair.play(range(change.number + 1), change, unknowing)
    if opener > change.number:
        pair.must_be_alike(unknowing[::3], change.number)
        pair.play(range(change.number + 1, opener), change, unknowing)
        pair.must_be_alike(unknowing, opener - 1)
        pair.play(range(opener, opener + 1), change, ())


def _must_be_open(pair: Worldly, change: Change, viewers: Sequence[str]) -> None:
    """Check that only *viewers* read the two values, and that each value matches its commitment in its world."""
    for viewer in EVERYBODY:
        values = []
        for world in (pair.one, pair.other):
            events = asked(world, viewer, pair.path("/events?limit=1000"))["items"]
            told_fields = [one for event in events for one in event["fields"] if one["field"] == change.field]
            fields = [one for one in told_fields if one["position"] == _position(pair, change)]
            for one in fields:
                committed = events[one["position"] - 1]["leaf"]["priv"][change.field]["c"]
                salt = bytes.fromhex(one["salt"])
                assert field_commitment(one["stream"], one["position"], one["field"], salt, one["value"]) == committed
            values.append([one["value"] for one in fields])
        assert (values == [[], []]) == (viewer not in viewers), viewer
        assert (values[0] != values[1]) == (viewer in viewers), viewer


def _position(pair: Worldly, change: Change) -> int:
    """Return the position of the event that sealed the changed value: the first event of its command."""
    return pair.positions[change.number - 1] + 1


def _others(change: Change) -> list[str]:
    return [who for who in EVERYBODY if who != change.author]


def _other_bid(pair: Worldly, number: int, kind: str) -> Change:
    """Return a change of the bid at *number*: other points, another card, another shown card or no bid."""
    body, view = pair.script[number].body, pair.before(number)
    match kind:
        case "other points":
            return pair.changed(number, "bid", points=body["points"] + 100)
        case "another card":
            card = next(card for card in view["view"]["auction"] if card != body["card"])
            return pair.changed(number, "bid", card=card, points=9)
        case "another card shown":
            hand = view["view"]["hands"][str(view["you"])]
            return pair.changed(number, "bid", shown=next(card for card in hand if card != body["shown"]))
        case _:
            none = replace(pair.script[number], body={"type": "make_no_bid", "shown": body["shown"]})
            return Change(number, none, "bid")


def _other_pass(pair: Worldly, number: int) -> tuple[Change, int]:
    """Swap a passed card with a kept card of the same suit.

    Choose the swap for which the first command that names one of the two cards comes latest. Return the change, and the
    number of that command.
    """
    view, cards = pair.before(number), pair.script[number].body["cards"]
    hand = view["view"]["hands"][str(view["you"])]
    swaps = [
        (away, kept)
        for away in cards
        for kept in hand
        if kept not in cards and suit(kept) == suit(away) and not {kept, away} & UNMOVED
    ]
    end, away, kept = max((_named(pair, number, set(swap)), *swap) for swap in swaps)
    return pair.changed(number, "cards", cards=[kept if card == away else card for card in cards]), end


def _named(pair: Worldly, number: int, cards: set[str]) -> int:
    """Return the number of the first command after *number* that names one of *cards*."""
    return next(at for at, one in enumerate(pair.script) if at > number and cards & _faces(one.body))


def _faces(body: Any) -> set[str]:
    """Return the cards that a command names."""
    return {*body.get("cards", ()), *(body[name] for name in ("card", "shown") if name in body)}
