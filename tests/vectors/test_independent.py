"""A checker that was written from log_format.md alone, and shares no code with the service, checks every vector."""

import ast
import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.house.tree import ROOT
from tests.vectors.independent import decks, dossiers, moves, notes
from tests.vectors.independent.texts import Refused, canonical, is_signed, leaf_hash, mac, read_canonical

API_SPEC = ROOT / "api_spec"
VECTORS: dict[str, Any] = json.loads((API_SPEC / "vectors.json").read_text(encoding="utf-8"))
SHUFFLES = ("S0_std52_operator", "S1_std52_three_seats", "S3_six_cards_one_seat", "S7_std52_ten_seats")
LOG = notes.read_key(VECTORS["keys"]["log_vkey"])
WHAT = itemgetter("what")
Case = Mapping[str, Any]


@contextmanager
def finding(wanted: str) -> Iterator[None]:
    """Check that the block ends with the finding *wanted*, or without any finding if *wanted* is empty."""
    found = ""
    try:
        yield
    except Refused as refused:
        found = refused.finding
    assert found == wanted


def test_the_independent_checker_imports_only_the_standard_library_and_cryptography() -> None:
    imported = {
        name
        for path in (Path(__file__).parent / "independent").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in _imported(node)
    }
    ours = {name for name in imported if name.startswith(("service", "tests"))}
    assert {name for name in ours if not name.startswith("tests.vectors.independent")} == set()
    assert {name.partition(".")[0] for name in imported - ours} == {
        *("base64", "collections", "cryptography", "hashlib", "hmac", "json", "re", "struct", "typing", "zlib"),
    }


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [one.name for one in node.names] if isinstance(node, ast.Import) else []


def test_every_vector_has_a_check_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert {name for name in VECTORS if f'"{name}' not in source} == set()


@pytest.mark.parametrize("name", SHUFFLES)
def test_decks(name: str) -> None:
    vector = VECTORS[name]
    clients = {int(seat.removeprefix("seat:")): seed for seat, seed in vector["clients"].items()}
    pack, epoch = decks.PACK[: vector["n"]], vector["epoch"]
    made = decks.shuffled(epoch, vector["server_seed"], clients, pack)
    assert (" ".join(made.order), made.root, made.salts[0]) == (vector["deck"], vector["deck_root"], vector["salt0"])
    assert [pack.index(face) for face in made.order] == vector["perm"]
    assert (made.key.hex(), mac(made.key, b"stream\n0\n").hex()) == (vector["K"], vector["stream_block0"])
    assert sha256(made.transcript_text).hexdigest() == vector["transcript_sha256"]
    assert vector.get("transcript", made.transcript_text.decode()) == made.transcript_text.decode()
    assert sha256(decks.input_text(pack)).hexdigest() == vector["input_id"]
    assert sha256(decks.server_text(epoch, vector["server_seed"])).hexdigest() == vector["server_commit"]
    commits = {f"seat:{one}": sha256(decks.client_text(epoch, one, seed)).hexdigest() for one, seed in clients.items()}
    assert commits == vector["client_commits"]


def test_uniform_numbers_and_a_card() -> None:
    for one in VECTORS["uniform"]:
        assert decks.number_below(one["m"], one["bytes"]) == one["result"]
    card = VECTORS["S6_card_disclosure"]
    leaf = decks.card_leaf(card["epoch"], card["pos"], card["face"], card["salt"])
    assert (leaf.decode(), leaf_hash(leaf).hex()) == (card["leaf_data"], card["leaf_hash"])
    decks.must_prove_card(card["deck_root"], 52, card["epoch"], card)
    with finding("root"):
        decks.must_prove_card(card["deck_root"], 52, card["epoch"], {**card, "pos": 4})


def test_commitment_to_a_field() -> None:
    one = VECTORS["field"]
    text = moves.field_text(one["stream"], one["position"], one["field"], one["salt"], one["value"])
    assert text.endswith(bytes.fromhex(one["value_canonical_hex"]))
    assert sha256(text).hexdigest() == one["commitment"]


