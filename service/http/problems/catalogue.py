"""The closed catalogue of problems: each code with its HTTP status, title and advice."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from service.http.operations import request_cost

MOST_ERRORS: Final = 20
"""A problem lists at most this many errors; `more_errors` counts the rest."""


class Kind(Struct, frozen=True):
    """A kind of problem: its HTTP *status*, its *title*, and *advice* on what to do about it."""

    status: int
    title: str
    advice: str


CATALOGUE: Final[Mapping[str, Kind]] = {
    "body_must_be_json": Kind(
        400,
        "The body must be JSON.",
        "Send one JSON value in UTF-8. Its numbers must fit a double, and it must not be nested hundreds of levels "
        "deep.",
    ),
    "idempotency_key_must_be_given": Kind(
        400,
        "A command needs an Idempotency-Key.",
        "Send the header Idempotency-Key: 1 to 200 printable ASCII characters, a new one for each command and the same "
        "one for each repeat of it.",
    ),
    "position_must_be_well_formed": Kind(
        400,
        "The header does not name a position.",
        'Send If-Match: "<position>" with the ETag of an answer, quotes included, or leave the header out. '
        "Last-Event-ID is the `id` of the last event of a stream, without quotes.",
    ),
    "key_must_be_given": Kind(
        401,
        "This request needs a key.",
        "Send Authorization: Bearer ctk_<id>_<secret>. Without a key you see public tables as a spectator.",
    ),
    "key_must_be_valid": Kind(
        401,
        "The key is unknown or has ended.",
        "The key was mistyped or revoked, or it has expired: ask the person who made it for a new one. "
        "A key that has ended can only repeat, word for word, its commands from before its end.",
    ),
    "scope_must_be_granted": Kind(403, "The key lacks a scope.", "Use a key with the scope that `scope` names."),
    "asker_must_be_the_host": Kind(
        403, "Only the table's host may do this.", "Use a key of the owner who opened the table."
    ),
    "asker_must_be_a_player": Kind(
        403, "Only a player at this table may do this.", "Take a seat first, or use a key of an owner who has a seat."
    ),
    "key_must_be_within_your_power": Kind(
        403,
        "A key can't make or end a key that may do more than itself.",
        "A host makes keys with the scope play alone: for a new owner, for an owner that the host made, or for itself. "
        "An admin makes any key. A key that expires makes only keys that expire no later.",
    ),
    "player_must_be_yours_to_seat": Kind(
        403,
        "A host seats only owners that it made.",
        'Invite any other owner: post {"type": "invite_player", "player": "own_…"} to …/actions. The invited owner '
        "then takes a seat or declines.",
    ),
    "resource_must_exist": Kind(404, "There is no such resource.", "/openapi.json lists all resources."),
    "table_must_exist": Kind(
        404,
        "There is no such table.",
        "Or you may not see it: only its host, its players, invited owners and auditors see a private table.",
    ),
    "game_must_exist": Kind(404, "There is no such game.", "GET /v1/games lists the games."),
    "account_must_exist": Kind(
        404, "The table has no such account.", "GET …/balances lists the accounts that were used so far."
    ),
    "hand_must_exist": Kind(404, "The table has no such hand yet.", "GET …/hands lists the hands."),
    "position_must_exist": Kind(
        404, "The table has not reached this position.", "Positions run from 1 to the table's ETag."
    ),
    "key_must_exist": Kind(404, "There is no such key.", "Or you may not see it: GET /v1/keys lists your keys."),
    "method_must_be_allowed": Kind(
        405, "The resource does not allow this method.", "The header Allow lists the methods that it allows."
    ),
    "body_must_come_in_time": Kind(
        408,
        "The body took too long.",
        "Nothing was done, and the connection is closed. Send the whole body at once. The operator of the service sets "
        "how long it may take.",
    ),
    "refused_by_the_rules": Kind(
        409,
        "The rules do not allow this.",
        "`code` says what must hold, `rule` names the rule of the sheet and `ruling` our ruling; `actions` lists what "
        "you may do now. Nothing was recorded, and you may use the Idempotency-Key again.",
    ),
    "table_must_be_played_here": Kind(
        409,
        "An imported table is read-only.",
        "It was played at another service, and imported here. You can read its events, balances and verdicts.",
    ),
    "table_must_be_intact": Kind(
        409,
        "The table's log is damaged.",
        "Events were altered or lost in the database after they were recorded; `position` is the first that can't be "
        "trusted. The table takes no more commands. You can still read what came before: GET …/events, and views, "
        "balances and hands of the past. Tell the operator of the service: `chiptrail verify` says what is wrong.",
    ),
    "last_admin_key_must_stay": Kind(
        409, "The last key with the scope admin can't be ended.", "Make another key with the scope admin first."
    ),
    "tables_must_be_fewer": Kind(
        409,
        "You have reached the limit of unfinished tables.",
        "Close a table that nobody plays at, or wait until a game ends. The operator of the service sets the limit.",
    ),
    "keys_must_be_fewer": Kind(
        409,
        "You have reached the limit of keys.",
        "End a key that nobody needs: keys that have ended do not count. The operator of the service sets the limit. "
        "An admin has no limit.",
    ),
    "seats_must_be_fewer": Kind(
        409,
        "The player has reached the limit of seats at unfinished tables.",
        "Leave a table that has not started, or play a game to its end. The operator of the service sets the limit.",
    ),
    "position_must_match": Kind(
        412,
        "The table has moved on.",
        "`position` is the table's position now, `missed` lists the events since the position in If-Match (at most "
        "100; GET …/events has all). Look at them and decide again.",
    ),
    "body_must_be_small": Kind(413, "The body is too large.", "A body has at most 65,536 bytes."),
    "content_type_must_be_json": Kind(
        415,
        "The Content-Type must be JSON.",
        "Send Content-Type: application/json, in UTF-8, and no Content-Encoding.",
    ),
    "request_must_have_its_shape": Kind(
        422,
        "The request does not match its schema.",
        f"`errors` names each place and what is wrong there: at most {MOST_ERRORS} places. `more_errors` counts the "
        "rest; it is left out if `errors` names all. The scope is checked first: a key without it gets "
        "`scope_must_be_granted`, whatever the request holds. The length of an array is checked before its items: "
        "the items of an array that is too long are not checked.",
    ),
    "idempotency_key_must_be_new": Kind(
        422,
        "This Idempotency-Key belongs to another command.",
        "`errors` names the first member that differs. A key belongs to one command for ever: use a new key.",
    ),
    "requests_must_be_fewer": Kind(
        429,
        "Too many requests.",
        "Nothing was done. Try again after Retry-After seconds. The headers RateLimit-Policy and RateLimit say how "
        "many requests you may send in how many seconds, and how many are left. All keys of an owner share one limit; "
        "requests without a valid key share the limit of their address. An expensive request counts as several: 1 more "
        f"for every {request_cost.EVENTS_PER_UNIT} events, for every {request_cost.LINES_PER_UNIT} postings, hands, "
        f"tables or keys in the answer, and for every {request_cost.JUDGED_EVENTS_PER_UNIT} events of a hand that is "
        f"decided again, and {request_cost.PAST_STATE_UNITS} more for a table's past. A stream counts as it is read, "
        "and pauses before it uses the last half of the limit.",
    ),
    "service_must_not_fail": Kind(
        500,
        "The service failed.",
        "This is a defect. Nothing was recorded. Report `request_id`: it finds the cause in the service's log.",
    ),
    "outcome_must_be_known": Kind(
        503,
        "It is unknown whether the command was recorded.",
        "The database did not answer the commit. Repeat the same request with the same Idempotency-Key: "
        "the command is then recorded once, whether or not the first attempt was.",
    ),
    "service_must_be_ready": Kind(
        503,
        "The service is not ready for commands.",
        "The database can't be reached, has the schema of another release, or belongs to another service key: "
        "`chiptrail doctor` says which.",
    ),
    "place_must_be_free": Kind(
        503,
        "Too many requests are waiting.",
        "Ask without `wait`, or for a page of events: that is answered at once. Or wait again after Retry-After "
        "seconds. One owner, one address, and one host together with the owners that it made each get only a share of "
        "the waiting slots.",
    ),
    "body_must_find_a_place": Kind(
        503,
        "Too many bodies are being sent.",
        "Every slot for reading a body is taken by a body that was begun and not finished. Nothing was done. Send the "
        "whole body at once, and try again after Retry-After seconds. One owner, one address, and one host together "
        "with the owners that it made each get only a share of the slots.",
    ),
    "database_must_answer": Kind(
        503, "The database is busy or can't be reached.", "Nothing was recorded. Try again after Retry-After seconds."
    ),
}
