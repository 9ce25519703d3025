"""The glossary of members: what each member of an answer or event means, with its unit, range and form."""

# DECISIONS 28

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from service.games import GAMES
from service.http.openapi import refusal_catalogue
from service.http.problems.catalogue import CATALOGUE
from service.http.request.fields import FIELD_ERRORS

GAME_NAMES: Final = tuple(dict.fromkeys(game.name for game in GAMES.values()))
_LARGEST: Final = 2**53 - 1  # log/v1 writes no larger integer
_MOST_POSITION: Final = 2**31 - 1
_HEX: Final = "^[0-9a-f]{64}$"
_TIME: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z"
_FACE: Final = "[2-9TJQKA][cdhs]"
_ACTOR: Final = "seat:[1-9][0-9]*|host|player|service|auditor"


class Word(Struct, frozen=True):
    """The description of a member (*says*), the range of its integers, and the pattern of its texts (*form*).

    *values* lists all texts that the member can have.
    """

    says: str
    least: int | None = None
    most: int | None = None
    form: str = ""
    values: tuple[str, ...] = ()


_SEATS: Final = Word("The numbers of the seats.", 1, 52)
_CHIPS: Final = Word("Whole chips.", 0, _LARGEST)
_MAYBE_SEAT: Final = Word("A seat's number, clockwise from 1; 0: none.", 0, 52)
_FACE_OR_HIDDEN: Final = Word("A card: its rank and suit; ?? if it is hidden.", form=f"^({_FACE}|[?][?])$")

