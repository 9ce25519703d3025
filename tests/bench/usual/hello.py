"""The least that a Flask app can do: it reads the request's body, and answers with a fixed text."""

from flask import Flask, request


def application() -> Flask:
    """Return the app; it answers a POST to every path, and `GET /readyz`."""
    app = Flask(__name__)

    @app.get("/readyz")
    def ready() -> str:
        return "{}"

    @app.post("/<path:path>")
    def greet(path: str) -> str:
        request.get_data()
        return "hello"

    return app
