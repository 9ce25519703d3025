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

health = Resource("health", "Whether the service runs, and whether it is ready for commands.")


class Health(Struct, frozen=True):
    """The process runs (`/healthz`), or is ready for commands (`/readyz`)."""

    status: Annotated[Literal["ok"], Meta(description="Always ok: in any other case the response is a problem.")] = "ok"


@health.get("/healthz")
@operation(health, "get_health", Health, codes=ANYWHERE)
def get_health() -> Response:
    """Check whether the process runs.

    This operation checks nothing else. A process that can't reach its database still runs; `/readyz` then reports that
    the process is not ready.
    """
    return json_response(Health(), Caller())


@health.get("/readyz")
@operation(health, "get_readiness", Health, codes=(*ANYWHERE, "service_must_be_ready", "database_must_answer"))
def get_readiness() -> Response:
    """Check whether the process can take commands: its database answers, and fits this release and this service key.

    A process that was asked to stop is not ready. Each process checks the database at most once a second.
    """
    try:
        services().readiness.check()
    except NotReady as error:
        if error.answers:
            raise Problem("service_must_be_ready", error.why, headers=RETRY) from error.__cause__
        raise Problem("database_must_answer", headers=RETRY) from error.__cause__
    return json_response(Health(), Caller())
