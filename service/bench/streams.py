"""The event streams of games that are played and recorded in memory; every run makes the same streams."""

from collections.abc import Mapping
from random import Random
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from service import deck
from service.bench import headless
from service.deck import Deck
from service.entropy import Entropy
from service.event_store.codec import Codec, Header, RecordedEvent
from service.event_store.disclosure import SealedField
from service.event_store.entries import Secret, stream_name
from service.event_store.leaf import Commitment
from service.games import CURRENT, EVENTS
from service.games.common_commands import StartGame, TakeSeat
from service.games.decks import KnownDecks
from service.games.game import HOST, PLAYER, SERVICE, Command, Event, seat_actor
from service.games.sample_tables import buy_in
from service.games.seating import author
from service.secrets.commitments import command_id, field_commitment
from service.secrets.openings import FieldOpening
from service.tables import fold, sealed_fields
from service.tables.visibility import SeatViewpoint

_AT: Final = "2026-01-01T00:00:00.000Z"


class Stream(Struct, frozen=True, kw_only=True):
    """The *recorded* events of one table, with its *decks* and the number of settled *hands*.

    *values* has the values of sealed fields, by the position of the event and the name of the field.
    """

    stream_id: bytes
    recorded: tuple[RecordedEvent, ...]
    decks: Mapping[str, Deck]
    hands: int
    values: Mapping[int, Mapping[str, Any]]


def played(number: int, moves: int, game: str = headless.GAME.name) -> Stream:
    """Return the stream of table *number* after *moves* random legal moves, or fewer if play ends."""
    dice = Random(number)
    playing = Playing(number, headless.Repeatable(), game)
    playing.start(buy_in(CURRENT[game].sample_tables.bench))
    for _ in range(moves):
        if playing.table_at.state.status != "playing":
            break
        seat, command = headless.random_move(playing.table_at, dice, playing.sees)
        playing.do(replace(command, by=seat_actor(seat)))
    return playing.stream()


class Playing:
    """A table that is played without a database."""

    def __init__(self, number: int, entropy: Entropy, game: str = headless.GAME.name) -> None:
        """Begin with an empty stream; seeds of decks and salts of sealed fields come from *entropy*."""
        stream_id = number.to_bytes(16, "big")
        self.table_at = fold.new(stream_id, CURRENT[game])
        self._entropy = entropy
        self._known = _PlayedKnown(entropy)
        self._codec = Codec(EVENTS)
        self._recorded: list[RecordedEvent] = []

    def start(self, chips: int) -> None:
        """Open the table, seat a player with *chips* chips in each seat, and start the game."""
        game = self.table_at.game
        options = {**game.sample_tables.bench, **({"buy_in": chips} if chips else {})}
        self.do(replace(headless.opening(game, options), by=HOST))
        for seat in range(1, game.seats.default + 1):
            self.do(TakeSeat(by=PLAYER, player=headless.owner(seat), chips=chips, seat=seat))
        self.do(StartGame(by=HOST))

    def do(self, command: Command) -> None:
        """Decide *command*, and record its events."""
        table_at = self.table_at
        decided = table_at.game.decide(table_at.state, command, self._known)
        decision, *consequences = decided.events
        secrets = sealed_fields.secrets(decided.secrets)
        priv = {field: self._sealed(decision, field, secret) for field, secret in secrets.items()}
        self._record(decision, author(command, decision), command_id(bytes(32), str(table_at.position)), priv)
        for event in consequences:
            self._record(event, SERVICE, "", {})

    def sees(self, seat: int) -> SeatViewpoint:
        """Return the viewpoint of the player in *seat*."""
        return SeatViewpoint(self.table_at, seat, self._known)

    def seed(self, epoch: str) -> bytes:
        """Return the seed of the deck of *epoch*."""
        return bytes.fromhex(self._known.server_seed(epoch))

    def stream(self) -> Stream:
        """Return the stream with all events so far."""
        state = self.table_at.state
        return Stream(
            stream_id=self.table_at.stream_id,
            recorded=tuple(self._recorded),
            decks=self._known.decks,
            hands=state.hand - state.hand_is_running,
            values=self._known.values,
        )

    def _sealed(self, decision: Any, field: str, secret: Secret) -> Commitment:  # noqa: ANN401 -- *decision* is an event of any game
        stream, position = stream_name(self.table_at.stream_id), self.table_at.position + 1
        value, salt = msgspec.to_builtins(secret.value), self._entropy.secret()
        self._known.seal(decision.seat, position, FieldOpening(stream, position, field, salt.hex(), value))
        commitment = field_commitment(stream, position, field, salt, value)
        return Commitment(c=commitment, to=secret.to, until=secret.until)

    def _record(self, event: Event, by: str, cmd: str, priv: dict[str, Commitment]) -> None:
        head = self.table_at.head
        header = Header(
            stream=stream_name(self.table_at.stream_id),
            position=head.position + 1,
            prev=head.hash.hex(),
            by=by,
            at=_AT,
            cmd=cmd,
            priv=priv,
        )
        recorded = self._codec.decode(self._codec.encode(event, header))
        self._recorded.append(recorded)
        self.table_at = fold.fold(self.table_at, [recorded])


class _PlayedKnown(KnownDecks):
    """The `Known` of a table without a database: decks with seeds from *entropy*, and sealed values."""

    def __init__(self, entropy: Entropy) -> None:
        self.decks: dict[str, Deck] = {}
        self.values: dict[int, dict[str, Any]] = {}
        self._entropy = entropy
        self._seeds: dict[str, bytes] = {}
        self._last: dict[tuple[int, str], Any] = {}
        self._openings: dict[tuple[int, str], FieldOpening] = {}

    def seal(self, seat: int, position: int, opening: FieldOpening) -> None:
        """Store the *opening* of a field that *seat* sealed in the event at *position*."""
        self.values.setdefault(position, {})[opening.field] = opening.value
        self._last[seat, opening.field] = opening.value
        self._openings[position, opening.field] = opening

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return the value that *seat* sealed last under *field*."""
        return self._last[seat, field]

    def field(self, sealed_field: SealedField) -> FieldOpening:
        """Return the opening of a sealed field."""
        return self._openings[sealed_field.position, sealed_field.field]

    def server_commit(self, epoch: str) -> str:
        """Return the commitment to the seed of *epoch*; the first call draws the seed."""
        return deck.server_commit(epoch, self._seeds.setdefault(epoch, self._entropy.secret()))

    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*."""
        if epoch not in self.decks:
            self.decks[epoch] = deck.shuffle(epoch, self._seeds[epoch])
        return self.decks[epoch]

    def server_seed(self, epoch: str) -> str:
        """Return the seed of *epoch* as hex."""
        return self._seeds[epoch].hex()
