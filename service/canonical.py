"""Canonical JSON (log/v1): RFC 8785, restricted to null, booleans, strings, integers, arrays and objects."""

# DECISIONS 82

from enum import Enum
from typing import Any, Final

import msgspec
from msgspec import Struct

INTEGER_LIMIT: Final = 2**53


class NotCanonical(ValueError):
    """log/v1 does not allow a value, or the bytes are not its canonical encoding."""


def canonical(value: Any) -> bytes:  # noqa: ANN401 -- JSON
    """Return *value* in canonical JSON.

    Raises:
        NotCanonical: log/v1 does not allow *value*.
    """
    check(value)
    return encode_unchecked(value)


def check(value: Any) -> None:  # noqa: ANN401 -- JSON
    """Pass what log/v1 allows: null, booleans, strings, integers, arrays, objects, and enums and Structs of them.

    Raises:
        NotCanonical: *value* contains anything else, an integer of 2**53 or more in size, or a member's name that is
            not ASCII.
    """
    match value:
        case Enum():
            check(value.value)
        case None | bool() | str():
            pass
        case int():
            if abs(value) >= INTEGER_LIMIT:
                raise NotCanonical(f"{value} is too large: integers are below 2**53 in size.")
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
    """Return *value*, which the caller knows to pass `check`, in canonical JSON.

    Raises:
        NotCanonical: a string is no Unicode text, or msgspec can't encode a type.
    """
    try:
        return _ENCODER.encode(value)
    except (TypeError, UnicodeEncodeError) as error:
        raise NotCanonical(f"This can't be encoded as JSON: {error}") from error


def _check_name(name: Any) -> None:  # noqa: ANN401 -- a mapping may have any key
    if type(name) is not str or not name.isascii():
        raise NotCanonical(f"The name of a member must be ASCII text, not {name!r}.")


_ENCODER: Final = msgspec.json.Encoder(order="sorted")
