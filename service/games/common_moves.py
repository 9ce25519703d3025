"""The moves of every game: opening, seats, start, closing, invitations, keys, seeds, erasures (G.4, G.9 to G.13)."""

# DECISIONS 93

from collections.abc import Callable
from typing import TypeVar

from service.games import common_refusals, decks, invitations, seating
from service.games.common_commands import (
    CloseTable,
    CommitSeed,
    DeclineInvitation,
    EndSigningKey,
    EraseValue,
    InvitePlayer,
    LeaveSeat,
    OpenTable,
    RegisterSigningKey,
    RevealSeed,
    StartGame,
    TakeSeat,
    WithdrawInvitation,
)
from service.games.common_events import (
    GameStarted,
    InvitationDeclined,
    InvitationWithdrawn,
    PlayerInvited,
    SeatLeft,
    SeatTaken,
    SigningKeyEnded,
    SigningKeyRegistered,
    TableClosed,
    TableOpened,
    ValueErased,
)
from service.games.decks import Emitter
from service.games.game import Known, Refusal, Viewpoint
from service.games.move import C, D, Move, SomeMove, nothing_follows, public
from service.games.seeds import seed_rules
from service.games.seeds.seed_events import DeckSeedCommitted, DeckSeedRevealed
from service.games.table_state import TableState
from service.secrets.move_signatures import is_sound_key

S = TypeVar("S", bound=TableState)


def common_moves(  # noqa: PLR0913 -- each argument is a rule of the game for common commands
    *,
    table_must_be_sound: Callable[[OpenTable], None],
    buy_in_must_be_sound: Callable[[S, TakeSeat], None],
    begin_game: Callable[[Emitter[S], Known], None] = nothing_follows,
    least_players: int = seating.LEAST_PLAYERS,
    seats_must_be_open: Callable[[S], None] = seating.must_be_open,
    seats_stay_open: Callable[[S], bool] = lambda _state: False,
    leave_seat: Callable[[S, LeaveSeat], SeatLeft] = seating.leave_seat,
    close_table: Callable[[S, CloseTable], TableClosed] = seating.close_table,
) -> tuple[SomeMove[S], ...]:
    """Return the common moves of a game with these rules.

    - *table_must_be_sound* checks the seats, options and terms of a new table.
    - *buy_in_must_be_sound* checks how many chips a player buys with a seat.
    - *least_players* is the least number of players for the start; *begin_game* emits the consequences of the start.
    - *seats_must_be_open* checks that players may take seats and be invited now; *seats_stay_open* says whether seats
      may also be taken after the start.
    - *leave_seat* and *close_table* decide the commands `LeaveSeat` and `CloseTable`.
    """

    def open_table(state: S, command: OpenTable) -> TableOpened:
        table_must_be_sound(command)
        return seating.open_table(state, command)

    def take_seat(state: S, command: TakeSeat) -> SeatTaken:
        seats_must_be_open(state)
        buy_in_must_be_sound(state, command)
        return seating.take_seat(state, command)

    def start_game(state: S, command: StartGame) -> GameStarted:
        return seating.start_game(state, command, least=least_players, seats_stay_open=seats_stay_open(state))

    return (
        Move(command=OpenTable, decision=TableOpened, decide=public(open_table), follow=decks.open_reserve),
        Move(command=TakeSeat, decision=SeatTaken, decide=public(take_seat), command_of=seating.command_of_seat),
        Move(command=LeaveSeat, decision=SeatLeft, decide=public(leave_seat)),
        Move(command=StartGame, decision=GameStarted, decide=public(start_game), follow=begin_game),
        Move(command=CloseTable, decision=TableClosed, decide=public(close_table), follow=decks.reveal_all),
        *_invitation_moves(seats_must_be_open),
        Move(command=RegisterSigningKey, decision=SigningKeyRegistered, decide=public(_register_signing_key)),
        Move(command=EndSigningKey, decision=SigningKeyEnded, decide=public(_end_signing_key)),
        Move(command=CommitSeed, decision=DeckSeedCommitted, decide=public(seed_rules.commit)),
        Move(command=RevealSeed, decision=DeckSeedRevealed, decide=public(seed_rules.reveal)),
        Move(command=EraseValue, decision=ValueErased, decide=public(seating.erase_value)),
    )


def _invitation_moves(seats_must_be_open: Callable[[S], None]) -> tuple[SomeMove[S], ...]:
    def while_open(decide: Callable[[S, C], D]) -> Callable[[S, C, Viewpoint], D]:
        def decide_while_open(state: S, command: C) -> D:
            seats_must_be_open(state)
            return decide(state, command)

        return public(decide_while_open)

    return (
        Move(command=InvitePlayer, decision=PlayerInvited, decide=while_open(invitations.invite)),
        Move(command=WithdrawInvitation, decision=InvitationWithdrawn, decide=while_open(invitations.withdraw)),
        Move(command=DeclineInvitation, decision=InvitationDeclined, decide=while_open(invitations.decline)),
    )


def _register_signing_key(state: S, command: RegisterSigningKey) -> SigningKeyRegistered:
    seat = _seat_of_unfinished_game(state, command.by)
    if state.hand_is_running:
        raise Refusal(common_refusals.HAND_MUST_NOT_BE_RUNNING)
    if not is_sound_key(command.public_key):
        raise Refusal(common_refusals.SIGNING_KEY_MUST_BE_SOUND)
    if command.public_key in state.signing_keys.values():
        raise Refusal(common_refusals.SIGNING_KEY_MUST_BE_NEW)
    return SigningKeyRegistered(seat=seat, public_key=command.public_key)


def _end_signing_key(state: S, command: EndSigningKey) -> SigningKeyEnded:
    seat = _seat_of_unfinished_game(state, command.by)
    if seat not in state.signing_keys:
        raise Refusal(common_refusals.SIGNING_KEY_MUST_BE_REGISTERED, f"Seat {seat} has no signing key.")
    return SigningKeyEnded(seat=seat)


def _seat_of_unfinished_game(state: S, by: str) -> int:
    seat = seating.must_be_seated(state, by)
    if state.status not in {"open", "playing"}:
        raise Refusal(common_refusals.GAME_MUST_NOT_BE_OVER, f"The table is {state.status}.")
    return seat
