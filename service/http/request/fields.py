"""What a member of a request may be: marshmallow's fields, strict, each fault with a code of its own."""

import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import marshmallow
from marshmallow import ValidationError, fields
from msgspec import Struct

MOST_MEMBERS: Final = 100
"""How many members an object of a request may have: several times as many as any that is known here."""
_MOST_OF_A_NAME: Final = 100

FIELD_ERRORS: Final[Mapping[str, str]] = {
    "member_must_be_given": "This member is missing.",
    "member_must_be_known": "There is no such member here.",
    "member_must_not_be_null": "null stands for nothing here; leave the member out.",
    "member_must_be_given_once": "This is given more than once.",
    "value_must_be_an_object": "This must be a JSON object.",
    "value_must_be_an_array": "This must be a JSON array.",
    "value_must_be_text": "This must be text.",
    "value_must_be_a_whole_number": "This must be a whole number: no text, no fraction.",
    "value_must_be_true_or_false": "This must be true or false.",
    "value_must_be_within_its_range": "This is not within its range.",
    "value_must_have_its_form": "This has not the form it must have.",
    "value_must_have_its_length": "This is too short or too long.",
    "value_must_be_one_of_those_known": "This is none of the values known here.",
    "values_must_be_different": "A value stands here twice.",
    "value_must_fit": "This does not fit.",
}
"""The codes of `errors` in a problem of shape, closed, and what each says where nothing better is known."""


class FieldError(Struct, frozen=True):
    """What is wrong with one value, as a *code* of `FIELD_ERRORS` and for people."""

    code: str
    message: str


def field_error(code: str, message: str = "") -> FieldError:
    """Return the fault with *code*, in its own words unless there are better ones."""
    return FieldError(code, message or FIELD_ERRORS[code])


def shortened(name: str, most: int = _MOST_OF_A_NAME) -> str:
    """Return *name*, or its beginning where it is longer than a name of ours could be: it is a stranger's word."""
    return name if len(name) <= most else f"{name[:most]}…"


class _Strict(fields.Field[Any]):
    """A field whose errors are faults."""

    def make_error(self, key: str, **_: Any) -> ValidationError:  # noqa: ANN401 -- marshmallow's signature
        codes = {"required": "member_must_be_given", "null": "member_must_not_be_null"}
        return ValidationError([field_error(codes.get(key, "value_must_fit"))])


def refuse(code: str, message: str = "") -> NoReturn:
    """Refuse a value.

    Raises:
        ValidationError: always.
    """
    raise ValidationError([field_error(code, message)])


class Integer(_Strict, fields.Integer):
    """A whole number: 8, or 8.0 as JSON Schema has it; never "8" or true."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:  # noqa: ANN401 -- JSON
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            refuse("value_must_be_a_whole_number")
        return value


class IntegerText(Integer):
    """A whole number as a query has it: "8"."""

    _FORM: Final = re.compile("-?(0|[1-9][0-9]{0,18})", re.ASCII)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:  # noqa: ANN401 -- a query's text
        if not self._FORM.fullmatch(value):
            refuse("value_must_be_a_whole_number")
        return int(value)


class Text(_Strict, fields.String):
    """Text that can be written as UTF-8."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:  # noqa: ANN401 -- JSON
        if type(value) is not str or not value.isprintable():
            refuse("value_must_be_text", "" if type(value) is not str else "This text holds signs that can't be shown.")
        return value


class Boolean(_Strict, fields.Boolean):
    """true or false."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:  # noqa: ANN401 -- JSON
        if type(value) is not bool:
            refuse("value_must_be_true_or_false")
        return value


class BooleanText(Boolean):
    """True or false as a query has it: "true"."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:  # noqa: ANN401 -- a query's text
        if value not in {"true", "false"}:
            refuse("value_must_be_true_or_false")
        return bool(value == "true")


class Array(_Strict, fields.List[Any]):
    """An array of values; of numbers one may stand there twice, of anything else not."""

    @property
    def are_different(self) -> bool:
        """Whether no value may stand there twice."""
        return not isinstance(self.inner, Integer)

    def _deserialize(self, value: Any, *rest: Any, **more: Any) -> Any:  # noqa: ANN401 -- JSON in, a tuple out
        if type(value) is not list:
            refuse("value_must_be_an_array")
        for check in self.validators:  # marshmallow checks the length last, when every item has made its error
            check(value)
        found = super()._deserialize(value, *rest, **more)
        if self.are_different and len(set(found)) != len(found):
            refuse("values_must_be_different")
        return tuple(found)


class Object(_Strict, fields.Nested):
    """An object with members of its own."""


class AnyObject(_Strict, fields.Dict):
    """An object whose members somebody else checks."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:  # noqa: ANN401 -- JSON
        if type(value) is not dict:
            refuse("value_must_be_an_object")
        return value


class InRange(marshmallow.validate.Range):
    """A range whose error is a fault that names it."""

    def __call__(self, value: Any) -> Any:  # noqa: ANN401 -- as marshmallow has it
        """Pass *value* within the range."""
        if (self.min is not None and value < self.min) or (self.max is not None and value > self.max):
            refuse("value_must_be_within_its_range", f"This must be {_between(self.min, self.max)}.")
        return value


class HasLength(marshmallow.validate.Length):
    """A length whose error is a fault that names it."""

    def __call__(self, value: Any) -> Any:  # noqa: ANN401 -- as marshmallow has it
        """Pass *value* of the right length."""
        length = len(value)
        if (self.min is not None and length < self.min) or (self.max is not None and length > self.max):
            refuse("value_must_have_its_length", f"The length must be {_between(self.min, self.max)}.")
        return value


class HasForm(marshmallow.validate.Regexp):
    """A form whose error is a fault; it must fit from the first to the last sign."""

    def __call__(self, value: Any) -> Any:  # noqa: ANN401 -- as marshmallow has it
        """Pass *value* of the right form."""
        form = str(self.regex.pattern)
        if not re.fullmatch(form, value, re.ASCII):
            refuse("value_must_have_its_form", f"This must have the form {form}.")
        return value


class OneOf(marshmallow.validate.OneOf):
    """A choice whose error is a fault that lists it."""

    def __call__(self, value: Any) -> Any:  # noqa: ANN401 -- as marshmallow has it
        """Pass *value* if it is one of those."""
        if value not in self.choices:
            refuse("value_must_be_one_of_those_known", f"This must be one of {', '.join(map(str, self.choices))}.")
        return value


def _between(least: float | None, most: float | None) -> str:
    if most is None:
        return f"at least {least}"
    return f"at most {most}" if least is None else f"{least} to {most}"
