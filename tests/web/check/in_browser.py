"""Runs the modules of the page `/check` in a real browser, on files that a small local server serves."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

from playwright.sync_api import Page

import service.web
from service.dossier import archive, verify
from service.dossier.verify import Finding

_MODULES: Final = {"check": Path(service.web.__file__).parent / "static" / "check", "tests": Path(__file__).parent}
PROGRAM: Final = "program"
_PAGE: Final = b"<!doctype html><title>check</title>"
_CHECK_ALL: Final = """
    async ({files, kept, program}) => {
        const {checkFile} = await import("/check/any_file.js");
        const load = async (name) => new Uint8Array(await (await fetch(`/files/${name}`)).arrayBuffer());
        const others = await Promise.all(kept.map(async ([name, file]) => [name, await load(file)]));
        const options = {program: await load(program), kept: others};
        const reports = [];
        for (const name of files) {
            const {passed, findings} = await checkFile(await load(name), options);
            reports.push([passed, findings.map(({verdict, step, place, text}) => [verdict, step, place, text])]);
        }
        return reports;
    }
"""


class Checker:
    """Checks files with the modules of the page, in *page*."""

    def __init__(self, page: Page, files: dict[str, bytes]) -> None:
        self.page = page
        self._files = files

    def findings(self, files: Sequence[bytes], kept: Sequence[tuple[str, bytes]] = ()) -> list[list[Finding]]:
        """Return the findings on each of *files*; *kept* are names and contents of files that the reader kept."""
        self._files |= {str(number): data for number, data in enumerate(files)}
        self._files |= {f"kept/{number}": data for number, (_, data) in enumerate(kept)}
        asked = {
            "files": [str(number) for number in range(len(files))],
            "kept": [[name, f"kept/{number}"] for number, (name, _) in enumerate(kept)],
            "program": PROGRAM,
        }
        found = []
        for passed, findings in self.page.evaluate(_CHECK_ALL, asked):
            found.append([Finding(*one) for one in findings])
            assert passed == all(one.verdict != "FAILED" for one in found[-1])
        return found

    def call(self, module: str, function: str, argument: object) -> Any:  # noqa: ANN401 -- JSON
        """Return the result of *function* in *module* for *argument*."""
        code = "async ([path, name, value]) => (await import(path))[name](value)"
        return self.page.evaluate(code, [module, function, argument])


@contextmanager
def checker_in(page: Page) -> Iterator[Checker]:
    """Yield a checker in *page*; a local server serves its modules and files."""
    files = {PROGRAM: archive.program()}

    class Handler(BaseHTTPRequestHandler):
        """Answers with an empty page, with a module, or with a file to check."""

        def do_GET(self) -> None:
            room, _, name = self.path[1:].partition("/")
            if room in _MODULES:
                self._answer("text/javascript", (_MODULES[room] / Path(name).name).read_bytes())
            elif room == "files":
                self._answer("application/octet-stream", files[name])
            else:
                self._answer("text/html", _PAGE)

        def _answer(self, kind: str, data: bytes) -> None:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Write no line for a request."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        yield Checker(page, files)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def by_verify_py(data: bytes, kept: Sequence[tuple[str, bytes]] = ()) -> list[Finding]:
    """Return the findings of verify.py."""
    return list(verify.findings(data, kept))


def alike(findings: Sequence[Finding]) -> list[Finding]:
    """Return *findings*; a message whose details differ between Python and the browser is cut to its beginning."""
    return [
        one._replace(text=next((text for text in _WORDED if one.text.startswith(text)), one.text)) for one in findings
    ]


_WORDED: Final = ("must be base64", "must be canonical JSON (", "must have a value of another form (")
