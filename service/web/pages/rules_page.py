"""`/rules/{game}`: the rules of a game in our words, and our rulings; each rule and each ruling has an anchor."""

from flask import Blueprint, render_template

from service.web.asking.viewer import ask
from service.web.drawing.rule_links import anchor, in_words

pages = Blueprint("rules_page", __name__)


@pages.get("/rules/<game>")
def get_rules_page(game: str) -> str:
    """Return the page of the rules of a game."""
    shown = ask(f"/v1/games/{game}")
    rules = [(anchor(name), in_words(name), text) for name, text in shown["rules"].items()]
    rulings = [(anchor(name), name, text) for name, text in shown["rulings"].items()]
    return render_template("rules.html", game=shown, rules=rules, rulings=rulings)
