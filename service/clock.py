"""The service's only source of times, and of ids that contain the time (DECISIONS 83)."""

import time
from datetime import UTC, datetime, timedelta

import uuid_utils


class Clock:
    """The system's clocks; a test uses its own clock instead."""

    def now(self) -> str:
        """Return the date and time in UTC, such as ``2026-01-01T00:00:00.000Z``.

        The order of events does not depend on this time.
        """
        return datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"

    def monotonic(self) -> float:
        """Return the seconds of a clock that never goes back; only the difference between two results has a meaning."""
        return time.monotonic()

    def new_id(self, prefix: str) -> str:
        """Return a new id: *prefix*, an underscore and the 32 hex digits of a UUIDv7. An id is not a secret."""
        return f"{prefix}_{uuid_utils.uuid7().hex}"


def days_before(now: str, days: int) -> str:
    """Return the time that is *days* days before *now*, in the format of the times in leaves."""
    earlier = datetime.fromisoformat(now) - timedelta(days=days)
    return earlier.strftime("%Y-%m-%dT%H:%M:%S.") + f"{earlier.microsecond // 1000:03d}Z"
