"""The recorded lines of events; `python -m tests.event_store.recorded_lines` adds lines for new events.

The command only adds lines; it never changes a line. If exactly one game has a type of event, a line of this type goes
to tests/games/<game>/recorded_events.jsonl; lines of disputes go to tests/event_store/recorded_dispute_events.jsonl,
and all other lines to tests/event_store/recorded_events.jsonl.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw

from service.event_store import leaf
from service.event_store.codec import RecordedEvent
from service.games import EVENTS, GAMES
from service.games.game import TimedDecision, type_name
from tests.audit.recording import decks_of, played, record, signed
from tests.event_store import recorded_dispute_lines
from tests.event_store.lines import Line
from tests.games import random_play

COMMAND: Final = "python -m tests.event_store.recorded_lines"
FILE: Final = "recorded_events.jsonl"
ONLY_WHEN_CALLED: Final = {"deck_seed_omitted", "deck_seeds_dropped"}
"""The types of decisions that no player makes: the service makes them when time is called for a seed (G.9)."""
GAMES_PLAYED: Final = 500
"""The number of random games of each kind that the command plays in search of an event without a line."""
GAMES_SIGNED: Final = 50
"""The number of further games that are played with signing keys."""
HERE: Final = Path(__file__).parent
_OF_GAMES: Final = HERE.parent / "games"


class Kind(NamedTuple):
    """The kind of a line: a type of event, its version, whether time was called, and whether a key signed.

    `is_signed` is True only for decisions that the service can make as well: these have a line with a signature, and
    one without.
    """

    name: str
    version: int
    is_called: bool
    is_signed: bool = False


def lines() -> list[Line]:
    """Return all recorded lines."""
    paths = (HERE / FILE, *sorted(_OF_GAMES.glob(f"*/{FILE}")))
    return [msgspec.json.decode(line, type=Line) for path in paths for line in path.read_bytes().splitlines()]


def kind_of(data: bytes) -> Kind:
    """Return the kind of the leaf *data*."""
    found = leaf.decode(data)
    is_signed = found.sig is not None and issubclass(EVENTS[found.type], TimedDecision)
    return Kind(found.type, found.version, b'"called":' in bytes(found.pub), is_signed)


def needed() -> set[Kind]:
    """Return every kind that needs a line.

    Each version of each type needs a line. If the service can make a decision of the type when time is called, there
    are three lines: a player's line, a line recorded when time was called, and a line that the key of a seat has
    signed. If only the service makes such decisions, there is only the line recorded when time was called.
    """
    versions = {
        Kind(name, version, False)
        for name, event in EVENTS.items()
        for version in range(1, event.VERSION + 1)
        if name not in ONLY_WHEN_CALLED
    }
    timed = {name for name, event in EVENTS.items() if issubclass(event, TimedDecision)}
    signed = {Kind(name, 1, False, True) for name in timed - ONLY_WHEN_CALLED}
    return versions | {Kind(name, 1, True) for name in timed} | signed


def missing() -> set[Kind]:
    """Return every kind that needs a line and has none."""
    return needed() - {kind_of(line.data) for line in lines()}


def recorded() -> Iterator[tuple[str, RecordedEvent]]:
    """Yield the events of random games, with the name of their game."""
    random_play.decks_of = decks_of  # The commitments of these decks match their seeds.
    for game in GAMES.values():
        for seed in range(GAMES_PLAYED):
            yield from ((game.name, event) for event in record(played(game, seed)).events)
        for seed in range(GAMES_SIGNED):
            yield from ((game.name, event) for event in record(signed(played(game, seed))).events)


def add() -> set[Kind]:
    """Add a line for every kind that has none, from random games; return the kinds that no random game has."""
    left = missing()
    events = recorded() if left else iter(())
    while left and (found := next(events, None)):
        game, event = found
        kind = kind_of(event.leaf)
        if kind in left:
            left.remove(kind)
            line = msgspec.json.encode(Line(hash=event.hash.hex(), leaf=Raw(event.leaf)))
            path = _file(game, kind)
            path.parent.mkdir(exist_ok=True)
            with path.open("ab") as file:
                file.write(line + b"\n")
    return left


def _file(game: str, kind: Kind) -> Path:
    """Return the file for a line of *kind*, which a table of *game* recorded."""
    games = {one.name for one in GAMES.values() if kind.name in map(type_name, one.events)}
    return _OF_GAMES / game / FILE if games == {game} else HERE / FILE


if __name__ == "__main__":
    left = [str(kind) for kind in (*sorted(add()), *sorted(recorded_dispute_lines.add()))]
    sys.exit("".join(f"Nothing recorded has {kind}. Add its line by hand.\n" for kind in left) or 0)
