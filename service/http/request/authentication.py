"""Finds the caller: the owner of the key in the request, and what the key may do (DECISIONS 55)."""

from sqlalchemy.exc import SQLAlchemyError

from service.api_keys import repository
from service.api_keys.repository import Key, Scope
from service.api_keys.sign_ins import SIGNED_IN_KEY
from service.http.operations.bulkhead import KEYLESS
from service.http.problems.problem import CHALLENGE, Problem
from service.http.request.addresses import subscriber
from service.http.request.context import Caller, request_context
from service.http.request.services import services


def current_caller() -> Caller:
    """Return the caller; for a request without a key, a spectator.

    Raises:
        Problem: the key is not valid, or has ended.
    """
    caller = caller_or_ended()
    if caller.has_ended:
        raise invalid_key()
    return caller


def caller_or_ended() -> Caller:
    """Return the caller, even if its key has ended.

    Raises:
        Problem: the key is not valid.
    """
    context = request_context()
    if context.key_is_refused:
        raise invalid_key()
    if context.caller is None:
        signed_in = context.environ.get(SIGNED_IN_KEY)
        if isinstance(signed_in, bytes):  # a client can't set this: a request sets only strings
            context.caller = _signed_in(signed_in)
        else:
            context.caller = _identify(context.headers.get("Authorization"))
    return context.caller


def owner_if_known() -> str:
    """Return the owner of the key; "" without a valid key, with a key that has ended, or if the database fails.

    A request with an ended key does not count against the limit of the key's owner: otherwise the finder of a lost key
    could use up this limit.
    """
    try:
        caller = caller_or_ended()
    except Problem:
        request_context().key_is_refused = True
    except SQLAlchemyError:
        pass  # The operation decides whether it needs the database.
    else:
        return "" if caller.has_ended else caller.owner
    return ""


def caller_with_scope(*scopes: Scope, may_have_ended: bool = False) -> Caller:
    """Return the caller, whose key must have one of *scopes*; without *scopes*, any key is enough.

    *may_have_ended*: a key that has ended is accepted.

    Raises:
        Problem: no key was sent; the key is not valid; the key has ended and *may_have_ended* is False; or the key has
            none of *scopes*. An ended key that has none of *scopes* counts as not valid.
    """
    caller = caller_or_ended() if may_have_ended else current_caller()
    if not caller.owner:
        raise Problem("key_must_be_given", headers={"WWW-Authenticate": CHALLENGE})
    if scopes and caller.scopes.isdisjoint(scopes):
        if caller.has_ended:
            raise invalid_key()
        raise Problem("scope_must_be_granted", f"This request needs the scope {' or '.join(scopes)}.", scope=scopes[0])
    return caller


def must_not_be_limited(caller: Caller) -> None:
    """Check that the key of *caller* is not limited to tables or disputes; call this if a request is about all tables.

    Raises:
        Problem: the key is limited.
    """
    if caller.limits:
        detail = "Your key is limited to tables or disputes, and this request is about all tables."
        raise Problem("scope_must_be_granted", detail, scope="audit")


def quota_owners(caller: Caller) -> tuple[str, ...]:
    """Return the quota owners of *caller*: its address, its owner, and the host who made its key.

    Without a key, the quota owners are the address and `KEYLESS`.

    A slot counts against all of these quota owners. So a caller gets no more slots with another key, without a key, or
    with owners that it made. If an admin, the operator or the service made the key, the key's own owner counts as the
    host: an admin, the operator and the service make keys for everybody.

    With an ended key there are two quota owners: the address, and all ended keys of the host together with the ended
    keys of the owners that the host made. So the finder of a lost key can't use up the slots of the key's owner.
    """
    at = f"address {address()}"
    if not caller.owner:
        return (at, KEYLESS)
    host = caller.owner if services().key_cache.is_admin(caller.made_by) else caller.made_by
    return (at, f"ended keys of host {host}") if caller.has_ended else (at, f"owner {caller.owner}", f"host {host}")


def address() -> str:
    """Return the subscriber of the request's address: for IPv6, the network of 64 bits.

    Of X-Forwarded-For, only the entries that the service's own proxies added are trusted.
    """
    context = request_context()
    proxies = services().settings.proxies
    forwarded = context.headers.get("X-Forwarded-For", "").split(",") if proxies else []
    return subscriber(forwarded[-proxies].strip() if len(forwarded) >= proxies > 0 else context.remote_addr or "")


def must_still_be_valid(caller: Caller) -> None:
    """Check that the key of *caller* has not ended since the request began.

    Raises:
        Problem: the key has ended.
    """
    if caller.owner:
        key = services().key_cache.find(caller.key_id)
        if key is None or (key.may_have_ended and key.has_ended(services().clock.now())):
            raise invalid_key()


def _identify(header: str | None) -> Caller:
    if header is None:
        return Caller()
    scheme, _, sent = header.partition(" ")
    parsed = repository.parse(sent.strip()) if scheme.lower() == "bearer" else None
    if parsed is None:
        raise invalid_key()
    key_id, secret = parsed
    key = services().key_cache.find(key_id)
    if key is None or not repository.matches(key, secret):
        raise invalid_key()
    return _caller_of(key)


def _signed_in(key_id: bytes) -> Caller:
    """Return the caller of a page: the owner of the key with which the user of the browser signed in.

    Raises:
        Problem: there is no such key, for example because an older backup was restored.
    """
    key = services().key_cache.find(key_id)
    if key is None:
        raise invalid_key()
    return _caller_of(key)


def _caller_of(key: Key) -> Caller:
    ended_at = key.ended_at(services().clock.now()) if key.may_have_ended else ""
    return Caller(key.owner, frozenset(key.scopes), key.key_id, ended_at, key.made_by, frozenset(key.limits))


def invalid_key() -> Problem:
    """Return the problem that answers a request with an invalid key."""
    return Problem("key_must_be_valid", headers={"WWW-Authenticate": f'{CHALLENGE}, error="invalid_token"'})
