"""A server program that executes every request, but withholds the response to a write with the header X-Never-Answer.

After the commit, the program prints the response that it withholds, as one line of JSON. The first line that the
program prints has the program's port.
"""

import sys
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
from flask import Response
from werkzeug.serving import WSGIRequestHandler, make_server

from service import app, settings
from service.cli.support import server_process
from service.http.request.context import request_context
from service.http.resources import command_requests, keys
from service.http.responses import answers


class _Silent(WSGIRequestHandler):
    def log_request(self, *_: object) -> None:
        pass


def _answer_or_never(*arguments: Any, **more: Any) -> Response:  # noqa: ANN401 -- `json_response` has these types
    response = answers.json_response(*arguments, **more)
    if "X-Never-Answer" in request_context().headers:
        _say({"path": request_context().path, "body": response.get_data(as_text=True)})
        Event().wait()
    return response


def _say(what: Any) -> None:  # noqa: ANN401 -- the value may be any JSON
    sys.stdout.write(msgspec.json.encode(what).decode() + "\n")
    sys.stdout.flush()


def main(database: str, folder: str) -> None:
    server_process.end_with_input()
    for module in (command_requests, keys):
        vars(module)["json_response"] = _answer_or_never
    made = app.make(settings.load({}, database_url=database, data_folder=Path(folder)))
    server = make_server("127.0.0.1", 0, made, threaded=True, request_handler=_Silent)
    _say({"port": server.server_port})
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
