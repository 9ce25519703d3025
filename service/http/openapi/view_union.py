"""Answers that hold the view of a game, drawn as one shape for each game: their member `game` tells them apart."""

from collections.abc import Iterable
from typing import Any, Final

from service.games import GAMES

VIEW: Final = {"x-view-of-the-game": True}
"""What marks, in the JSON schema of a Struct, the member that holds the view."""

_COMPONENT: Final = "#/components/schemas/{name}"


def split_by_game(components: dict[str, Any]) -> None:
    """Replace each of *components* that has a member marked `VIEW` by a choice of one shape for each game."""
    for title, schema in list(components.items()):
        for member, drawn in schema.get("properties", {}).items():
            if drawn.keys() >= VIEW.keys():
                components |= _shapes(title, schema, member)


def _shapes(title: str, schema: dict[str, Any], member: str) -> dict[str, Any]:
    found = {}
    references = {}
    for game in dict.fromkeys(game.name for game in GAMES.values()):
        name = f"{game.title().replace('_', '')}{title.removesuffix('View')}"
        views = dict.fromkeys(one.view_type.__name__ for one in GAMES.values() if one.name == game)
        found[name] = _shape(schema, name, game, {member: _view(schema["properties"][member], views)})
        references[game] = _COMPONENT.format(name=name)
    choice = {
        "title": title,
        "description": f"{schema['description']} Its member `game` says which `{member}` it has.",
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "game", "mapping": references},
    }
    return {**found, title: choice}


def _shape(schema: dict[str, Any], name: str, game: str, view: dict[str, Any]) -> dict[str, Any]:
    said = schema["properties"]["game"]["description"]
    named = {"type": "string", "const": game, "description": said}
    return {**schema, "title": name, "properties": {**schema["properties"], "game": named, **view}}


def _view(drawn: dict[str, Any], views: Iterable[str]) -> dict[str, Any]:
    """Draw a view that is one of *views*: there is one for each edition that has another."""
    references = [{"$ref": _COMPONENT.format(name=view)} for view in views]
    choice = references[0] if len(references) == 1 else {"anyOf": references}
    return {"description": drawn["description"], **choice}
