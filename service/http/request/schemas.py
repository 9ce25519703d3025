"""Makes the marshmallow schemas of requests from the Structs that the schemas load (DECISIONS 50)."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, Final

import marshmallow
from marshmallow import RAISE, Schema, ValidationError, fields as plain
from msgspec import NODEFAULT, Struct, inspect

from service.http.request import fields
from service.http.request.fields import MOST_MEMBERS, FieldError, field_error

MOMENT: Final = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
"""The pattern of a date and time to the second, without a time zone."""

_ERROR_MESSAGES: Final[Any] = {
    "type": field_error("value_must_be_an_object"),
    "unknown": field_error("member_must_be_known"),
}


class StructSchema(Schema):
    """A schema that loads a *struct* and refuses unknown members.

    *given* has the values of those members of the Struct that requests do not have.
    """

    class Meta:
        """Makes marshmallow refuse unknown members."""

        unknown = RAISE

    struct: type[Struct]
    given: Mapping[str, Any] = {}
    title: str

    error_messages = _ERROR_MESSAGES

    @cached_property
    def defaults(self) -> Any:  # noqa: ANN401 -- each schema loads its own Struct
        """The Struct that the schema loads from a request without members.

        Raises:
            ValidationError: a required member is missing.
        """
        return self.load({})

    @property
    def example(self) -> dict[str, Any]:
        """An example of each member that has one: the example in its metadata, or the least value of its range."""
        least = {
            name: check.min
            for name, field in self.fields.items()
            for check in field.validators
            if isinstance(check, fields.InRange)
        }
        return {
            name: field.metadata["examples"][0] if "examples" in field.metadata else least[name]
            for name, field in self.fields.items()
            if "examples" in field.metadata or name in least
        }

    def load(self, data: Any, **_: Any) -> Any:  # noqa: ANN401 -- each schema loads its own Struct
        """Return the Struct made from *data*.

        Raises:
            ValidationError: *data* does not match this schema.
        """
        if type(data) is dict and len(data) > MOST_MEMBERS:
            raise ValidationError(
                [field_error("value_must_have_its_length", f"An object has at most {MOST_MEMBERS} members.")]
            )
        return self.struct(**super().load(data), **self.given)


class Loaded(Struct, frozen=True):
    """The Structs that a union loads.

    *variant* is of the type that the data names. *beside* has the Structs of the further members, by name.
    """

    variant: Any
    beside: Mapping[str, Any]


class UnionSchema(Schema):
    """A union of schemas; the member `type` of the data selects the schema.

    *beside* has the schemas of further members, which may be left out.
    """

    variants: Mapping[str, StructSchema]
    beside: Mapping[str, StructSchema]
    title: str
    permit: Callable[[type[Struct]], None]
    """Raises a Problem if the caller may not send this Struct. `load` calls `permit` before it checks members."""

    error_messages = _ERROR_MESSAGES

    def load(self, data: Any, **_: Any) -> Loaded:  # noqa: ANN401 -- the data may be any JSON
        """Return the Structs made from *data*; the `type` of *data* selects the schema of the variant.

        Raises:
            ValidationError: *data* has no known type, or does not match the schema of its type.
            Problem: the caller may not send this type.
        """
        if type(data) is not dict:
            raise ValidationError([field_error("value_must_be_an_object")])
        if "type" not in data:
            raise ValidationError({"type": [field_error("member_must_be_given")]})
        name = data["type"]
        schema = self.variants.get(name) if isinstance(name, str) else None
        if schema is None:
            allowed = f"This must be one of {', '.join(self.variants)}."
            raise ValidationError({"type": [field_error("value_must_be_one_of_those_known", allowed)]})
        self.permit(schema.struct)
        own = {member: value for member, value in data.items() if member not in {"type", *self.beside}}
        return _loaded(schema, own, {name: (each, data[name]) for name, each in self.beside.items() if name in data})


@cache
def schema_of(struct: type[Struct], *, in_query: bool = False, without: tuple[str, ...] = ()) -> StructSchema:
    """Return the schema that loads a *struct* from JSON, or from the texts of a query.

    *without* names the members that requests do not have; these members get the value "".
    """
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)  # noqa: S101 -- this tells mypy the type
    members = {field.encode_name: _field(field, in_query) for field in info.fields if field.name not in without}
    schema_type = type(
        struct.__name__,
        (StructSchema,),
        {**members, "struct": struct, "given": dict.fromkeys(without, ""), "title": struct.__name__},
    )
    schema: StructSchema = schema_type()
    return schema


def union_schema(
    title: str,
    variants: Mapping[str, StructSchema],
    permit: Callable[[type[Struct]], None],
    beside: Mapping[str, StructSchema],
) -> UnionSchema:
    """Return the union of *variants*, a mapping by type; *permit* raises a Problem if the caller may not send a type.

    *beside* has the schemas of the members that the data may have besides the members of its variant.
    """
    members = {"variants": variants, "beside": beside, "title": title, "permit": staticmethod(permit)}
    schema: UnionSchema = type(title, (UnionSchema,), members)()
    return schema


def options_name(game: str) -> str:
    """Return the schema name of the options of *game*."""
    return f"{game.title().replace('_', '')}Options"


def field_errors(messages: Any, pointer: str = "") -> list[tuple[str, FieldError]]:  # noqa: ANN401 -- marshmallow's tree
    """Return marshmallow's nested errors as a flat list of field errors, each with its JSON Pointer (RFC 6901)."""
    match messages:
        case dict():
            return [
                error
                for member, inner in messages.items()
                for error in field_errors(
                    inner, pointer if member == "_schema" else f"{pointer}/{escaped(str(member))}"
                )
            ]
        case list():
            return [error for inner in messages for error in field_errors(inner, pointer)]
        case FieldError():
            return [(pointer, messages)]
        case _:
            return [(pointer, field_error("value_must_fit", str(messages)))]


