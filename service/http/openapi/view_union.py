"""Documents a response with a game's view as a union of one schema per game; the member `game` selects the schema."""

# DECISIONS 54

from collections.abc import Iterable
from typing import Any, Final

from service.games import GAMES

VIEW: Final = {"x-view-of-the-game": True}
"""Marks the member with the game's view in the JSON schema of a Struct."""

_COMPONENT: Final = "#/components/schemas/{name}"


def split_by_game(components: dict[str, Any]) -> None:
    """In *components*, turn each schema that has a member with the mark `VIEW` into a union of one schema per game."""
    for title, schema in list(components.items()):
        for member, drawn in schema.get("properties", {}).items():
            if drawn.keys() >= VIEW.keys():
                components |= _variants(title, schema, member)


def _variants(title: str, schema: dict[str, Any], member: str) -> dict[str, Any]:
    variants = {}
    references = {}
    for game in dict.fromkeys(game.name for game in GAMES.values()):
        name = f"{game.title().replace('_', '')}{title.removesuffix('View')}"
        views = dict.fromkeys(edition.view_type.__name__ for edition in GAMES.values() if edition.name == game)
        variants[name] = _variant(schema, name, game, {member: _view(schema["properties"][member], views)})
        references[game] = _COMPONENT.format(name=name)
    union = {
        "title": title,
        "description": f"{schema['description']} The member `game` selects the type of `{member}`.",
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "game", "mapping": references},
    }
    return {**variants, title: union}


def _variant(schema: dict[str, Any], name: str, game: str, view: dict[str, Any]) -> dict[str, Any]:
    description = schema["properties"]["game"]["description"]
    named = {"type": "string", "const": game, "description": description}
    return {**schema, "title": name, "properties": {**schema["properties"], "game": named, **view}}


def _view(member: dict[str, Any], views: Iterable[str]) -> dict[str, Any]:
    """Return the schema of a view of one of the types *views*: each edition of a game may have a type of its own."""
    references = [{"$ref": _COMPONENT.format(name=view)} for view in views]
    union = references[0] if len(references) == 1 else {"anyOf": references}
    return {"description": member["description"], **union}
