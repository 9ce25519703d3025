"""`/healthz` and `/readyz`: whether the process lives, and can work."""

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

health = Resource("health", "Whether the service lives and can work.")


class Health(Struct, frozen=True):
    """The service lives, or is ready."""

    status: Annotated[Literal["ok"], Meta(description="Always ok: what is not is a problem.")] = "ok"


@health.get("/healthz")
@operation(health, "get_health", Health, codes=ANYWHERE)
def get_health() -> Response:
    """Tell that the process lives.

    Nothing is looked up for it: a process whose database is gone still lives, and /readyz says that it cannot work.
    """
    return json_response(Health(), Caller())


@health.get("/readyz")
@operation(health, "get_readiness", Health, codes=(*ANYWHERE, "service_must_be_ready", "database_must_answer"))
def get_readiness() -> Response:
    """Tell that commands can be taken: the database answers, has this release's schema and belongs to this key.

    It is not so any more once the service was asked to stop. The database is looked at once a second at most.
    """
    try:
        services().readiness.check()
    except NotReady as error:
        if error.answers:
            raise Problem("service_must_be_ready", error.why, headers=RETRY) from error.__cause__
        raise Problem("database_must_answer", headers=RETRY) from error.__cause__
    return json_response(Health(), Caller())