def escaped(member: str) -> str:
    """Return the name *member* escaped for a JSON Pointer (RFC 6901), and shortened if it is long."""
    return fields.shortened(member).replace("~", "~0").replace("/", "~1")


def _loaded(schema: StructSchema, own: dict[str, Any], beside: Mapping[str, tuple[StructSchema, Any]]) -> Loaded:
    """Return what *schema* loads from *own*, and what each schema of *beside* loads from its value.

    Raises:
        ValidationError: a value does not match its schema; the error has the messages about all such values.
    """
    loaded, messages = {}, dict[str, Any]()
    for name, (each, value) in {"": (schema, own), **beside}.items():
        try:
            loaded[name] = each.load(value)
        except ValidationError as error:
            found = error.messages if isinstance(error.messages, dict) else {"_schema": error.messages}
            messages |= {name: found} if name else found
    if messages:
        raise ValidationError(messages)
    return Loaded(loaded.pop(""), loaded)


def _field(field: inspect.Field, in_query: bool) -> plain.Field[Any]:  # noqa: FBT001 -- the flag is only passed on
    settings: dict[str, Any] = {"required": field.required, "metadata": {}}
    if field.default is not NODEFAULT:
        settings["load_default"] = field.default
    elif field.default_factory is not NODEFAULT:
        settings["load_default"] = field.default_factory
    kind = field.type
    if isinstance(kind, inspect.Metadata):
        settings["metadata"] = dict(kind.extra_json_schema or {})
        kind = kind.type
    return _of_kind(kind, settings, in_query=in_query)


def _of_kind(kind: inspect.Type, settings: dict[str, Any], *, in_query: bool) -> plain.Field[Any]:
    match kind:
        case inspect.BoolType():
            return (fields.BooleanText if in_query else fields.Boolean)(**settings)
        case inspect.IntType(ge=least, le=most):
            return (fields.IntegerText if in_query else fields.Integer)(validate=_range(least, most), **settings)
        case inspect.StrType(min_length=least, max_length=most, pattern=pattern):
            checks: list[Any] = [fields.HasLength(least, most)] if (least, most) != (None, None) else []
            checks += [fields.HasForm(pattern)] if pattern else []
            return fields.Text(validate=checks, **settings)
        case inspect.LiteralType(values=values):
            return fields.Text(validate=fields.OneOf(_in_order(values)), **settings)
        case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
            if most is None:
                raise TypeError(
                    "An array in a request needs a maximum length, because its items are checked one by one."
                )
            metadata = dict(item.extra_json_schema or {}) if isinstance(item, inspect.Metadata) else {}
            inner = _of_kind(_bare(item), {"metadata": metadata}, in_query=in_query)
            array = fields.Array(inner, validate=[fields.HasLength(least, most)], **settings)
            array.metadata = {**array.metadata, **({"uniqueItems": True} if array.are_different else {})}
            return array
        case inspect.UnionType(types=(inner, inspect.NoneType())):
            return _of_kind(inner, {**settings, "allow_none": True}, in_query=in_query)
        case inspect.StructType(cls=struct):
            return fields.Object(schema_of(struct), **settings)
        case inspect.DictType():
            return fields.AnyObject(**settings)
        case _:
            raise TypeError(f"A request can't have a member of the type {kind}.")


def _bare(kind: inspect.Type) -> inspect.Type:
    return kind.type if isinstance(kind, inspect.Metadata) else kind


def _range(least: int | None, most: int | None) -> Sequence[marshmallow.validate.Validator]:
    return [] if least is None and most is None else [fields.InRange(least, most)]


def _in_order(values: Sequence[Any]) -> list[str]:
    return sorted(str(value) for value in values)
