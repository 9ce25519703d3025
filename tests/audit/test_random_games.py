"""Random legal games of every kind adjudicate clean, from their leaves alone, and never so with one chip more."""

from collections.abc import Iterator
from hashlib import sha256
from random import Random

import pytest
from msgspec.structs import replace

from service import deck
from service.audit.adjudicate import TableJudgement, adjudicate
from service.audit.verdicts import Verdict
from service.games import GAMES
from service.games.game import SERVICE, Event, Game
from service.log.codec import Header, Recorded
from service.log.leaf import NO_HASH, command_id
from service.log.store import stream_name
from tests.audit.forging import CODEC
from tests.games import random_play
from tests.games.random_play import TABLE, ShuffledDecks

SHARE, ALL = 30, 10_000
STREAM = bytes.fromhex(TABLE.removeprefix("tbl_"))

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


class CommittedDecks(ShuffledDecks):
    """Decks in the order of the random game, under seeds that fit their commitments."""

    def server_commit(self, epoch: str) -> str:
        return deck.server_commit(epoch, _seed(epoch))

    def server_seed(self, epoch: str) -> str:
        return _seed(epoch).hex()


@pytest.fixture(autouse=True)
def committed_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_play, "decks_of", _decks_of)


@every_game
def test_random_games_are_clean(game: Game) -> None:
    for seed in range(SHARE):
        assert _judged(seed, recorded(game, seed)).verdict is Verdict.CLEAN, seed


@every_game
def test_random_games_with_one_chip_more_fail_at_that_event(game: Game) -> None:
    chance = Random(1)
    for seed in range(SHARE):
        events = list(recorded(game, seed))
        place = chance.choice([place for place, one in enumerate(events) if _moves_chips(one)])
        events[place] = replace(events[place], event=_one_chip_more(events[place], chance))
        judged = _judged(seed, tuple(events))
        assert judged.verdict is Verdict.FAILED, (seed, place)
        assert judged.differences[0].position == place + 1


@pytest.mark.full
@every_game
def test_ten_thousand_games_are_clean(game: Game) -> None:
    for seed in range(ALL):
        assert _judged(seed, recorded(game, seed)).verdict is Verdict.CLEAN, seed


def recorded(game: Game, seed: int) -> tuple[Recorded, ...]:
    """Play the random game of *seed* and record it, without a database."""
    return tuple(_leaves((step.by, step.events) for step in random_play.play(game, seed)))


def _leaves(commands: Iterator[tuple[str, tuple[Event, ...]]]) -> Iterator[Recorded]:
    position, prev = 0, NO_HASH
    for by, events in commands:
        for place, event in enumerate(events):
            position += 1
            header = Header(
                stream=stream_name(STREAM),
                position=position,
                prev=prev,
                by=SERVICE if place else by,
                at="2026-01-01T00:00:00.000Z",
                cmd="" if place else command_id("own_" + "0" * 32, str(position)),
            )
            one = CODEC.decode(CODEC.encode(event, header))
            prev = one.hash.hex()
            yield one


def _judged(seed: int, events: tuple[Recorded, ...]) -> TableJudgement:
    decks = _decks_of(seed)
    return adjudicate(STREAM, events, shuffle=lambda epoch, _seed: decks.deck(epoch))


def _decks_of(seed: int) -> CommittedDecks:
    return CommittedDecks(seed, twins=seed % 3 == 0)


def _seed(epoch: str) -> bytes:
    return sha256(epoch.encode()).digest()


def _moves_chips(one: Recorded) -> bool:
    return isinstance(one.event, Event) and bool(one.event.transfers)


def _one_chip_more(one: Recorded, chance: Random) -> Event:
    assert isinstance(one.event, Event)
    transfers = list(one.event.transfers)
    chosen = chance.randrange(len(transfers))
    transfers[chosen] = replace(transfers[chosen], amount=transfers[chosen].amount + 1)
    return replace(one.event, transfers=tuple(transfers))