def test_command_secrets() -> None:
    for one in VECTORS["cmd"]:
        secret = moves.command_secret(one["derivation_secret"], one["asker"], one["stream"])
        assert (secret, moves.command(secret, one["idempotency_key"])) == (one["command_secret"], one["cmd"])
    one = VECTORS["command_ids"]["how_the_service_derives_a_command_secret"]
    own = mac(bytes.fromhex(one["derivation_secret"]), bytes.fromhex(one["mac_of_asker"]))
    assert own.hex() == one["askers_secret"]
    assert mac(own, bytes.fromhex(one["mac_of_stream"])).hex() == one["command_secret"]
    assert moves.command_secret(one["derivation_secret"], one["asker"], one["stream"]) == one["command_secret"]


@pytest.mark.parametrize("case", VECTORS["command_ids"]["cases"], ids=WHAT)
def test_command_ids(case: Case) -> None:
    assert moves.command_text(case["idempotency_key"]).hex() == case["mac_of"]
    is_right = moves.command(case["command_secret"], case["idempotency_key"]) == case["cmd"]
    assert is_right == (case["finding"] == "")


def test_receipt_of_the_first_vectors() -> None:
    one = VECTORS["receipt"]
    moves.must_be_receipt(one["receipt"], one["public_key"], one["receipt"]["leaf_hash"])


@pytest.mark.parametrize("case", VECTORS["receipts"]["cases"], ids=WHAT)
def test_receipts(case: Case) -> None:
    with finding(case["finding"]):
        moves.must_be_receipt(case["receipt"], VECTORS["receipts"]["public_key"], case["leaf_hash"])
    if case["finding"] == "":
        assert moves.receipt_text(case["receipt"]).hex() == case["signature_of"]


def test_signed_moves() -> None:
    vector = VECTORS["signed_moves"]
    signers, refused, signed = moves.Signers(), list(vector["refused"]), []
    for position, text in enumerate(vector["leaves"], start=1):
        event = read_canonical(text.encode(), "form")
        for one in [one for one in refused if one["place"] == f"position {position}"]:
            refused.remove(one)
            with pytest.raises(Refused) as found:
                _copied(signers).take(read_canonical(one["leaf"].encode(), "form"), "")
            assert (found.value.finding, found.value.place) == ("moves", one["place"]), one["what"]
        if "sig" in event:
            signed.append(event)
        signers.take(event, leaf_hash(text.encode()).hex())
    assert (refused, signers.signed) == ([], len(vector["signed"]))
    for event, one in zip(signed, vector["signed"], strict=True):
        assert one["place"] == f"position {event['position']}"
        assert moves.command(vector["command_secret"], one["idempotency_key"]) == event["cmd"]
        assert moves.action_of(event) == one["action"]
        assert moves.move_text(event).hex() == one["signature_of"]
        assert sign(VECTORS["test_keys"][one["key"]]["private_seed"], moves.move_text(event)) == one["signature"]
        assert one["signature"] == event["sig"]["signature"]


def sign(private_seed: str, text: bytes) -> str:
    """Return the Ed25519 signature of *text*; the same seed and text always give the same signature."""
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(private_seed)).sign(text).hex()


def test_the_private_keys_belong_to_the_public_keys() -> None:
    keys = [one for one in VECTORS["test_keys"].values() if isinstance(one, dict)]
    for one in keys:
        assert is_signed(bytes.fromhex(one["public_key"]), bytes.fromhex(sign(one["private_seed"], b"")), b"")
    receipt = VECTORS["receipts"]["cases"][0]["receipt"]
    assert sign(VECTORS["test_keys"]["receipts"]["private_seed"], moves.receipt_text(receipt)) == receipt["signature"]
    checkpoint = notes.read_checkpoint(VECTORS["checkpoint_7"])
    for name, (_, data) in zip(("log", "witness"), checkpoint.signatures, strict=True):
        key = notes.read_key(VECTORS["keys"][f"{name}_vkey"])
        text, signature = notes.signed_text(checkpoint, key, data)
        assert sign(VECTORS["keys"][f"{name}_private_seed"], text) == signature.hex()


def _copied(signers: moves.Signers) -> moves.Signers:
    copied = moves.Signers()
    copied.keys, copied.hashes, copied._decided = dict(signers.keys), list(signers.hashes), dict(signers._decided)
    return copied


