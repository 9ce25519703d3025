"""Single changes to a dossier, chosen at random: each one must be refused."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.dossier import archive
from service.transparency import checkpoint, signed_note
from tests.dossier.made import Files, Played, World, files_of

IN_LINES = (
    archive.README,
    archive.CASE,
    archive.EVENTS,
    archive.OPENINGS,
    archive.SERVICE,
    archive.DISPUTES,
    archive.CHECKPOINT,
    archive.PROOF,
    archive.KEYS,
)


class Change(NamedTuple):
    """The dossier *data* after the change *what*."""

    what: str
    data: bytes


class Changer:
    """Changes dossiers of *world*."""

    def __init__(self, world: World, chance: Random) -> None:
        self._world = world
        self._chance = chance

    def changed(self) -> Change:
        """Return a random dossier with one random change."""
        played = self._chance.choice(self._world.played)
        name, data = self._chance.choice(sorted(played.dossiers.items()))
        kind = self._chance.choice(KINDS)
        changed = kind(self, played, data)
        return Change(f"{kind.__name__} in {name} of {played.game}", changed) if changed != data else self.changed()

    def _bit(self, _played: Played, data: bytes) -> bytes:
        """Flip a bit of the .zip file itself."""
        return self._with_a_flipped_bit(data)

    def _byte(self, _played: Played, data: bytes) -> bytes:
        """Replace, remove or add a byte of the .zip file itself."""
        place = self._chance.randrange(len(data))
        byte = bytes([self._chance.randrange(256)])
        return data[:place] + self._chance.choice((byte, b"", byte + data[place : place + 1])) + data[place + 1 :]

    def _bit_of_a_file(self, _played: Played, data: bytes) -> bytes:
        return self._edited(data, archive.NAMES, self._with_a_flipped_bit)

    def _byte_of_a_file(self, played: Played, data: bytes) -> bytes:
        return self._edited(data, archive.NAMES, lambda file: self._byte(played, file))

    def _line_dropped(self, _played: Played, data: bytes) -> bytes:
        return self._edited(data, IN_LINES, lambda file: self._lines(file, lambda lines, at: lines.pop(at)))

    def _line_doubled(self, _played: Played, data: bytes) -> bytes:
        return self._edited(
            data, IN_LINES, lambda file: self._lines(file, lambda lines, at: lines.insert(at, lines[at]))
        )

    def _lines_exchanged(self, _played: Played, data: bytes) -> bytes:
        def exchange(lines: list[bytes], at: int) -> None:
            other = self._chance.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]

        return self._edited(data, IN_LINES, lambda file: self._lines(file, exchange))

    def _signature_of_another_key(self, _played: Played, data: bytes) -> bytes:
        files = files_of(data)
        note = signed_note.parse(files[archive.CHECKPOINT])
        forger = Ed25519PrivateKey.from_private_bytes(self._chance.randbytes(32))
        forged = str(checkpoint.signed(checkpoint.parsed(note), forger))
        if self._chance.random() < 0.5:  # the line has the key hash of the right key
            right, wrong = note.signatures[0], signed_note.parse(forged.encode()).signatures[0]
            forged = str(
                signed_note.Note(note.text, (signed_note.Signature(right.name, right.key_hash, wrong.signature),))
            )
        return _with_checkpoint(files, forged)

    def _older_checkpoint(self, _played: Played, data: bytes) -> bytes:
        return _with_checkpoint(files_of(data), self._chance.choice(self._world.checkpoints[:-1]))

    def _opening_of_another_hand(self, played: Played, data: bytes) -> bytes:
        """Insert an opening of a random dossier, perhaps in place of an opening of this dossier."""
        other = self._chance.choice(
            [*played.dossiers.values(), *self._chance.choice(self._world.played).dossiers.values()]
        )
        openings = files_of(other)[archive.OPENINGS].splitlines(keepends=True)[1:]
        if not openings:
            return data
        foreign = self._chance.choice(openings)

        def insert(lines: list[bytes], at: int) -> None:
            lines[max(at, 1) : max(at, 1) + self._chance.randrange(2)] = [foreign]

        return self._edited(data, [archive.OPENINGS], lambda file: self._lines(file, insert))

    def _file_of_another_dossier(self, played: Played, data: bytes) -> bytes:
        other = files_of(self._chance.choice(sorted(played.dossiers.values())))
        name = self._chance.choice(sorted(other))
        return archive.packed({**files_of(data), name: other[name]})

    def _edited(self, data: bytes, names: tuple[str, ...] | list[str], edit: Callable[[bytes], bytes]) -> bytes:
        files = files_of(data)
        name = self._chance.choice([name for name in names if name in files])
        return archive.packed({**files, name: edit(files[name])})

    def _lines(self, file: bytes, edit: Callable[[list[bytes], int], object]) -> bytes:
        lines = file.splitlines(keepends=True)
        edit(lines, self._chance.randrange(len(lines)))
        return b"".join(lines)

    def _with_a_flipped_bit(self, data: bytes) -> bytes:
        place = self._chance.randrange(len(data))
        return data[:place] + bytes([data[place] ^ 1 << self._chance.randrange(8)]) + data[place + 1 :]


def _with_checkpoint(files: Files, note: str) -> bytes:
    """Return the dossier with another checkpoint, also at the end of its proof."""
    head, _, _ = files[archive.PROOF].decode().partition("\n\n")
    return archive.packed({**files, archive.CHECKPOINT: note.encode(), archive.PROOF: f"{head}\n\n{note}".encode()})


KINDS = (
    Changer._bit,
    Changer._byte,
    Changer._bit_of_a_file,
    Changer._byte_of_a_file,
    Changer._line_dropped,
    Changer._line_doubled,
    Changer._lines_exchanged,
    Changer._signature_of_another_key,
    Changer._older_checkpoint,
    Changer._opening_of_another_hand,
    Changer._file_of_another_dossier,
)
