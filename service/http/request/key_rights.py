"""Checks which keys a caller may make and end, by the owner, scopes, limits and expiry of the caller's own key."""

# DECISIONS 20 and 52

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from service.api_keys import repository
from service.api_keys.repository import Key
from service.http.problems.problem import Problem, errors, schema_problem
from service.http.request.context import Caller
from service.http.request.fields import field_error
from service.http.request.services import services

_LIMITED_SCOPES: Final = frozenset({"audit", "approve"})
"""The scopes of keys that can be limited to tables and disputes."""


def must_be_in_reach(wanted: Key, caller: Caller) -> None:
    """Check that *caller* may give the key *wanted* its scopes and its expiry.

    A repeat of the request is checked too, because the response to a repeat shows the token once more.

    Raises:
        Problem: *wanted* has a scope that *caller* may not grant, or would expire later than the key of *caller*.
    """
    if "admin" not in caller.scopes and wanted.scopes != ("play",):
        raise Problem("key_must_be_within_your_power", "A host may make only keys with the scope play.")
    own = services().key_cache.find(caller.key_id)
    if own is not None and own.expires_at and not "" < wanted.expires_at <= own.expires_at:
        detail = f"Your key expires at {own.expires_at}: send an expires_at that is no later."
        raise Problem("key_must_be_within_your_power", detail)


def must_speak_for(connection: Connection, owner: str, caller: Caller) -> None:
    """Check that *caller* may make a key for *owner*; "": a new owner.

    A caller may make keys for itself, and for owners for whom the caller has made a key already. An admin may make keys
    for all owners that exist.

    Raises:
        Problem: *caller* may not make a key for *owner*, or *owner* does not exist.
    """
    is_admin = "admin" in caller.scopes
    if not owner or owner == caller.owner:
        return
    keys = repository.keys_of(connection, owner)
    if is_admin and not keys:
        raise schema_problem(
            [("/owner", field_error("value_must_be_one_of_those_known", "There is no owner with this id."))]
        )
    if not is_admin and not any(key.made_by == caller.owner for key in keys):
        raise Problem("key_must_be_within_your_power", "You have made no key for this owner.")


def must_have_a_key_left(connection: Connection, wanted: Key, caller: Caller) -> None:
    """Check that *caller* may make another key. An admin has no limit; keys that have ended do not count.

    Raises:
        Problem: *caller* has reached the limit of keys.
    """
    most = services().settings.keys_per_owner
    if not most or "admin" in caller.scopes:
        return
    repository.lock_until_commit(connection, f"keys of {caller.owner}")
    if repository.has_reached_key_limit(connection, caller.owner, most, now=wanted.made_at):
        raise Problem("keys_must_be_fewer", f"The limit here is {most}.")


def must_be_allowed_to_end(key: Key, caller: Caller) -> None:
    """Check that *caller* may end *key*.

    An admin may end any key. A caller may end a key of the same owner, if the caller's key has all scopes of *key*.
    If the caller's key is limited, *key* must be limited, too, and have no limit that the caller's key lacks. A host
    may also end a key that it made, if the key has only the scope play.

    Raises:
        Problem: *caller* may not end *key*.
    """
    is_within = not caller.limits or (bool(key.limits) and set(key.limits) <= caller.limits)
    is_own = key.owner == caller.owner and set(key.scopes) <= caller.scopes and is_within
    is_made = key.made_by == caller.owner and "host" in caller.scopes and set(key.scopes) <= {"play"}
    if not ("admin" in caller.scopes or is_own or is_made):
        detail = "This key has another owner, or a scope that your key lacks, or it may see more tables than your key."
        raise Problem("key_must_be_within_your_power", detail)


def another_admin_key_must_stay(connection: Connection, key_id: bytes, now: str) -> None:
    """Check that a valid key with the scope admin remains when *key_id* ends.

    Raises:
        Problem: the key *key_id* is the last valid key with the scope admin.
    """
    repository.lock_until_commit(connection, "admin keys")
    if all(key.key_id == key_id or key.has_ended(now) for key in repository.admin_keys(connection)):
        raise Problem("last_admin_key_must_stay")


def must_not_have_expired(wanted: Key) -> None:
    """Check that the key *wanted* has not expired already when it is made.

    Raises:
        Problem: the expiry time of *wanted* has passed.
    """
    if wanted.has_ended(wanted.made_at):
        raise schema_problem([("/expires_at", field_error("value_must_be_within_its_range", "This time has passed."))])


def must_be_limitable(wanted: Key) -> None:
    """Check that the key *wanted*, if it is limited, has only scopes that can be limited.

    Raises:
        Problem: *wanted* is limited, and has a scope that can't be limited.
    """
    if wanted.limits and not set(wanted.scopes) <= _LIMITED_SCOPES:
        what = "A key that is limited to tables or disputes can have no scopes but audit and approve."
        raise schema_problem([("/scopes", field_error("value_must_fit", what))])


def must_be_the_same(stored: Key, wanted: Key) -> None:
    """Check that *wanted* equals *stored*, the key that an earlier request with the same Idempotency-Key made.

    Raises:
        Problem: the keys differ in their owner, scopes, label, expiry or limits.
    """
    for member in ("owner", "scopes", "label", "expires_at", "limits"):
        recorded: Any = getattr(stored, member)
        sent: Any = getattr(wanted, member)
        if recorded != sent:
            differs = field_error(
                "value_must_fit", f"Recorded under this Idempotency-Key: {recorded!r}; sent now: {sent!r}."
            )
            pointer = f"/{'tables' if member == 'limits' else member}"
            raise Problem("idempotency_key_must_be_new", errors=errors([(pointer, differs)]))


def moment(text: str) -> str:
    """Return the time *text* in the form in which the database stores it, to the millisecond; "" stays "".

    Raises:
        Problem: there is no such day, such as 30 February.
    """
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise schema_problem([("/expires_at", field_error("value_must_have_its_form", str(error)))]) from error
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
