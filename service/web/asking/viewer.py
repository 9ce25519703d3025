"""The viewer of a page: a spectator, or the owner of the key for which the browser is signed in."""

import hmac
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from flask import abort, current_app, g, render_template, request
from msgspec import Struct
from werkzeug.wrappers import Response

from service.api_keys.browser_sessions import SIGNED_IN_FOR, BrowserSessions
from service.web.asking.api_caller import ApiCaller, Query
from service.web.asking.shared_drawings import SharedDrawings

COOKIE: Final = "chiptrail_session"
FORM_TOKEN: Final = "form_token"  # noqa: S105 -- the name of a field
FORM_TOKEN_HEADER: Final = "Form-Token"  # noqa: S105 -- the name of a header
_EXTENSION: Final = "chiptrail_pages"
_FORBIDDEN: Final = 403


class PageParts(Struct, frozen=True):
    """What the pages of a process need; *proxies* is the number of trusted proxies."""

    api: ApiCaller
    sessions: BrowserSessions
    shared_drawings: SharedDrawings
    proxies: int


class Viewer(Struct, frozen=True):
    """Who looks at the page. *owner*, *scopes* and *key_id* are empty for a spectator."""

    owner: str = ""
    scopes: frozenset[str] = frozenset()
    key_id: bytes = b""
    token: str = ""

    @property
    def form_token(self) -> str:
        """What this viewer's forms send back."""
        return _form_token(self.token)


def attach(parts: PageParts) -> None:
    """Attach *parts* to the app in whose context this is called."""
    current_app.extensions[_EXTENSION] = parts


def parts() -> PageParts:
    """Return the parts of the pages' app."""
    attached: PageParts = current_app.extensions[_EXTENSION]
    return attached


def viewer() -> Viewer:
    """Return the viewer of the page.

    Raises:
        ApiFailed: the browser is signed in for a key that has ended.
    """
    if "viewer" not in g:
        g.viewer = _viewer(request.cookies.get(COOKIE, ""))
    known: Viewer = g.viewer
    return known


def ask(path: str, query: Query | None = None) -> Any:  # noqa: ANN401 -- JSON
    """Return the JSON that the API answers to the viewer.

    Raises:
        ApiFailed: the API answers with a problem.
    """
    return parts().api.get(path, query, key_id=viewer().key_id)


def page(template: str, status: int = 200, **names: object) -> Response:
    """Return the page that *template* makes of *names*."""
    return Response(render_template(template, **names), status, content_type="text/html; charset=utf-8")


def sign_in(response: Response, key_id: bytes) -> None:
    """Sign the browser that gets *response* in for the key with this id."""
    seconds = int(SIGNED_IN_FOR.total_seconds())
    response.set_cookie(
        COOKIE,
        parts().sessions.begin(key_id),
        max_age=seconds,
        httponly=True,
        samesite="Strict",
        secure=_is_behind_tls(),
    )


def sign_out(response: Response) -> None:
    """Sign the browser that gets *response* out."""
    if token := request.cookies.get(COOKIE, ""):
        parts().sessions.end(token)
    forget(response)


def forget(response: Response) -> None:
    """Remove the cookie from the browser that gets *response*."""
    response.delete_cookie(COOKIE, httponly=True, samesite="Strict", secure=_is_behind_tls())


def must_come_from_a_page(sent: str) -> None:
    """Check that a page of this service sent the request; *sent* is the form token in it.

    A browser says in Origin and Sec-Fetch-Site which site sent the request. The form token holds even for a browser
    that sends neither. A spectator has no form token: its forms can change nothing but sign it in.

    Raises:
        Forbidden: another site may have sent the request.
    """
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        abort(_FORBIDDEN)
    if (origin := request.headers.get("Origin")) is not None and urlsplit(origin).netloc != request.host:
        abort(_FORBIDDEN)
    if not hmac.compare_digest(sent.encode(), _form_token(request.cookies.get(COOKIE, "")).encode()):
        abort(_FORBIDDEN)


def _form_token(token: str) -> str:
    """Return what the forms of the browser with *token* must send back; no page of another site can know it."""
    return hmac.new(token.encode(), b"chiptrail/form/v1", sha256).hexdigest() if token else ""


def _viewer(token: str) -> Viewer:
    key_id = parts().sessions.key_of(token) if token else b""
    if not key_id:
        return Viewer()
    myself = parts().api.get("/v1/whoami", key_id=key_id)
    return Viewer(myself["owner"], frozenset(myself["scopes"]), key_id, token)


def _is_behind_tls() -> bool:
    forwarded = request.headers.get("X-Forwarded-Proto", "") if parts().proxies else ""
    return (forwarded or request.scheme) == "https"
