"""The check of a whole dossier, step by step, as log_format.md describes it; the rules of the games are not checked."""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tests.vectors.independent import notes
from tests.vectors.independent.decks import PACK, Decks, must_prove_card
from tests.vectors.independent.moves import Signers, must_open
from tests.vectors.independent.notes import Checkpoint
from tests.vectors.independent.texts import (
    MOST_LEAF_BYTES,
    NO_HASH,
    Refused,
    canonical,
    from_base64,
    leaf_hash,
    lines,
    must,
    read_canonical,
    sha256,
)

NAMES = (
    "README.txt",
    "case.html",
    "events.ndjson",
    "openings.ndjson",
    "service.ndjson",
    "disputes.ndjson",
    "checkpoint",
    "events.tlog-proof",
    "vkeys",
    "verify.py",
)
OF_SERVICE = {"log_opened", "release_changed", "signing_key_changed", "table_imported", "value_erased_at"}
MAY_BE_NEGATIVE = {"house", "pool"}


def packed(files: Mapping[str, bytes]) -> bytes:
    body, directory = b"", b""
    for name in (name for name in NAMES if name in files):
        data = files[name]
        common = struct.pack("<HHHHHLLLHH", 20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(name), 0)
        directory += b"PK\1\2" + bytes([20, 3]) + common
        directory += struct.pack("<HHHLL", 0, 0, 0, 0o100644 << 16, len(body)) + name.encode()
        body += b"PK\3\4" + common + name.encode() + data
    end = struct.pack("<HHHHLLH", 0, 0, len(files), len(files), len(directory), len(body), 0)
    return body + directory + b"PK\5\6" + end


def unpacked(data: bytes) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    at = 0
    while data[at : at + 4] == b"PK\3\4" and len(data) > at + 30:
        size, _, name_size = struct.unpack("<LLH", data[at + 18 : at + 28])
        name = data[at + 30 : at + 30 + name_size].decode("ascii", "replace")
        must(name in NAMES and name not in files, "file", name)
        files[name] = data[at + 30 + name_size : at + 30 + name_size + size]
        at += 30 + name_size + size
    must(set(NAMES) - set(files) <= {"service.ndjson", "disputes.ndjson"}, "file")
    must(packed(files) == data, "file")
    return files


