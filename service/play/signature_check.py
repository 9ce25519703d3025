"""Checks the signature of a command, and gives the command's sealed fields their blinds (G.13) (DECISIONS 102)."""

from collections.abc import Mapping

from msgspec.structs import replace

from service.database.engines import Connect
from service.event_store.entries import Secret, stream_name
from service.event_store.leaf import MoveSignature
from service.event_store.store import Log
from service.games.common_events import SigningKeyRegistered
from service.games.game import Event, Refusal, acting_seat
from service.play.orders import Signature
from service.secrets.move_signatures import choice_hash
from service.tables import signed_moves
from service.tables.fold import TableAt
from service.tables.signed_moves import (
    BLINDS_MUST_BE_OF_THE_SEALED_FIELDS,
    HEAD_MUST_BE_OF_THE_TURN,
    MOVE_MUST_NOT_BE_SIGNED,
    SeatDecision,
)


class SignatureCheck:
    """Checks the signature of a command; *before*: the table before the command; *given*: the signature, if any."""

    def __init__(self, log: Log, connect: Connect, before: TableAt, given: Signature | None) -> None:
        self._log = log
        self._connect = connect
        self._before = before
        self._given = given

    def blinded(self, decision: Event | None, by: str, cmd: str, secrets: Mapping[str, Secret]) -> Mapping[str, Secret]:
        """Check the signature of *decision*, which the actor *by* makes under the command id *cmd*.

        The decision seals *secrets*. Return *secrets*, with the blind and the choice of each value for which the caller
        has drawn a blind. *decision* is None in the dry run of a call of time: the service chooses the decision later.

        Raises:
            Refusal: the signature does not meet one of the conditions in `signed_moves.REFUSALS`.
            StreamCorrupted: the event on which the player signed is damaged.
        """
        before = self._before
        if self._given is None and not before.state.signing_keys and not isinstance(decision, SigningKeyRegistered):
            return secrets  # No seat has a key: this is the usual case.
        keys = before.state.signing_keys
        if decision is None or (self._given and not signed_moves.is_to_sign(keys, decision, by)):
            raise Refusal(MOVE_MUST_NOT_BE_SIGNED)
        secrets = self._with_blinds(by, secrets)
        made = SeatDecision(
            game=before.game,
            stream_id=before.stream_id,
            keys=keys,
            decision=decision,
            by=by,
            cmd=cmd,
            choices={field: secret.choice for field, secret in secrets.items()},
            head=before.position,
            sign_from=before.sign_from(acting_seat(by)),
            hash_of=self._hash_of,
        )
        condition = signed_moves.failed(made, leaf_signature(self._given))
        if condition is HEAD_MUST_BE_OF_THE_TURN:
            since = made.sign_from.position
            detail = f"Sign on the event at position {since}, or on a later one up to {made.head}, with its hash."
            raise Refusal(condition, detail)
        if condition:
            raise Refusal(condition)
        return secrets

    def _with_blinds(self, by: str, secrets: Mapping[str, Secret]) -> dict[str, Secret]:
        given = self._given.blinds if self._given else ()
        blinds = {one.field: one.blind for one in given}
        if blinds.keys() - secrets.keys() or len(blinds) < len(given):
            raise Refusal(BLINDS_MUST_BE_OF_THE_SEALED_FIELDS)
        stream, seat = stream_name(self._before.stream_id), acting_seat(by)
        return {
            field: replace(secret, blind=blind, choice=choice_hash(stream, seat, field, blind, secret.value))
            if (blind := blinds.get(field, ""))
            else secret
            for field, secret in secrets.items()
        }

    def _hash_of(self, position: int) -> bytes:
        before = self._before
        if position == before.position:
            return before.head.hash
        (recorded,) = self._log.reader.read(self._connect(), before.stream_id, position - 1, 1, head=before.head)
        return recorded.hash


def leaf_signature(given: Signature | None) -> MoveSignature | None:
    """Return the signature *given* as the leaf has it."""
    if given is None:
        return None
    return MoveSignature(
        head_hash=given.head_hash, position=given.position, signature=given.signature, previous=given.previous
    )
