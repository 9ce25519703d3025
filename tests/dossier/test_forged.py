"""A signed dossier whose events break deck/v1, log/v1 or double entry is refused, and the place is named."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from service.canonical import canonical
from service.dossier import archive, dossier_writer, offline_check, verify
from service.dossier.archive import DossierFlaw, packed
from service.dossier.kept_files import KeptFile
from service.dossier.offline_check import Outcome
from tests.dossier.forged import OPENED, Leaves, checkpointed, forged, with_pages, with_service_leaf, with_witnesses
from tests.dossier.made import World, files_of, must_be_refused, must_pass, refusals

OTHER = "ab" * 32

Edit = Callable[[Leaves], int]
"""Edits the leaves, and returns the position that must be named; 0: any position."""


def first(leaves: Leaves, kind: str, having: str = "") -> dict[str, Any]:
    return next(leaf for leaf in leaves if leaf["type"] == kind and (not having or having in leaf["pub"]))


def member(kind: str, name: str, value: object) -> Edit:
    """Return the edit that sets a public member of the first event of a *kind*."""

    def edit(leaves: Leaves) -> int:
        leaf = first(leaves, kind)
        leaf["pub"][name] = value
        return int(leaf["position"])

    return edit


def another_seed(leaves: Leaves) -> int:
    leaf = first(leaves, "deck_revealed")
    leaf["pub"]["server_seed"] = OTHER
    return int(leaf["position"])


def deck_root(leaves: Leaves) -> int:
    """Change the hash that fixes a deck's order; the revealed seed shows the change."""
    epoch = first(leaves, "deck_revealed")["pub"]["epoch"]
    fixed = next(leaf for leaf in leaves if leaf["type"] == "deck_fixed" and leaf["pub"]["epoch"] == epoch)
    fixed["pub"]["deck_root"] = OTHER
    return int(first(leaves, "deck_revealed")["position"])


def dealt_from_the_middle(leaves: Leaves) -> int:
    leaf = first(leaves, "cards_dealt")
    cards = leaf["pub"]["cards"]
    cards[0][0], cards[-1][0] = cards[-1][0] + 1, cards[0][0]
    return int(leaf["position"])


def other_face(leaves: Leaves) -> int:
    epoch = first(leaves, "deck_revealed")["pub"]["epoch"]
    leaf = next(one for one in leaves if one["type"] == "cards_shown" and one["pub"]["epoch"] == epoch)
    card = leaf["pub"]["cards"][0]
    card["face"] = "2c" if card["face"] != "2c" else "3c"
    return int(leaf["position"])


def other_salt(leaves: Leaves) -> int:
    epoch = first(leaves, "deck_revealed")["pub"]["epoch"]
    leaf = next(one for one in leaves if one["type"] == "cards_shown" and one["pub"]["epoch"] == epoch)
    leaf["pub"]["cards"][0]["salt"] = OTHER
    return int(leaf["position"])


def one_commitment_twice(leaves: Leaves) -> int:
    one, other, *_ = [leaf for leaf in leaves if leaf["type"] == "deck_opened"]
    other["pub"]["server_commit"] = one["pub"]["server_commit"]
    return int(other["position"])


def never_revealed(leaves: Leaves) -> int:
    leaves.remove(first(leaves, "deck_revealed"))
    return 0


def nothing_moved(leaves: Leaves) -> int:
    leaf = next(leaf for leaf in leaves if leaf["pub"].get("transfers"))
    leaf["pub"]["transfers"][0][2] = 0
    return int(leaf["position"])


def overdrawn(leaves: Leaves) -> int:
    leaf = next(leaf for leaf in leaves if leaf["pub"].get("transfers"))
    leaf["pub"]["transfers"].append(["stack:1", "house", 10**9, "chips", "1"])
    return int(leaf["position"])


def of_another_unit(leaves: Leaves) -> int:
    leaf = next(leaf for leaf in leaves if leaf["pub"].get("transfers"))
    leaf["pub"]["transfers"][0][3] = "points"
    return int(leaf["position"])


def one_command_twice(leaves: Leaves) -> int:
    one, *_, other = [leaf for leaf in leaves if "cmd" in leaf]
    other["cmd"] = one["cmd"]
    return int(other["position"])


def of_another_table(leaves: Leaves) -> int:
    leaves[3]["stream"] = "table/tbl_" + "0" * 32
    return 4


