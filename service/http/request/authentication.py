"""Who asks: the owner of the key that came with the request, and what the key may do."""

from sqlalchemy.exc import SQLAlchemyError

from service.api_keys import repository
from service.api_keys.repository import Scope
from service.http.problems.problem import CHALLENGE, Problem
from service.http.request.addresses import subscriber
from service.http.request.context import Caller, request_context
from service.http.request.services import services


def current_caller() -> Caller:
    """Return who asks; without a key it is a spectator.

    Raises:
        Problem: a key was sent that is not valid, or has ended.
    """
    found = caller_or_ended()
    if found.has_ended:
        raise invalid_key()
    return found


def caller_or_ended() -> Caller:
    """Return who asks, be it by a key that has ended.

    Raises:
        Problem: a key was sent that is not valid.
    """
    context = request_context()
    if context.key_is_refused:
        raise invalid_key()
    if context.caller is None:
        context.caller = _identified(context.headers.get("Authorization"))
    return context.caller


def owner_if_known() -> str:
    """Return the owner of the key that was sent; "": none was, none that is valid, or nobody could look.

    A key that has ended speaks for its owner no more: by a lost one anybody could use up what the owner has.
    """
    try:
        found = caller_or_ended()
    except Problem:
        request_context().key_is_refused = True
    except SQLAlchemyError:
        pass  # Whether that matters is for the operation to say, which may do without the database.
    else:
        return "" if found.has_ended else found.owner
    return ""


def caller_with_scope(*scopes: Scope, may_have_ended: bool = False) -> Caller:
    """Return who asks, by a key that has one of *scopes*; without any, by any key.

    Raises:
        Problem: no key was sent, it is not valid, or it lacks the scope; one that has ended and lacks it is not valid.
    """
    found = caller_or_ended() if may_have_ended else current_caller()
    if not found.owner:
        raise Problem("key_must_be_given", headers={"WWW-Authenticate": CHALLENGE})
    if scopes and found.scopes.isdisjoint(scopes):
        if found.has_ended:
            raise invalid_key()
        raise Problem("scope_must_be_granted", f"This needs the scope {' or '.join(scopes)}.", scope=scopes[0])
    return found


def quota_owners(found: Caller) -> tuple[str, ...]:
    """Name all for whom a place is counted that *found* takes: its address, its owner, and the host who made the owner.

    All of them count, so that nobody takes more places by another key, by none, or by owners of their own making. Keys
    that have ended count apart from those that are valid, all of a host and its owners together: whoever finds a lost
    key must not use up what its owner has. An admin makes the keys of everybody, so these count for their owners alone.
    """
    at = f"address {address()}"
    if not found.owner:
        return (at,)
    host = found.owner if services().known_keys.is_admin(found.made_by) else found.made_by
    return (at, f"ended keys of host {host}") if found.has_ended else (at, f"owner {found.owner}", f"host {host}")


def address() -> str:
    """Return where the request comes from: for IPv6 the network of 64 bits, which is one subscriber's.

    What X-Forwarded-For says is believed as far as proxies of ours have added to it.
    """
    context = request_context()
    proxies = services().settings.proxies
    forwarded = context.headers.get("X-Forwarded-For", "").split(",") if proxies else []
    return subscriber(forwarded[-proxies].strip() if len(forwarded) >= proxies > 0 else context.remote_addr or "")


def must_still_be_valid(found: Caller) -> None:
    """Let nobody go on by a key that was ended meanwhile.

    Raises:
        Problem: it was.
    """
    if found.owner:
        key = services().known_keys.find(found.key_id)
        if key is None or (key.may_have_ended and key.has_ended(services().entropy.now())):
            raise invalid_key()


def _identified(header: str | None) -> Caller:
    if header is None:
        return Caller()
    scheme, _, sent = header.partition(" ")
    parsed = repository.parse(sent.strip()) if scheme.lower() == "bearer" else None
    if parsed is None:
        raise invalid_key()
    key_id, secret = parsed
    key = services().known_keys.find(key_id)
    if key is None or not repository.fits(key, secret):
        raise invalid_key()
    ended_at = key.ended_at(services().entropy.now()) if key.may_have_ended else ""
    return Caller(key.owner, frozenset(key.scopes), key_id, ended_at, key.made_by)


def invalid_key() -> Problem:
    """Return the problem of a key that is not valid."""
    return Problem("key_must_be_valid", headers={"WWW-Authenticate": f'{CHALLENGE}, error="invalid_token"'})
