"""The seeds of one player: commits to a seed for each batch of decks, and shows it later (G.9) (DECISIONS 103)."""

import hmac
import logging
from collections.abc import Sequence
from typing import Final

from service.client.client_errors import Problem
from service.client.endpoints import Api
from service.client.table_answers import Action, Move, Table
from service.deck import client_commit
from service.entropy import Entropy

_COMMIT: Final = "commit_seed"
_REVEAL: Final = "reveal_seed"
_CONFLICT: Final = 409
_LOG: Final = logging.getLogger("service.client")


class PlayersSeeds:
    """Commits to a seed of the player in *seat* for each batch of decks, and shows the seed when it is due.

    All seeds follow from one *secret*, so the player can show a seed without a list of the seeds. A player who comes
    back with the same secret can show the seeds that it has committed to before; without *secret*, a new secret is
    drawn.

    If the service knew a player's seed before committing to its own seed, it could choose the deck. So a seed is shown
    only if the log has the player's commitment to the seed: by then the log also has the service's own commitment.
    """

    def __init__(self, seat: int, secret: bytes = b"") -> None:
        self._seat = seat
        self._secret = secret or Entropy().secret()
        self._committed = set[str]()
        self._withheld = set[str]()

    def give(self, api: Api, table: str, moves: Sequence[Move]) -> bool:
        """Commit to a seed at *table*, or show a seed, if one of *moves* asks for it; return whether this was done.

        Raises:
            Problem, ServerGone, LogContradiction, KeptFileError, SealsOther: as for `Client.post` and `SigningApi.act`;
                but after a refusal with the status 409 the method returns False.
        """
        for move in moves:
            action = self.action_of(move)
            if action is None or not self._may_give(api, table, action):
                continue
            try:
                api.act(table, action, idempotency_key=f"{move.kind} {action['epoch']}")
            except Problem as problem:
                if problem.status != _CONFLICT:
                    raise
                return False  # Time was called, or another player came or left.
            self._committed.add(str(action["epoch"]))
            return True
        return False

    def action_of(self, move: Move) -> Action | None:
        """Return the action of *move* with the commitment or the seed, or None if *move* asks for neither."""
        if move.kind not in {_COMMIT, _REVEAL}:
            return None
        epoch = str(move.action["epoch"])
        seed = self._seed(epoch)
        if move.kind == _REVEAL:
            return {**move.action, "client_seed": seed.hex()}
        return {**move.action, "client_commit": client_commit(epoch, self._seat, seed)}

    def others(self, moves: Sequence[Move], table: Table) -> Sequence[Move]:
        """Return the moves for a bot: those in *moves* that are not about seeds; none while only a seed is due."""
        found = [move for move in moves if move.kind not in {_COMMIT, _REVEAL}]
        return [] if table.seeds.waits and len(found) < len(moves) else found

    def _may_give(self, api: Api, table: str, action: Action) -> bool:
        """Return whether the player may send *action*.

        The player may commit to a seed if the batch in *action* is of *table*. The player may show a seed if, besides,
        the events of *table* have the commitment to the seed.
        """
        epoch = str(action["epoch"])
        if epoch in self._withheld:
            return False
        is_of_table = epoch.startswith(f"{table}/")
        if is_of_table and (action["type"] == _COMMIT or epoch in self._committed or self._finds(api, table, epoch)):
            return True
        self._withheld.add(epoch)
        _LOG.warning(
            "The server asks for a seed of %s, and the events of %s have no commitment to it. The seed is not shown. If"
            " this player was stopped before, start it with the same seeds_secret.",
            epoch,
            table,
        )
        return False

    def _finds(self, api: Api, table: str, epoch: str) -> bool:
        """Return whether the events of *table* have this player's commitment, which an earlier run may have made."""
        after, has_more, commitment = 0, True, client_commit(epoch, self._seat, self._seed(epoch))
        while has_more:
            page = api.events(table, after=after, wait_seconds=0)
            if any(event.leaf.pub.get("client_commit") == commitment for event in page.items):
                return True
            after, has_more = page.next, page.has_more
        return False

    def _seed(self, epoch: str) -> bytes:
        return hmac.digest(self._secret, f"{epoch}\n{self._seat}\n".encode(), "sha256")
