"""What members of answers and events mean: one word, one meaning, everywhere; with unit, range and form."""

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
    """What a member says; *least* and *most* are the range of its integers, *form* that of its texts.

    *values* are all that its texts can be.
    """

    says: str
    least: int | None = None
    most: int | None = None
    form: str = ""
    values: tuple[str, ...] = ()


_SEATS: Final = Word("Seats, by their numbers.", 1, 52)
_CHIPS: Final = Word("Whole chips.", 0, _LARGEST)
_MAYBE_SEAT: Final = Word("A seat's number, clockwise from 1; 0: none.", 0, 52)
_FACE_OR_HIDDEN: Final = Word("A card: rank and suit; ?? where it is hidden.", form=f"^({_FACE}|[?][?])$")

WORDS: Final[Mapping[str, Word]] = {
    "account": Word("The account's name, as in stack:1 or centre."),
    "accounts": Word("", 0, _LARGEST),
    "actions": Word("The kinds of action."),
    "amount": Word("Whole units, above zero.", 1, _LARGEST),
    "any_seat": Word("The player asked for whichever seat was free."),
    "at": Word("When, in UTC to the millisecond (RFC 3339), by the service's clock.", form=f"^{_TIME}$"),
    "author": Word("Who invented the game."),
    "balance": Word("", -_LARGEST, _LARGEST),
    "balances": Word("", -_LARGEST, _LARGEST),
    "bounds": Word("The ranges of those members that may be chosen; empty: there is nothing to choose."),
    "by": Word(
        'Who decided: "seat:<n>", "host", "player" (who has no seat), "service" or "auditor".', form=f"^({_ACTOR})$"
    ),
    "c": Word("The commitment: 64 hex digits.", form=_HEX),
    "called": Word("Who called time: the host or the time limit; empty: nobody, the player decided."),
    "cards": Word("Cards, each by rank and suit.", form=f"^({_FACE}|[?][?])$"),
    "centre": Word("Whole chips that lie in the centre.", 0, _LARGEST),
    "chips": _CHIPS,
    "choices": Word(
        "The cards among which those members may be chosen that name any; empty: there is nothing to choose."
    ),
    "Choice.among": Word("The cards to choose from.", form=f"^{_FACE}$"),
    "Choice.count": Word("How many different ones, as a list; 0: one, by itself.", 0, 52),
    "Choice.member": Word("The member of the action."),
    "closing": Word(
        "Whole units after the hand, or as the table stands: opening and net together.", -_LARGEST, _LARGEST
    ),
    "cmd": Word("The command: 64 hex digits; empty: nobody decided.", form="^([0-9a-f]{64})?$"),
    "code": Word("What must hold, in snake case; never renamed.", values=tuple(FIELD_ERRORS)),
    "counterparty": Word("The account on the other side."),
    "credit": Word("Whose game it is."),
    "currency": Word("The currency of a chip's worth, by the letters of ISO 4217; empty: none."),
    "dealer": _MAYBE_SEAT,
    "decisions": Word("The decisions, in their order."),
    "deck": Word("The decks at the table."),
    "default": Word("The value where none is chosen."),
    "description": Word("What it is, for people."),
    "detail": Word("This very case, for people; empty: there is no more to say."),
    "difference": Word("Where the two differ first; null: nowhere."),
    "edition": Word("The edition of the game's rules and rulings, from 1.", 1, 10_000),
    "epoch": Word("A deck's life from one shuffle to the next: <table id>/<k>."),
    "errors": Word("Each place that is wrong."),
    "events": Word("Events, in their order.", 1, _LARGEST),
    "expected": Word("What should stand there, as JSON."),
    "face": _FACE_OR_HIDDEN,
    "first": Word("The position of the hand's first event.", 1, _MOST_POSITION),
    "formula": Word("How the cards make the amount; empty: it follows from no cards."),
    "found": Word("What was found there, as JSON."),
    "game": Word("The game's name.", values=GAME_NAMES),
    "hand": Word("The hand's number, from 1.", 1, _MOST_POSITION),
    "hand_is_running": Word("A hand is being played."),
    "has_more": Word("There is another page."),
    "host": Word("The owner who opened the table and runs it."),
    "id": Word("The key's id.", form="^key_[0-9a-f]{32}$"),
    "is_settled": Word("The hand is over."),
    "items": Word("What is listed, in its order."),
    "key": Word("The key, without its secret."),
    "label": Word("For people: what the key is used for."),
    "last": Word("The position of the hand's last event; 0: none yet.", 0, _MOST_POSITION),
    "leaf": Word("The event as it is hashed, byte for byte."),
    "leaf_hash": Word("SHA-256 of a zero byte and the leaf's bytes: 64 hex digits.", form=_HEX),
    "least": Word("The least that is allowed.", 0, _LARGEST),
    "level": Word("Whose seeds made the order: operator, the service's alone; joint, the players' too."),
    "made": Word("The event's own members."),
    "made_at": Word("When the key was made, in UTC.", form=f"^{_TIME}$"),
    "member": Word("The member's name, or its path."),
    "members": Word("The members of such an action, beside type."),
    "message": Word("What is wrong there, for people."),
    "missed": Word("The events since the position that was named, 100 at most, as the caller may see them."),
    "most": Word("The most that is allowed.", 0, _LARGEST),
    "n": Word("How many cards the deck has.", 1, 256),
    "name": Word("The member's name."),
    "net": Word(
        "Whole units that the hand added; below zero: that it took. All accounts together: 0.", -_LARGEST, _LARGEST
    ),
    "never": Word("The types of event after which it stays sealed for ever."),
    "next": Word("", 0, _MOST_POSITION),
    "open": Word("The types of event that open it to everybody."),
    "opening": Word("Whole units before the hand.", -_LARGEST, _LARGEST),
    "opened_at": Word("When the table was opened, in UTC.", form=f"^{_TIME}$"),
    "options": Word("The game's options, each at its value.", 0, _LARGEST),
    "ordinal": Word("", 0, 1000),
    "owner": Word("Who the key belongs to.", form="^(own_[0-9a-f]{32})?$"),
    "parameter": Word("Which parameter of the query."),
    "payout": Word("The payout itself."),
    "payouts": Word("What was paid, each with its reason."),
    "pointer": Word("Where in the body: a JSON Pointer (RFC 6901)."),
    "pos": Word("The card's place in its deck's order; 0 is the top.", 0, 255),
    "position": Word("A position in the table's stream, from 1.", 1, _MOST_POSITION),
    "positions": Word("Cards by their places in the deck.", 0, 255),
    "prev": Word("The hash of the leaf at the position before; at position 1, 64 zeros.", form=_HEX),
    "priv": Word("What is sealed, by its name."),
    "proof": Word("The path to the deck's root (RFC 6962): 64 hex digits each.", form=_HEX),
    "pub": Word("The event's own members."),
    "receipt": Word("The service's signature under it."),
    "rule": Word("The rule of the author's sheet; empty: none."),
    "ruling": Word("Our ruling where the sheet is silent; empty: none."),
    "salt": Word("What ties the face to its deck's root: 64 hex digits.", form=_HEX),
    "scope": Word("The scope that is missing."),
    "scopes": Word("What the key may do."),
    "seat": _MAYBE_SEAT,
    "seats": _SEATS,
    "seats_taken": Word("How many seats are taken.", 0, 52),
    "sheet_sha256": Word("SHA-256 of the rule sheet's text: 64 hex digits.", form=_HEX),
    "signature": Word("Ed25519, by the service: 128 hex digits.", form="^[0-9a-f]{128}$"),
    "source": Word("The account that it left."),
    "status": Word("Where the table stands.", values=("open", "playing", "finished", "closed")),
    "stream": Word("The stream: table/<table id>."),
    "summary": Word("What it is, in short."),
    "table": Word("The table's id.", form="^tbl_[0-9a-f]{32}$"),
    "target": Word("The account that it reached."),
    "time_limit_seconds": Word("Seconds for a decision, before the service makes it; 0: no limit.", 0, 86_400),
    "title": Word("Its title, for people."),
    "to": Word("Who got it: seats by their numbers, table or aside.", 1, 52),
    "token": Word("The key as it is sent: ctk_<id>_<secret>."),
    "transfers": Word("What moved, from where to where and why."),
    "type": Word("Which kind it is, in snake case."),
    "unit": Word("What is counted: chips, or the points of a score.", values=("chips", "points")),
    "until": Word("What ends the silence about it."),
    "v": Word("The version of the log's format: 1.", 1, 1),
    "verdict": Word("What came of deciding it again."),
    "version": Word("The version of this type's schema, from 1.", 1, 10_000),
    "visibility": Word("Who may know of the table: all, or host, players, who is invited, and auditors."),
    "winners": _SEATS,
    "worth": Word("What a chip is worth in money; null: nothing."),
    "worth_minor": Word("What a chip is worth, in the currency's minor units; 0: nothing.", 0, 1_000_000_000),
    "year": Word("When the game was published; 0: its sheet tells no year.", 0, 9999),
    "you": Word("", 0, 52),
    # Where a word means something else:
    "Accepted.accepted": Word("Always true: what is refused is a problem."),
    "CardsDealt.cards": Word("Each card's place in the deck, and to which seat or place it went.", 0, 255),
    "CardsShown.cards": Word("The cards, each with the salt that proves it."),
    "Commitment.to": Word("The seats that may read it at once.", 1, 52),
    "DecisionJudged.events": Word("", 1, 10_000),
    "Details.code": Word("", values=(*CATALOGUE, *sorted(refusal_catalogue.places().keys() - CATALOGUE.keys()))),
    "Details.status": Word(""),
    "Details.actions": Word("What the caller may do now; left out: the rules have refused nothing."),
    "Details.position": Word("Where the table stands; 0: it is not open.", 0, _MOST_POSITION),
    "EventList.position": Word("Where the table stands.", 1, _MOST_POSITION),
    "GameDetails.options": Word("What may be chosen when a table is opened."),
    "GameDetails.seats": Word("How many seats a table may have."),
    "GameItem.seats": Word("How many seats a table may have."),
    "HandView.accounts": Word("Each account that was used by its end: before the hand, in it and after it."),
    "HandView.seats": Word("Each seat, all of its accounts together: before the hand, in it and after it."),
    "HandView.cards": Word("The cards in the order in which they were dealt."),
    "Member.default": Word("", 0, _LARGEST),
    "MadeKey.key": Word("The key, as it is listed."),
    "Posting.amount": Word("", -_LARGEST, _LARGEST),
    "SeatRange.default": Word("How many there are where nobody says.", 1, 52),
    "SeatRange.least": Word("At least so many.", 1, 52),
    "SeatRange.most": Word("At most so many.", 1, 52),
    "TableItem.seats": Word("How many seats there are.", 1, 52),
    "TableOpened.seats": Word("", 2, 52),
    "TableView.hand": Word("", 0, _MOST_POSITION),
    "TableView.invited": Word("", form="^own_[0-9a-f]{32}$"),
    "TableView.seats": Word("The seats, from 1."),
    "FieldOpening.field": Word("The name of the sealed field: a member of the leaf's `priv`."),
    "FieldOpening.position": Word("The position of the event that sealed it.", 1, _MOST_POSITION),
    "FieldOpening.salt": Word("What was hashed with the value: 64 hex digits.", form=_HEX),
    "FieldOpening.stream": Word("The stream's name, as leaves have it."),
    "FieldOpening.value": Word("What was sealed, as JSON."),
    "Until.shown": Word("Seats that may read it too, from the first event of a type on.", 1, 52),
    "Transfer.amount": Word("How much: whole units, above zero.", 1, _LARGEST),
}
"""By the member's name, or by `<Struct>.<member>`. Where the Struct says something itself, that counts."""


def explain(title: str, schema: dict[str, Any]) -> None:
    """Add to the members of the object *schema*, drawn from the Struct *title*, what the words here say."""
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
    """List *schema* and all that it is made of, but what it refers to."""
    if isinstance(schema, list):
        for one in schema:
            yield from _nodes(one)
    if isinstance(schema, dict):
        yield schema
        for name in ("items", "prefixItems", "additionalProperties", "anyOf", "oneOf"):
            yield from _nodes(schema.get(name))