@pytest.mark.parametrize("case", VECTORS["sealed_choices"]["cases"], ids=WHAT)
def test_sealed_choices(case: Case) -> None:
    opening = case["opening"]
    with finding(case["finding"]):
        moves.must_open(opening, VECTORS["sealed_choices"]["seat"], case["priv"])
    if case["finding"] == "":
        place = (opening["stream"], opening["position"], opening["field"])
        assert moves.field_text(*place, opening["salt"], opening["value"]).hex() == case["hash_of_c"]
        choice = moves.choice_text(place[0], 1, place[2], opening["blind"], opening["value"])
        assert choice.hex() == case["hash_of_choice"]


def test_joint_seeds() -> None:
    vector = VECTORS["players_seeds"]
    clients = {one["seat"]: one["seed"] for one in vector["commitments"]}
    for one in vector["commitments"]:
        text = decks.client_text(vector["batch"], one["seat"], one["seed"])
        assert (text.hex(), sha256(text).hexdigest()) == (one["hash_of"], one["client_commit"])
    for one in vector["decks"]:
        made = decks.shuffled(one["epoch"], one["server_seed"], clients)
        server = decks.server_text(one["epoch"], one["server_seed"])
        assert (server.hex(), sha256(server).hexdigest()) == (one["hash_of_server_commit"], one["server_commit"])
        assert made.transcript_text.decode() == one["transcript_text"]
        assert sha256(made.transcript_text).hexdigest() == one["transcript"]
        assert (made.key.hex(), " ".join(made.order), made.root) == (one["K"], one["deck"], one["deck_root"])


@pytest.mark.parametrize("stream", VECTORS["players_seeds"]["streams"], ids=WHAT)
def test_events_of_players_seeds(stream: Case) -> None:
    assert first_refused(stream["events"]) == 0
    for change in stream["changes"]:
        events = list(stream["events"])
        event = events.pop(change["at"] - 1)
        if "pub" in change:
            events.insert(change["at"] - 1, {**event, "pub": {**event["pub"], **change["pub"]}})
        elif "to" in change:
            events.insert(change["to"] - 1, event)
        assert first_refused(events) == change["refused"], change["what"]


def first_refused(events: list[Case]) -> int:
    """Return the number, from 1, of the first event that the checker refuses; 0: it refuses none."""
    made = decks.Decks()
    for number, one in enumerate(events, start=1):
        try:
            made.take(number, one["type"], one["by"], one["pub"])
        except Refused:
            return number
    return 0


def test_leaves_and_roots() -> None:
    hashes, before = [], "0" * 64
    for position, one in enumerate(VECTORS["events"], start=1):
        leaf = one["leaf_data"].encode()
        event = read_canonical(leaf, "form")
        assert (event["position"], event["prev"], one["index"]) == (position, before, position - 1)
        hashes.append(leaf_hash(leaf))
        before = hashes[-1].hex()
        assert before == one["leaf_hash"]
    for size, root in VECTORS["roots"].items():
        assert notes.tree_root(hashes[: int(size)]).hex() == root
    seven = bytes.fromhex(VECTORS["proofs_7"]["root"])
    for index, path in enumerate(VECTORS["proofs_7"]["inclusion"]):
        leaf = VECTORS["events"][index]["leaf_data"].encode()
        notes.must_be_included(leaf, index, 7, list(map(bytes.fromhex, path)), seven)
    for size, path in VECTORS["proofs_7"]["consistency"].items():
        old = (int(size), bytes.fromhex(VECTORS["roots"][size]))
        notes.must_continue(old, (7, seven), list(map(bytes.fromhex, path)))


@pytest.mark.parametrize("case", VECTORS["checkpoints"]["cases"], ids=WHAT)
def test_checkpoints(case: Case) -> None:
    vector = VECTORS["checkpoints"]
    witnesses = [notes.read_key(text) for text in vector["witness_vkeys"]]
    with finding(case["finding"]):
        notes.open_checkpoint(case["note"], notes.read_key(vector["log_vkey"]), witnesses)


