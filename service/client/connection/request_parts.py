"""Checks the server's address and the keys before a request is sent; adds the query to the path of a request."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode, urlsplit

from service.client.client_errors import ClientMisused

_IDEMPOTENCY_KEY: Final = re.compile("[!-~]([ -~]{0,198}[!-~])?", re.ASCII)  # The server demands this form.


def address(url: str) -> str:
    """Return *url* without the slashes at its end.

    A path is refused, and not dropped: another service may be at the address without the path.

    Raises:
        ClientMisused: *url* is no address, or has a path, a query or a user.
    """
    try:
        parts = urlsplit(url.rstrip("/"))
        is_address = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or "@" in parts.netloc or parts.path or parts.query:
        raise ClientMisused(
            "The address of a server must be http://HOST:PORT or https://HOST, without a path or a user."
        )
    return url.rstrip("/")


def must_be_key(key: str) -> None:
    """Check that *key* can be sent in a header. The error does not contain the key."""
    if not all("!" <= character <= "~" for character in key):
        raise ClientMisused("A key must be one word of ASCII characters. Remove spaces and line ends around it.")


def must_be_idempotency_key(key: str) -> None:
    """Check that *key* can be sent as an Idempotency-Key."""
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise ClientMisused("An Idempotency-Key must be 1 to 200 ASCII characters, without a space at either end.")


def with_query(path: str, query: Mapping[str, str | int | None]) -> str:
    """Return *path* with the members of *query* that are not None."""
    given = {name: value for name, value in query.items() if value is not None}
    return path + (f"?{urlencode(given)}" if given else "")
