"""The figures of the newest checkpoint of the log, for the first page."""

from base64 import b64encode
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from service.transparency import checkpoint, signed_note

_TIME_BYTES: Final = 8
_COSIGNED_BYTES: Final = _TIME_BYTES + 64


class CheckpointFigures(Struct, frozen=True, kw_only=True):
    """The *origin* of the log, the *size* and *root* of its newest checkpoint, and how many *witnesses* cosigned it.

    *cosigned_at* is the time of the last cosignature (RFC 3339); "": there is none.
    """

    origin: str
    size: int
    root: str
    witnesses: int
    cosigned_at: str


def checkpoint_figures(data: bytes) -> CheckpointFigures:
    """Return the figures of the checkpoint in the note *data*, whose signatures the service has checked.

    Raises:
        NoteMustBeGenuine: *data* is no checkpoint.
    """
    note = signed_note.parse(data)
    found = checkpoint.parsed(note)
    by_witnesses = [one.signature for one in note.signatures if len(one.signature) == _COSIGNED_BYTES]
    times = [int.from_bytes(signature[:_TIME_BYTES], "big") for signature in by_witnesses]
    return CheckpointFigures(
        origin=found.origin,
        size=found.size,
        root=b64encode(found.root).decode(),
        witnesses=len(by_witnesses),
        cosigned_at=f"{datetime.fromtimestamp(max(times), UTC):%Y-%m-%dT%H:%M:%SZ}" if times else "",
    )
