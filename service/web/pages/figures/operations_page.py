"""`/operations`: the health of the service, its figures, and the API keys that the viewer may list, without secrets."""

import msgspec
from flask import Blueprint, Response as FlaskResponse, render_template, request

from service.web.asking.api_caller import ApiFailed
from service.web.asking.viewer import ask, parts, viewer
from service.web.drawing.disputes import dispute_words
from service.web.drawing.plots.metric_figures import MetricFigures, metric_figures

pages = Blueprint("operations_page", __name__)


@pages.get("/operations")
def get_operations_page() -> str:
    """Return the page of operations; the viewer's key must have the scope `metrics` or `admin`."""
    figures = _figures()
    after = request.args.get("after", "")
    return render_template(
        "figures/operations.html",
        figures=figures,
        health=[(name, path, _problem_of(path)) for name, path in (("alive", "/healthz"), ("ready", "/readyz"))],
        keys=ask("/v1/keys", {"after": after, "limit": 50}),
        after=after,
        words=dispute_words,
    )


@pages.get("/operations/totals")
def get_totals() -> FlaskResponse:
    """Return the totals for the script that shows rates."""
    response = FlaskResponse(msgspec.json.encode(_figures().totals), content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def _figures() -> MetricFigures:
    return metric_figures(parts().api.call("GET", "/metrics", key_id=viewer().key_id).get_data(as_text=True))


def _problem_of(path: str) -> str:
    """Return in words the problem with which the API answers at *path*; "": it answers without a problem."""
    try:
        ask(path)
    except ApiFailed as error:
        problem = msgspec.json.decode(error.response.get_data())
        return str(problem["detail"] or problem["title"])
    return ""
