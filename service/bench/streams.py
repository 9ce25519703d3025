"""Streams of whole hands, played and recorded in memory alone, the same in every run."""

from collections.abc import Mapping
from random import Random
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from service import deck
from service.bench import house, loads
from service.deck import Deck
from service.entropy import Entropy
from service.games import EVENTS
from service.games.commands import StartGame, TakeSeat
from service.games.game import HOST, PLAYER, SERVICE, Command, Event, seat_actor
from service.games.seating import author
from service.log.codec import Codec, Header, Recorded
from service.log.leaf import command_id
from service.log.store import stream_name
from service.projections import situations

BUY_IN: Final = 200  # so that some are on last legs, and some go bankrupt

_AT: Final = "2026-01-01T00:00:00.000Z"


class Stream(Struct, frozen=True, kw_only=True):
    """What was *recorded* at one table, with the *decks* it was played with; *hands* of it are settled."""

    stream_id: bytes
    recorded: tuple[Recorded, ...]
    decks: Mapping[str, Deck]
    hands: int


def played(number: int, moves: int) -> Stream:
    """Play table *number* by dice of its own: four players, any legal move, *moves* of them or to the end."""
    dice = Random(number)
    playing = Playing(number, house.Repeatable())
    playing.start(BUY_IN)
    for _ in range(moves):
        if playing.situation.state.status != "playing":
            break
        seat, command = house.random_move(playing.situation, dice)
        playing.do(replace(command, by=seat_actor(seat)))
    return playing.stream()


class Playing:
    """A table that is played without a database."""

    def __init__(self, number: int, entropy: Entropy) -> None:
        """Begin with nothing recorded; the seeds of the decks come from *entropy*."""
        stream_id = number.to_bytes(16, "big")
        self.situation = situations.new(stream_id, house.GAME)
        self._known = _Known(entropy)
        self._codec = Codec(EVENTS)
        self._recorded: list[Recorded] = []

    def start(self, buy_in: int) -> None:
        """Open the table, seat four players with *buy_in* pieces each, and start the game."""
        self.do(replace(house.opening(buy_in), by=HOST))
        for seat in range(1, loads.SEATS + 1):
            self.do(TakeSeat(by=PLAYER, player=house.owner(seat), chips=buy_in, seat=seat))
        self.do(StartGame(by=HOST))

    def do(self, command: Command) -> None:
        """Decide *command*, and record what comes of it."""
        situation = self.situation
        decision, *consequences = situation.game.decide(situation.state, command, self._known)
        self._record(decision, author(command, decision), command_id("", str(situation.position)))
        for event in consequences:
            self._record(event, SERVICE, "")

    def stream(self) -> Stream:
        """Return what was played so far."""
        state = self.situation.state
        return Stream(
            stream_id=self.situation.stream_id,
            recorded=tuple(self._recorded),
            decks=self._known.decks,
            hands=state.hand - state.hand_is_running,
        )

    def _record(self, event: Event, by: str, cmd: str) -> None:
        head = self.situation.head
        header = Header(
            stream=stream_name(self.situation.stream_id),
            position=head.position + 1,
            prev=head.hash.hex(),
            by=by,
            at=_AT,
            cmd=cmd,
        )
        recorded = self._codec.decode(self._codec.encode(event, header))
        self._recorded.append(recorded)
        self.situation = situations.follow(self.situation, recorded)


class _Known:
    """What the rules must know: of decks whose seeds come from *entropy*."""

    def __init__(self, entropy: Entropy) -> None:
        self.decks: dict[str, Deck] = {}
        self._entropy = entropy
        self._seeds: dict[str, bytes] = {}

    def sealed(self, seat: int, field: str) -> object:
        """Raise: at no table of Bankrupt is anything sealed."""
        raise LookupError(f"seat {seat} has sealed no {field}")

    def server_commit(self, epoch: str) -> str:
        """Return the commitment to the seed of *epoch*."""
        return deck.server_commit(epoch, self._seeds.setdefault(epoch, self._entropy.secret()))

    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*."""
        if epoch not in self.decks:
            self.decks[epoch] = deck.shuffle(epoch, self._seeds[epoch])
        return self.decks[epoch]

    def server_seed(self, epoch: str) -> str:
        """Return the seed of *epoch* as hex."""
        return self._seeds[epoch].hex()
