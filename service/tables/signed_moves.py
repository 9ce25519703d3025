"""The conditions that the signature of a decision must meet (G.13) (DECISIONS 102)."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from service.event_store.entries import stream_name
from service.event_store.leaf import MoveSignature
from service.games.common_events import SigningKeyEnded, SigningKeyRegistered
from service.games.common_refusals import Condition
from service.games.definition import Game
from service.games.game import Event, acting_seat
from service.secrets.move_signatures import SignedMove, is_signed, move_text
from service.tables.signing_state import SignFrom

_CITES: Final = (("", "G.13"),)
MOVE_MUST_BE_SIGNED: Final = Condition(
    "move_must_be_signed", "A decision of a seat with a signing key must be signed.", _CITES
)
MOVE_MUST_NOT_BE_SIGNED: Final = Condition(
    "move_must_not_be_signed",
    "Only two kinds of decisions may be signed: the registration of a key, and a decision of a seat with a signing key "
    "other than the end of that key.",
    _CITES,
)
BLINDS_MUST_BE_OF_THE_SEALED_FIELDS: Final = Condition(
    "blinds_must_be_of_the_sealed_fields",
    "A signed action must have a blind for each field that it seals, and no other blind.",
    _CITES,
)
HEAD_MUST_BE_OF_THE_TURN: Final = Condition(
    "head_must_be_of_the_turn",
    "A signature must name an event of the table from `sign_from` on, and the hash of this event.",
    _CITES,
)
SIGNATURE_MUST_BE_VALID: Final = Condition(
    "signature_must_be_valid",
    "The signing key of the seat must sign the action; a new key must also sign its own registration.",
    _CITES,
)
REFUSALS: Final = (
    MOVE_MUST_BE_SIGNED,
    MOVE_MUST_NOT_BE_SIGNED,
    BLINDS_MUST_BE_OF_THE_SEALED_FIELDS,
    HEAD_MUST_BE_OF_THE_TURN,
    SIGNATURE_MUST_BE_VALID,
)
"""The conditions of signatures, in order of precedence; the conditions of the games precede them."""

HashOf: TypeAlias = Callable[[int], bytes]
"""Returns the hash of the event at a position, or b"" if it is not known."""


class SeatDecision(Struct, frozen=True, kw_only=True):
    """A *decision*, its actor *by*, and the id of its command *cmd* (hex); it follows the event at the position *head*.

    *keys* are the signing keys before the decision, by seat. *choices* has the choice hash of each sealed field (hex;
    "": the field has no blind). *sign_from* is the first event that the signature may name. *hash_of* returns hashes of
    events.
    """

    game: Game
    stream_id: bytes
    keys: Mapping[int, str]
    decision: Event
    by: str
    cmd: str
    choices: Mapping[str, str]
    head: int
    sign_from: SignFrom
    hash_of: HashOf


def is_to_sign(keys: Mapping[int, str], decision: Event, by: str) -> bool:
    """Return whether *decision* needs a signature; *by* is its actor, *keys* are the signing keys before *decision*."""
    if isinstance(decision, SigningKeyRegistered):
        return True
    return acting_seat(by) in keys and not isinstance(decision, SigningKeyEnded)


def failed(made: SeatDecision, sig: MoveSignature | None) -> Condition | None:
    """Return the first condition that *sig*, the signature of the decision in *made*, does not meet, or None."""
    if not is_to_sign(made.keys, made.decision, made.by):
        return MOVE_MUST_NOT_BE_SIGNED if sig or any(made.choices.values()) else None
    if sig is None:
        return MOVE_MUST_BE_SIGNED
    if not all(made.choices.values()):
        return BLINDS_MUST_BE_OF_THE_SEALED_FIELDS
    if not made.sign_from.position <= sig.position <= made.head:
        return HEAD_MUST_BE_OF_THE_TURN
    known = made.sign_from.hash if sig.position == made.sign_from.position else made.hash_of(sig.position)
    if known.hex() != sig.head_hash:
        return HEAD_MUST_BE_OF_THE_TURN
    return None if _is_signed(made, sig) else SIGNATURE_MUST_BE_VALID


def _is_signed(made: SeatDecision, sig: MoveSignature) -> bool:
    text = move_text(
        SignedMove(
            stream=stream_name(made.stream_id),
            position=sig.position,
            head_hash=sig.head_hash,
            cmd=made.cmd,
            action=made.game.moves.signed_action(made.decision, made.by, made.choices),
        )
    )
    present = made.keys.get(acting_seat(made.by), "")
    if not isinstance(made.decision, SigningKeyRegistered):
        return not sig.previous and is_signed(present, sig.signature, text)
    is_handed_over = is_signed(present, sig.previous, text) if present else not sig.previous
    return is_handed_over and is_signed(made.decision.public_key, sig.signature, text)
