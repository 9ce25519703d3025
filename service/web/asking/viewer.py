"""The viewer of a page: a spectator, or the owner of the key for which the browser is signed in."""

import hmac
from hashlib import sha256
from typing import Any, Final

from flask import abort, current_app, g, render_template, request
from msgspec import Struct
from werkzeug.wrappers import Response

from service.api_keys.browser_sessions import SIGNED_IN_FOR, BrowserSessions
from service.web.asking.api_caller import ApiCaller, Query
from service.web.asking.shared_drawings import SharedDrawings

COOKIE: Final = "chiptrail_session"
"""The name of the cookie. Behind TLS the name begins with `__Host-`, so that no other host can set the cookie."""
FORM_TOKEN: Final = "form_token"  # noqa: S105 -- the name of a field
FORM_TOKEN_HEADER: Final = "Form-Token"  # noqa: S105 -- the name of a header
_EXTENSION: Final = "chiptrail_pages"
_FORBIDDEN: Final = 403


class PageParts(Struct, frozen=True):
    """The parts that the pages of a process use; *proxies* is the number of trusted proxies."""

    api: ApiCaller
    sessions: BrowserSessions
    shared_drawings: SharedDrawings
    proxies: int


class Viewer(Struct, frozen=True):
    """The viewer of a page. All members are empty for a spectator."""

    owner: str = ""
    scopes: frozenset[str] = frozenset()
    key_id: bytes = b""
    token: str = ""

    @property
    def form_token(self) -> str:
        """The token that this viewer's forms must send back; "": the viewer is a spectator."""
        return _form_token(self.token)


def attach(parts: PageParts) -> None:
    """Attach *parts* to the app of the present context."""
    current_app.extensions[_EXTENSION] = parts


def parts() -> PageParts:
    """Return the parts of the pages' app."""
    attached: PageParts = current_app.extensions[_EXTENSION]
    return attached


def viewer() -> Viewer:
    """Return the viewer of the page.

    Raises:
        ApiFailed: the API answers with a problem, for example because the key of the sign-in has ended.
    """
    if "viewer" not in g:
        g.viewer = _viewer()
    known: Viewer = g.viewer
    return known


def ask(path: str, query: Query | None = None) -> Any:  # noqa: ANN401 -- JSON
    """Return the JSON that the API answers to the viewer's request GET *path*.

    Raises:
        ApiFailed: the API answers with a problem.
    """
    return parts().api.get(path, query, key_id=viewer().key_id)


def page(template: str, status: int = 200, **names: object) -> Response:
    """Return the page that *template* renders with the variables *names*."""
    return Response(render_template(template, **names), status, content_type="text/html; charset=utf-8")


def sign_in(response: Response, key_id: bytes) -> None:
    """Sign a browser in for the key *key_id*, by a cookie in *response*; end the browser's earlier sign-in."""
    if is_signed_in():
        parts().sessions.end(_sign_in()[0])
    seconds, token = int(SIGNED_IN_FOR.total_seconds()), parts().sessions.begin(key_id)
    secure = _is_behind_tls()
    response.set_cookie(_cookie(), token, max_age=seconds, httponly=True, samesite="Strict", secure=secure)


def sign_out(response: Response) -> None:
    """End the browser's sign-in, so that its token is not valid any more, and delete its cookie by *response*."""
    if is_signed_in():
        parts().sessions.end(_sign_in()[0])
    response.delete_cookie(_cookie(), httponly=True, samesite="Strict", secure=_is_behind_tls())


def is_signed_in() -> bool:
    """Return whether the browser is signed in; True also if the key of its sign-in has ended."""
    return bool(_sign_in()[0])


def must_come_from_a_page(sent: str) -> None:
    """Check that a page of this service sent the request; *sent* is the form token in the request.

    A browser says in Sec-Fetch-Site, or else in Origin, which site sent the request. If a signed-in browser sends
    neither header, the form token suffices. A spectator has no form token, so its browser must send one of the headers.

    Raises:
        Forbidden: another site may have sent the request.
    """
    token, _ = _sign_in()
    if not _is_from_here(has_token=bool(token)):
        abort(_FORBIDDEN)
    if not hmac.compare_digest(sent.encode(), _form_token(token).encode()):
        abort(_FORBIDDEN)


def _is_from_here(*, has_token: bool) -> bool:
    if site := request.headers.get("Sec-Fetch-Site", ""):
        return site == "same-origin"
    origin = request.headers.get("Origin")
    if origin is None:
        return has_token
    schemes = ("https",) if _is_behind_tls() else ("http", "https")
    return origin in {f"{scheme}://{request.host}" for scheme in schemes}


def _form_token(token: str) -> str:
    """Return the form token of the browser with *token*; its forms must send the form token back."""
    return hmac.new(token.encode(), b"chiptrail/form/v1", sha256).hexdigest() if token else ""


def _sign_in() -> tuple[str, bytes]:
    """Return the token of the browser's sign-in and the id of its key; without a sign-in, both are empty."""
    if "sign_in" not in g:
        token = _sent_token()
        key_id = parts().sessions.key_of(token) if token else b""
        g.sign_in = (token, key_id) if key_id else ("", b"")
    known: tuple[str, bytes] = g.sign_in
    return known


def _sent_token() -> str:
    """Return the token in the request's cookie; "": there is none, or the header Cookie is not UTF-8."""
    try:
        return request.cookies.get(_cookie(), "")
    except UnicodeDecodeError:
        return ""


def _viewer() -> Viewer:
    token, key_id = _sign_in()
    if not key_id:
        return Viewer()
    myself = parts().api.get("/v1/whoami", key_id=key_id)
    return Viewer(myself["owner"], frozenset(myself["scopes"]), key_id, token)


def _cookie() -> str:
    return f"__Host-{COOKIE}" if _is_behind_tls() else COOKIE


def _is_behind_tls() -> bool:
    """Return whether the browser uses TLS; trust X-Forwarded-Proto only if the service has proxies of its own."""
    proxies = parts().proxies
    forwarded = request.headers.get("X-Forwarded-Proto", "").split(",") if proxies else [""]
    return (forwarded[-min(proxies, len(forwarded))].strip() or request.scheme) == "https"
