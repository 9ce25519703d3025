"""The HTTP interface of the usual way: Flask, with marshmallow for requests and responses."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

import msgspec
from eventsourcing.application import AggregateNotFoundError
from eventsourcing.persistence import IntegrityError
from flask import Flask, Response, g, jsonify, request
from marshmallow import Schema, ValidationError, fields, validate

from service.entropy import Entropy
from service.games.common_commands import DealHand, OpenTable, StartGame, TakeSeat
from service.games.game import HOST, PLAYER, Command, Refusal, seat_actor, type_name
from service.games.table_state import seat_of
from tests.bench.usual.table import GAME, Seed, Table, Tables

_KINDS: Final[tuple[type[Command], ...]] = (StartGame, DealHand, *GAME.commands)
_COMMANDS: Final = {type_name(kind): kind for kind in _KINDS}


class Opening(Schema):
    seats = fields.Int(required=True, strict=True, validate=validate.Range(GAME.seats.least, GAME.seats.most))
    options = fields.Dict(keys=fields.Str(), load_default=dict)


class Sitting(Schema):
    chips = fields.Int(required=True, strict=True, validate=validate.Range(1))
    seat = fields.Int(strict=True, load_default=0, validate=validate.Range(0))


class Action(Schema):
    type = fields.Str(required=True, validate=validate.OneOf(_COMMANDS))
    card = fields.Int(strict=True, validate=validate.Range(1, 2))
    chips = fields.Int(strict=True, validate=validate.Range(1, 6))


class Made(Schema):
    position = fields.Int()
    at = fields.DateTime()
    type = fields.Str()
    by = fields.Str()
    facts = fields.Dict()


class Done(Schema):
    table = fields.Str()
    position = fields.Int()
    events = fields.List(fields.Nested(Made))


class Usual(Flask):
    """The Flask app, with the *tables* that it serves."""

    tables: Tables


_OPENING, _SITTING, _ACTION, _DONE = Opening(), Sitting(), Action(), Done()


def application() -> Usual:
    """Return the app for the database that the environment configures."""
    return make(Tables(), Entropy().secret)


def make(tables: Tables, seed: Seed) -> Usual:
    """Return the app for *tables*; the seeds of decks come from *seed*."""
    app = Usual(__name__)
    app.tables = tables

    @app.before_request
    def know_the_caller() -> None:
        g.caller = request.headers.get("Authorization", "").removeprefix("Bearer ")

    @app.get("/readyz")
    def ready() -> Response:
        return jsonify({})

    @app.post("/v1/tables")
    def open_table() -> tuple[Response, int]:
        given = _OPENING.load(_json())
        command = OpenTable(
            by=HOST,
            host=g.caller,
            game=GAME.name,
            edition=GAME.edition,
            sheet=GAME.sheet.sha256,
            options=given["options"],
            seats=given["seats"],
            visibility="public",
        )
        return _done(tables, Table(), command, seed), 201

    @app.post("/v1/tables/<uuid:table>/seats")
    def take_seat(table: UUID) -> Response:
        found: Table = tables.repository.get(table)
        return _done(tables, found, TakeSeat(by=PLAYER, player=g.caller, **_SITTING.load(_json())), seed)

    @app.post("/v1/tables/<uuid:table>/actions")
    def do_action(table: UUID) -> Response:
        given = _ACTION.load(_json())
        found: Table = tables.repository.get(table)
        kind = _COMMANDS[given.pop("type")]
        by = HOST if kind.FOR_HOST else seat_actor(seat_of(found.state, g.caller))
        return _done(tables, found, msgspec.convert(given | {"by": by}, kind), seed)

    for error, status in _STATUSES.items():
        app.register_error_handler(error, _told_as(status))
    return app


_STATUSES: Final[dict[type[Exception], int]] = {
    ValidationError: 422,
    msgspec.ValidationError: 422,
    AggregateNotFoundError: 404,
    Refusal: 409,
    IntegrityError: 409,  # another command was first: the library leaves the retry to the caller
}


def _told_as(status: int) -> Callable[[Exception], tuple[Response, int]]:
    return lambda error: (jsonify({"code": type(error).__name__, "detail": str(error)}), status)


def _json() -> Any:  # noqa: ANN401 -- the value may be any JSON
    return request.get_json()


def _done(tables: Tables, table: Table, command: Command, seed: Seed) -> Response:
    """Decide and record *command*, and return its events as a response."""
    table.do(command, seed)
    made = [
        {"position": one.originator_version, "at": one.timestamp, "type": one.what, "by": one.by, "facts": one.facts}
        for one in table.pending_events
        if isinstance(one, Table.Happened)
    ]
    tables.save(table)
    return jsonify(_DONE.dump({"table": str(table.id), "position": table.version, "events": made}))
