"""The action that a sent form means, and the form as it was sent, so that nothing is lost if the action is refused."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from service.web.playing.action_form import MEMBER, ActionForm, Field, words

Fields = Mapping[str, Sequence[str]]
"""The values that were sent, by the names of their fields."""

_WHOLE: Final = re.compile("-?[0-9]{1,15}", re.ASCII)


class FormIsBroken(Exception):
    """No page of this service has made this form; the message says what must hold."""


def action_of(sent: Fields, game: Mapping[str, Any]) -> dict[str, Any]:
    """Return the action that the fields in *sent* mean in *game*; the API checks the action.

    Raises:
        FormIsBroken: the fields mean no action.
    """
    action = _json(sent, "action")
    kinds = {kind["type"]: kind for kind in game["actions"]}
    kind = kinds.get(str(action.get("type")), {"members": ()})
    types = {member["name"]: member["type"] for member in kind["members"]}
    for name, values in sent.items():
        if name.startswith(MEMBER):
            member = name.removeprefix(MEMBER)
            action[member] = _value(types.get(member, "text"), values)
    if sent.get("sig"):
        action["sig"] = _json(sent, "sig")
    return action


def _json(sent: Fields, name: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode((sent.get(name) or [""])[0], type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormIsBroken(f"The field {name} must have a JSON object.") from error


def _value(kind: str, values: Sequence[str]) -> object:
    """Return *values* as the type *kind*; a text of another form, such as letters for an integer, stays as it is."""
    read = _READ.get(kind.removesuffix("s"), str)
    return [read(value) for value in values] if kind.endswith("s") else read(values[0])


def _number(text: str) -> int | str:
    return int(text) if _WHOLE.fullmatch(text.strip()) else text


def _truth(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text, text)


_READ: Final[Mapping[str, Callable[[str], object]]] = {"integer": _number, "boolean": _truth, "text": str}


def as_sent(forms: Iterable[ActionForm], sent: Fields, *, is_uncertain: bool) -> tuple[ActionForm, ...]:
    """Return *forms*; the form of the action that was sent gets the values in *sent*.

    If *is_uncertain*, the action may have been recorded or may be accepted later: its form keeps the Idempotency-Key.
    """
    base = (sent.get("action") or [""])[0]
    key = (sent.get("key") or [""])[0] if is_uncertain else ""
    return tuple(_refilled(form, sent, key) if form.action == base else form for form in forms)


def typed(sent: Fields) -> tuple[tuple[str, str], ...]:
    """Return the members that were sent, in words, with their values."""
    return tuple(
        (words(name.removeprefix(MEMBER)), ", ".join(values))
        for name, values in sent.items()
        if name.startswith(MEMBER)
    )


def _refilled(form: ActionForm, sent: Fields, key: str) -> ActionForm:
    fields = tuple(_filled(field, sent) for field in form.fields)
    return replace(form, fields=fields, key=key or form.key)


def _filled(field: Field, sent: Fields) -> Field:
    values = sent.get(field.name)
    if values is None:
        return field
    options = tuple(replace(option, is_chosen=option.value in values) for option in field.options)
    return replace(field, options=options, value=values[0])
