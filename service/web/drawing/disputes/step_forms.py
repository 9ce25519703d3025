"""The steps that a viewer may take in a dispute, and the body of the API request for the form of each step."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from werkzeug.datastructures import MultiDict

Form = MultiDict[str, str]
_UNDECIDED: Final = frozenset({"open", "taken"})
_NUMBER: Final = re.compile("-?[0-9]{1,18}")
MOST_ROWS: Final = 100
"""The maximum number of amounts in a correction."""
_TRANSFER: Final = ("source", "target", "amount", "unit", "corrects", "rule")


class Looker(Struct, frozen=True):
    """The viewer of a dispute: the *owner* of the viewer's key ("": a spectator has no key), and the key's *scopes*."""

    owner: str
    scopes: frozenset[str]


def possible_steps(dispute: Mapping[str, Any], looker: Looker) -> tuple[str, ...]:
    """Return the steps that *looker* may take in *dispute*, a dispute of the API, in the order of their forms.

    The API decides in the end: a step that is listed here may be refused, and the page then says why.
    """
    return tuple(_possible(dispute, looker)) if looker.owner else ()


def _possible(dispute: Mapping[str, Any], looker: Looker) -> Iterator[str]:
    is_undecided = dispute["status"] in _UNDECIDED
    players = {party["player"] for party in dispute["parties"]}
    is_party = looker.owner in players | {dispute["host"]}
    if is_party and is_undecided and not looker.scopes.isdisjoint({"play", "host"}):
        if looker.owner not in dispute["answered"]:
            yield "answer"
        if looker.owner == dispute["opened_by"]:
            yield "withdrawal"
    if "audit" in looker.scopes and not is_party:
        yield from _of_auditor(dispute, looker, is_undecided=is_undecided)
    is_proposed = dispute["status"] == "proposed" and dispute["proposal"]
    if is_proposed and "approve" in looker.scopes and not is_party and dispute["proposal"]["by"] != looker.owner:
        yield from ("approval", "refusal")


def _of_auditor(dispute: Mapping[str, Any], looker: Looker, *, is_undecided: bool) -> Iterator[str]:
    awaits_proposal = (dispute["status"], dispute["outcome"]) == ("decided", "fault")
    if not dispute["auditor"] and (is_undecided or awaits_proposal):
        yield "assignment"
    if dispute["auditor"] != looker.owner:
        return
    if is_undecided:
        yield from ("question", "decision")
    if awaits_proposal:
        yield "correction"
    if is_undecided or awaits_proposal:
        yield "return"


def body_of(step: str, form: Form) -> dict[str, Any]:
    """Return the body of the API request for *form*, the filled-in form of *step*."""
    return _BODIES[step](form)


def opening_body(hand: int, form: Form) -> dict[str, Any]:
    """Return the body of the API request for *form*, with which a viewer disputes *hand*."""
    follows = {"follows": _whole(form["follows"])} if form.get("follows") else {}
    return {"hand": hand, "ground": form.get("ground", ""), "statement": _text(form, "statement"), **follows}


def transfer_rows(form: Form) -> list[dict[str, str]]:
    """Return the rows that were typed into the form of a correction, without the empty rows at the end."""
    columns = {name: form.getlist(name)[:MOST_ROWS] for name in _TRANSFER}
    count = max(len(column) for column in columns.values())
    rows = [
        {name: column[number].strip() if number < len(column) else "" for name, column in columns.items()}
        for number in range(count)
    ]
    while rows and not _is_filled(rows[-1]):
        rows.pop()
    return rows


def _is_filled(row: Mapping[str, str]) -> bool:
    return any(row[name] for name in ("source", "target", "amount", "corrects"))


def _correction(form: Form) -> dict[str, Any]:
    rows = [row for row in transfer_rows(form) if _is_filled(row)]
    numbers = ("amount", "corrects")
    return {"transfers": [row | {name: _whole(row[name]) for name in numbers} for row in rows]}


def _decision(form: Form) -> dict[str, Any]:
    return {
        "outcome": form.get("outcome", ""),
        "rule": form.get("rule", "").strip(),
        "reason": _text(form, "reason"),
        "contradicts": form.get("contradicts") == "true",
    }


def _text(form: Form, name: str) -> str:
    """Return the text of a field in one line: the API takes no line feeds."""
    return " ".join(form.get(name, "").splitlines()).strip()


def _whole(text: str) -> int | str:
    """Return the whole number in *text*; return any other text unchanged: the API then refuses it, and says why."""
    return int(text) if _NUMBER.fullmatch(text.strip()) else text


def _proposal(form: Form) -> dict[str, Any]:
    return {"proposal": _whole(form.get("proposal", ""))}


_BODIES: Final[Mapping[str, Callable[[Form], dict[str, Any]]]] = {
    "answer": lambda form: {"statement": _text(form, "statement")},
    "withdrawal": lambda _form: {},
    "assignment": lambda _form: {},
    "return": lambda _form: {},
    "question": lambda form: {"question": _text(form, "question"), "asked": form.getlist("asked")},
    "decision": _decision,
    "correction": _correction,
    "approval": _proposal,
    "refusal": _proposal,
}
STEPS: Final = frozenset(_BODIES)
"""The steps that have a form."""
