"""The seeds of players in tests: each seat has a seed of its own for each batch."""

from hashlib import sha256

from msgspec.structs import replace

from service.deck import client_commit
from service.games.common_commands import CommitSeed, RevealSeed
from service.games.game import Command, acting_seat


def seed_of(epoch: str, seat: int) -> str:
    """Return the seed of *seat* for the batch *epoch*, in hex."""
    return sha256(f"{epoch} {seat}".encode()).hexdigest()


def with_seed(command: Command) -> Command:
    """Return *command* with the commitment or the seed of its seat, if the command gives a commitment or a seed."""
    if isinstance(command, CommitSeed):
        seed = bytes.fromhex(seed_of(command.epoch, acting_seat(command.by)))
        return replace(command, client_commit=client_commit(command.epoch, acting_seat(command.by), seed))
    if isinstance(command, RevealSeed):
        return replace(command, client_seed=seed_of(command.epoch, acting_seat(command.by)))
    return command