def never_to_be_opened(leaves: Leaves) -> int:
    leaf = next(leaf for leaf in leaves if leaf.get("priv"))
    for sealed in leaf["priv"].values():
        sealed["until"] = {"never": [], "open": ["no_event"]}
    return 0


def another_commitment(leaves: Leaves) -> int:
    leaf = next(leaf for leaf in leaves if leaf.get("priv"))
    for sealed in leaf["priv"].values():
        sealed["c"] = OTHER
    return 0


def a_card_that_the_seat_has_not(leaves: Leaves) -> int:
    one, other, *_ = [leaf for leaf in leaves if leaf["type"] == "card_played"]
    other["pub"]["card"] = one["pub"]["card"]
    return int(other["position"])


CASES: dict[str, tuple[str, str, Edit]] = {
    "another seed": ("bankrupt", "decks", another_seed),
    "another root": ("insurance_hearts", "decks", deck_root),
    "cards from the middle": ("insurance_hearts", "decks", dealt_from_the_middle),
    "another face": ("bankrupt", "decks", other_face),
    "another salt": ("bankrupt", "decks", other_salt),
    "a commitment twice": ("bankrupt", "decks", one_commitment_twice),
    "a pack of another order": ("insurance", "decks", member("deck_opened", "input_id", OTHER)),
    "no reveal": ("bankrupt", "decks", never_revealed),
    "an empty transfer": ("bankrupt", "transfers", nothing_moved),
    "an overdrawn account": ("insurance", "transfers", overdrawn),
    "another unit": ("insurance", "transfers", of_another_unit),
    "a command twice": ("bankrupt", "leaves", one_command_twice),
    "another table": ("bankrupt", "leaves", of_another_table),
    "a field that stays sealed": ("insurance_hearts", "openings", never_to_be_opened),
    "another commitment": ("insurance_hearts", "openings", another_commitment),
    "a card from nowhere": ("insurance_hearts", "hands", a_card_that_the_seat_has_not),
}


@pytest.mark.parametrize("case", CASES)
def test_an_impossible_signed_history_is_refused_at_its_place(world: World, case: str) -> None:
    game, step, edit = CASES[case]
    (played,) = [one for one in world.played if one.game == game]
    positions: list[int] = []
    data = forged(played.dossiers["the table for everybody"], lambda leaves: positions.append(edit(leaves)))
    failed = [one for one in verify.findings(data) if one.verdict == "FAILED"]
    assert [one.step for one in failed][:1] == [step], failed
    theirs = [one for one in offline_check.check(data).steps if one.outcome is Outcome.FAILED]
    assert theirs
    if positions[0]:
        assert failed[0].place == f"position {positions[0]}"
        assert theirs[0].place.startswith("position")


@pytest.mark.parametrize("game", ["bankrupt", "insurance", "insurance_hearts"])
def test_a_history_that_is_signed_again_passes_unless_somebody_kept_a_file_of_the_old_history(
    world: World, game: str
) -> None:
    """Without this test, a checker that refuses everything would pass the previous test."""
    (played,) = [one for one in world.played if one.game == game]
    old = played.dossiers["the table for everybody"]
    signed_again = forged(old, lambda _: None)
    must_pass(signed_again)
    must_be_refused(signed_again, KeptFile("kept", files_of(old)[archive.CHECKPOINT]))


def test_the_cosignatures_of_witnesses_are_checked_each_by_its_key(world: World) -> None:
    files = files_of(forged(world.played[0].dossiers["hand 1 for everybody"], lambda _: None))
    witnessed = with_witnesses(files, "witness.example/a", "witness.example/b")
    must_pass(packed(witnessed))
    assert b"Witnesses of this checkpoint: witness.example/a, witness.example/b" in witnessed[archive.README]
    keys, note = (witnessed[name].splitlines(keepends=True) for name in (archive.KEYS, archive.CHECKPOINT))
    time = note[-1].replace(note[-1][-90:-80], b"A" * 10)
    for changed in (
        {archive.KEYS: b"".join(keys[:-1])},
        {archive.KEYS: b"".join([keys[0], keys[2], keys[1]])},
        {archive.KEYS: b"".join([*keys, keys[1]])},
        *(checkpointed(witnessed, [*note[:-1], line]) for line in (b"", note[-2], time, note[-1] + note[-1])),
        checkpointed(witnessed, [*note[:-2], note[-1], note[-2]]),
    ):
        must_be_refused(packed({**witnessed, **changed}))


