"""Makes the vectors of players' seeds: commitments, joint seeds, the events of batches, and changes of them."""

import hmac
from collections.abc import Mapping
from typing import Any, Final

from service import deck
from service.cards import PACK

Vectors = Mapping[str, Any]
Event = dict[str, Any]
BATCH: Final = "t5/3"
SECOND: Final = "t5/4"
SERVER_SEEDS: Final = {BATCH: bytes([0x31]) * 32, SECOND: bytes([0x32]) * 32}
SEEDS: Final = {1: bytes([0x11]) * 32, 3: bytes([0x33]) * 32}
_SEATS: Final = sorted(SEEDS)


def players_seeds() -> Vectors:
    """Return a batch of two decks with the seeds of two seats, and events of batches, with changes of these events."""
    return {
        "batch": BATCH,
        "commitments": [_commitment(seat, seed) for seat, seed in SEEDS.items()],
        "decks": [_joint(epoch, seed) for epoch, seed in SERVER_SEEDS.items()],
        "streams": [
            {"what": "both seats show their seeds", "events": _all_show(), "changes": _changes()},
            {
                "what": "time is called before seat 1 commits",
                "events": _one_omitted(),
                "changes": _changes_of_omitted(),
            },
            {"what": "time is called before seat 3 shows", "events": _one_dropped(), "changes": _changes_of_dropped()},
        ],
    }


def _commitment(seat: int, seed: bytes) -> Vectors:
    return {
        "seat": seat,
        "seed": seed.hex(),
        "hash_of": f"chiptrail/client-seed/v1\n{BATCH}\nseat:{seat}\n{seed.hex()}\n".encode().hex(),
        "client_commit": deck.client_commit(BATCH, seat, seed),
    }


def _joint(epoch: str, seed: bytes) -> Vectors:
    made = deck.shuffle(epoch, seed, clients=SEEDS)
    transcript = deck._transcript(epoch, seed, SEEDS, PACK)
    return {
        "epoch": epoch,
        "server_seed": seed.hex(),
        "hash_of_server_commit": f"chiptrail/server-seed/v1\n{epoch}\n{seed.hex()}\n".encode().hex(),
        "server_commit": deck.server_commit(epoch, seed),
        "transcript_text": transcript.decode(),
        "transcript": made.transcript,
        "K": hmac.digest(seed, transcript, "sha256").hex(),
        "deck": " ".join(made.order),
        "deck_root": made.root,
    }


def _all_show() -> list[Event]:
    return [
        *_opened(),
        *(_committed(seat) for seat in _SEATS),
        _event("deck_commitments_closed", epoch=BATCH, seats=_SEATS),
        *(_shown(seat) for seat in _SEATS),
        _event("deck_seeds_settled", epoch=BATCH, seats=_SEATS),
        *(event for epoch in SERVER_SEEDS for event in _fixed(epoch, "joint", *_SEATS)),
    ]


def _one_omitted() -> list[Event]:
    return [
        *_opened(),
        _committed(3),
        _event("deck_seed_omitted", epoch=BATCH, seat=1, called="host"),
        _event("deck_commitments_closed", epoch=BATCH, seats=[3]),
        _shown(3),
        _event("deck_seeds_settled", epoch=BATCH, seats=[3]),
        *_fixed(BATCH, "partial", 3),
    ]


def _one_dropped() -> list[Event]:
    return [
        *_opened(),
        *(_committed(seat) for seat in _SEATS),
        _event("deck_commitments_closed", epoch=BATCH, seats=_SEATS),
        _shown(1),
        _event("deck_seeds_dropped", epoch=BATCH, seats=[3], called="host"),
        _event("deck_seeds_settled", epoch=BATCH, seats=[]),
        *_fixed(BATCH, "operator"),
    ]


def _opened() -> list[Event]:
    more: dict[str, Any] = {"batch": BATCH, "n": 52, "input_id": deck.input_id()}
    return [
        _event("deck_opened", epoch=epoch, server_commit=deck.server_commit(epoch, seed), **more)
        for epoch, seed in SERVER_SEEDS.items()
    ]


def _committed(seat: int) -> Event:
    commit = deck.client_commit(BATCH, seat, SEEDS[seat])
    return _event("deck_seed_committed", by=f"seat:{seat}", epoch=BATCH, seat=seat, client_commit=commit)


def _shown(seat: int) -> Event:
    return _event("deck_seed_revealed", by=f"seat:{seat}", epoch=BATCH, seat=seat, client_seed=SEEDS[seat].hex())


def _fixed(epoch: str, level: str, *seats: int) -> list[Event]:
    seed = SERVER_SEEDS[epoch]
    made = deck.shuffle(epoch, seed, clients={seat: SEEDS[seat] for seat in seats})
    named: dict[str, Any] = {"seats": list(seats)} if seats else {}
    roots = {"transcript": made.transcript, "deck_root": made.root}
    return [
        _event("deck_fixed", epoch=epoch, level=level, **roots, **named),
        _event("deck_revealed", epoch=epoch, server_seed=seed.hex()),
    ]


def _event(kind: str, *, by: str = "service", **pub: object) -> Event:
    """Return an event with the members on which the seeds depend."""
    return {"type": kind, "by": by, "pub": pub}


def _changes() -> list[Vectors]:
    """Return changes of events; `refused` is the number, from 1, of the first event that a checker must then refuse.

    `pub` replaces members of the event with the number `at`; or the event moves `to` another number, or is dropped.
    """
    of_other_epoch = deck.client_commit(SECOND, 1, SEEDS[1])
    plain = deck.shuffle(BATCH, SERVER_SEEDS[BATCH])
    commit = deck.server_commit(BATCH, SERVER_SEEDS[BATCH])
    return [
        _change("another seed than the committed one", 6, {"pub": {"client_seed": "12" * 32}}, 6),
        _change("a commitment for the epoch of another deck", 3, {"pub": {"client_commit": of_other_epoch}}, 6),
        _change("a commitment after they were closed", 4, {"to": 5}, 4),
        _change("a seed before the commitments were closed", 6, {"to": 5}, 5),
        _change("a seed left out", 7, {"drop": True}, 7),
        _change("settled with one of two seeds", 8, {"pub": {"seats": [3]}}, 8),
        _change("settled without seeds, and none was dropped", 8, {"pub": {"seats": []}}, 8),
        _change("fixed with one of two seeds", 9, {"pub": {"seats": [1]}}, 9),
        _change("a transcript without the seeds", 9, {"pub": {"transcript": plain.transcript}}, 9),
        _change("another root", 9, {"pub": {"deck_root": plain.root}}, 10),
        _change("another seed of the service", 10, {"pub": {"server_seed": SERVER_SEEDS[SECOND].hex()}}, 10),
        _change("one commitment of the service for two decks", 2, {"pub": {"server_commit": commit}}, 2),
    ]


def _changes_of_omitted() -> list[Vectors]:
    return [
        _change("closed with a seat that did not commit", 5, {"pub": {"seats": [1, 3]}}, 5),
        _change("settled with a seat that did not commit", 7, {"pub": {"seats": [1, 3]}}, 7),
    ]


def _changes_of_dropped() -> list[Vectors]:
    return [
        _change("the seed that was shown is used", 8, {"pub": {"seats": [1]}}, 8),
        _change("another seat is blamed", 7, {"pub": {"seats": [1]}}, 7),
        _change("no seat is blamed", 7, {"drop": True}, 7),
    ]


def _change(what: str, at: int, change: Event, refused: int) -> Vectors:
    return {"what": what, "at": at, **change, "refused": refused}
