"""Annotations that describe members of commands, events and views in the OpenAPI document."""

from enum import Enum

from msgspec import Meta


def describe(description: str, least: int | None = None, most: int | None = None, *, form: str = "") -> Meta:
    """Describe a member, with the range of an integer or the pattern (*form*) of a string.

    The range and the pattern are not checked: a recorded event must stay readable when they change.
    """
    schema = {"minimum": least, "maximum": most, "pattern": form}
    constraints = {name: value for name, value in schema.items() if value not in {None, ""}}
    return Meta(description=description, extra_json_schema=constraints or None)


def describe_enum(values: type[Enum], description: str) -> Meta:
    """Describe a string that is the value of one of the members of *values*."""
    return Meta(description=description, extra_json_schema={"enum": [member.value for member in values]})
