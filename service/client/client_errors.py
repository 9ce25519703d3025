"""The exceptions of a client of the API: the server refused a request, did not answer, or contradicts itself."""

from msgspec import Struct


class ClientMisused(ValueError):
    """A client was given a malformed address, API key or Idempotency-Key, or an unknown way to wait.

    The message does not contain the API key.
    """


class ServerGone(Exception):
    """The server did not respond, or was busy, for longer than the client's patience; or its answer can't be used."""


class NotTheApi(ServerGone):
    """An answer is not from Chiptrail's API: another server, a proxy, or a server of another release gave it."""


class AnswerTooLong(ServerGone):
    """An answer is longer than the client accepts. If it answers a command, the command may have been recorded."""


class AnswerTooSlow(ServerGone):
    """An answer came too slowly. If it answers a command, the command may have been recorded."""


class Problem(Exception):
    """The server refused a request with this *status*, *code* and *detail*; *rule* is the game's rule ("": none)."""

    def __init__(self, status: int, body: "ProblemBody") -> None:
        errors = "".join(f" {error.message}" for error in body.errors)
        super().__init__(f"{status} {body.code}: {body.detail or body.title}{errors}")
        self.status = status
        self.code = body.code
        self.detail = body.detail
        self.rule = body.rule


class LogContradiction(Exception):
    """The server contradicts what it has acknowledged or signed before; *code* names the condition that it breaks."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class KeptFileError(Exception):
    """A client's file of receipts can't be used, or is damaged. The message names the file and the remedy."""


class ErrorItem(Struct, frozen=True):
    """One error in a request."""

    message: str = ""


class ProblemBody(Struct, frozen=True):
    """The members of problem details (RFC 9457) that this client uses."""

    code: str = ""
    title: str = ""
    detail: str = ""
    rule: str = ""
    errors: tuple[ErrorItem, ...] = ()
