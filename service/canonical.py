"""Canonical JSON (log/v1): RFC 8785, restricted to null, booleans, strings, integers, arrays and objects."""

# DECISIONS 82

from enum import Enum
from typing import Any, Final

import msgspec
from msgspec import Struct

INTEGER_LIMIT: Final = 2**53


class NotCanonical(ValueError):
    """Log/v1 does not allow a value, or bytes are not the canonical encoding of their value."""


def canonical(value: Any) -> bytes:  # noqa: ANN401 -- JSON
    """Return *value* in canonical JSON.

    Raises:
        NotCanonical: log/v1 does not allow *value*.
    """
    check(value)
    return encode_unchecked(value)


def check(value: Any) -> None:  # noqa: ANN401 -- JSON
    """Check that log/v1 allows *value*.

    It allows null, a boolean, a string, an integer, and an enum, a list, a tuple, a dict or a Struct of allowed values.

    Raises:
        NotCanonical: *value* contains a value of another type, an integer whose absolute value is 2**53 or more, or a
            member's name that is not ASCII text.
    """
    match value:
        case Enum():
            check(value.value)
        case None | bool() | str():
            pass
        case int():
            if abs(value) >= INTEGER_LIMIT:
                raise NotCanonical(f"{value} is too large: the absolute value of an integer is below 2**53.")
        case list() | tuple():
            for item in value:
                check(item)
        case dict():
            for name, item in value.items():
                _check_name(name)
                check(item)
        case Struct():
            for name, field in zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True):
                _check_name(name)
                check(getattr(value, field))
        case _:
            raise NotCanonical(f"The log can't contain a value of type {type(value).__name__}.")


def encode_unchecked(value: Any) -> bytes:  # noqa: ANN401 -- JSON
    """Return *value* in canonical JSON; the caller must know that `check` accepts *value*.

    Raises:
        NotCanonical: *value* has a string that is not valid Unicode, or a type that msgspec can't encode.
    """
    try:
        return _ENCODER.encode(value)
    except (TypeError, UnicodeEncodeError) as error:
        raise NotCanonical(f"This can't be encoded as JSON: {error}") from error


def _check_name(name: Any) -> None:  # noqa: ANN401 -- a key of a dict may have any type
    if type(name) is not str or not name.isascii():
        raise NotCanonical(f"The name of a member must be ASCII text, not {name!r}.")


_ENCODER: Final = msgspec.json.Encoder(order="sorted")
