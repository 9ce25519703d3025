"""`/healthz` and `/readyz`: whether the process lives, and whether it can work."""

from typing import Annotated

from flask import Response
from msgspec import Meta, Struct
from sqlalchemy import select

from service.http.answers import told
from service.http.operations import ANYWHERE, operation
from service.http.parts import here
from service.http.problems import RETRY, Problem
from service.http.resources import Resource
from service.http.visit import Asker
from service.log import schema
from service.log.database import reading
from service.log.tables import service_keys

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
    """Tell that commands can be taken: the database answers, has this release's schema and belongs to this key."""
    parts = here()
    try:
        schema.check_schema(parts.engine)
    except (schema.NoDatabase, schema.SchemaNotAtHead) as error:
        raise Problem("service_must_be_ready", type(error).__name__, headers=RETRY) from error
    with reading(parts.engine) as connection:
        belongs_to = connection.scalar(select(service_keys.c.fingerprint))
    if belongs_to != bytes.fromhex(parts.service_key.fingerprint):
        raise Problem("service_must_be_ready", "OtherServiceKey", headers=RETRY)
    return told(Health(), Asker())
