"""Turns an exception of a page into an HTTP error, which the pages' app shows as a page."""

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from service.http.problems.problem import Problem
from service.http.responses import failures


class ProblemOfPage(HTTPException):
    """An HTTP error with the status, the title and the headers of *problem*."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.kind.title)
        self.code = problem.kind.status
        self._problem = problem

    @property
    def name(self) -> str:
        """The title of the page."""
        return self._problem.kind.title

    def get_headers(self, *_: object) -> list[tuple[str, str]]:
        """Return the headers of the problem."""
        return list(self._problem.headers.items())


def register(app: Flask) -> None:
    """Make *app* answer every exception with an HTTP error, and log the exceptions that the API logs."""

    def handle(error: Exception) -> Response:
        shown = app.handle_http_exception(ProblemOfPage(failures.problem_of(error)))
        return app.make_response(shown)

    app.register_error_handler(Exception, handle)
