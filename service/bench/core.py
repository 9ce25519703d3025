"""Figures without a database: folding events, judging hands and checking decks."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from service.audit.judging.adjudicate import adjudicate
from service.audit.judging.audit_known import AuditKnown
from service.audit.judging.disclosures import Disclosures, disclosures_of
from service.audit.verdicts import Verdict, worst
from service.bench import streams
from service.bench.figures import Figure
from service.bench.processors import own_seconds
from service.bench.stopwatch import rate
from service.bench.streams import Stream
from service.event_store.codec import Codec
from service.event_store.entries import EMPTY
from service.event_store.hash_chain import decode_chain
from service.games import CURRENT, EVENTS
from service.tables import fold

TABLES: Final = 4
MOVES: Final = 700  # at each table


def folding(seconds: float) -> Iterator[Figure]:
    """Measure for each game the rate of decoding and folding leaves in memory."""
    for game in CURRENT:
        leaves = [(stream.stream_id, [one.leaf for one in stream.recorded]) for stream in _streams(game)]
        measured = rate(partial(_fold, Codec(EVENTS), leaves), seconds, own_seconds)
        yield Figure(
            _name("core", game, "events_folded"), measured.per_second, f"decoded and folded; {measured.spread}"
        )


def judging(seconds: float) -> Iterator[Figure]:
    """Measure for each game the rates of judging hands, without the shuffling of their decks, and of checking decks."""
    for game in CURRENT:
        played = _streams(game)
        measured = rate(partial(_judge, played), seconds / 2, own_seconds)
        events = sum(len(stream.recorded) for stream in played) / sum(stream.hands for stream in played)
        remark = f"{events:.1f} events a hand, decks given; {measured.spread}"
        yield Figure(_name("audit", game, "hands"), measured.per_second, remark)
        measured = rate(
            partial(_check, [disclosures_of(stream.recorded) for stream in played]), seconds / 2, own_seconds
        )
        remark = f"commitment, order, salts and root from the seed; {measured.spread}"
        yield Figure(_name("audit", game, "decks"), measured.per_second, remark)


def _name(group: str, game: str, counted: str) -> str:
    """Return a figure's name.

    The name of a figure for the first game does not name the game: these names are older than the other games.
    """
    return f"{group}.{counted}_per_second" if game == next(iter(CURRENT)) else f"{group}.{game}.{counted}_per_second"


def _streams(game: str) -> Sequence[Stream]:
    return [streams.played(number, MOVES, game) for number in range(1, TABLES + 1)]


def _fold(codec: Codec, leaves: Sequence[tuple[bytes, Sequence[bytes]]]) -> int:
    for stream_id, stream in leaves:
        fold.fold_stream(stream_id, decode_chain(stream, codec.decode, EMPTY)[0])
    return sum(len(stream) for _, stream in leaves)


def _judge(played: Sequence[Stream]) -> int:
    for stream in played:
        # mypy does not infer the type of a lambda's parameter from its default value.
        judged = adjudicate(
            stream.stream_id,
            stream.recorded,
            shuffle=lambda epoch, _seed, _clients, decks=stream.decks: decks[epoch],  # type: ignore[misc]
            fields=lambda recorded, values=stream.values: values[recorded.position],  # type: ignore[misc]
        )
        _must_be_clean(judged.verdict)
    return sum(stream.hands for stream in played)


def _check(tables: Sequence[Disclosures]) -> int:
    for table in tables:
        _must_be_clean(worst(proof.verdict for proof in AuditKnown(table).proofs()))
    return sum(len(table.ended) for table in tables)


def _must_be_clean(verdict: Verdict) -> None:
    if verdict not in {Verdict.CLEAN, Verdict.PENDING}:  # PENDING: the seed of the deck in play is not revealed yet
        raise AssertionError(f"a hand or a deck of the bench is {verdict.value}")
