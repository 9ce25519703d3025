"""The glossary of members: what the members of responses and events mean, with their units, ranges and patterns."""

# DECISIONS 28

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from service.games import GAMES
from service.games.game import MOST_SEATS
from service.http.openapi import refusal_catalogue
from service.http.problems.catalogue import CATALOGUE
from service.http.request.fields import FIELD_ERRORS

GAME_NAMES: Final = tuple(dict.fromkeys(game.name for game in GAMES.values()))
_LARGEST: Final = 2**53 - 1  # log/v1 allows no larger integer
_MOST_POSITION: Final = 2**31 - 1
_HEX: Final = "^[0-9a-f]{64}$"
_TIME: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z"
_FACE: Final = "[2-9TJQKA][cdhs]"
_ACTOR: Final = "seat:[1-9][0-9]*|host|player|service|auditor|approver"


class Word(Struct, frozen=True):
    """What the document says of a member.

    *says* is the member's description. *least* and *most* limit the member's integers. *form* is the pattern of the
    member's texts, or *values* lists all texts that the member can have. A part that is empty or None is left out of
    the document.
    """

    says: str
    least: int | None = None
    most: int | None = None
    form: str = ""
    values: tuple[str, ...] = ()


_SEATS: Final = Word("The numbers of the seats.", 1, MOST_SEATS)
_CHIPS: Final = Word("A whole number of chips.", 0, _LARGEST)
_MAYBE_SEAT: Final = Word("A seat's number, clockwise from 1; 0: no seat.", 0, MOST_SEATS)
_FACE_OR_HIDDEN: Final = Word("The card's rank and suit; ?? if the card is hidden.", form=f"^({_FACE}|[?][?])$")