WORDS: Final[Mapping[str, Word]] = {
    "account": Word("The account's name, such as stack:1 or centre."),
    "accounts": Word("", 0, _LARGEST),
    "actions": Word("The kinds of action in the game."),
    "amount": Word("Whole units, above zero.", 1, _LARGEST),
    "any_seat": Word("Whether the player asked for any free seat."),
    "at": Word("The time in UTC, to the millisecond (RFC 3339), by the service's clock.", form=f"^{_TIME}$"),
    "author": Word("The author of the game."),
    "balance": Word("", -_LARGEST, _LARGEST),
    "balances": Word("", -_LARGEST, _LARGEST),
    "bounds": Word("The ranges of the members whose values the caller chooses; empty: there are none."),
    "by": Word(
        'Who decided: "seat:<n>", "host", "player" (without a seat), "service" or "auditor".', form=f"^({_ACTOR})$"
    ),
    "c": Word("The commitment: 64 hex digits.", form=_HEX),
    "called": Word("Who called time: the host or the time limit; empty: nobody did, the player decided."),
    "cards": Word("Cards, each by its rank and suit.", form=f"^({_FACE}|[?][?])$"),
    "centre": Word("The whole chips in the centre.", 0, _LARGEST),
    "chips": _CHIPS,
    "choices": Word(
        "The members that name cards, each with the cards that the caller may choose; empty: there are none."
    ),
    "Choice.among": Word("The cards to choose from.", form=f"^{_FACE}$"),
    "Choice.count": Word("How many different cards to choose, as an array; 0: one card, not as an array.", 0, 52),
    "Choice.member": Word("The member of the action that names the cards."),
    "closing": Word(
        "Whole units after the hand, or now if the hand is running: opening plus net.", -_LARGEST, _LARGEST
    ),
    "cmd": Word("The command's id: 64 hex digits; empty: the event is a consequence.", form="^([0-9a-f]{64})?$"),
    "code": Word("What must hold, in snake case; never renamed.", values=tuple(FIELD_ERRORS)),
    "counterparty": Word("The account on the other side of the transfer."),
    "credit": Word("The author of the game, and the rule sheet."),
    "currency": Word("The currency of a chip's worth (ISO 4217); empty: none."),
    "dealer": _MAYBE_SEAT,
    "decisions": Word("The decisions, in order."),
    "deck": Word("The decks at the table."),
    "default": Word("The value if none is given."),
    "description": Word("The description, for people."),
    "detail": Word("What happened in this case, for people; empty: the title says it all."),
    "difference": Word("The first difference from the recorded events; null: none."),
    "edition": Word("The edition of the game's rules and rulings, from 1.", 1, 10_000),
    "epoch": Word("The deck's epoch, from one shuffle to the next: <table id>/<k>."),
    "errors": Word("The errors in the request, each at its place."),
    "events": Word("The events, in order.", 1, _LARGEST),
    "expected": Word("The value that the rules require, as JSON."),
    "face": _FACE_OR_HIDDEN,
    "first": Word("The position of the hand's first event.", 1, _MOST_POSITION),
    "formula": Word("How the cards make the amount; empty: no cards make it."),
    "found": Word("The recorded value, as JSON."),
    "game": Word("The game's name.", values=GAME_NAMES),
    "hand": Word("The hand's number, from 1.", 1, _MOST_POSITION),
    "hand_is_running": Word("Whether a hand is being played."),
    "has_more": Word("Whether there is another page."),
    "host": Word("The owner who opened the table and runs it."),
    "id": Word("The key's id.", form="^key_[0-9a-f]{32}$"),
    "is_settled": Word("Whether the hand is over."),
    "items": Word("The items of the list, in order."),
    "key": Word("The key, without its secret."),
    "label": Word("What the key is for, for people."),
    "last": Word("The position of the hand's last event; 0: none yet.", 0, _MOST_POSITION),
    "leaf": Word("The event's leaf: the bytes that are hashed."),
    "leaf_hash": Word("SHA-256 of a zero byte and the leaf's bytes: 64 hex digits.", form=_HEX),
    "least": Word("The smallest value allowed.", 0, _LARGEST),
    "level": Word("Whose seeds made the deck's order: operator, the service's alone; joint, the players' too."),
    "made": Word("The event's own members."),
    "made_at": Word("When the key was made, in UTC.", form=f"^{_TIME}$"),
    "member": Word("The member's name, or its path."),
    "members": Word("The members of the action besides `type`."),
    "message": Word("What is wrong at this place, for people."),
    "missed": Word("The events since the position in the request, at most 100, as the caller may see them."),
    "most": Word("The largest value allowed.", 0, _LARGEST),
    "n": Word("The number of cards in the deck.", 1, 256),
    "name": Word("The member's name."),
    "net": Word(
        "Whole units that the hand added; negative: that it took. The sum over all accounts is 0.", -_LARGEST, _LARGEST
    ),
    "never": Word("The types of event after which the value stays sealed for ever."),
    "next": Word("", 0, _MOST_POSITION),
    "open": Word("The types of event that open the value to everybody."),
    "opening": Word("Whole units before the hand.", -_LARGEST, _LARGEST),
    "opened_at": Word("When the table was opened, in UTC.", form=f"^{_TIME}$"),
    "options": Word("The game's options, each with its value.", 0, _LARGEST),
    "ordinal": Word("", 0, 1000),
    "owner": Word("The owner of the key.", form="^(own_[0-9a-f]{32})?$"),
    "parameter": Word("The parameter of the query."),
    "payout": Word("The payout itself."),
    "payouts": Word("The payouts, each with its reason."),
    "pointer": Word("The place in the body: a JSON Pointer (RFC 6901)."),
    "pos": Word("The card's place in its deck; 0: the top.", 0, 255),
    "position": Word("A position in the table's stream, from 1.", 1, _MOST_POSITION),
    "positions": Word("The places of the cards in the deck.", 0, 255),
    "prev": Word("The hash of the leaf at the previous position; at position 1, 64 zeros.", form=_HEX),
    "priv": Word("The commitments of the sealed fields, by the field's name."),
    "proof": Word("The Merkle path to the deck's root (RFC 6962), each hash as 64 hex digits.", form=_HEX),
    "pub": Word("The event's own members."),
    "receipt": Word("The service's signed receipt."),
    "rule": Word("The rule of the author's sheet; empty: none."),
    "ruling": Word("Our ruling where the sheet is silent; empty: none."),
    "salt": Word("The salt that was hashed with the face: 64 hex digits.", form=_HEX),
    "scope": Word("The scope that the key lacks."),
    "scopes": Word("What the key may do."),
    "seat": _MAYBE_SEAT,
    "seats": _SEATS,
    "seats_taken": Word("The number of taken seats.", 0, 52),
    "sheet_sha256": Word("SHA-256 of the rule sheet's text: 64 hex digits.", form=_HEX),
    "signature": Word("Ed25519, by the service: 128 hex digits.", form="^[0-9a-f]{128}$"),
    "source": Word("The account that paid."),
    "status": Word("The status of the table.", values=("open", "playing", "finished", "closed")),
    "stream": Word("The stream: table/<table id>."),
    "summary": Word("A short summary."),
    "table": Word("The table's id.", form="^tbl_[0-9a-f]{32}$"),
    "target": Word("The account that received."),
    "time_limit_seconds": Word("Seconds for a decision before the service makes it; 0: no limit.", 0, 86_400),
    "title": Word("The title, for people."),
    "to": Word("Who received the card: the number of a seat, table or aside.", 1, 52),
    "token": Word("The key with its secret, as clients send it: ctk_<id>_<secret>."),
    "transfers": Word("The transfers: each with its accounts, its amount and its rule."),
    "type": Word("The type, in snake case."),
    "unit": Word("The unit: chips, or points of a score.", values=("chips", "points")),
    "until": Word("The events that open the value."),
    "v": Word("The version of the log's format: 1.", 1, 1),
    "verdict": Word("The result of deciding it again."),
    "version": Word("The version of this type's schema, from 1.", 1, 10_000),
    "visibility": Word("Who may see the table: everybody, or only its host, its players, invited owners and auditors."),
    "winners": _SEATS,
    "worth": Word("What a chip is worth in money; null: nothing."),
    "worth_minor": Word("What a chip is worth, in the currency's minor units; 0: nothing.", 0, 1_000_000_000),
    "year": Word("The year when the game was published; 0: its sheet names no year.", 0, 9999),
    "you": Word("", 0, 52),
    # Members whose meaning depends on the Struct:
    "Accepted.accepted": Word("Always true: a refusal is a problem."),
    "CardsDealt.cards": Word("Each card's place in the deck, and the seat or place that received it.", 0, 255),
    "CardsShown.cards": Word("The cards, each with the salt that proves its face."),
    "Commitment.to": Word("The seats that may read it at once.", 1, 52),
    "DecisionJudged.events": Word("", 1, 10_000),
    "Details.code": Word("", values=(*CATALOGUE, *sorted(refusal_catalogue.by_code().keys() - CATALOGUE.keys()))),
    "Details.status": Word(""),
    "Details.actions": Word("What the caller may do now; left out unless the rules refused the command."),
    "Details.position": Word("The table's position; 0: it is not open yet.", 0, _MOST_POSITION),
    "EventList.position": Word("The table's position.", 1, _MOST_POSITION),
    "GameDetails.options": Word("The options that the host may choose when opening a table."),
    "GameDetails.seats": Word("How many seats a table of the game may have."),
    "GameItem.seats": Word("How many seats a table of the game may have."),
    "HandView.accounts": Word("Each account that was used by the end of the hand: before, in and after the hand."),
    "HandView.seats": Word("Each seat, with the sum of its accounts: before, in and after the hand."),
    "HandView.cards": Word("The cards, in the order of the deal."),
    "Member.default": Word("", 0, _LARGEST),
    "MadeKey.key": Word("The key, as lists show it."),
    "Posting.amount": Word("", -_LARGEST, _LARGEST),
    "SeatRange.default": Word("The number of seats if the host names none.", 1, 52),
    "SeatRange.least": Word("The smallest number of seats.", 1, 52),
    "SeatRange.most": Word("The largest number of seats.", 1, 52),
    "TableItem.seats": Word("The number of seats.", 1, 52),
    "TableOpened.seats": Word("", 2, 52),
    "TableView.hand": Word("", 0, _MOST_POSITION),
    "TableView.invited": Word("", form="^own_[0-9a-f]{32}$"),
    "TableView.seats": Word("The seats, from 1."),
    "FieldOpening.field": Word("The name of the sealed field: a member of the leaf's `priv`."),
    "FieldOpening.position": Word("The position of the event that sealed it.", 1, _MOST_POSITION),
    "FieldOpening.salt": Word("The salt that was hashed with the value: 64 hex digits.", form=_HEX),
    "FieldOpening.stream": Word("The stream's name, as leaves have it."),
    "FieldOpening.value": Word("The sealed value, as JSON."),
    "Until.shown": Word("The seats that may also read the value, by the type of event that lets them.", 1, 52),
    "Transfer.amount": Word("The amount: whole units, above zero.", 1, _LARGEST),
}
"""The glossary, by a member's name or by `<Struct>.<member>`. A description in the Struct itself takes precedence."""


def explain(title: str, schema: dict[str, Any]) -> None:
    """Add the glossary's descriptions to the members of *schema*, which is made from the Struct *title*."""
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


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 -- JSON
    """Yield *schema* and the schemas inside it, but not the schemas to which it refers."""
    if isinstance(schema, list):
        for inner in schema:
            yield from _nodes(inner)
    if isinstance(schema, dict):
        yield schema
        for name in ("items", "prefixItems", "additionalProperties", "anyOf", "oneOf"):
            yield from _nodes(schema.get(name))
