"""`/v1/keys` and `/v1/whoami`: who may do what, and handing that on."""

from datetime import datetime
from typing import Annotated, Any

from flask import Response
from msgspec import Meta, Struct, structs

from service.api_keys import repository
from service.api_keys.repository import SCOPES, Key, Scope
from service.database.durability import durability_barrier
from service.database.engines import administering, reading
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import IDEMPOTENCY_KEY, READS, WRITES, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import Problem, errors, schema_problem
from service.http.request import key_rights
from service.http.request.authentication import caller_with_scope, current_caller
from service.http.request.context import Caller
from service.http.request.fields import field_error
from service.http.request.parsing import idempotency_key
from service.http.request.schemas import MOMENT, schema_of
from service.http.request.services import services
from service.http.resources.seats import OWNER
from service.http.responses.answers import json_response, linked

keys = Resource("keys", "Keys: who they belong to, and what they may do.")


class NewKey(Struct, frozen=True, kw_only=True):
    """A key to be made."""

    scopes: Annotated[tuple[Scope, ...], Meta(min_length=1, max_length=len(SCOPES), description="What it may do.")] = (
        "play",
    )
    owner: Annotated[str, Meta(pattern=f"^({OWNER[1:-1]})?$", description="Who it is for; empty: somebody new.")] = ""
    label: Annotated[str, Meta(max_length=100, description="For people: what it is used for.")] = ""
    expires_at: Annotated[
        str,
        Meta(
            pattern=f"^({MOMENT}([.][0-9]{{1,6}})?Z)?$",
            description="When it ends, in UTC (RFC 3339); empty: never by itself.",
        ),
    ] = ""


class KeyView(Struct, frozen=True, kw_only=True):
    """A key, without its secret."""

    id: str
    owner: str
    scopes: tuple[Scope, ...]
    label: str
    made_by: Annotated[str, Meta(description='The owner whose key made it; else "service" itself, or its "operator".')]
    made_at: str
    expires_at: Annotated[str, Meta(description="Empty: it does not end by itself.")]
    revoked_at: Annotated[str, Meta(description="Empty: it was not revoked.")]
    revoked_by: Annotated[str, Meta(description='The owner whose key revoked it; else the "operator".')]


class MadeKey(Struct, frozen=True, kw_only=True):
    """A key with its secret, to be sent as `Authorization: Bearer <token>`."""

    key: KeyView
    token: str


class KeyQuery(Struct, frozen=True):
    """Which keys."""

    after: Annotated[str, Meta(pattern="^(key_[0-9a-f]{32})?$", description="The `next` of the page before.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many at most.")] = 100


class KeyList(Struct, frozen=True):
    """Keys that the caller owns or made; for an admin all of them."""

    items: tuple[KeyView, ...]
    has_more: bool
    next: Annotated[str, Meta(description="What to ask for next, as `after`.")]


class Myself(Struct, frozen=True, kw_only=True):
    """Who asks."""

    owner: Annotated[str, Meta(description="The owner's id; empty: a spectator, without a key.")]
    scopes: tuple[Scope, ...]
    key: Annotated[str, Meta(description="The key's id; empty: none was sent.")]


@keys.get("/v1/whoami")
@operation(keys, "who_am_i", Myself, codes=READS)
def who_am_i() -> Response:
    """Tell who asks: the owner of the key that was sent, and its scopes.

    Without a key it is a spectator: the owner and the key are empty, and there is no scope.
    """
    caller = current_caller()
    name = repository.key_name(caller.key_id) if caller.owner else ""
    return json_response(Myself(owner=caller.owner, scopes=tuple(sorted(caller.scopes)), key=name), caller)


@keys.post("/v1/keys")
@keys.body(
    schema_of(NewKey),
    scopes=("host", "admin"),
    examples={
        "for a player": {"scopes": ["play"], "label": "Ann"},
        "for an evening": {"label": "Bob", "expires_at": "2030-01-01T06:00:00Z"},
    },
)
@operation(
    keys,
    "make_key",
    MadeKey,
    status=201,
    codes=(*WRITES, "key_must_be_within_your_power", "keys_must_be_fewer"),
    headers=("Idempotent-Replayed",),
    parameters=(IDEMPOTENCY_KEY,),
)
def make_key(new: NewKey) -> Response:
    """Make a key: an admin any, a host one with the scope play.

    No key outlives the one that makes it. Without an owner it is somebody new's. Its id, its secret and a new owner
    follow from the caller and the Idempotency-Key: a repeat shows the same key again.
    """
    caller = caller_with_scope("host", "admin")
    wanted = _wanted(new, caller, idempotency_key())
    key_rights.must_be_in_reach(wanted, caller)
    with administering(services().engine) as connection:
        kept = repository.find(connection, wanted.key_id)
        is_new = kept is None
        if kept is None:
            key_rights.must_speak_for(connection, new.owner, caller)
            _must_be_to_come(wanted)
            key_rights.must_have_a_key_left(connection, wanted, caller)
            is_new = repository.add(connection, wanted)
            kept = wanted if is_new else repository.find(connection, wanted.key_id) or wanted
        if not is_new:
            durability_barrier(connection)  # who made it may have died before it was safe
    _must_be_the_same(kept, wanted)
    made = structs.replace(kept, revoked_at="", revoked_by="")  # the answer stays what it was
    response = json_response(
        MadeKey(key=_view(made), token=repository.token(services().service_key, made.key_id)), caller, status=201
    )
    if not is_new:
        response.headers["Idempotent-Replayed"] = "true"
    return response