def test_leaves_of_the_own_stream_of_the_service_are_checked_each_by_its_proof(world: World) -> None:
    forgery = files_of(forged(world.played[0].dossiers["hand 1 for everybody"], lambda _: None))
    files = with_service_leaf(forgery, "log_opened", OPENED)
    must_pass(packed(files))
    line = files[archive.SERVICE]
    for changed in (
        line.replace(b"log_opened", b"log_closed"),
        line.replace(b'"index":0', b'"index":1'),
        line.replace(b'"index":0', b'"index":false'),
        line.replace(b"service/log", b"service/lug"),
        line.replace(b'"index"', b' "index"'),
        line + line,
        line[:-1],
        b"{}\n",
        b"[" * 10_000 + b"\n",
    ):
        must_be_refused(packed({**files, archive.SERVICE: changed}))


def test_only_leaves_of_the_service_that_concern_the_log_and_the_table_are_accepted(world: World) -> None:
    played = world.played[0]
    files = files_of(forged(played.dossiers["hand 1 for everybody"], lambda _: None))
    table, other = played.table.id, world.played[1].table.id
    head = {"imported_at": "2026-01-01T00:00:00.000Z", "leaf_hash": OTHER, "position": 3}
    erased = {"field": "bid", "ground": "request", "position": 3}
    for kind, pub in (
        ("release_changed", {"release": "1.1"}),
        ("signing_key_changed", {"receipt_key": OTHER}),
        ("table_imported", {**head, "table": table}),
        ("value_erased_at", {**erased, "table": table}),
    ):
        must_pass(packed(with_service_leaf(files, kind, pub)))
    wrong: tuple[tuple[str, dict[str, Any]], ...] = (
        ("table_imported", {**head, "table": other}),
        ("value_erased_at", {**erased, "table": other}),
        ("table_imported", head),
        ("value_erased_at", erased),
        ("key_ended", {"ended_at": head["imported_at"], "ended_by": "own_1", "key": "key_" + "0" * 32}),
        ("log_opened", {**OPENED, "origin": "other.example/log"}),
        ("log_opened", {**OPENED, "log_key": "other.example/log+00000000+AQ=="}),
    )
    for kind, pub in wrong:
        data = packed(with_service_leaf(files, kind, pub))
        assert refusals(data) == ("service.ndjson, line 1", "service.ndjson, line 1")


OTHER_MEMBERS: tuple[tuple[str, dict[str, object]], ...] = (
    ("begin", {"card": None}),
    ("begin", {"field": None, "from": 0}),
    ("begin", {"from": 7}),
    ("card", {"begin": None}),
    ("card", {"field": None}),
    ("field", {"card": None}),
    (
        "field",
        {"begin": {"first": 1, "format": "chiptrail/dossier/v1", "hand": 0, "last": 1, "stream": "", "viewer": 0}},
    ),
)


@pytest.mark.parametrize(("kind", "members"), OTHER_MEMBERS)
def test_a_line_of_openings_with_a_further_member_is_refused_even_if_the_pages_follow_from_it(
    world: World, kind: str, members: dict[str, object]
) -> None:
    """One such dossier once ended the package's check with an IndexError, and another such dossier passed the check."""
    (hearts,) = [one for one in world.played if one.game == "insurance_hearts"]
    files = files_of(hearts.dossiers["hand 3 for seat 3"])
    lines = files[archive.OPENINGS].splitlines()
    number = next(number for number, line in enumerate(lines) if kind in json.loads(line))
    lines[number] = canonical({**json.loads(lines[number]), **members})
    files[archive.OPENINGS] = b"".join(line + b"\n" for line in lines)
    data = with_pages(files) if kind != "begin" else packed(files)
    place = f"{archive.OPENINGS}, line {number + 1}"
    assert refusals(data) == (place, place)
    failed = [one.step for one in offline_check.check(data).steps if one.outcome is Outcome.FAILED]
    assert failed[0] == ("leaves" if kind == "begin" else "openings")


def test_no_pages_are_made_from_events_that_can_not_be_read(world: World) -> None:
    files = files_of(world.played[0].dossiers["hand 1 for everybody"])
    with pytest.raises(DossierFlaw, match="must have a leaf"):
        dossier_writer.pages({**files, archive.EVENTS: b""})
