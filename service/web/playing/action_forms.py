"""Makes the forms for the actions that the viewer may take, as the API lists the actions and describes the game."""

# DECISIONS 114

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from service.web.playing.action_form import ActionForm, Field, Option, words

Json = Mapping[str, Any]

_MOST_OPTIONS: Final = 8
"""A number with at most this many possible values is chosen from a list."""
_SEEDS: Final = frozenset({"commit_seed", "reveal_seed"})


def forms(items: Sequence[Json], game: Json) -> tuple[ActionForm, ...]:
    """Return a form for each action in *items* of *game*; actions that differ in only one member share a form."""
    kinds = {kind["type"]: kind for kind in game["actions"]}
    return tuple(_form(group, varying, kinds[group[0]["action"]["type"]]) for group, varying in _groups(items))


def position_for(listed: Json, actor: str) -> str:
    """Return the position at which the table must still be when the action of *actor* arrives, or "" for any position.

    If others may act at the same time, the position is "": the action then stays valid after the actions of others.
    """
    is_alone = listed["due"] == [actor] and not listed["seeds_awaited"]
    return str(listed["position"]) if is_alone else ""


def _groups(items: Sequence[Json]) -> Iterator[tuple[Sequence[Json], str]]:
    """Yield the items that share a form, and the member in which the items differ ("": none)."""
    alike: dict[bytes, list[Json]] = {}
    for item in items:
        alike.setdefault(_likeness(item), []).append(item)
    for group in alike.values():
        varying = [name for name in _fixed(group[0]) if len({str(one["action"][name]) for one in group}) > 1]
        if len(varying) == 1:
            yield group, varying[0]
        else:
            for item in group:
                yield [item], _shown_member(item)


def _likeness(item: Json) -> bytes:
    """Return a value that is the same for two items if they may share a form."""
    members = sorted(item["action"])
    numbers = [bound["member"] for bound in item["bounds"]]
    return msgspec.json.encode([item["action"]["type"], members, numbers, item["choices"], item["to_fill"]])


def _fixed(item: Json) -> list[str]:
    """Return the members of an item's action whose values the item itself fixes."""
    free = {one["member"] for one in (*item["bounds"], *item["choices"])} | {*item["to_fill"], "type"}
    return [name for name in item["action"] if name not in free]


def _shown_member(item: Json) -> str:
    """Return the only member of *item*, apart from truth values, that has a fixed value: the form shows this value.

    "": there is no such member, there are several, or *item* has a text to type.
    """
    shown = [name for name in _fixed(item) if not isinstance(item["action"][name], bool)]
    return shown[0] if len(shown) == 1 and not item["to_fill"] else ""


def _form(group: Sequence[Json], varying: str, kind: Json) -> ActionForm:
    first, members = group[0], {member["name"]: member for member in kind["members"]}
    chosen = [_number(bound, members, _limits(bound["member"], group)) for bound in first["bounds"]]
    chosen += [_choice(choice, members) for choice in first["choices"]]
    chosen += [_text(name, members) for name in first["to_fill"]]
    if varying:
        chosen.append(_between(group, varying, members))
    chosen.sort(key=lambda field: list(members).index(field.member))
    base = {name: first["action"][name] for name in ("type", *_fixed(first)) if name != varying}
    return ActionForm(
        action=msgspec.json.encode(base).decode(),
        kind=kind["type"],
        title=words(kind["type"]),
        hint=kind["summary"].partition("\n")[0],
        part=_part(kind),
        rule=", ".join(dict.fromkeys(item["rule"] for item in group if item["rule"])),
        ruling=", ".join(dict.fromkeys(item["ruling"] for item in group if item["ruling"])),
        fields=_with_buttons(chosen, first["action"]),
    )


def _part(kind: Json) -> str:
    if kind["type"] in _SEEDS:
        return "seeds"
    if kind["for_host"]:
        return "host"
    return "rare" if kind["is_rare"] else "moves"


def _with_buttons(chosen: Sequence[Field], example: Json) -> tuple[Field, ...]:
    """Return the fields. If the only field is one choice from a list, let each option send the form.

    Otherwise preselect in each list the option that *example* has.
    """
    if len(chosen) == 1 and chosen[0].kind == "one":
        return (replace(chosen[0], kind="buttons"),)
    return tuple(_begun(field, _sent(example[field.member])) if field.kind == "one" else field for field in chosen)


def _begun(field: Field, value: str) -> Field:
    options = tuple(replace(option, is_chosen=option.value == value) for option in field.options)
    return replace(field, options=options)


def _limits(name: str, group: Iterable[Json]) -> tuple[int, int]:
    """Return the least and the most that any item of *group* allows for the number *name*."""
    bounds = [bound for item in group for bound in item["bounds"] if bound["member"] == name]
    return min(bound["least"] for bound in bounds), max(bound["most"] for bound in bounds)


def _number(bound: Json, members: Mapping[str, Json], limits: tuple[int, int]) -> Field:
    """Return the field for the number of *bound*; *limits* cover all items that share the form."""
    (least, most), field = limits, _of(members[bound["member"]], "one")
    if most - least < _MOST_OPTIONS:
        return replace(field, options=tuple(Option(str(value), str(value)) for value in range(least, most + 1)))
    hint = f"{field.hint} From {least:,} to {most:,}."
    return replace(field, kind="number", hint=hint, least=least, most=most, value=str(bound["least"]))


def _choice(choice: Json, members: Mapping[str, Json]) -> Field:
    count = choice["count"]
    options = tuple(Option(value, value) for value in choice["among"])
    return replace(_of(members[choice["member"]], "some" if count else "one"), options=options, count=count)


def _text(name: str, members: Mapping[str, Json]) -> Field:
    return replace(_of(members[name], "text"), pattern=members[name]["form"])


def _between(group: Sequence[Json], varying: str, members: Mapping[str, Json]) -> Field:
    """Return the field for the member in which the items of *group* differ."""
    leasts = {tuple(bound["least"] for bound in item["bounds"]) for item in group}
    options = tuple(
        Option(_sent(item["action"][varying]), _said(item["action"][varying]), _note(item) if len(leasts) > 1 else "")
        for item in group
    )
    return replace(_of(members[varying], "one"), options=options)


def _of(member: Json, kind: str) -> Field:
    return Field(
        member=member["name"],
        type=member["type"],
        kind=kind,
        words=words(member["name"]),
        hint=member["description"],
    )


def _note(item: Json) -> str:
    return ", ".join(f"{bound['member']} from {bound['least']}" for bound in item["bounds"])


def _sent(value: object) -> str:
    return msgspec.json.encode(value).decode() if isinstance(value, bool) else str(value)


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")
