"""The clocks, ids and random bytes of a simulated service, all from one seed."""

from datetime import UTC, datetime, timedelta
from random import Random

from service.entropy import Entropy

DAY_SECONDS = 86_400.0
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """Both clocks of the simulation: the monotonic clock only goes forward, the wall clock also jumps."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.ahead = 0.0

    def now(self) -> str:
        at = _BEGIN + timedelta(seconds=self.seconds + self.ahead)
        return at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Simulated(Entropy):
    """The clock and entropy that one simulated process uses."""

    def __init__(self, clock: Clock, chance: Random) -> None:
        self._clock = clock
        self._chance = chance

    def secret(self) -> bytes:
        return self._chance.randbytes(32)

    def nonce(self) -> bytes:
        return self._chance.randbytes(12)

    def now(self) -> str:
        return self._clock.now()

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{self._chance.randbytes(16).hex()}"

    def monotonic(self) -> float:
        return self._clock.seconds
