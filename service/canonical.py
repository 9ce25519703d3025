"""Canonical JSON as log/v1 writes it: RFC 8785, restricted to null, booleans, text, integers, arrays and objects."""

from enum import Enum
from typing import Any, Final

import msgspec
from msgspec import Struct

INTEGER_LIMIT: Final = 2**53


class NotCanonical(ValueError):
    """A value or its bytes are not as log/v1 writes them."""


def canonical(value: Any) -> bytes:  # noqa: ANN401 -- JSON
    """Return *value* in canonical JSON: RFC 8785, restricted as log/v1 says.

    Raises:
        NotCanonical: *value* is none that log/v1 can write.
    """
    check(value)
    return encode_unchecked(value)


def check(value: Any) -> None:  # noqa: ANN401 -- JSON
    """Pass what log/v1 can write: null, booleans, strings, integers, arrays, objects, and enums and Structs of them.

    Raises:
        NotCanonical: there is anything else in *value*, or an integer of 2**53 or more in size, or a
            member's name that is not ASCII.
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
            raise NotCanonical(f"A value of type {type(value).__name__} can't stand in the log.")


def encode_unchecked(value: Any) -> bytes:  # noqa: ANN401 -- JSON
    """Return *value*, known to pass `check`, in canonical JSON.

    Raises:
        NotCanonical: a string is no Unicode text, or a type is one that msgspec can't write.
    """
    try:
        return _ENCODER.encode(value)
    except (TypeError, UnicodeEncodeError) as error:
        raise NotCanonical(f"This can't be written as JSON: {error}") from error


def _check_name(name: Any) -> None:  # noqa: ANN401 -- a mapping may have any key
    if type(name) is not str or not name.isascii():
        raise NotCanonical(f"{name!r} is no ASCII text, as the name of a member must be.")


_ENCODER: Final = msgspec.json.Encoder(order="sorted")