WORDS: Final[Mapping[str, Word]] = {
    "account": Word("The account's name, such as stack:1 or house."),
    "accounts": Word("", 0, _LARGEST),
    "actions": Word("The types of action in the game."),
    "amount": Word("The amount in whole units, above zero.", 1, _LARGEST),
    "any_seat": Word("Whether the player asked for any free seat, rather than for this seat."),
    "at": Word("The time in UTC, to the millisecond (RFC 3339), by the service's clock.", form=f"^{_TIME}$"),
    "author": Word("The author of the game."),
    "balance": Word("", -_LARGEST, _LARGEST),
    "balances": Word("", -_LARGEST, _LARGEST),
    "bounds": Word("The members whose values are numbers that the caller may choose, each with its range."),
    "by": Word(
        'The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver".',
        form=f"^({_ACTOR})$",
    ),
    "c": Word("The commitment: 64 hex digits.", form=_HEX),
    "called": Word("Who called time: the host or the time limit; empty: nobody called time."),
    "cards": Word("The cards, each as its rank and suit; ?? for a hidden card.", form=f"^({_FACE}|[?][?])$"),
    "chips": _CHIPS,
    "checkpoint": Word("The last checkpoint of the earlier log, a signed note; empty: none is known."),
    "choice": Word(
        "The hash of the value and the player's blind, which the player has signed: 64 hex digits; empty: the "
        "decision is not signed.",
        form="^([0-9a-f]{64})?$",
    ),
    "choices": Word("The members that name cards, each with the cards from which the caller may choose."),
    "Choice.among": Word("The cards to choose from.", form=f"^{_FACE}$"),
    "Choice.count": Word("How many different cards to choose, as an array; 0: one card, without an array.", 0, 52),
    "Choice.member": Word("The member of the action that names the cards."),
    "closing": Word(
        "The balance after the hand, or now if the hand is running: `opening` plus `net`.", -_LARGEST, _LARGEST
    ),
    "cmd": Word("The command's id: 64 hex digits; empty: the event is a consequence.", form="^([0-9a-f]{64})?$"),
    "code": Word("What must hold, in snake case. A code is never renamed.", values=tuple(FIELD_ERRORS)),
    "counterparty": Word("The account on the other side of the transfer."),
    "credit": Word("The author and the rule sheet of the game."),
    "currency": Word("The currency of a chip's worth (ISO 4217); empty: chips have no worth."),
    "dealer": _MAYBE_SEAT,
    "decisions": Word("The decisions of the hand, in order."),
    "deck": Word("The deck in play, and the deck in reserve."),
    "default": Word("The value if none is given."),
    "description": Word("The description, for people."),
    "detail": Word("What happened in this case, for people; empty: there are no details."),
    "difference": Word("The first difference between the expected and the recorded events; null: none was found."),
    "earlier": Word("The position that the stream had reached in the earlier log.", 1, _MOST_POSITION),
    "edition": Word("The edition of the game's rules and rulings, from 1.", 1, 10_000),
    "ended_at": Word("When the key was revoked, in UTC.", form=f"^{_TIME}$"),
    "ended_by": Word('The owner whose key revoked this key, or "operator".'),
    "epoch": Word("The name of the deck's epoch: <table id>/<k>, for the table's k-th deck."),
    "errors": Word("The errors in the request, each with its place."),
    "events": Word("The events of the command, in order.", 1, _LARGEST),
    "expires_at": Word("When the key expires, in UTC; empty: never.", form=f"^({_TIME})?$"),
    "expected": Word("The value that the rules require, as JSON; for a whole event, the event's type."),
    "face": _FACE_OR_HIDDEN,
    "field": Word("The name of the sealed field, or `seed`."),
    "first": Word("The position of the hand's first event.", 1, _MOST_POSITION),
    "formula": Word("How the amount comes about, in words."),
    "found": Word("The recorded value, as JSON; for a whole event, the event's type."),
    "game": Word("The game's name.", values=GAME_NAMES),
    "ground": Word("The reason of the erasure.", values=("request", "retention", "order")),
    "hand": Word("The hand's number, from 1.", 1, _MOST_POSITION),
    "hand_is_running": Word("Whether a hand is being played."),
    "has_more": Word("Whether there is another page."),
    "head_hash": Word("The hash of the event on which the player decided: 64 hex digits.", form=_HEX),
    "host": Word("The owner who opened the table and runs it."),
    "id": Word("The key's id.", form="^key_[0-9a-f]{32}$"),
    "is_settled": Word("Whether the hand is over."),
    "items": Word("The items of the list, in order."),
    "key": Word("The key, without its secret."),
    "label": Word("What the key is for, for people."),
    "last": Word(
        "The position of the hand's last event, or of its last event so far if the hand is running.", 0, _MOST_POSITION
    ),
    "leaf": Word("The event's leaf: the bytes that are hashed."),
    "leaf_hash": Word("SHA-256 of a zero byte and the leaf's bytes: 64 hex digits.", form=_HEX),
    "least": Word("The smallest value allowed.", 0, _LARGEST),
    "level": Word(
        "How many of the seats in the game gave a seed to the deck's order, besides the service: none (operator), some "
        "(partial) or all (joint). `seats` also has seats that gave a seed and whose players are out of the game."
    ),
    "log_key": Word("The public key that verifies checkpoints, as C2SP signed-note writes it: <origin>+<hash>+<key>."),
    "made": Word("The public members of the decision."),
    "made_at": Word("When the key was made, in UTC.", form=f"^{_TIME}$"),
    "made_by": Word('The owner whose key made this key, or "service" or "operator".'),
    "member": Word("The name of the member, or the path to the member."),
    "members": Word("The members of the action besides `type`."),
    "message": Word("What is wrong at this place, for people."),
    "missed": Word("The events after the position in If-Match, at most 100, as the caller may see them."),
    "most": Word("The largest value allowed.", 0, _LARGEST),
    "n": Word("The number of cards in the deck.", 1, 256),
    "name": Word("The member's name."),
    "net": Word(
        "The amount that the hand's transfers added; negative: they subtracted it. Over all accounts the sum is 0.",
        -_LARGEST,
        _LARGEST,
    ),
    "never": Word("The types of event after which no seat gains the right to read the value."),
    "next": Word("", 0, _MOST_POSITION),
    "open": Word("The types of event after which everybody may read the value."),
    "opening": Word("The balance before the hand.", -_LARGEST, _LARGEST),
    "opened_at": Word("When the table was opened, in UTC.", form=f"^{_TIME}$"),
    "options": Word("The game's options, each with its value.", 0, _LARGEST),
    "ordinal": Word("", 0, 1000),
    "origin": Word("The name of the log: the first line of each checkpoint."),
    "owner": Word("The owner of the key.", form="^(own_[0-9a-f]{32})?$"),
    "parameter": Word("The name of the query parameter."),
    "payout": Word("The transfer, with its reason."),
    "payouts": Word("The payouts of the hand, each with its reason."),
    "pointer": Word("The place in the body: a JSON Pointer (RFC 6901)."),
    "pos": Word("The card's position in its deck; 0: the top.", 0, 255),
    "position": Word("A position in a stream, counted from 1.", 1, _MOST_POSITION),
    "positions": Word("The positions of the cards in the deck; 0: the top.", 0, 255),
    "prev": Word("The hash of the leaf at the previous position; at position 1, 64 zeros.", form=_HEX),
    "priv": Word("The commitments to the sealed fields, by the fields' names."),
    "proof": Word("The Merkle path to the deck's root (RFC 6962), each hash as 64 hex digits.", form=_HEX),
    "pub": Word("The public members of the event."),
    "receipt": Word("The service's signed receipt."),
    "receipt_key": Word("The public key that verifies receipts: an Ed25519 key in hex.", form=_HEX),
    "release": Word("The version of the software."),
    "rule": Word("The rule of the author's sheet; empty: no rule is cited."),
    "ruling": Word("Our ruling where the sheet is silent; empty: no ruling is cited."),
    "salt": Word("The salt that was hashed with the face: 64 hex digits.", form=_HEX),
    "scope": Word("A scope that the key lacks, and that is enough for the request."),
    "scopes": Word("The scopes of the key: what the key may do."),
    "seat": _MAYBE_SEAT,
    "seats": _SEATS,
    "seats_taken": Word("The number of taken seats.", 0, MOST_SEATS),
    "sheet_sha256": Word("SHA-256 of the rule sheet's text: 64 hex digits.", form=_HEX),
    "secret_hash": Word("SHA-256 of the key's secret: 64 hex digits.", form=_HEX),
    "sig": Word("The player's signature of the decision; left out if the decision is not signed."),
    "signature": Word("The service's Ed25519 signature: 128 hex digits.", form="^[0-9a-f]{128}$"),
    "source": Word("The account that paid the amount."),
    "status": Word("The status of the table.", values=("open", "playing", "finished", "closed")),
    "stream": Word("The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log."),
    "summary": Word("A short summary."),
    "table": Word("The table's id.", form="^tbl_[0-9a-f]{32}$"),
    "target": Word("The account that received the amount."),
    "time_limit_seconds": Word("The seconds that players have before the service decides; 0: no limit.", 0, 86_400),
    "title": Word("The title, for people."),
    "to": Word("Where the card was dealt: a seat's number, or the name of a place on the table.", 1, MOST_SEATS),
    "token": Word("The key with its secret, as clients send the key: ctk_<id>_<secret>."),
    "transfers": Word("The transfers, each with its two accounts, its amount, its unit and its rule."),
    "type": Word("The type of the event or action, in snake case."),
    "unit": Word("The unit: chips, or points of a score.", values=("chips", "points")),
    "unsigned_seats": Word("The numbers of the seats.", 1, MOST_SEATS),
    "until": Word("The types of event that decide who may read the value later."),
    "v": Word("The version of the log's format: 1.", 1, 1),
    "verdict": Word("The result of deciding the hand or the decision again."),
    "version": Word("The version of the schema of this type of event, from 1.", 1, 10_000),
    "visibility": Word(
        "Who may see the table: everybody, or only its host, players, invited owners, auditors and approvers."
    ),
    "winners": Word("The numbers of the winners' seats.", 1, MOST_SEATS),
    "worth": Word("What a chip is worth in money; null: nothing."),
    "worth_minor": Word("What a chip is worth, in the currency's minor units; 0: nothing.", 0, 1_000_000_000),
    "year": Word("The year in which the game was published; 0: the rule sheet names no year.", 0, 9999),
    "you": Word("", 0, MOST_SEATS),
    # Members whose meaning depends on the Struct:
    "StreamShortened.position": Word("The position of the stream's last event; 0: no event.", 0, _MOST_POSITION),
    "TableImported.imported_at": Word("When the first import of the table began, in UTC.", form=f"^{_TIME}$"),
    "TableImported.values": Word(
        "The position and the field of each sealed value that was written.", 1, _MOST_POSITION
    ),
    "TableImported.origin": Word("The log that the imported file names; empty: the file names no log."),
    "ActionList.position": Word("The table's position.", 1, _MOST_POSITION),
    "BalanceList.position": Word("The position of the table for which the balances hold.", 1, _MOST_POSITION),
    "SignFrom.position": Word("The position of the event.", 1, _MOST_POSITION),
    "TableView.position": Word("The position of the table that the view shows.", 1, _MOST_POSITION),
    "Accepted.accepted": Word("Always true: the service answers a refusal with a problem."),
    "CardsDealt.cards": Word(
        "Each card's position in the deck, and where the card was dealt: a seat's number, or the name of a place.",
        0,
        255,
    ),
    "CardsShown.cards": Word("The cards, each with the salt that proves its face."),
    "Commitment.to": Word("The seats that may read the value immediately.", 1, MOST_SEATS),
    "DecisionJudged.events": Word("", 1, 10_000),
    "Details.code": Word("", values=(*CATALOGUE, *sorted(refusal_catalogue.by_code().keys() - CATALOGUE.keys()))),
    "Details.status": Word(""),
    "Details.actions": Word("The actions that the caller may take now. Present only if the rules refused the command."),
    "Details.position": Word(
        "The table's position; 0: the table is not open yet. For a damaged log, the first damaged position.",
        0,
        _MOST_POSITION,
    ),
    "EventList.position": Word("The table's position.", 1, _MOST_POSITION),
    "GameDetails.options": Word("The options that the host may choose when opening a table."),
    "GameDetails.seats": Word("How many seats a table of the game may have."),
    "GameItem.seats": Word("How many seats a table of the game may have."),
    "HandView.accounts": Word("The accounts that were used before the end of the hand, and every score."),
    "HandView.seats": Word("For each seat, the sums of its accounts before and after the hand, and the hand's net."),
    "HandView.cards": Word("The cards, in the order in which they were dealt."),
    "Member.default": Word("", 0, _LARGEST),
    "MadeKey.key": Word("The key without its secret, as lists show keys."),
    "Posting.amount": Word("", -_LARGEST, _LARGEST),
    "SeatRange.default": Word("The number of seats if the host names none.", 1, MOST_SEATS),
    "SeatRange.least": Word("The smallest number of seats.", 1, MOST_SEATS),
    "SeatRange.most": Word("The largest number of seats.", 1, MOST_SEATS),
    "TableItem.seats": Word("The number of seats.", 1, MOST_SEATS),
    "TableOpened.seats": Word("", 2, MOST_SEATS),
    "TableView.hand": Word("", 0, _MOST_POSITION),
    "TableView.invited": Word("", form="^own_[0-9a-f]{32}$"),
    "TableView.seats": Word("The seats of the table, in the order of their numbers."),
    "MoveSignature.position": Word("The position of the event on which the player decided.", 1, _MOST_POSITION),
    "MoveSignature.previous": Word(
        "The signature by the seat's previous key, if the decision registers another key.",
        form="^([0-9a-f]{128})?$",
    ),
    "MoveSignature.signature": Word(
        "The Ed25519 signature by the seat's signing key: 128 hex digits.", form="^[0-9a-f]{128}$"
    ),
    "FieldOpening.blind": Word(
        "The player's blind, which was hashed with the value: 64 hex digits; empty: the decision is not signed.",
        form="^([0-9a-f]{64})?$",
    ),
    "FieldOpening.field": Word("The name of the sealed field: a member of the leaf's `priv`."),
    "FieldOpening.position": Word("The position of the event that sealed the value.", 1, _MOST_POSITION),
    "FieldOpening.salt": Word("The salt that was hashed with the value: 64 hex digits.", form=_HEX),
    "FieldOpening.stream": Word("The name of the table's stream: table/<table id>."),
    "FieldOpening.value": Word("The sealed value, as JSON."),
    "Until.shown": Word("By type of event, the seats that may read the value after such an event.", 1, MOST_SEATS),
    "Transfer.amount": Word("The amount: whole units, above zero.", 1, _LARGEST),
}
"""The glossary, by a member's name or by `<Struct>.<member>`. A description in the Struct itself takes precedence."""


def explain(title: str, schema: dict[str, Any]) -> None:
    """Add the glossary's words on the members to *schema*, the schema of the Struct with the name *title*."""
    for name, member in schema.get("properties", {}).items():
        word = WORDS.get(f"{title}.{name}") or WORDS.get(name)
        if word:
            _explain(word, member)


def _explain(word: Word, member: dict[str, Any]) -> None:
    if word.says:
        member.setdefault("description", word.says)
    for node in _nodes(member):
        if node.get("type") == "integer" and word.least is not None:
            node.setdefault("minimum", word.least)
            node.setdefault("maximum", word.most)
        if node.get("type") == "string" and not node.keys() & {"pattern", "enum", "const"}:
            node.update({"pattern": word.form} if word.form else {"enum": [*word.values]} if word.values else {})


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 -- a schema is JSON
    """Yield *schema* and the schemas inside *schema*, but not the schemas to which a `$ref` leads."""
    if isinstance(schema, list):
        for inner in schema:
            yield from _nodes(inner)
    if isinstance(schema, dict):
        yield schema
        for name in ("items", "prefixItems", "additionalProperties", "anyOf", "oneOf"):
            yield from _nodes(schema.get(name))
