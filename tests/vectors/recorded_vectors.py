"""The vectors in api_spec; `python -m tests.vectors.recorded_vectors` adds vectors, and never changes one.

A vector is a member of vectors.json, or a file of dossier.zip except the program verify.py and the pages that the
program makes. The command gives dossier.zip the present program and its pages.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from service.dossier import archive, dossier_writer
from tests.vectors import vectors_of_log, vectors_of_play, vectors_of_seeds
from tests.vectors.recorded_world import World, world
from tests.vectors.vectors_of_dossier import FILE, FROZEN, dossier, openings

COMMAND: Final = "python -m tests.vectors.recorded_vectors"
FOLDER: Final = Path(__file__).parents[2] / "api_spec"
VECTORS: Final = FOLDER / "vectors.json"
Vectors = Mapping[str, Any]

MADE: Final[Mapping[str, Callable[[Vectors, World], object]]] = {
    "test_keys": lambda _first, _world: vectors_of_log.test_keys(),
    "receipts": lambda _first, played: vectors_of_log.receipts_of(played),
    "command_ids": vectors_of_play.command_ids,
    "signed_moves": lambda _first, played: vectors_of_play.signed_moves(played),
    "sealed_choices": lambda _first, played: vectors_of_play.sealed_choices(played),
    "players_seeds": lambda _first, _world: vectors_of_seeds.players_seeds(),
    "checkpoints": lambda first, _world: vectors_of_log.checkpoints(first),
    "leaf_proofs": lambda first, _world: vectors_of_log.leaf_proofs(first),
    "consistency_proofs": lambda first, _world: vectors_of_log.consistency_proofs(first),
    "tile_bytes": lambda first, _world: vectors_of_log.tile_bytes(first),
    "big_tree_tiles": lambda _first, _world: vectors_of_log.big_tree_tiles(),
    "tile_paths": lambda _first, _world: vectors_of_log.tile_paths(),
    "dossier": lambda _first, played: dossier(played),
    "openings": lambda _first, played: openings(played),
}
"""By vector: the function that makes it again from the older vectors and the recorded tables."""


def vectors() -> dict[str, Any]:
    """Return the vectors of vectors.json."""
    found: dict[str, Any] = json.loads(VECTORS.read_text(encoding="utf-8"))
    return found


def made_again(first: Vectors, played: World) -> dict[str, Any]:
    """Return the vectors of `MADE`, as a reader of JSON gets them."""
    made: dict[str, Any] = json.loads(json.dumps({name: make(first, played) for name, make in MADE.items()}))
    return made


def recorded_dossier() -> dict[str, bytes]:
    """Return the files of dossier.zip; its program may be from an earlier commit."""
    return dict(archive.unpacked((FOLDER / FILE).read_bytes()))


def written(value: object) -> str:
    """Return the text of a file with the JSON *value*."""
    return json.dumps(value, indent=1) + "\n"


def with_program(files: Mapping[str, bytes]) -> bytes:
    """Return the dossier with the frozen files among *files*, the present program, and the pages that it makes."""
    kept = {name: files[name] for name in FROZEN} | {archive.PROGRAM: archive.program()}
    readme, case = dossier_writer.pages(kept)
    return archive.packed({**kept, archive.README: readme, archive.CASE: case})


def add() -> None:
    """Add the vectors that are missing, and give the dossier the present program."""
    with TemporaryDirectory() as folder:
        played = world(Path(folder))
    first = vectors()
    missing = {name: one for name, one in made_again(first, played).items() if name not in first}
    VECTORS.write_text(written({**first, **missing}), encoding="utf-8")
    is_there = (FOLDER / FILE).exists()
    (FOLDER / FILE).write_bytes(with_program(recorded_dossier()) if is_there else played.hand.dossier)


if __name__ == "__main__":
    add()