def test_texts_that_log_and_witness_sign() -> None:
    vector, keys = VECTORS["checkpoints"], VECTORS["keys"]
    checkpoint = notes.read_checkpoint(vector["cases"][0]["note"])
    assert vector["cases"][0]["note"] == VECTORS["checkpoint_7"]
    for name, (_, data) in zip(("log", "witness"), checkpoint.signatures, strict=True):
        signed, _ = notes.signed_text(checkpoint, notes.read_key(keys[f"{name}_vkey"]), data)
        assert signed.hex() == vector[f"signature_of_{name}_in_checkpoint_7"]
    for note in (VECTORS["signed_checkpoint_7"], VECTORS["checkpoint_10"]):
        assert notes.open_checkpoint(note, LOG).origin == keys["origin"]
    private = b64encode(b"\1" + bytes.fromhex(keys["log_private_seed"])).decode()
    assert VECTORS["log_private_key"] == f"PRIVATE+KEY+{keys['origin']}+{LOG.hash.hex()}+{private}"


@pytest.mark.parametrize("case", VECTORS["leaf_proofs"]["cases"], ids=WHAT)
def test_leaf_proofs(case: Case) -> None:
    with finding(case["finding"]):
        notes.prove_leaf(case["leaf"].encode(), case["file"], notes.read_key(VECTORS["leaf_proofs"]["log_vkey"]))


def test_leaf_proofs_of_the_first_vectors() -> None:
    for index, file in ((3, VECTORS["tlog_proof_3"]), (9, VECTORS["tlog_proof_9"])):
        notes.prove_leaf(VECTORS["events"][index]["leaf_data"].encode(), file, LOG)


@pytest.mark.parametrize(
    "case",
    [
        *VECTORS["consistency_proofs"],
        {
            "what": "of the first vectors",
            "finding": "",
            "old_size": 7,
            "new_size": 10,
            "hashes": VECTORS["consistency_7_10"],
            "old_root": VECTORS["roots"]["7"],
            "new_root": VECTORS["roots"]["10"],
        },
    ],
    ids=WHAT,
)
def test_consistency_proofs(case: Case) -> None:
    old, new = ((case[f"{which}_size"], bytes.fromhex(case[f"{which}_root"])) for which in ("old", "new"))
    with finding(case["finding"]):
        notes.must_continue(old, new, list(map(bytes.fromhex, case["hashes"])))


def test_tiles() -> None:
    leaves = [one["leaf_data"].encode() for one in VECTORS["events"]]
    made = {f"tile/{path}": data for path, data in notes.tiles_of(list(map(leaf_hash, leaves))).items()}
    made["tile/entries/000.p/10"] = notes.entries_of(leaves)
    assert {path: sha256(data).hexdigest() for path, data in made.items()} == VECTORS["tiles"]
    assert made == {path: b64decode(data) for path, data in VECTORS["tile_bytes"].items()}
    for one in VECTORS["tile_paths"]:
        assert f"tile/{notes.tile_path(one['level'], one['number'], one['width'])}" == one["path"]


def test_tiles_of_a_big_tree() -> None:
    hashes = [leaf_hash(b"%d" % number) for number in range(70_000)]
    made = notes.tiles_of(hashes)
    assert len(made) == VECTORS["big_tree_70000"]["tile_count"]
    assert notes.tree_root(hashes).hex() == VECTORS["big_tree_70000"]["root"]
    some = {path: sha256(made[path.removeprefix("tile/")]).hexdigest() for path in VECTORS["big_tree_tiles"]}
    assert some == VECTORS["big_tree_tiles"]


DOSSIER = (API_SPEC / VECTORS["dossier"]["file"]).read_bytes()


def test_the_dossier() -> None:
    vector = VECTORS["dossier"]
    found = dossiers.check(DOSSIER)
    assert found.files["vkeys"].decode().splitlines()[0] == vector["log_vkey"]
    made = {name: sha256(found.files[name]).hexdigest() for name in vector["sha256_of_files"]}
    assert made == vector["sha256_of_files"]
    assert found.signers.signed == 4
    assert [deck.shuffled is not None for deck in found.decks.decks.values()] == [True, False]


