"""deck/v1 and players' seeds, as log_format.md describes them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests.vectors.independent.notes import must_be_included, tree_root
from tests.vectors.independent.texts import Refused, from_hex, leaf_hash, lines, mac, must, sha256

PACK = tuple(rank + suit for suit in "cdhs" for rank in "23456789TJQKA")


class Shuffled(NamedTuple):
    transcript_text: bytes
    key: bytes
    order: tuple[str, ...]
    salts: tuple[str, ...]
    root: str


def input_text(pack: Sequence[str] = PACK) -> bytes:
    return lines("chiptrail/input/v1", *pack)


def server_text(epoch: str, seed: str) -> bytes:
    return lines("chiptrail/server-seed/v1", epoch, seed)


def client_text(batch: str, seat: int, seed: str) -> bytes:
    return lines("chiptrail/client-seed/v1", batch, f"seat:{seat}", seed)


def transcript_text(epoch: str, server_commit: str, clients: Mapping[int, str], pack: Sequence[str]) -> bytes:
    seats = [f"seat seat:{seat} {clients[seat]}" for seat in sorted(clients)]
    input_id = sha256(input_text(pack)).hex()
    return lines("chiptrail/shuffle/v1", epoch, server_commit, input_id, len(pack), *seats, "beacon -")


def card_leaf(epoch: str, position: int, face: str, salt: str) -> bytes:
    return lines("chiptrail/card/v1", epoch, position, face, salt)


def shuffled(epoch: str, seed: str, clients: Mapping[int, str], pack: Sequence[str] = PACK) -> Shuffled:
    text = transcript_text(epoch, sha256(server_text(epoch, seed)).hex(), clients, pack)
    key = mac(bytes.fromhex(seed), text)
    numbers, order = _Numbers(key), list(pack)
    for i in range(len(pack) - 1, 0, -1):
        j = numbers.below(i + 1)
        order[i], order[j] = order[j], order[i]
    of_salts = mac(bytes.fromhex(seed), lines("chiptrail/salts/v1", epoch))
    salts = tuple(mac(of_salts, lines("salt", position)).hex() for position in range(len(pack)))
    leaves = [card_leaf(epoch, position, order[position], salt) for position, salt in enumerate(salts)]
    return Shuffled(text, key, tuple(order), salts, tree_root([leaf_hash(leaf) for leaf in leaves]).hex())


class _Numbers:
    def __init__(self, key: bytes) -> None:
        self._key = key
        self._blocks = 0
        self._left: list[int] = []

    def below(self, m: int) -> int:
        limit = 256 - 256 % m
        while True:
            if not self._left:
                self._left = list(mac(self._key, lines("stream", self._blocks)))
                self._blocks += 1
            if (byte := self._left.pop(0)) < limit:
                return byte % m


def number_below(m: int, stream: Sequence[int]) -> int:
    return next(byte for byte in stream if byte < 256 - 256 % m) % m


def must_prove_card(root: str, n: int, epoch: str, card: Mapping[str, Any], place: str = "") -> None:
    """Check that the deck *epoch* of *n* cards with this *root* has the *card*: `pos`, `face`, `salt` and `proof`."""
    hashes = [from_hex(one, 32, "form", place) for one in card["proof"]]
    from_hex(card["salt"], 32, "form", place)
    leaf = card_leaf(epoch, card["pos"], card["face"], card["salt"])
    must_be_included(leaf, card["pos"], n, hashes, bytes.fromhex(root), place)


class Batch:
    """Decks to which the service committed together."""

    def __init__(self) -> None:
        self.committed: dict[int, str] = {}
        self.shown: dict[int, str] = {}
        self.is_closed = False
        self.is_dropped = False
        self.settled: list[int] | None = None


class Deck:
    def __init__(self, server_commit: str, batch: str, n: int) -> None:
        self.server_commit = server_commit
        self.batch = batch
        self.clients: dict[int, str] = {}
        self.transcript = self.root = ""
        self.left = list(range(n))
        self.faces: list[tuple[str, int, str, str]] = []  # place, position of the card, face, salt
        self.dealt_to: dict[int, tuple[int, object]] = {}  # by card: the position of the deal, and the receiver
        self.shuffled: Shuffled | None = None
        self.is_told = False


class Decks:
    """The decks of a table, event by event; a wrong event is refused as `decks` at its position."""

    def __init__(self) -> None:
        self.decks: dict[str, Deck] = {}
        self.batches: dict[str, Batch] = {}
        self.in_game: set[int] = set()
        self.is_over = False

    def take(self, position: int, kind: str, by: str, pub: Mapping[str, Any]) -> None:
        event = _DeckEvent(f"position {position}", position, kind, by, pub)
        self.is_over |= kind in {"game_ended", "table_closed"}
        if kind == "seat_taken":
            self.in_game.add(pub["seat"])
        elif kind in {"seat_left", "player_resigned", "player_bankrupt", "player_knocked_out"}:
            self.in_game.discard(pub["seat"])
        try:
            if kind in _WITH_BATCH:
                self._take_seed(event, self.batches[pub["epoch"]])
            elif kind == "deck_opened":
                self._open(event)
            elif pub.get("epoch") in self.decks:
                self._take(event, self.decks[pub["epoch"]])
        except (KeyError, TypeError, ValueError):
            raise Refused("decks", event.place) from None

    def end(self, leaves: int) -> None:
        """Check that no deck is missing, that shown faces fit the decks, and that a finished game shows all seeds."""
        numbers = [int(epoch.rpartition("/")[2]) for epoch in self.decks]
        must(numbers == list(range(1, len(numbers) + 1)), "decks", f"position {leaves}")
        for deck in self.decks.values():
            must(deck.is_told or not self.is_over, "decks", f"position {leaves}")
            made = deck.shuffled
            for place, position, face, salt in deck.faces:
                must(made is None or (made.order[position], made.salts[position]) == (face, salt), "decks", place)

    def _levels(self, seats: set[int]) -> set[str]:
        """Return the possible levels of a deck with the seeds of *seats*."""
        if not self.in_game & seats:
            return {"operator"} if self.in_game or not seats else {"joint", "partial"}
        return {"joint"} if self.in_game <= seats else {"partial"}

    def _open(self, event: "_DeckEvent") -> None:
        pub, batch = event.pub, event.pub.get("batch", "")
        epoch, commit = pub["epoch"], pub["server_commit"]
        must(pub["input_id"] == sha256(input_text()).hex() and pub["n"] == len(PACK), "decks", event.place)
        must(epoch not in self.decks, "decks", event.place)
        must(commit not in {one.server_commit for one in self.decks.values()}, "decks", event.place)
        if batch:
            known = self.batches.setdefault(batch, Batch())
            must((batch in self.decks or batch == epoch) and not known.committed, "decks", event.place)
        self.decks[epoch] = Deck(commit, batch, len(PACK))

    def _take_seed(self, event: "_DeckEvent", batch: Batch) -> None:
        pub, kind = event.pub, event.kind
        seat, seats = pub.get("seat", 0), sorted(pub.get("seats", []))
        missing = sorted(set(batch.committed) - set(batch.shown))
        if kind == "deck_seed_committed":
            fits = not batch.is_closed and seat not in batch.committed and event.by == f"seat:{seat}"
            batch.committed[seat] = pub["client_commit"]
        elif kind == "deck_commitments_closed":
            fits, batch.is_closed = seats == sorted(batch.committed), True
        elif kind == "deck_seed_revealed":
            seed = pub["client_seed"]
            commit = sha256(client_text(pub["epoch"], seat, seed)).hex()
            fits = batch.is_closed and batch.committed.get(seat) == commit
            batch.shown[seat] = seed
        elif kind == "deck_seeds_dropped":
            fits, batch.is_dropped = seats == missing, True
        else:
            wanted = [] if batch.is_dropped else sorted(batch.committed)
            fits = seats == wanted and (batch.is_dropped or not missing)
            batch.settled = seats
        must(fits, "decks", event.place)

    def _take(self, event: "_DeckEvent", deck: Deck) -> None:
        pub = event.pub
        if "salt" in pub:
            deck.faces.append((event.place, pub["pos"], pub["face"], pub["salt"]))
        match event.kind:
            case "deck_fixed":
                seats = sorted(pub.get("seats", []))
                must(seats == (self.batches[deck.batch].settled if deck.batch else []), "decks", event.place)
                deck.clients = {seat: self.batches[deck.batch].shown[seat] for seat in seats}
                must(not deck.root and pub["level"] in self._levels(set(seats)), "decks", event.place)
                deck.transcript, deck.root = pub["transcript"], pub["deck_root"]
                text = transcript_text(pub["epoch"], deck.server_commit, deck.clients, PACK)
                must(sha256(text).hex() == deck.transcript, "decks", event.place)
            case "cards_dealt":
                must(deck.root and not deck.is_told, "decks", event.place)
                for position, to in pub["cards"]:
                    must(deck.left and deck.left.pop(0) == position, "decks", event.place)
                    deck.dealt_to[position] = (event.position, to)
            case "cards_shown":
                for card in pub["cards"]:
                    deck.faces.append((event.place, card["pos"], card["face"], card["salt"]))
            case "cards_bottomed":
                deck.left += pub["positions"]
            case "deck_revealed" | "deck_unused":
                self._tell(event, deck)
            case _:
                order = list(pub.get("order", deck.left))
                must(sorted(order) == sorted(deck.left), "decks", event.place)
                deck.left = order

    def _tell(self, event: "_DeckEvent", deck: Deck) -> None:
        epoch, seed = event.pub["epoch"], event.pub["server_seed"]
        must(sha256(server_text(epoch, seed)).hex() == deck.server_commit, "decks", event.place)
        must(not deck.is_told and (event.kind == "deck_revealed") == bool(deck.root), "decks", event.place)
        deck.is_told = True
        if deck.root:
            deck.shuffled = shuffled(epoch, seed, deck.clients)
            must(deck.shuffled.root == deck.root, "decks", event.place)


class _DeckEvent(NamedTuple):
    place: str
    position: int
    kind: str
    by: str
    pub: Mapping[str, Any]


_WITH_BATCH = {
    "deck_seed_committed",
    "deck_commitments_closed",
    "deck_seed_revealed",
    "deck_seeds_dropped",
    "deck_seeds_settled",
}
