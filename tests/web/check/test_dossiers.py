"""The browser finds in a dossier what verify.py finds: the same verdict, place and text for each step."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from service.canonical import canonical
from service.dossier import archive
from service.dossier.archive import packed
from tests import seeds
from tests.dossier.changes import KINDS, Changer
from tests.dossier.forged import OPENED, forged, with_service_leaf, with_witnesses
from tests.dossier.made import World, files_of
from tests.dossier.test_forged import CASES
from tests.vectors import recorded_vectors, vectors_of_dossier
from tests.vectors.vectors_of_dossier import FILE, Change
from tests.web.check.in_browser import Checker, alike, by_verify_py

VECTORS = recorded_vectors.vectors()
DOSSIER = (recorded_vectors.FOLDER / FILE).read_bytes()
AT_A_TIME = 200
VALUES: tuple[Any, ...] = (None, 0, "x", [], {}, [[1]], -1)


def must_agree(checker: Checker, files: Sequence[bytes], kept: Sequence[tuple[str, bytes]] = ()) -> list[bool]:
    """Return for each of *files* whether it passed; the browser must find what verify.py finds."""
    theirs = [by_verify_py(data, kept) for data in files]
    for ours, wanted in zip(checker.findings(files, kept), theirs, strict=True):
        assert alike(ours) == alike(wanted)
    return [all(one.verdict == "ok" for one in findings) for findings in theirs]


def test_each_dossier_of_each_game_passes_every_check(checker: Checker, played: World) -> None:
    files = [DOSSIER, *(data for one in played.played for data in one.dossiers.values())]
    assert all(must_agree(checker, files))


@pytest.mark.parametrize(
    "number", [pytest.param(200, id="200"), pytest.param(10_000, id="10,000", marks=pytest.mark.full)]
)
def test_a_single_change_is_refused_at_the_place_that_verify_py_names(
    checker: Checker, played: World, number: int
) -> None:
    changer = Changer(played, seeds.chance("changes of dossiers in the browser"))
    kinds = set()
    for _ in range(number // AT_A_TIME):
        some = [changer.changed() for _ in range(AT_A_TIME)]
        kinds |= {change.what.split()[0] for change in some}
        assert not any(must_agree(checker, [change.data for change in some]))
    assert kinds == {kind.__name__ for kind in KINDS}


def test_a_signed_history_that_cannot_be_is_refused_at_its_place(checker: Checker, played: World) -> None:
    tables = {one.game: one.dossiers["the table for everybody"] for one in played.played}
    passing = [forged(data, lambda _: None) for data in tables.values()]
    assert all(must_agree(checker, passing))
    assert not any(must_agree(checker, [forged(tables[game], edit) for game, _, edit in CASES.values()]))


def test_leaves_with_values_of_other_types_are_refused(checker: Checker, played: World) -> None:
    data = played.played[0].dossiers["hand 1 for everybody"]
    files = []
    for kind in ("cards_dealt", "deck_fixed", "deck_opened"):
        for value in VALUES:

            def edit(leaves: list[dict[str, Any]], kind: str = kind, value: object = value) -> None:
                leaf = next(one for one in leaves if one["type"] == kind)
                leaf["pub"] = dict.fromkeys(leaf["pub"], value)

            files.append(forged(data, edit))
    assert not any(must_agree(checker, files))


def test_cosignatures_and_leaves_of_the_service_are_checked(checker: Checker, played: World) -> None:
    files = files_of(forged(played.played[0].dossiers["hand 1 for everybody"], lambda _: None))
    witnessed = with_witnesses(files, "witness.example/a", "witness.example/b")
    own = with_service_leaf(files, "log_opened", OPENED)
    assert all(must_agree(checker, [packed(witnessed), packed(own)]))
    keys, line = witnessed[archive.KEYS].splitlines(keepends=True), own[archive.SERVICE]
    wrong = [
        {**witnessed, archive.KEYS: b"".join([keys[0], keys[2], keys[1]])},
        {**witnessed, archive.KEYS: b"".join(keys[:-1])},
        {**own, archive.SERVICE: line + line},
        {**own, archive.SERVICE: line[:-1]},
        {**own, archive.SERVICE: line.replace(b'"index":0', b'"index":false')},
        with_service_leaf(files, "value_erased_at", {"field": "bid", "ground": "request", "position": 3}),
        {**own, archive.SERVICE: b"[" * 10_000 + b"\n"},
        {name: data for name, data in own.items() if name != archive.CASE},
    ]
    assert not any(must_agree(checker, [packed(one) for one in wrong]))


def test_an_opening_that_opens_nothing_is_refused(checker: Checker, played: World) -> None:
    files = files_of(
        next(one.dossiers["the table for everybody"] for one in played.played if one.game == "insurance_hearts")
    )
    lines = [json.loads(line) for line in files[archive.DISPUTES].splitlines()]
    wrong = []
    for nothing in VALUES:
        opened = [canonical({"opening": nothing, **line}) + b"\n" for line in lines]
        wrong.append(packed({**files, archive.DISPUTES: b"".join(opened)}))
    assert not any(must_agree(checker, wrong))


def test_the_changes_of_the_vectors_are_refused(checker: Checker) -> None:
    files, changes = archive.unpacked(DOSSIER), VECTORS["dossier"]
    changed = [vectors_of_dossier.changed(files, Change(**one)) for one in changes["changes"]]
    changed += [vectors_of_dossier.rechained(files, Change(**one)) for one in changes["changes_with_the_log_key"]]
    assert len(changed) > 20
    assert not any(must_agree(checker, [packed(one) for one in changed]))


def kept_of_vectors() -> list[tuple[str, bytes]]:
    vector = VECTORS["dossier"]
    kept = {**vector["kept"], "receipt": recorded_vectors.written(vector["kept"]["receipt"])}
    keys = f"log_key {vector['log_vkey']}\nreceipt_key {vector['receipt_key']}\n"
    return [(name, text.encode()) for name, text in {**kept, "keys": keys}.items()]


def test_what_the_reader_kept_is_compared(checker: Checker, played: World) -> None:
    kept = kept_of_vectors()
    assert must_agree(checker, [DOSSIER], kept) == [True]
    other = played.played[0].dossiers["hand 1 for everybody"]
    for one in kept:
        assert must_agree(checker, [other], [one]) == [False]
    proof = b"c2sp.org/tlog-proof@v1\n"
    for wrong in (b"", b"{}", b"[]", b'{"receipt":1}', b"old 3\n\n", proof, b"\xff", b"x" * 2**21):
        assert must_agree(checker, [DOSSIER], [("kept", wrong)]) == [False]
