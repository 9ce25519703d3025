"""Checks for `/readyz` whether the service can take commands, at most once a second, however many requests come."""

# DECISIONS 27

from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from service.clock import Clock
from service.database import schema_check
from service.database.engines import reading
from service.secrets.key_check import OtherServiceKey, bound_to
from service.secrets.keyring import ServiceKey
from service.ttl_cache import TtlCache

_CHECK_SECONDS: Final = 1.0
_OTHER_KEY: Final = "OtherServiceKey"


class NotReady(Exception):
    """The service can take no commands: *why* names the reason; *answers*: whether the database answers."""

    def __init__(self, why: str, *, answers: bool = True) -> None:
        super().__init__(why)
        self.why = why
        self.answers = answers


class Readiness:
    """Checks that the database answers, has this release's schema and belongs to this service key."""

    def __init__(self, engine: Engine, service_key: ServiceKey, clock: Clock) -> None:
        self._engine = engine
        self._service_key = service_key
        self._cached = TtlCache(self._reason, _CHECK_SECONDS, clock)
        self._is_stopping = False

    def end(self) -> None:
        """Report not ready from now on: the process is about to stop."""
        self._is_stopping = True

    def check(self) -> None:
        """Check that the service can take commands.

        Raises:
            NotReady: the service can take no commands.
        """
        if self._is_stopping:
            raise NotReady("Stopping")
        reason = self._cached.get()
        if reason is not None:
            raise NotReady(reason.why, answers=reason.answers) from reason.__cause__

    def require_own_key(self) -> None:
        """Check that the database is not bound to another service key; a database that does not answer passes.

        Raises:
            OtherServiceKey: the database is bound to another service key, for example after a rotation.
        """
        reason = self._cached.get()
        if reason is not None and reason.why == _OTHER_KEY:
            raise OtherServiceKey(f"the database is no longer bound to {self._service_key.key_id}: start again")

    def _reason(self) -> NotReady | None:
        """Return the reason why the service can take no commands, or None if it can take commands."""
        try:
            schema_check.check_schema(self._engine)
            with reading(self._engine) as connection:
                belongs_to = bound_to(connection)
        except (schema_check.NoDatabase, schema_check.SchemaNotAtHead) as error:
            return _because(NotReady(type(error).__name__), error)
        except SQLAlchemyError as error:
            return _because(NotReady("NoAnswer", answers=False), error)
        if belongs_to != bytes.fromhex(self._service_key.fingerprint):
            return NotReady(_OTHER_KEY)
        return None


def _because(reason: NotReady, error: Exception) -> NotReady:
    reason.__cause__ = error
    return reason
