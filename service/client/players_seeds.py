"""The seeds of one player: a commitment for each batch of decks, and the seed when asked (G.9) (DECISIONS 103)."""

import hmac
from typing import Final

from service.client.table_answers import Action, Move
from service.deck import client_commit
from service.entropy import Entropy

_COMMIT: Final = "commit_seed"
_REVEAL: Final = "reveal_seed"


class PlayersSeeds:
    """Gives the player in *seat* a random seed for each batch of decks.

    All seeds follow from one *secret*, so the player can show a seed without a list of the seeds. A player who comes
    back with the same secret can show the seeds that it has committed to before; without *secret*, a new one is drawn.
    """

    def __init__(self, seat: int, secret: bytes = b"") -> None:
        self._seat = seat
        self._secret = secret or Entropy().secret()

    def action_of(self, move: Move) -> Action | None:
        """Return the action of *move* with the commitment or the seed, or None if *move* asks for neither."""
        if move.kind not in {_COMMIT, _REVEAL}:
            return None
        epoch = str(move.action["epoch"])
        seed = hmac.digest(self._secret, f"{epoch}\n{self._seat}\n".encode(), "sha256")
        if move.kind == _REVEAL:
            return {**move.action, "client_seed": seed.hex()}
        return {**move.action, "client_commit": client_commit(epoch, self._seat, seed)}
