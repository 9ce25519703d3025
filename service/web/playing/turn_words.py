"""Says in words who must decide at a table, or how the game ended."""

from collections.abc import Mapping, Sequence
from typing import Any

from service.wording import phrases

Json = Mapping[str, Any]


def is_due(table: Json, listed: Json, *, is_host: bool) -> bool:
    """Return whether the viewer must decide; *listed* is the viewer's list of actions."""
    return f"seat:{table['you']}" in listed["due"] or (is_host and "host" in listed["due"])


def said(table: Json, listed: Json, *, is_host: bool) -> str:
    """Return a sentence that says who must decide, or how the game ended."""
    if table["status"] == "finished":
        return f"The game is over. {_won(table)}"
    if table["status"] == "closed":
        return "The table is closed. Nobody plays here any more."
    if is_due(table, listed, is_host=is_host):
        return "It is your turn." if table["status"] == "playing" else "You may start the game."
    if table["status"] == "open":
        return "The game has not started yet. The host starts it."
    owed = [actor for actor in listed["seeds_awaited"] if actor not in listed["due"]]
    if not listed["due"]:
        return f"{_actors(owed)} must still add a seed." if owed else "Nobody has to decide now."
    return f"{_actors(listed['due'])} must decide."


def _won(table: Json) -> str:
    winners = table["winners"]
    if not winners:
        return "Nobody has won."
    if winners == [table["you"]]:
        return "You have won."
    return f"{_actors([f'seat:{seat}' for seat in winners])} won."


def _actors(actors: Sequence[str]) -> str:
    """Return *actors* at the beginning of a sentence, such as "Seats 2 and 3" or "Seat 2 and the host"."""
    seats = [int(actor.removeprefix("seat:")) for actor in actors if actor.startswith("seat:")]
    names = [phrases.seats(seats)] if seats else []
    return phrases.capitalised(phrases.listed([*names, *(["the host"] if len(seats) < len(actors) else [])]))
