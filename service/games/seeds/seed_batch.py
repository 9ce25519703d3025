"""A batch: decks that share the players' seeds (G.9)."""

from collections.abc import Mapping

from msgspec import Struct


class Batch(Struct, frozen=True, gc=False):
    """A batch of decks to which the service has committed; its name is the epoch of its first deck.

    First each seat in the game may commit to a seed of its own; then each seat that committed shows its seed. The same
    seeds go into every deck of the batch.
    """

    decks: tuple[str, ...] = ()
    """The epochs of the batch whose decks are not fixed yet."""
    commitments: Mapping[int, str] = {}
    """The commitment of each seat that has committed, in hex."""
    shown: Mapping[int, str] = {}
    """The seed of each seat that has shown its seed, in hex."""
    omitted: frozenset[int] = frozenset()
    """Seats that had not committed when time was called."""
    is_closed: bool = False
    """Whether the time to commit is over: every seat that has committed shows its seed now."""
    is_ready: bool = False
    """Whether the seeds are settled, so that the batch's decks can be fixed."""
    seats: tuple[int, ...] = ()
    """Once the batch is ready, the seats whose seeds go into its decks."""
    is_ended: bool = False
    """Whether a player came or left, so that no further deck of the batch is used."""

    @property
    def seeds(self) -> Mapping[int, str]:
        """The seeds that go into the decks of the ready batch, by seat."""
        return {seat: self.shown[seat] for seat in self.seats}
