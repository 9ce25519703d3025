"""`/v1/keys` and `/v1/whoami`: API keys, with their owners and scopes (DECISIONS 20)."""

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct, structs

from service.api_keys import repository
from service.api_keys.repository import SCOPES, Key, Scope
from service.database.durability import durability_barrier
from service.database.engines import administering, reading
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import IDEMPOTENCY_KEY, READS, WRITES, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import Problem
from service.http.request import key_rights
from service.http.request.authentication import caller_with_scope, current_caller
from service.http.request.context import Caller
from service.http.request.parsing import idempotency_key
from service.http.request.schemas import MOMENT, schema_of
from service.http.request.services import services
from service.http.resources.seats import OWNER
from service.http.responses.answers import json_response, linked
from service.service_log import key_register

keys = Resource("keys", "API keys: their owners, and what they may do.")


_TABLE: Final = "^tbl_[0-9a-f]{32}$"
_DISPUTE: Final = "^tbl_[0-9a-f]{32}/[1-9][0-9]{0,8}$"
_MOST_LIMITS: Final = 100


class NewKey(Struct, frozen=True, kw_only=True):
    """A key to make."""

    scopes: Annotated[
        tuple[Scope, ...], Meta(min_length=1, max_length=len(SCOPES), description="What the key may do.")
    ] = ("play",)
    owner: Annotated[
        str, Meta(pattern=f"^({OWNER[1:-1]})?$", description="The owner of the key; empty: a new owner.")
    ] = ""
    label: Annotated[str, Meta(max_length=100, description="A note for people: what the key is for.")] = ""
    expires_at: Annotated[
        str,
        Meta(
            pattern=f"^({MOMENT}([.][0-9]{{1,6}})?Z)?$",
            description="When the key expires, in UTC (RFC 3339); empty: never.",
        ),
    ] = ""
    tables: Annotated[
        tuple[Annotated[str, Meta(pattern=_TABLE)], ...],
        Meta(
            max_length=_MOST_LIMITS,
            description="The tables to which the key is limited; a limited key can have only the scopes audit and "
            "approve. If `disputes` is empty too, the key is not limited.",
        ),
    ] = ()
    disputes: Annotated[
        tuple[Annotated[str, Meta(pattern=_DISPUTE)], ...],
        Meta(
            max_length=_MOST_LIMITS,
            description="The disputes to which the key is limited, each as its table and number: tbl_<hex>/2.",
        ),
    ] = ()


_Tables = Annotated[
    tuple[Annotated[str, Meta(pattern=_TABLE)], ...],
    Meta(description="The tables to which the key is limited."),
]
_Disputes = Annotated[
    tuple[Annotated[str, Meta(pattern=_DISPUTE)], ...],
    Meta(description="The disputes to which the key is limited, each as its table and number."),
]


class KeyView(Struct, frozen=True, kw_only=True):
    """A key, without its secret."""

    id: str
    owner: str
    scopes: tuple[Scope, ...]
    label: str
    made_by: Annotated[str, Meta(description='The owner whose key made this key, or "service" or "operator".')]
    made_at: str
    expires_at: Annotated[str, Meta(description="When the key expires; empty: never.")]
    tables: _Tables
    disputes: _Disputes
    revoked_at: Annotated[str, Meta(description="When the key was revoked; empty: it was not revoked.")]
    revoked_by: Annotated[
        str, Meta(description='The owner whose key revoked this key, or "operator"; empty: it was not revoked.')
    ]


class MadeKey(Struct, frozen=True, kw_only=True):
    """A key and its token, which contains the secret; clients send `Authorization: Bearer <token>`."""

    key: KeyView
    token: str


class KeyQuery(Struct, frozen=True):
    """Selects a page of keys."""

    after: Annotated[str, Meta(pattern="^(key_[0-9a-f]{32})?$", description="The `next` of the previous page.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The maximum number of keys on a page.")] = 100


class KeyList(Struct, frozen=True):
    """A page of the keys that the caller owns or made; for an admin, of all keys."""

    items: tuple[KeyView, ...]
    has_more: bool
    next: Annotated[str, Meta(description="The `after` of the next page.")]


class Myself(Struct, frozen=True, kw_only=True):
    """The caller: the owner and the scopes of the key in the request."""

    owner: Annotated[str, Meta(description="The id of the key's owner; empty: a spectator, without a key.")]
    scopes: tuple[Scope, ...]
    key: Annotated[str, Meta(description="The id of the key; empty: no key was sent.")]


