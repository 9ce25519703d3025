"""Whether commands can be taken: what `/readyz` tells, looked up once a second however often it is asked."""

from typing import Final

from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError

from service.clock import Clock
from service.database import schema_check
from service.database.engines import reading
from service.secrets.key_check import service_keys
from service.secrets.keyring import ServiceKey
from service.ttl_cache import TtlCache

_LOOK_SECONDS: Final = 1.0


class NotReady(Exception):
    """No commands can be taken: *why* is a word for it, and *answers* says whether the database did."""

    def __init__(self, why: str, *, answers: bool = True) -> None:
        super().__init__(why)
        self.why = why
        self.answers = answers


class Readiness:
    """Looks whether the database answers, has this release's schema and belongs to this service key."""

    def __init__(self, engine: Engine, service_key: ServiceKey, clock: Clock) -> None:
        self._engine = engine
        self._service_key = service_key
        self._remembered = TtlCache(self._look, _LOOK_SECONDS, clock)
        self._is_stopping = False

    def end(self) -> None:
        """Be ready no more: a stop is under way."""
        self._is_stopping = True

    def check(self) -> None:
        """Pass while commands can be taken.

        Raises:
            NotReady: they can't.
        """
        if self._is_stopping:
            raise NotReady("Stopping")
        found = self._remembered.get()
        if found is not None:
            raise NotReady(found.why, answers=found.answers) from found.__cause__

    def _look(self) -> NotReady | None:
        try:
            schema_check.check_schema(self._engine)
            with reading(self._engine) as connection:
                belongs_to = connection.scalar(select(service_keys.c.fingerprint))
        except (schema_check.NoDatabase, schema_check.SchemaNotAtHead) as error:
            return _because(NotReady(type(error).__name__), error)
        except SQLAlchemyError as error:
            return _because(NotReady("NoAnswer", answers=False), error)
        if belongs_to != bytes.fromhex(self._service_key.fingerprint):
            return NotReady("OtherServiceKey")
        return None


def _because(found: NotReady, error: Exception) -> NotReady:
    found.__cause__ = error
    return found
