"""`/healthz` and `/readyz`: whether the process runs, and whether it is ready."""

from typing import Annotated, Literal

from flask import Response
from msgspec import Meta, Struct

from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import ANYWHERE, operation
from service.http.operations.readiness import NotReady
from service.http.problems.problem import RETRY, Problem
from service.http.request.context import Caller
from service.http.request.services import services
from service.http.responses.answers import json_response

health = Resource("health", "Whether the service runs, and whether it is ready.")


class Health(Struct, frozen=True):
    """The service runs, or is ready."""

    status: Annotated[Literal["ok"], Meta(description="Always ok: anything else is answered with a problem.")] = "ok"


@health.get("/healthz")
@operation(health, "get_health", Health, codes=ANYWHERE)
def get_health() -> Response:
    """Answer that the process runs.

    This operation checks nothing else. A process without its database still runs, and /readyz reports that the process
    is not ready.
    """
    return json_response(Health(), Caller())


@health.get("/readyz")
@operation(health, "get_readiness", Health, codes=(*ANYWHERE, "service_must_be_ready", "database_must_answer"))
def get_readiness() -> Response:
    """Answer whether the service takes commands: its database answers, and has the right schema and service key.

    A service that was asked to stop is not ready. The database is checked at most once a second.
    """
    try:
        services().readiness.check()
    except NotReady as error:
        if error.answers:
            raise Problem("service_must_be_ready", error.why, headers=RETRY) from error.__cause__
        raise Problem("database_must_answer", headers=RETRY) from error.__cause__
    return json_response(Health(), Caller())