def test_files_that_a_reader_of_the_dossier_kept() -> None:
    vector, found = VECTORS["dossier"], dossiers.check(DOSSIER)
    kept, leaves = vector["kept"], found.files["events.ndjson"].splitlines()
    receipt = kept["receipt"]
    hash_there = leaf_hash(leaves[receipt["position"] - 1]).hex()
    moves.must_be_receipt(receipt, vector["receipt_key"], hash_there)
    notes.prove_leaf(leaves[2], kept["proof_of_position_3"], LOG)
    old = notes.open_checkpoint(kept["earlier_checkpoint"], LOG)
    size, *hashes = kept["consistency"].partition("\n\n")[0].split("\n")
    assert size == f"old {old.size}"
    path = [b64decode(one) for one in hashes]
    notes.must_continue(old[1:3], found.checkpoint[1:3], path)
    with finding("root"):
        notes.must_continue(old[1:3], found.checkpoint[1:3], path[::-1])


@pytest.mark.parametrize("change", VECTORS["dossier"]["changes"], ids=WHAT)
def test_changed_dossiers(change: Case) -> None:
    files = dossiers.unpacked(DOSSIER)
    lines = changed(files[change["file"]].decode().split("\n"), change)
    data = dossiers.packed({**files, change["file"]: "\n".join(lines).encode()})
    with pytest.raises(Refused) as refused:
        dossiers.check(data)
    assert refused.value.finding == change["step"]
    assert refused.value.place == change["place"] or not change["place"]


@pytest.mark.parametrize("change", VECTORS["dossier"]["changes_with_the_log_key"], ids=WHAT)
def test_dossiers_that_somebody_with_the_log_key_changed(change: Case) -> None:
    data = dossiers.packed(_rechained(dossiers.unpacked(DOSSIER), change))
    with pytest.raises(Refused) as refused:
        dossiers.check(data)
    assert (refused.value.finding, refused.value.place) == (change["step"], change["place"])


def _rechained(files: Mapping[str, bytes], change: Case) -> dict[str, bytes]:
    """Return *files* after a *change* of a leaf, in a log that has only the last leaf and that the log key signed."""
    lines = changed(files["events.ndjson"].decode().splitlines(), change)
    leaves, prev = [], "0" * 64
    for line in lines:
        leaves.append(canonical({**json.loads(line), "prev": prev}))
        prev = leaf_hash(leaves[-1]).hex()
    text = f"{LOG.name}\n1\n{b64encode(bytes.fromhex(prev)).decode()}\n"
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(VECTORS["keys"]["log_private_seed"]))
    signature = b64encode(LOG.hash + key.sign(text.encode())).decode()
    note = f"{text}\n\N{EM DASH} {LOG.name} {signature}\n"
    made = {
        **files,
        "events.ndjson": b"".join(leaf + b"\n" for leaf in leaves),
        "checkpoint": note.encode(),
        "events.tlog-proof": f"c2sp.org/tlog-proof@v1\nindex 0\n\n{note}".encode(),
        "vkeys": f"{VECTORS['keys']['log_vkey']}\n".encode(),
    }
    del made["service.ndjson"]
    return made


def checked_openings(lines: list[str]) -> int:
    """Check *lines* as the openings for seat 1 of the leaves in `signed_moves`; return the number of openings."""
    leaves = "".join(f"{leaf}\n" for leaf in VECTORS["signed_moves"]["leaves"])
    found = "".join(f"{line}\n" for line in lines)
    dossier = dossiers.Dossier({"events.ndjson": leaves.encode(), "openings.ndjson": found.encode()})
    return dossier.check_openings()


def test_openings() -> None:
    vector = VECTORS["openings"]
    assert checked_openings(vector["lines"]) == 14
    for change in vector["changes"]:
        lines = changed(vector["lines"], change)
        with pytest.raises(Refused) as refused:
            checked_openings(lines)
        assert refused.value.place == change["place"] or not change["place"], change["what"]


def changed(lines: list[str], change: Case) -> list[str]:
    """Return *lines* after a *change* of one of them."""
    at = change["line"] - 1
    if change["old"] in {"drop", "double"}:
        return lines[:at] + ([] if change["old"] == "drop" else 2 * [lines[at]]) + lines[at + 1 :]
    assert lines[at].count(change["old"]) == 1
    return [*lines[:at], lines[at].replace(change["old"], change["new"]), *lines[at + 1 :]]


def test_a_byte_outside_the_files_is_refused() -> None:
    for data in (DOSSIER + b"\0", DOSSIER[:-1], DOSSIER[:10] + b"\1" + DOSSIER[11:]):
        with finding("file"):
            dossiers.check(data)
