"""deck/v1: seeds determine a deck's order and a salt for each card; the deck's root commits to both."""

import hmac
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Final

from msgspec import Struct

from service import cards, merkle

SEED_BYTES: Final = 32
MOST_CARDS: Final = 256  # the shuffle draws each position from one random byte

_EPOCH: Final = re.compile(r"[!-~]+/[1-9][0-9]*")
_NO_CLIENTS: Final[Mapping[int, bytes]] = {}

Shuffle = Callable[[str, bytes, Mapping[int, bytes]], "Deck"]
"""A function that returns the deck of an epoch, given the epoch, the service's seed and the seeds of seats."""


class Deck(Struct, frozen=True):
    """A shuffled deck. Position 0 is the top card; salts and hashes are lower-case hex."""

    epoch: str
    order: tuple[cards.Face, ...]
    salts: tuple[str, ...]
    root: str
    transcript: str
    """The SHA-256 hash of the transcript, the text with the inputs of the shuffle.

    The key of the shuffle is the HMAC of the transcript under the service's seed.
    """


def input_id(pack: tuple[cards.Face, ...] = cards.PACK) -> str:
    """Return the hash, in hex, of *pack* in its order before the shuffle."""
    return sha256(_lines("chiptrail/input/v1", *pack)).hexdigest()


def server_commit(epoch: str, seed: bytes) -> str:
    """Return the service's commitment, in hex, to its *seed* (32 bytes)."""
    return sha256(_lines("chiptrail/server-seed/v1", _checked(epoch), _hex(seed))).hexdigest()


def client_commit(epoch: str, seat: int, seed: bytes) -> str:
    """Return the commitment of *seat*, in hex, to its own *seed* (32 bytes)."""
    return sha256(_lines("chiptrail/client-seed/v1", _checked(epoch), f"seat:{seat}", _hex(seed))).hexdigest()


def of_hex(clients: Mapping[int, str]) -> Mapping[int, bytes]:
    """Return the seeds of seats, which are given in hex, as bytes."""
    return {seat: bytes.fromhex(seed) for seat, seed in clients.items()}


def shuffle(
    epoch: str,
    seed: bytes,
    clients: Mapping[int, bytes] = _NO_CLIENTS,
    *,
    pack: tuple[cards.Face, ...] = cards.PACK,
) -> Deck:
    """Shuffle *pack* with the service's *seed* and the seats' seeds in *clients*, and return the deck.

    Raises:
        ValueError: the epoch is not ``<table id>/<k>``, a seed does not have 32 bytes, or the pack does not have 1 to
            256 different cards.
    """
    if not 0 < len(pack) <= MOST_CARDS or len(set(pack)) != len(pack):
        raise ValueError(f"A pack has 1 to {MOST_CARDS} different cards.")
    transcript = _transcript(epoch, seed, clients, pack)
    order = _permuted(pack, byte_stream(hmac.digest(seed, transcript, "sha256")))
    salts = _salts(epoch, seed, len(pack))
    leaves = _leaf_hashes(epoch, order, salts)
    return Deck(epoch, order, salts, merkle.root(leaves).hex(), sha256(transcript).hexdigest())


def byte_stream(key: bytes) -> Iterator[int]:
    """Yield the endless stream of bytes that *key* determines."""
    block = 0
    while True:
        yield from hmac.digest(key, b"stream\n%d\n" % block, "sha256")
        block += 1


def uniform(stream: Iterator[int], bound: int) -> int:
    """Return a number from 0 to *bound* - 1 that is drawn from *stream*; all these numbers are equally likely.

    *bound* is 1 to 256. Bytes that would make small numbers more likely are skipped.
    """
    limit = 256 - 256 % bound
    byte = next(stream)
    while byte >= limit:
        byte = next(stream)
    return byte % bound


def leaf_hash(epoch: str, position: int, face: cards.Face, salt: str) -> str:
    """Return the hash, in hex, that commits to *face* at *position*; *salt* is 64 hex digits."""
    return _leaf_hash(_checked(epoch), position, face, salt).hex()


