"""What the API's document says of the members of commands, events and views."""

from enum import Enum

from msgspec import Meta


def describe(description: str, least: int | None = None, most: int | None = None, *, form: str = "") -> Meta:
    """Describe a member for the API's document, with the range of an integer or the *form* of a text.

    Nothing is checked by it: what an event recorded is read again whatever its range is said to be now.
    """
    schema = {"minimum": least, "maximum": most, "pattern": form}
    given = {name: value for name, value in schema.items() if value not in {None, ""}}
    return Meta(description=description, extra_json_schema=given or None)


def describe_enum(values: type[Enum], description: str) -> Meta:
    """Describe a text for the API's document that is the value of one of *values*."""
    return Meta(description=description, extra_json_schema={"enum": [one.value for one in values]})
