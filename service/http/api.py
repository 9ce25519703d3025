"""Makes the Flask app with all routes, and the OpenAPI document with all resources."""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from threading import Lock
from typing import Any, Final, TypeAlias

import msgspec
from flask import Flask, Request, Response
from flask.sessions import NullSession, SessionInterface, SessionMixin
from werkzeug.routing import IntegerConverter, Map, MapAdapter, Rule

from service.http.openapi import blueprint, examples, specification
from service.http.operations import rate_limits, request_cost, security_headers
from service.http.request import parsing
from service.http.request.context import RequestContext
from service.http.request.services import Services, attach_services
from service.http.resources import (
    actions,
    adjudication,
    balances,
    docs_page,
    events,
    games,
    hands,
    health,
    keys,
    me,
    metrics_page,
    problem_pages,
    seats,
    table,
    tables,
)
from service.http.resources.auditing import audited_players, flows
from service.http.resources.disputes import all_disputes, dispute_steps, table_disputes
from service.http.resources.exports import audit_exports, own_statement, table_exports
from service.http.resources.transparency import (
    dossiers,
    event_proofs,
    feed,
    log_consistency,
    service_stream,
    signing,
    whole_log,
)
from service.http.responses import failures, page_failures

RESOURCES: Final = (
    games.games,
    tables.tables,
    table.table,
    seats.seats,
    me.me,
    actions.actions,
    events.events,
    feed.feed,
    event_proofs.proofs,
    balances.balances,
    flows.flows,
    hands.hands,
    adjudication.adjudication,
    audited_players.audited_players,
    own_statement.own_statement,
    table_exports.table_exports,
    audit_exports.audit_exports,
    table_disputes.disputes,
    dispute_steps.dispute_steps,
    all_disputes.all_disputes,
    dossiers.dossiers,
    whole_log.log,
    service_stream.service_stream,
    log_consistency.consistency,
    signing.signing,
    keys.keys,
    health.health,
)


_ROUTES: Final = 4096
"""How many routes the cache keeps, by path and method. A table has few paths, and clients request them often."""
_LONGEST_KEPT: Final = 200
"""The cache does not keep the routes of longer paths: 4,096 paths of 60 KB would take 240 MB."""


class _Digits(IntegerConverter):
    """A number in a path, without leading zeros."""

    regex = "0|[1-9][0-9]*"


class _NoSessions(SessionInterface):
    """Switches Flask's sessions off: the API uses no cookies, and the pages set their own cookie."""

    _none = NullSession()

    def open_session(self, app: Flask, request: Request) -> SessionMixin:  # noqa: ARG002 -- Flask passes both
        """Return the null session."""
        return self._none


class _Routes(MapAdapter):
    """Finds the route of a request. *found* returns the route of a path and a method, from a cache (DECISIONS 137)."""

    def __init__(self, url_map: Map, request: Request, found: Callable[[str, str], "_Route"]) -> None:
        super().__init__(url_map, "", request.root_path, "", request.scheme, request.path, request.method)
        self._found = found

    def match(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 -- as werkzeug types it
        """Return the rule of the request's path and method, and a copy of the values in the path.

        If Flask calls this method with other arguments than for a request, return what werkzeug returns.
        """
        if args or options != {"return_rule": True}:
            return super().match(*args, **options)
        if len(self.path_info) > _LONGEST_KEPT:
            return super().match(return_rule=True)
        rule, values = self._found(self.path_info, self.default_method)
        return rule, dict(values)


_Route: TypeAlias = tuple[Rule, Mapping[str, Any]]


class _App(Flask):
    """Flask with the request class of this service, and without the parts of Flask that the service does not use."""

    request_class = RequestContext
    session_interface = _NoSessions()

    def __init__(self, name: str) -> None:
        super().__init__(name, static_folder=None)
        self._route = lru_cache(_ROUTES)(self._find_route)

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return the adapter that finds the route of *request* by its path and method alone, not by its host.

        Without a request, return the adapter that Flask makes.
        """
        if request is None:
            return super().create_url_adapter(request)
        return _Routes(self.url_map, request, self._route)

    def _find_route(self, path: str, method: str) -> _Route:
        return MapAdapter(self.url_map, "", "/", "", "http", path, method).match(return_rule=True)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return *func* itself: no view of this service is asynchronous."""
        return func

    def make_default_options_response(self) -> Response:
        """Return the response to an OPTIONS request. Its header Allow lists the methods in alphabetical order."""
        response = super().make_default_options_response()
        response.headers["Allow"] = ", ".join(sorted(response.allow))
        return response


def make(services: Services) -> Flask:
    """Return the app that answers requests with *services*."""
    app = _App("service.http")
    app.url_map.merge_slashes = False  # otherwise Flask would redirect a path with a double slash
    app.url_map.converters["int"] = _Digits
    app.config.update(MAX_CONTENT_LENGTH=parsing.MOST_BODY_BYTES + 1, PROPAGATE_EXCEPTIONS=False)
    for resource in RESOURCES:
        app.register_blueprint(resource)
    app.register_blueprint(problem_pages.pages)
    app.add_url_rule("/openapi.json", view_func=_openapi)
    app.add_url_rule("/docs/openapi.json", view_func=_openapi_to_try)
    app.register_blueprint(docs_page.manual)
    app.register_blueprint(metrics_page.scrapes)
    attach_services(app, services)
    security_headers.add_security_headers(app)
    security_headers.allow_origins(app, services.settings.cors_origins)
    services.access_log.init_app(app)
    services.metrics.init_app(app)
    services.in_flight.init_app(app)
    rate_limits.RateLimits(services.settings, services.clock).init_app(app)
    blueprint.refuse_stray_queries(app)
    failures.register(app)
    return app


def watch_pages(app: Flask, services: Services) -> None:
    """Give *app*, which answers with pages, hooks like those of the API's app.

    Each request has an id, a line in the log, metrics and security headers. A body that comes too late is cut off, and
    an exception is answered with a page. A request for a page takes no worker slot and counts against no rate limit,
    because the page's requests to the API take slots and count.
    """
    app.request_class = RequestContext
    app.session_interface = _App.session_interface
    attach_services(app, services)
    security_headers.add_security_headers(app)
    services.access_log.init_app(app)
    services.metrics.init_app(app)
    services.in_flight.init_app(app, takes_slots=False)
    app.before_request(parsing.read_form)
    page_failures.register(app)


def document() -> dict[str, Any]:
    """Return the OpenAPI document. The first thread that calls this function makes the document; others wait."""
    with _MAKING:
        return _make_document()


_MAKING: Final = Lock()  # `cache` alone would let several threads make the document at the same time


@cache
def _make_document() -> dict[str, Any]:
    app = Flask("service.http", static_folder=None)
    app.config.update(specification.CONFIG)
    api = specification.Documented(app)
    for resource in RESOURCES:
        api.register_blueprint(resource)  # type: ignore[no-untyped-call]  # flask-smorest has no types
    specification.complete(api.spec)
    made: dict[str, Any] = api.spec.to_dict()
    examples.add_examples(made)
    return made


@cache
def _encoded() -> bytes:
    return msgspec.json.encode(document())


def _openapi() -> Response:
    return _json(_encoded())


def _openapi_to_try() -> Response:
    response = _json(msgspec.json.encode(docs_page.to_try(document())))
    response.headers["Cache-Control"] = "no-store"
    return response


def _json(data: bytes) -> Response:
    request_cost.add(len(data) // request_cost.BYTES_PER_UNIT)
    return Response(data, content_type="application/json")
