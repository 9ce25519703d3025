"""`/healthz`, `/readyz` and `/metrics`: whether the process lives, can work, and what it does."""

from typing import Annotated

from flask import Blueprint, Response
from msgspec import Meta, Struct

from service.http import metrics
from service.http.answers import told
from service.http.operations import ANYWHERE, operation
from service.http.parts import here
from service.http.problems import RETRY, Problem
from service.http.readiness import NotReady
from service.http.resources import Resource
from service.http.visit import Asker

scrapes = Blueprint("scrapes", __name__)
health = Resource("health", "Whether the service lives and can work.")


class Health(Struct, frozen=True):
    """The service lives, or is ready."""

    status: Annotated[str, Meta(description="ok")] = "ok"


@health.get("/healthz")
@operation(health, "get_health", Health, codes=ANYWHERE)
def get_health() -> Response:
    """Tell that the process lives."""
    return told(Health(), Asker())


@health.get("/readyz")
@operation(health, "get_readiness", Health, codes=(*ANYWHERE, "service_must_be_ready", "database_must_answer"))
def get_readiness() -> Response:
    """Tell that commands can be taken: the database answers, has this release's schema and belongs to this key.

    It is not so any more once the service was asked to stop. The database is looked at once a second at most.
    """
    try:
        here().readiness.check()
    except NotReady as error:
        if error.answers:
            raise Problem("service_must_be_ready", error.why, headers=RETRY) from error.__cause__
        raise Problem("database_must_answer", headers=RETRY) from error.__cause__
    return told(Health(), Asker())


@scrapes.get("/metrics")
def get_metrics() -> Response:
    """Tell Prometheus what was counted, and where the log stands."""
    return metrics.answer(here().metrics, here().heads)