@keys.get("/v1/whoami")
@operation(keys, "who_am_i", Myself, codes=READS)
def who_am_i() -> Response:
    """Get the caller: the owner and the scopes of the key in the request.

    Without a key the caller is a spectator: `owner` and `key` are empty, and there are no scopes.
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
        "for an outside auditor": {"scopes": ["audit"], "tables": ["tbl_1605853816b2a299bd1d5968516c7a45"]},
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
    """Make a key. An admin may make any key, a host only keys with the scope play.

    A key with no other scopes than `audit` and `approve` can be limited to tables and disputes: then these scopes show
    no other private tables. A key that expires may make only keys that expire no later. Without `owner`, the key
    belongs to a new owner. A host may make keys for a new owner, for an owner for whom the host has made a key already,
    or for itself. A repeat of the request returns the same key: the service computes the key's id, its secret and the
    new owner from the caller, the Idempotency-Key and secrets of the service.
    """
    caller = caller_with_scope("host", "admin")
    wanted = _wanted(new, caller, idempotency_key())
    key_rights.must_be_limitable(wanted)
    key_rights.must_be_in_reach(wanted, caller)
    with administering(services().engine) as connection:
        stored = repository.find(connection, wanted.key_id)
        is_new = stored is None
        if stored is None:
            key_rights.must_speak_for(connection, new.owner, caller)
            key_rights.must_not_have_expired(wanted)
            key_rights.must_have_a_key_left(connection, wanted, caller)
            is_new = key_register.make_key(connection, services().service_log, wanted)
            stored = wanted if is_new else repository.find(connection, wanted.key_id) or wanted
        if not is_new:
            durability_barrier(connection)  # the process that made the key may have died before the commit was durable
    key_rights.must_be_the_same(stored, wanted)
    as_made = structs.replace(stored, revoked_at="", revoked_by="")  # as in the first response
    response = json_response(
        MadeKey(key=_view(as_made), token=repository.token(services().service_key, as_made.key_id)), caller, status=201
    )
    if not is_new:
        response.headers["Idempotent-Replayed"] = "true"
    return response


@keys.get("/v1/keys")
@keys.query(KeyQuery)
@operation(keys, "list_keys", KeyList, codes=(*READS, "key_must_be_given"), headers=("Link",))
def list_keys(query: KeyQuery) -> Response:
    """List the keys that the caller owns or made; an admin sees all keys.

    The list includes keys that have ended, and shows no secrets.
    """
    caller = caller_with_scope()
    is_admin = "admin" in caller.scopes
    after = _id(query.after) if query.after else b""
    with (
        expensive.turn(is_expensive=expensive.is_long_list(query.limit)),
        reading(services().engine) as connection,
    ):
        listed = repository.list_keys(
            connection, caller.owner, of_everybody=is_admin, after=after, limit=query.limit + 1
        )
    request_cost.add(len(listed) // request_cost.LINES_PER_UNIT)
    items = tuple(_view(key) for key in listed[: query.limit])
    answer = KeyList(items, len(listed) > query.limit, items[-1].id if items else query.after)
    return linked(json_response(answer, caller), answer, query.limit)


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
    """End a key.

    A caller may end the key of the request, and every other key of the same owner that may do no more than the key of
    the request. A host may also end a key that the host made, if the key has only the scope play. An admin may end any
    key. The last key with the scope admin can't be ended. A key that has ended can only repeat commands that were
    recorded before its end.

    Another process of the service may accept the key for up to a second longer.
    """
    caller = caller_with_scope()
    key_id = _id(key)
    now = services().clock.now()
    with administering(services().engine) as connection:
        revoked = repository.find(connection, key_id)
        if revoked is None or not ("admin" in caller.scopes or caller.owner in {revoked.owner, revoked.made_by}):
            raise Problem("key_must_exist")
        key_rights.must_be_allowed_to_end(revoked, caller)
        if "admin" in revoked.scopes and not revoked.has_ended(now):
            key_rights.another_admin_key_must_stay(connection, key_id, now)
        key_register.end_key(connection, services().service_log, key_id, by=caller.owner, at=now)
    services().key_cache.forget()
    response = Response(status=204)
    del response.headers["Content-Type"]
    return response


def _wanted(new: NewKey, caller: Caller, idempotency: str) -> Key:
    key_id = services().derivation.derived_id("key", caller.owner, idempotency)
    return Key(
        key_id=key_id,
        owner=new.owner or f"own_{services().derivation.derived_id('owner', caller.owner, idempotency).hex()}",
        scopes=tuple(sorted(new.scopes)),
        secret_hash=repository.hash_of(repository.secret_of(services().service_key, key_id)),
        label=new.label,
        made_by=caller.owner,
        made_at=services().clock.now(),
        expires_at=key_rights.moment(new.expires_at),
        limits=tuple(sorted((*new.tables, *new.disputes))),
    )


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
        tables=tuple(limit for limit in key.limits if "/" not in limit),
        disputes=tuple(limit for limit in key.limits if "/" in limit),
        revoked_at=key.revoked_at,
        revoked_by=key.revoked_by,
    )