class Dossier:
    """Checks *files*; `check` runs the steps in their order and raises the first failure."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.vkeys = ""
        self.signers = Signers()
        self.decks = Decks()
        self.events: list[dict[str, Any]] = []
        self.begin: dict[str, Any] = {}
        self.checkpoint = Checkpoint("", 0, b"", b"", ())

    def check(self) -> None:
        for step, check in (
            ("signatures", self._signatures),
            ("inclusion", self._inclusion),
            ("leaves", self._leaves),
            ("moves", self._moves),
            ("decks", self._decks),
            ("openings", self._openings),
            ("transfers", self._transfers),
            ("service", self._service),
            ("disputes", self._disputes),
        ):
            try:
                check()
            except Refused as refused:
                raise Refused(step, refused.place) from refused
            except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
                raise Refused(step) from error

    def check_openings(self) -> int:
        """Check only the leaves, their decks, and the openings; return the number of openings."""
        self._leaves()
        self._decks()
        self._openings()
        return len(self._lines("openings.ndjson")) - 1

    def _signatures(self) -> None:
        self.vkeys = self.files["vkeys"].decode()
        must(self.vkeys.endswith("\n"), "form", "vkeys")
        log, *witnesses = [notes.read_key(line) for line in self.vkeys[:-1].split("\n")]
        must(all(one.kind == notes.WITNESS for one in witnesses), "form", "vkeys")
        self.checkpoint = notes.open_checkpoint(self.files["checkpoint"].decode(), log, witnesses)
        signed = [(name, data[:4]) for name, data in self.checkpoint.signatures]
        must(signed == [(key.name, key.hash) for key in (log, *witnesses)], "signature", "checkpoint")

    def _inclusion(self) -> None:
        proof = notes.read_proof(self.files["events.tlog-proof"].decode())
        must(not proof.has_extra and proof.note == self.files["checkpoint"].decode(), "form", "events.tlog-proof")
        last = self._lines("events.ndjson")[-1]
        notes.must_be_included(last, proof.leaf_index, self.checkpoint.size, proof.hashes, self.checkpoint.root)

    def _leaves(self) -> None:
        self._read_begin()
        prev, cmds, stream = NO_HASH, set(), self.begin["stream"]
        for position, leaf in enumerate(self._lines("events.ndjson"), start=1):
            place = f"position {position}"
            event = read_canonical(leaf, "form", place)
            named = (event["v"], event["stream"], event["position"], event["prev"])
            must(named == (1, stream, position, prev) and len(leaf) <= MOST_LEAF_BYTES, "form", place)
            must(event.keys() <= _MEMBERS | _SOME_MEMBERS and event.keys() >= _MEMBERS, "form", place)
            must(event.get("cmd") not in cmds, "form", place)
            cmds |= {event["cmd"]} if "cmd" in event else set()
            prev = leaf_hash(leaf).hex()
            self.events.append(event)

    def _read_begin(self) -> None:
        first = read_canonical(self._lines("openings.ndjson")[0], "form", "openings.ndjson, line 1")
        self.begin = first["begin"]
        must(self.begin["format"] == "chiptrail/dossier/v1" and len(first) == 1, "form", "openings.ndjson, line 1")
        count = len(self._lines("events.ndjson"))
        must(1 <= self.begin["first"] <= self.begin["last"] <= count, "form", "openings.ndjson, line 1")
        if not self.begin["hand"]:
            must((self.begin["first"], self.begin["last"]) == (1, count), "form", "openings.ndjson, line 1")

    def _moves(self) -> None:
        for event, leaf in zip(self.events, self._lines("events.ndjson"), strict=True):
            self.signers.take(event, leaf_hash(leaf).hex())

    def _decks(self) -> None:
        for event in self.events:
            self.decks.take(event["position"], event["type"], event["by"], event["pub"])
        self.decks.end(len(self.events))

    def _openings(self) -> None:
        wanted = [*self._wanted_cards(), *self._wanted_fields()]
        wanted.sort(key=lambda one: one[0])
        found = self._lines("openings.ndjson")[1:]
        for number, line in enumerate(found, start=2):
            place = f"openings.ndjson, line {number}"
            opening = read_canonical(line, "form", place)
            must(len(opening) == 2 and wanted, "form", place)
            self._must_be(opening, wanted.pop(0), place)
        must(not wanted, "form", f"openings.ndjson, line {len(found) + 2}")

    def _must_be(self, opening: Mapping[str, Any], wanted: tuple[int, str, Any, Any], place: str) -> None:
        start, what, key, more = wanted
        must(opening["from"] == start and what in opening, "form", place)
        value = opening[what]
        if what == "card":
            must((value["epoch"], value["pos"]) == key and len(value) == 5, "form", place)
            must_prove_card(more, len(PACK), value["epoch"], value, place)
        else:
            must((value["position"], value["field"], value["stream"]) == (*key, self.begin["stream"]), "form", place)
            seat, sealed = more
            must_open(value, seat, sealed, place)

    def _wanted_cards(self) -> Iterator[tuple[int, str, Any, Any]]:
        """Yield the cards that must be opened: each card that the viewer got from a deck that is not revealed."""
        for epoch, deck in self.decks.decks.items():
            for position, (event, to) in deck.dealt_to.items():
                if to == self.begin["viewer"] and not deck.is_told and event <= self.begin["last"]:
                    yield event, "card", (epoch, position), deck.root

    def _wanted_fields(self) -> Iterator[tuple[int, str, Any, Any]]:
        erased = {(one["pub"]["position"], one["pub"]["field"]) for one in self.events if one["type"] == "value_erased"}
        for event in self.events:
            for field, sealed in event.get("priv", {}).items():
                key = (event["position"], field)
                start = self._readable_from(event["position"], sealed)
                is_told = event["position"] <= self.begin["last"] or self._is_open_to_all(event["position"], sealed)
                if start and is_told and key not in erased:
                    yield start, "field", key, (event["pub"].get("seat", 0), sealed)

    def _is_open_to_all(self, position: int, sealed: Mapping[str, Any]) -> bool:
        until = sealed["until"]
        ends = (event["type"] for event in self.events[position:] if event["type"] in {*until["open"], *until["never"]})
        return next(ends, "") in until["open"]

    def _readable_from(self, position: int, sealed: Mapping[str, Any]) -> int:
        viewer, until = self.begin["viewer"], sealed["until"]
        if viewer in sealed["to"]:
            return position
        for event in self.events[position:]:
            if event["type"] in until["never"]:
                return 0
            if event["type"] in until["open"] or viewer in until.get("shown", {}).get(event["type"], []):
                return int(event["position"])
        return 0

    def _transfers(self) -> None:
        balances: Counter[str] = Counter()
        for event in self.events:
            place = f"position {event['position']}"
            for source, target, amount, unit, _ in event["pub"].get("transfers", []):
                must(amount > 0 and source != target, "form", place)
                must({_unit(source), _unit(target)} == {unit}, "form", place)
                balances[source] -= amount
                balances[target] += amount
                must(source in MAY_BE_NEGATIVE or balances[source] >= 0, "form", place)

    def _proved(self, name: str) -> Iterator[tuple[str, dict[str, Any], bytes]]:
        """Yield the place, the line and the leaf of each line of a file whose leaves have their own proofs."""
        for number, line in enumerate(self._lines(name), start=1):
            place = f"{name}, line {number}"
            found = read_canonical(line, "form", place)
            must(found.keys() - {"opening"} == {"hashes", "index", "leaf"}, "form", place)
            leaf = canonical(found["leaf"])
            hashes = [from_base64(one, "form", place) for one in found["hashes"]]
            notes.must_be_included(leaf, found["index"], self.checkpoint.size, hashes, self.checkpoint.root, place)
            yield place, found, leaf

    def _service(self) -> None:
        before, table = 0, self.begin["stream"].removeprefix("table/")
        for place, found, _ in self._proved("service.ndjson"):
            event = found["leaf"]
            is_ours = event["stream"] == "service/log" and event["type"] in OF_SERVICE and "opening" not in found
            must(is_ours and event["position"] > before, "form", place)
            must(event["pub"].get("table", table) == table, "form", place)
            if event["type"] == "log_opened":
                named = (event["pub"]["origin"], event["pub"]["log_key"])
                must(named == (self.checkpoint.origin, self.vkeys.partition("\n")[0]), "form", place)
            before = event["position"]

    def _disputes(self) -> None:
        name, prev, untold = self.begin["stream"], NO_HASH, set()
        stream = f"dispute/dsp_{'ff' * 6}{sha256(lines('chiptrail/disputes/v1', name)).hex()[:20]}"
        for number, (place, found, leaf) in enumerate(self._proved("disputes.ndjson"), start=1):
            event = found["leaf"]
            must((event["stream"], event["position"], event["prev"]) == (stream, number, prev), "form", place)
            if event["type"] == "dispute_opened":
                must(event["pub"]["table"] == name.removeprefix("table/"), "form", place)
            if event["type"] == "dispute_value_erased":
                untold.discard((event["pub"]["position"], event["pub"]["field"]))
            sealed = event.get("priv", {})
            must(len(sealed) <= 1 and ("opening" not in found or sealed), "form", place)
            for field, commitment in sealed.items():
                if "opening" in found:
                    must(found["opening"].keys() == {"salt", "value"}, "form", place)
                    text = {"stream": stream, "position": number, "field": field}
                    must_open({**text, **found["opening"]}, 0, commitment, place)
                elif field == "reason":
                    untold.add((number, field))
            prev = leaf_hash(leaf).hex()
        must(not untold, "form", "disputes.ndjson")

    def _lines(self, name: str) -> list[bytes]:
        data = self.files.get(name, b"")
        must(not data or data.endswith(b"\n"), "form", name)
        return data[:-1].split(b"\n") if data else []


_MEMBERS = {"v", "stream", "position", "prev", "type", "version", "by", "at", "pub"}
_SOME_MEMBERS = {"cmd", "priv", "sig"}


def _unit(account: str) -> str:
    return "points" if account.partition(":")[0] in {"score", "pool"} else "chips"


def check(data: bytes) -> Dossier:
    """Check the dossier in the bytes *data*; return the dossier with its parts."""
    try:
        files = unpacked(data)
    except (struct.error, ValueError) as error:
        raise Refused("file") from error
    dossier = Dossier(files)
    dossier.check()
    return dossier
