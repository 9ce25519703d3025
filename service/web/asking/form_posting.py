"""Passes a form of a page on to the API with the form's hidden Idempotency-Key, so that the form takes effect once."""

# DECISIONS 111

import hmac
from hashlib import sha256
from typing import Any, Final

import msgspec
from flask import request

from service.web.asking.viewer import FORM_TOKEN, must_come_from_a_page, parts, viewer

IDEMPOTENCY_KEY: Final = "idempotency_key"


def form_key(path: str, seen: int) -> str:
    """Return the Idempotency-Key of the viewer's form for *path*.

    *seen* is the number of events, steps or disputes when the form is made. A form that is loaded twice or sent twice
    has the same key, and so takes effect once.
    """
    return hmac.new(viewer().token.encode(), f"chiptrail/form-key/v1\n{path}\n{seen}".encode(), sha256).hexdigest()


def post_form(path: str, body: dict[str, Any]) -> Any:  # noqa: ANN401 -- JSON
    """Return the API's answer to POST *path* with *body*, for the viewer who sent the form.

    Raises:
        Forbidden: another site may have sent the request.
        ApiFailed: the API answers with a problem.
    """
    must_come_from_a_page(request.form.get(FORM_TOKEN, ""))
    headers = {"Idempotency-Key": request.form.get(IDEMPOTENCY_KEY, "")}
    looking = viewer()
    response = parts().api.call("POST", path, key_id=looking.key_id, headers=headers, body=msgspec.json.encode(body))
    return msgspec.json.decode(response.get_data())
