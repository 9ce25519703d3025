"""Which keys an owner may make and end: no key reaches further, or lasts longer, than the one that makes it."""

from sqlalchemy import Connection

from service.api_keys import repository
from service.api_keys.repository import Key
from service.http.request.context import Caller
from service.http.request.fields import field_error
from service.http.request.services import services
from service.http.responses.problems import Problem, schema_problem


def must_be_in_reach(wanted: Key, caller: Caller) -> None:
    """Check that *caller* may hand out the key *wanted*; a repeat, which shows the key again, hands it out too.

    Raises:
        Problem: it has more scopes than *caller* may grant, or ends after the key of *caller*.
    """
    if "admin" not in caller.scopes and wanted.scopes != ("play",):
        raise Problem("key_must_be_within_your_power", "A host makes keys with the scope play alone.")
    own = services().key_cache.find(caller.key_id)
    if own is not None and own.expires_at and not "" < wanted.expires_at <= own.expires_at:
        detail = f"The key that was sent ends at {own.expires_at}: expires_at must be given, and be no later."
        raise Problem("key_must_be_within_your_power", detail)


def must_speak_for(connection: Connection, owner: str, caller: Caller) -> None:
    """Let nobody make a key for an owner that is none of theirs.

    Raises:
        Problem: the owner is another's, or nobody.
    """
    is_admin = "admin" in caller.scopes
    if not owner or owner == caller.owner:
        return
    theirs = repository.keys_of(connection, owner)
    if is_admin and not theirs:
        raise schema_problem([("/owner", field_error("value_must_be_one_of_those_known", "Nobody has this id."))])
    if not is_admin and not any(key.made_by == caller.owner for key in theirs):
        raise Problem("key_must_be_within_your_power", "This owner was not made by you.")


def must_have_a_key_left(connection: Connection, wanted: Key, caller: Caller) -> None:
    """Let a host have a limited number of keys that it made and that have not ended; an admin has any number.

    Raises:
        Problem: *caller* has as many as one may.
    """
    most = services().settings.keys_per_owner
    if not most or "admin" in caller.scopes:
        return
    repository.lock_until_commit(connection, f"keys of {caller.owner}")
    if repository.has_reached_key_limit(connection, caller.owner, most, now=wanted.made_at):
        raise Problem("keys_must_be_fewer", f"Here it is {most} at most.")


def must_be_allowed_to_end(key: Key, caller: Caller) -> None:
    """Let no key end one that reaches further.

    Raises:
        Problem: it would.
    """
    is_own = key.owner == caller.owner and set(key.scopes) <= caller.scopes
    is_made = key.made_by == caller.owner and "host" in caller.scopes and set(key.scopes) <= {"play"}
    if not ("admin" in caller.scopes or is_own or is_made):
        raise Problem("key_must_be_within_your_power", "This key reaches further than the one that was sent.")


def another_admin_key_must_stay(connection: Connection, key_id: bytes, now: str) -> None:
    """Let nobody end the last key with the scope admin.

    Raises:
        Problem: *key_id* is the last one's.
    """
    repository.lock_until_commit(connection, "admin keys")
    if all(key.key_id == key_id or key.has_ended(now) for key in repository.admin_keys(connection)):
        raise Problem("last_admin_key_must_stay")
