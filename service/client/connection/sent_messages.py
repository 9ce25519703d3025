"""The messages in a response of Server-Sent Events, as the HTML standard defines them."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from service.client.client_errors import AnswerTooLong

MESSAGE: Final = "message"
"""The type of a message that does not name its type."""


class SentMessage(Struct, frozen=True):
    """A message: its type *event*, its *data*, and the last *id* that the server has sent ("": none yet).

    A message without data has only a new id.
    """

    event: str
    id: str
    data: bytes


class SentMessages:
    """Finds the messages in the pieces of a response; a message may have at most *most_bytes*."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._line: list[bytes] = []
        self._begin()
        self._id = ""

    @property
    def is_amid(self) -> bool:
        """Whether the last piece ended amid a message or a comment."""
        return self._bytes > 0

    def found(self, piece: bytes) -> Iterator[SentMessage]:
        """Yield the messages that end in *piece*, the next bytes of the response.

        Raises:
            AnswerTooLong: a message is longer than *most_bytes*.
        """
        *ended, rest = piece.split(b"\n")
        for end in ended:
            self._add(end)
            line = b"".join(self._line).removesuffix(b"\r")
            self._line.clear()
            if line:
                self._read(line)
                continue
            if self._data or self._has_id:
                yield SentMessage(self._event or MESSAGE, self._id, b"\n".join(self._data))
            self._begin()
        self._add(rest)

    def _begin(self) -> None:
        self._bytes = 0
        self._event = ""
        self._data: list[bytes] = []
        self._has_id = False

    def _add(self, part: bytes) -> None:
        self._line.append(part)
        self._bytes += len(part)
        if self._bytes > self._most_bytes:
            raise AnswerTooLong(
                f"The server sent a message of more than {self._most_bytes:,} bytes, the most that this client accepts."
                " If a message may be that long, give the client a greater `most_bytes`."
            )

    def _read(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._data.append(value)
            case b"event":
                self._event = value.decode(errors="replace")
            case b"id":
                self._id, self._has_id = value.decode(errors="replace"), True
            case _:
                pass  # a comment, or `retry`, which the client ignores: it has its own pauses
