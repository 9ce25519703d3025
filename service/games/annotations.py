"""Annotations that describe members of commands, events and views in the OpenAPI document."""

from enum import Enum

from msgspec import Meta


def describe(description: str, least: int | None = None, most: int | None = None, *, form: str = "") -> Meta:
    """Return a member's description, with an integer's range (*least* to *most*) or a string's pattern (*form*).

    The service documents the range and the pattern, but does not check values against them: a recorded event must stay
    readable if a range or a pattern changes.
    """
    schema = {"minimum": least, "maximum": most, "pattern": form}
    constraints = {name: value for name, value in schema.items() if value not in {None, ""}}
    return Meta(description=description, extra_json_schema=constraints or None)


def describe_enum(values: type[Enum], description: str) -> Meta:
    """Return the description of a string whose possible values are the values of the enum *values*."""
    return Meta(description=description, extra_json_schema={"enum": [member.value for member in values]})
