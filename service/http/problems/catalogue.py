"""The closed catalogue of problems: each code with its HTTP status, title and advice."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from service.http.operations import request_cost
from service.projections import feed_leaves

MOST_ERRORS: Final = 20
"""A problem lists at most this many errors; `more_errors` counts the others."""


class Kind(Struct, frozen=True):
    """A kind of problem: its HTTP *status*, its *title*, and *advice* on what to do about the problem."""

    status: int
    title: str
    advice: str


CATALOGUE: Final[Mapping[str, Kind]] = {
    "body_must_be_json": Kind(
        400,
        "The body must be JSON.",
        "Send one JSON value in UTF-8. Each number in the value must fit a double, and the value must not be nested "
        "hundreds of levels deep.",
    ),
    "idempotency_key_must_be_given": Kind(
        400,
        "A command needs an Idempotency-Key.",
        "Send the header Idempotency-Key with 1 to 200 printable ASCII characters. Choose a new value for each "
        "command, and send the same value with each repeat of that command.",
    ),
    "position_must_be_well_formed": Kind(
        400,
        "The header If-Match or Last-Event-ID does not name a position.",
        'In If-Match, send the ETag of a response, quotes included, such as If-Match: "17"; or leave If-Match out. In '
        "Last-Event-ID, send the `id` of the last event that you received from a stream, without quotes.",
    ),
    "key_must_be_given": Kind(
        401,
        "This request needs a key.",
        "Send Authorization: Bearer ctk_<id>_<secret>. Without a key you see public tables as a spectator.",
    ),
    "key_must_be_valid": Kind(
        401,
        "The key is unknown or has ended.",
        "The key was mistyped or revoked, or it has expired: ask the person who made the key for a new key. With a key "
        "that has ended you can only repeat, unchanged, a command or a step of a dispute that was recorded for the "
        "key's owner before the key ended.",
    ),
    "scope_must_be_granted": Kind(
        403,
        "The key lacks the required scope.",
        "Use a key with the scope that `scope` names. If `detail` names several scopes, any one of them is enough.",
    ),
    "asker_must_be_the_host": Kind(
        403, "Only the table's host may do this.", "Use a key of the owner who opened the table."
    ),
    "asker_must_be_a_player": Kind(
        403, "Only a player at this table may do this.", "Take a seat first, or use a key of an owner who has a seat."
    ),
    "key_must_be_within_your_power": Kind(
        403,
        "Your key may not make or end this key.",
        "A host may make keys with the scope play only: for a new owner, for an owner that the host made, or for "
        "itself. An admin may make any key. But a key that expires may make only keys that expire no later. You may "
        "end your key, and every other key of your owner that has no wider rights than your key. A host may also end a "
        "key that it made, if the key has only the scope play. An admin may end any key except the last admin key.",
    ),
    "player_must_be_yours_to_seat": Kind(
        403,
        "A host may seat only owners for whom it made a key.",
        'To seat any other owner, invite the owner: post {"type": "invite_player", "player": "own_…"} to …/actions. '
        "The invited owner can then take a seat or decline.",
    ),
    "checkpoint_must_be_genuine": Kind(
        403,
        "The checkpoint is not signed with the log key.",
        "Send a checkpoint (C2SP tlog-checkpoint) that the log key has signed; GET /v1/log/key returns the public part "
        "of this key. Nothing was published.",
    ),
    "resource_must_exist": Kind(404, "There is no such resource.", "/openapi.json lists the resources of the API."),
    "table_must_exist": Kind(
        404,
        "There is no such table.",
        "Or the table is private and you may not see it: only the host, the players, invited owners, and keys with the "
        "scope audit or approve see a private table.",
    ),
    "game_must_exist": Kind(404, "There is no such game.", "GET /v1/games lists the games."),
    "account_must_exist": Kind(
        404, "The table has no such account.", "GET …/balances lists the accounts that transfers have used so far."
    ),
    "hand_must_exist": Kind(404, "The table has no such hand yet.", "GET …/hands lists the hands."),
    "dispute_must_exist": Kind(
        404, "The table has no such dispute.", "GET …/disputes lists the disputes of the table, by their numbers."
    ),
    "position_must_exist": Kind(
        404,
        "There is no event at this position.",
        "The positions of a table run from 1 to the position in the ETag of GET /v1/tables/{table}. The events of a "
        "table's disputes have positions of their own, which their receipts name. If you may not see a dispute, you "
        "see none of its events.",
    ),
    "key_must_exist": Kind(404, "You see no key with this id.", "GET /v1/keys lists the keys that you may see."),
    "checkpoint_must_exist": Kind(
        404,
        "The log has no such checkpoint.",
        "If the response has Retry-After, the log has no signed checkpoint yet, or none with so many cosignatures. The "
        "service signs the first checkpoint within seconds after the first event, and its witnesses cosign it a "
        "moment later: try again after that many seconds. If there is still none, tell the operator: the service's "
        "log lines say why it does not sign (`log_not_kept`), and `chiptrail doctor` says why a witness does not "
        "cosign. Otherwise the log has no checkpoint of the size `new`, or `new` is smaller than `old`: take both "
        "sizes from checkpoints of this log.",
    ),
    "tile_must_exist": Kind(
        404,
        "The log has no such tile.",
        "The path of a tile ends with its number, such as `000` or `x001/x234/067`; the path of a partial tile ends "
        "with its number and its width, such as `000.p/17` (C2SP tlog-tiles). The size in GET /v1/log/checkpoint says "
        "which tiles the log has.",
    ),
    "proof_must_exist": Kind(
        404,
        "The log has no proof of these events.",
        "If the response has Retry-After, no signed checkpoint covers the events yet: try again after that many "
        "seconds. Otherwise the table was imported, and its events are in the log of the service that recorded them.",
    ),
    "method_must_be_allowed": Kind(
        405, "The resource does not allow this method.", "The header Allow lists the methods that the resource allows."
    ),
    "body_must_come_in_time": Kind(
        408,
        "The body took too long.",
        "Nothing was done, and the service closes the connection. Send the whole body without a pause. The operator of "
        "the service sets the time limit for bodies.",
    ),
    "refused_by_the_rules": Kind(
        409,
        "The rules do not allow this.",
        "`code` says what must hold. `rule` names the rule of the author's sheet, and `ruling` names our ruling, if "
        "there is one. After a command at a table, `actions` lists the actions that you may take now. Nothing was "
        "recorded, and you may use the Idempotency-Key again.",
    ),
    "table_must_be_played_here": Kind(
        409,
        "An imported table is read-only.",
        "The table was played at another service, and imported here. You can read its events, balances, hands, "
        "verdicts and disputes.",
    ),
    "table_must_be_intact": Kind(
        409,
        "The table's log is damaged.",
        "Events or sealed values of the table were altered or lost in the database after they were recorded. "
        "`position` is the first position that can't be trusted. The table accepts no more commands. You can still "
        "read the events, views, balances and hands before that position. If `detail` names another stream (of the "
        "table's disputes, or the service's own stream), `position` is in that stream, and the table itself may be "
        "intact. Tell the operator of the service, who can find the damage with `chiptrail verify`.",
    ),
    "dossier_must_be_small": Kind(
        409,
        "The dossier would be too large.",
        "A dossier has at most 67,108,864 bytes. Get the dossier of an earlier hand, or the proofs of single events "
        "(…/events/{position}/proof).",
    ),
    "cursor_must_be_of_this_log": Kind(
        409,
        "The cursor belongs to another log.",
        "The operator has begun a new log, or the log has lost leaves, for example because an older backup was "
        "restored. An index in the old log says nothing about the new log. Ask for `after=latest` first and keep "
        "`next`; then read each of your tables from the last position that you have; then follow the feed from that "
        "`next`.",
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
        "The limit is for the keys that you made and that have not ended. End a key that nobody needs. The operator of "
        "the service sets the limit. An admin has no limit.",
    ),
    "seats_must_be_fewer": Kind(
        409,
        "The player has reached the limit of seats at unfinished tables.",
        "The player must first leave a table or play a game to its end. The operator of the service sets the limit.",
    ),
    "checkpoint_must_be_of_the_tree": Kind(
        409,
        "The checkpoint does not fit this log.",
        "The log has fewer leaves than the checkpoint covers, or these leaves have another root: `detail` says which. "
        "Or the log has only checkpoints of another origin: send `begins` if a new log is to begin. Nothing was "
        "published.",
    ),
    "position_must_match": Kind(
        412,
        "The table is not at the position in If-Match.",
        "`position` is the table's position now. `missed` lists the events after the position in If-Match, but at most "
        "100; GET …/events lists all events. Look at these events before you choose another command.",
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
        f"`errors` lists at most {MOST_ERRORS} errors, each with its place and a message. `more_errors` counts the "
        "other errors, and is left out if there are none. If the length of an array is wrong, the service does not "
        "check the items of the array. The service checks the key before the body: a key without any of the scopes "
        "that the operation needs gets `scope_must_be_granted`, whatever the body is.",
    ),
    "idempotency_key_must_be_new": Kind(
        422,
        "This Idempotency-Key belongs to another command.",
        "`errors` names a member in which the two commands differ. An Idempotency-Key belongs to one command for ever. "
        "Send the command with a new Idempotency-Key.",
    ),
    "requests_must_be_fewer": Kind(
        429,
        "Too many requests.",
        "Nothing was done. Try again after Retry-After seconds. The headers RateLimit-Policy and RateLimit say how "
        "many requests you may send in how many seconds, and how many requests are left. All keys of an owner share "
        "one limit; requests without a valid key share the limit of their address. An expensive request counts as "
        f"several requests: 1 more for every {request_cost.EVENTS_PER_UNIT} events that it reads from a list, a stream "
        f"or an entry bundle, 1 more for each further {feed_leaves.WINDOW:,} leaves of the log that it searches for "
        f"events of a feed, 1 more for every {request_cost.LINES_PER_UNIT} postings, hands, tables or keys that it "
        f"lists, 1 more for every {request_cost.JUDGED_EVENTS_PER_UNIT} events of a hand that it decides again, 1 more "
        f"for every {request_cost.MEASURED_EVENTS_PER_UNIT} events that it reads for the figures of players, 1 more "
        f"for every {request_cost.EXPORTED_EVENTS_PER_UNIT} events that it exports as a journal, a sheet or a text, 1 "
        f"more for every {request_cost.BYTES_PER_UNIT:,} bytes of the OpenAPI document or of a file of `/docs`, 1 more "
        f"for every {request_cost.DOSSIER_BYTES_PER_UNIT:,} bytes of a dossier, 1 more for each table in your own "
        f"statement, and {request_cost.PAST_STATE_UNITS} more for a table at an earlier position. The service counts "
        "the events of a stream while it sends them, and pauses the stream while less than half of the limit is left.",
    ),
    "service_must_not_fail": Kind(
        500,
        "The service failed.",
        "This is a defect of the service. Report the `request_id`, with which the operator finds the cause in the log "
        "lines of the service. If you sent a command, you may repeat it with the same Idempotency-Key: the service "
        "never records a command twice.",
    ),
    "outcome_must_be_known": Kind(
        503,
        "It is unknown whether the command was recorded.",
        "The database did not confirm the commit. Repeat the same request; if it is a POST, send the same "
        "Idempotency-Key. Even if the first attempt was recorded, the service does not record the command twice.",
    ),
    "service_must_be_ready": Kind(
        503,
        "The service is not ready for commands.",
        "The service is about to stop, or its database is missing, can't be reached, has the schema of another "
        "release, or belongs to another service key. `detail` names the reason, and the operator can find the cause "
        "with `chiptrail doctor`.",
    ),
    "place_must_be_free": Kind(
        503,
        "Too many requests are waiting.",
        "Send the request without `wait`, or read a page of events instead of a stream: such a request needs no "
        "waiting slot. Or try again after Retry-After seconds. Each owner, each address, and each host together with "
        "the owners that it made may take only a share of the waiting slots. Requests without a key may together "
        "take half of the slots.",
    ),
    "body_must_find_a_place": Kind(
        503,
        "Too many bodies are being sent.",
        "The service is already reading as many bodies as it can at the same time, or as many as your share allows. "
        "Nothing was done. Try again after Retry-After seconds, and send the whole body without a pause. Each owner, "
        "each address, and each host together with the owners that it made may take only a share of the slots for "
        "reading bodies.",
    ),
    "database_must_answer": Kind(
        503, "The database is busy or can't be reached.", "Nothing was recorded. Try again after Retry-After seconds."
    ),
}