@keys.get("/v1/keys")
@keys.query(KeyQuery)
@operation(keys, "list_keys", KeyList, codes=(*READS, "key_must_be_given"), headers=("Link",))
def list_keys(page: KeyQuery) -> Response:
    """List the keys that the caller owns or made; an admin sees all.

    Keys that have ended are among them. No secret is ever shown.
    """
    caller = caller_with_scope()
    everybodys = "admin" in caller.scopes
    after = _id(page.after) if page.after else b""
    with (
        expensive.turn(is_expensive=expensive.is_long_list(page.limit)),
        reading(services().engine) as connection,
    ):
        found = repository.listed(connection, caller.owner, everybodys=everybodys, after=after, limit=page.limit + 1)
    request_cost.add(len(found) // request_cost.LINES_PER_UNIT)
    items = tuple(_view(key) for key in found[: page.limit])
    answer = KeyList(items, len(found) > page.limit, items[-1].id if items else page.after)
    return linked(json_response(answer, caller), answer, page.limit)


@keys.delete("/v1/keys/<key>")
@operation(
    keys,
    "revoke_key",
    status=204,
    codes=(
        *READS,
        "key_must_be_given",
        "key_must_be_within_your_power",
        "key_must_exist",
        "last_admin_key_must_stay",
        "outcome_must_be_known",
    ),
)
def revoke_key(key: str) -> Response:
    """End a key: itself, one of the same owner that reaches no further, as a host one that was made, as admin any.

    It can only repeat its own commands from then on.

    Another process of the service may take it for a second more. The last key with the scope admin stays.
    """
    caller = caller_with_scope()
    key_id = _id(key)
    now = services().entropy.now()
    with administering(services().engine) as connection:
        found = repository.find(connection, key_id)
        if found is None or not ("admin" in caller.scopes or caller.owner in {found.owner, found.made_by}):
            raise Problem("key_must_exist")
        key_rights.must_be_allowed_to_end(found, caller)
        if "admin" in found.scopes and not found.has_ended(now):
            key_rights.another_admin_key_must_stay(connection, key_id, now)
        repository.revoke(connection, key_id, by=caller.owner, at=now)
    services().known_keys.forget()
    response = Response(status=204)
    del response.headers["Content-Type"]
    return response


def _wanted(new: NewKey, caller: Caller, idempotency: str) -> Key:
    key_id = services().derivation.made_id("key", caller.owner, idempotency)
    return Key(
        key_id=key_id,
        owner=new.owner or f"own_{services().derivation.made_id('owner', caller.owner, idempotency).hex()}",
        scopes=tuple(sorted(new.scopes)),
        secret_hash=repository.hash_of(repository.secret_of(services().service_key, key_id)),
        label=new.label,
        made_by=caller.owner,
        made_at=services().entropy.now(),
        expires_at=_moment(new.expires_at),
    )


def _moment(text: str) -> str:
    """Return a time as it is kept, to the millisecond.

    Raises:
        Problem: there is no such day or hour.
    """
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise schema_problem([("/expires_at", field_error("value_must_have_its_form", str(error)))]) from error
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def _must_be_to_come(wanted: Key) -> None:
    """Raise a Problem where the key would have ended already."""
    if wanted.has_ended(wanted.made_at):
        raise schema_problem([("/expires_at", field_error("value_must_be_within_its_range", "This time is over."))])


def _must_be_the_same(kept: Key, wanted: Key) -> None:
    for member in ("owner", "scopes", "label", "expires_at"):
        ours: Any = getattr(kept, member)
        theirs: Any = getattr(wanted, member)
        if ours != theirs:
            differs = field_error("value_must_fit", f"Recorded under this key: {ours!r}; sent now: {theirs!r}.")
            raise Problem("idempotency_key_must_be_new", errors=errors([(f"/{member}", differs)]))


def _id(name: str) -> bytes:
    try:
        return bytes.fromhex(name.removeprefix("key_")) if name.startswith("key_") else b""
    except ValueError:
        return b""


def _view(key: Key) -> KeyView:
    return KeyView(
        id=repository.key_name(key.key_id),
        owner=key.owner,
        scopes=key.scopes,
        label=key.label,
        made_by=key.made_by,
        made_at=key.made_at,
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
        revoked_by=key.revoked_by,
    )
