"""The types of members in a request: strict marshmallow fields, whose errors have codes."""

import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import marshmallow
from marshmallow import ValidationError, fields
from msgspec import Struct

MOST_MEMBERS: Final = 100
"""The maximum number of members of an object in a request: several times as many as any schema has."""
_MOST_OF_A_NAME: Final = 100

FIELD_ERRORS: Final[Mapping[str, str]] = {
    "member_must_be_given": "This member is missing.",
    "member_must_be_known": "There is no such member.",
    "member_must_not_be_null": "null is not allowed; leave the member out.",
    "member_must_be_given_once": "This member is given more than once.",
    "value_must_be_an_object": "This must be a JSON object.",
    "value_must_be_an_array": "This must be a JSON array.",
    "value_must_be_text": "This must be text.",
    "value_must_be_a_whole_number": "This must be a whole number, not text and not a fraction.",
    "value_must_be_true_or_false": "This must be true or false.",
    "value_must_be_within_its_range": "This is out of range.",
    "value_must_have_its_form": "This does not have the required form.",
    "value_must_have_its_length": "This is too short or too long.",
    "value_must_be_one_of_those_known": "This is not one of the allowed values.",
    "values_must_be_different": "A value is given twice.",
    "value_must_fit": "This value is not allowed here.",
}
"""The closed list of codes in a problem's `errors`, each with its default message."""


class FieldError(Struct, frozen=True):
    """An error in one value: a *code* of `FIELD_ERRORS`, and a message for people."""

    code: str
    message: str


def field_error(code: str, message: str = "") -> FieldError:
    """Return the error *code*, with *message* or its default message."""
    return FieldError(code, message or FIELD_ERRORS[code])


def shortened(name: str, most: int = _MOST_OF_A_NAME) -> str:
    """Return *name*, or its first *most* characters and "…" if it is longer.

    A client may send a name of any length.
    """
    return name if len(name) <= most else f"{name[:most]}…"


class _Strict(fields.Field[Any]):
    """A field that raises its errors as `FieldError`."""

    def make_error(self, key: str, **_: Any) -> ValidationError:  # noqa: ANN401 -- marshmallow defines the signature
        codes = {"required": "member_must_be_given", "null": "member_must_not_be_null"}
        return ValidationError([field_error(codes.get(key, "value_must_fit"))])


def refuse(code: str, message: str = "") -> NoReturn:
    """Refuse a value.

    Raises:
        ValidationError: always.
    """
    raise ValidationError([field_error(code, message)])


class Integer(_Strict, fields.Integer):
    """A whole number: 8, or 8.0, which JSON Schema allows; never "8" or true."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:  # noqa: ANN401 -- JSON
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            refuse("value_must_be_a_whole_number")
        return value


class IntegerText(Integer):
    """A whole number in a query, as the text "8"."""

    _FORM: Final = re.compile("-?(0|[1-9][0-9]{0,18})", re.ASCII)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:  # noqa: ANN401 -- marshmallow defines the signature
        if not self._FORM.fullmatch(value):
            refuse("value_must_be_a_whole_number")
        return int(value)


class Text(_Strict, fields.String):
    """Printable text."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:  # noqa: ANN401 -- JSON
        if type(value) is not str or not value.isprintable():
            refuse(
                "value_must_be_text",
                "" if type(value) is not str else "This text has characters that can't be printed.",
            )
        return value


class Boolean(_Strict, fields.Boolean):
    """true or false."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:  # noqa: ANN401 -- JSON
        if type(value) is not bool:
            refuse("value_must_be_true_or_false")
        return value


class BooleanText(Boolean):
    """True or false in a query, as the text "true" or "false"."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:  # noqa: ANN401 -- marshmallow defines the signature
        if value not in {"true", "false"}:
            refuse("value_must_be_true_or_false")
        return bool(value == "true")


class Array(_Strict, fields.List[Any]):
    """An array of values; the values must differ from each other unless they are whole numbers."""

    @property
    def are_different(self) -> bool:
        """Whether the values must differ from each other."""
        return not isinstance(self.inner, Integer)

    def _deserialize(self, value: Any, *rest: Any, **more: Any) -> Any:  # noqa: ANN401 -- JSON in, a tuple out
        if type(value) is not list:
            refuse("value_must_be_an_array")
        for check in self.validators:  # the length is checked before the items
            check(value)
        values = super()._deserialize(value, *rest, **more)
        if self.are_different and len(set(values)) != len(values):
            refuse("values_must_be_different")
        return tuple(values)


class Object(_Strict, fields.Nested):
    """An object with its own schema."""


class AnyObject(_Strict, fields.Dict):
    """An object whose members are checked later, by another schema."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:  # noqa: ANN401 -- JSON
        if type(value) is not dict:
            refuse("value_must_be_an_object")
        return value


class InRange(marshmallow.validate.Range):
    """Checks that a value is in a range; the error names the range."""

    def __call__(self, value: Any) -> Any:  # noqa: ANN401 -- marshmallow defines the signature
        """Return *value* if it is in the range; otherwise refuse it."""
        if (self.min is not None and value < self.min) or (self.max is not None and value > self.max):
            refuse("value_must_be_within_its_range", f"This must be {_between(self.min, self.max)}.")
        return value


class HasLength(marshmallow.validate.Length):
    """Checks the length of a value; the error names the allowed length."""

    def __call__(self, value: Any) -> Any:  # noqa: ANN401 -- marshmallow defines the signature
        """Return *value* if its length is allowed; otherwise refuse it."""
        length = len(value)
        if (self.min is not None and length < self.min) or (self.max is not None and length > self.max):
            refuse("value_must_have_its_length", f"The length must be {_between(self.min, self.max)}.")
        return value


class HasForm(marshmallow.validate.Regexp):
    """Checks that the whole value matches a pattern; the error names the pattern."""

    def __call__(self, value: Any) -> Any:  # noqa: ANN401 -- marshmallow defines the signature
        """Return *value* if it matches the pattern; otherwise refuse it."""
        form = str(self.regex.pattern)
        if not re.fullmatch(form, value, re.ASCII):
            refuse("value_must_have_its_form", f"This must have the form {form}.")
        return value


class OneOf(marshmallow.validate.OneOf):
    """Checks that a value is one of the allowed values; the error names these values."""

    def __call__(self, value: Any) -> Any:  # noqa: ANN401 -- marshmallow defines the signature
        """Return *value* if it is allowed; otherwise refuse it."""
        if value not in self.choices:
            refuse("value_must_be_one_of_those_known", f"This must be one of {', '.join(map(str, self.choices))}.")
        return value


def _between(least: float | None, most: float | None) -> str:
    if most is None:
        return f"at least {least}"
    return f"at most {most}" if least is None else f"{least} to {most}"
