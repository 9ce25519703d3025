"""A service with a clock that tests can move, for the tests of sign-ins."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import func, select
from werkzeug.test import TestResponse

from service.api_keys.sign_ins import sign_ins
from service.database.engines import reading
from service.entropy import Entropy
from tests.http.service import Service
from tests.web.world import FROM_A_PAGE, Visitor

PLAIN: Final = "chiptrail_session"
BEHIND_TLS: Final = "__Host-chiptrail_session"


class MovableClock(Entropy):
    """A clock that shows `time`, which passes only when a test moves it."""

    def __init__(self) -> None:
        self.time = datetime.fromisoformat("2026-01-01T00:00:00+00:00")

    def now(self) -> str:
        return self.time.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"

    def move(self, **by: float) -> None:
        """Let as much time pass as the arguments of `timedelta` say."""
        self.time += timedelta(**by)


@contextmanager
def signing_in(folder: Path, database_url: str, **more: Any) -> Iterator[tuple[Service, MovableClock]]:  # noqa: ANN401 -- settings
    """Yield a service and its clock."""
    clock = MovableClock()
    service = Service(folder, database_url, clock, **more)
    yield service, clock
    service.close()


def sign_ins_of(service: Service) -> int:
    """Return the number of stored sign-ins."""
    with reading(service.parts.engine) as connection:
        return int(connection.execute(select(func.count()).select_from(sign_ins)).scalar_one())


def token_of(visitor: Visitor, name: str = PLAIN) -> str:
    """Return the token in the browser's cookie; "": it has none."""
    cookie = visitor.client.get_cookie(name)
    return cookie.value if cookie else ""


def looks_with(service: Service, token: str, path: str = "/tables") -> TestResponse:
    """Return the answer for the page at *path* to a new browser whose cookie is *token*."""
    visitor = Visitor(service)
    visitor.client.set_cookie(PLAIN, token)
    return visitor.get(path)


def post(visitor: Visitor, path: str, headers: Mapping[str, str] = FROM_A_PAGE, **fields: str) -> TestResponse:
    """Post a form with *fields*, and add no form token."""
    return visitor.client.post(path, data=fields, headers=headers)
