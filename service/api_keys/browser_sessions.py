"""Signs browsers in: a cookie with a random token stands for an API key until the sign-in expires (DECISIONS 111)."""

from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import Engine

from service.api_keys import sign_ins
from service.database.engines import administering, reading
from service.entropy import Entropy
from service.secrets.derivation import Derivation

SIGNED_IN_FOR: Final = timedelta(hours=8)
_TOKEN_LENGTH: Final = 64


class BrowserSessions:
    """The sign-ins of browsers, stored in the database, so that every process knows each sign-in and each sign-out."""

    def __init__(self, engine: Engine, derivation: Derivation, chance: Entropy) -> None:
        self._engine = engine
        self._derivation = derivation
        self._chance = chance

    def begin(self, key_id: bytes) -> str:
        """Sign a browser in for the key with this id; return the token for its cookie."""
        token, now = self._chance.secret().hex(), self._chance.now()
        with administering(self._engine) as connection:
            sign_ins.begin(connection, self._derivation, token, key_id, (now, _later(now, SIGNED_IN_FOR)))
        return token

    def key_of(self, token: str) -> bytes:
        """Return the id of the key for which *token* stands.

        Return b"" if *token* has no sign-in, if the sign-in has expired, or if the row of the sign-in was altered.
        """
        if len(token) != _TOKEN_LENGTH:
            return b""
        with reading(self._engine) as connection:
            return sign_ins.key_of(connection, self._derivation, token, self._chance.now()) or b""

    def end(self, token: str) -> None:
        """End the sign-in of *token*, if there is one: the browser is signed out."""
        with administering(self._engine) as connection:
            sign_ins.end(connection, token)


def _later(now: str, by: timedelta) -> str:
    moment = datetime.fromisoformat(now).astimezone(UTC) + by
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