def proof(deck: Deck, position: int) -> tuple[str, ...]:
    """Return the inclusion path of the card at *position*: sibling hashes from the leaf to the root (RFC 6962).

    Raises:
        IndexError: the deck has no such position.
    """
    if not 0 <= position < len(deck.order):
        raise IndexError(f"The deck has positions 0 to {len(deck.order) - 1}, not {position}.")
    path = []
    for level in _tree(deck):
        if (sibling := position ^ 1) < len(level):
            path.append(level[sibling].hex())
        position >>= 1
    return tuple(path)


def verify_face(  # noqa: PLR0913 -- a client receives an opening in these parts
    root: str,
    *,
    n: int,
    epoch: str,
    position: int,
    face: cards.Face,
    salt: str,
    proof: tuple[str, ...],
) -> bool:
    """Return whether *root* commits to *face* at *position* in a deck of *n* cards."""
    try:
        leaf, path = _leaf_hash(epoch, position, face, salt), [bytes.fromhex(step) for step in proof]
        expected = bytes.fromhex(root)
    except ValueError:
        return False
    return merkle.is_included(leaf, position, n, path, expected)


def _transcript(epoch: str, seed: bytes, clients: Mapping[int, bytes], pack: tuple[cards.Face, ...]) -> bytes:
    return _lines(
        "chiptrail/shuffle/v1",
        epoch,
        server_commit(epoch, seed),
        input_id(pack),
        str(len(pack)),
        *(f"seat seat:{seat} {_hex(clients[seat])}" for seat in sorted(clients)),
        "beacon -",
    )


def _permuted(pack: tuple[cards.Face, ...], stream: Iterator[int]) -> tuple[cards.Face, ...]:
    order = list(pack)
    for last in range(len(order) - 1, 0, -1):
        chosen = uniform(stream, last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def _salts(epoch: str, seed: bytes, n: int) -> tuple[str, ...]:
    key = hmac.digest(seed, _lines("chiptrail/salts/v1", epoch), "sha256")
    # The loop computes HMAC by its definition, with a key that is prepared once: this takes a third of the time.
    inner = sha256(key.ljust(64, b"\0").translate(hmac.trans_36))
    outer = sha256(key.ljust(64, b"\0").translate(hmac.trans_5C))
    salts = []
    for position in range(n):
        (message := inner.copy()).update(b"salt\n%d\n" % position)
        (salt := outer.copy()).update(message.digest())
        salts.append(salt.hexdigest())
    return tuple(salts)


def _leaf_hashes(epoch: str, order: tuple[cards.Face, ...], salts: tuple[str, ...]) -> list[bytes]:
    return [_leaf_hash(epoch, position, face, salts[position]) for position, face in enumerate(order)]


def _leaf_hash(epoch: str, position: int, face: cards.Face, salt: str) -> bytes:
    # This computes the same hash as `merkle.leaf_hash`, which copies the data; the copy would make a shuffle slower.
    return sha256(f"\0chiptrail/card/v1\n{epoch}\n{position}\n{face}\n{salt}\n".encode("ascii")).digest()


@lru_cache(maxsize=256)  # Clients request the proofs of several cards of one deck in a row.
def _tree(deck: Deck) -> list[list[bytes]]:
    return merkle.levels(_leaf_hashes(deck.epoch, deck.order, deck.salts))


def _lines(*lines: str) -> bytes:
    return ("\n".join(lines) + "\n").encode("ascii")


def _hex(seed: bytes) -> str:
    if len(seed) != SEED_BYTES:
        raise ValueError(f"A seed has {SEED_BYTES} bytes, not {len(seed)}.")
    return seed.hex()


def _checked(epoch: str) -> str:
    if not _EPOCH.fullmatch(epoch):
        raise ValueError("An epoch is named <table id>/<k>, with k from 1.")
    return epoch
