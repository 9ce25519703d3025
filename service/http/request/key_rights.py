"""Checks which keys a caller may make and end: no key may do more, or last longer, than the key that makes it."""

# DECISIONS 20 and 52

from sqlalchemy import Connection

from service.api_keys import repository
from service.api_keys.repository import Key
from service.http.problems.problem import Problem, schema_problem
from service.http.request.context import Caller
from service.http.request.fields import field_error
from service.http.request.services import services


def must_be_in_reach(wanted: Key, caller: Caller) -> None:
    """Check that *caller* may make the key *wanted*. Repeats are checked too: their answers show the key again.

    Raises:
        Problem: *wanted* has a scope that *caller* may not grant, or ends after the key of *caller*.
    """
    if "admin" not in caller.scopes and wanted.scopes != ("play",):
        raise Problem("key_must_be_within_your_power", "A host makes keys with the scope play alone.")
    own = services().key_cache.find(caller.key_id)
    if own is not None and own.expires_at and not "" < wanted.expires_at <= own.expires_at:
        detail = f"Your key ends at {own.expires_at}: give an expires_at that is no later."
        raise Problem("key_must_be_within_your_power", detail)


def must_speak_for(connection: Connection, owner: str, caller: Caller) -> None:
    """Check that *caller* may make a key for *owner*: for itself, for an owner that it made, or, as an admin, for any.

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
        raise Problem("key_must_be_within_your_power", "You did not make this owner.")


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

    Raises:
        Problem: *key* may do more than the key of *caller*.
    """
    is_own = key.owner == caller.owner and set(key.scopes) <= caller.scopes
    is_made = key.made_by == caller.owner and "host" in caller.scopes and set(key.scopes) <= {"play"}
    if not ("admin" in caller.scopes or is_own or is_made):
        raise Problem("key_must_be_within_your_power", "This key may do more than yours.")


def another_admin_key_must_stay(connection: Connection, key_id: bytes, now: str) -> None:
    """Check that a key with the scope admin remains when *key_id* ends.

    Raises:
        Problem: *key_id* is the last key with the scope admin.
    """
    repository.lock_until_commit(connection, "admin keys")
    if all(key.key_id == key_id or key.has_ended(now) for key in repository.admin_keys(connection)):
        raise Problem("last_admin_key_must_stay")
