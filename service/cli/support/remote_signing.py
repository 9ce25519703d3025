"""Signs the log of a service on another machine; that machine does not have the log key."""

from typing import Final, Literal

from msgspec import Struct

from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.client.client import Client
from service.transparency.log_signer import LogSigner, TreeMustContinue
from service.transparency.tree import TreeHead

_CURE: Final = "`chiptrail verify --checkpoint {}` at the service names the first leaf that may differ"

Done = Literal["signed", "published again", "no news"]


class ServiceKeys(Struct, frozen=True):
    """The public log key that the service expects."""

    log_key: str


class ServiceTree(Struct, frozen=True):
    """The service's tree, the *proof* that it continues the last signed tree, and the *published* checkpoint's size."""

    size: int
    root: str
    proof: tuple[str, ...]
    published: int


class PublishedSize(Struct, frozen=True):
    """The size of the checkpoint that the service has published."""

    size: int


class RemoteSigner:
    """Gets a service's tree through *client*, and signs each tree that continues the last tree that *signer* signed.

    If *begins* is true, a published checkpoint may begin a new log in a database that has checkpoints of another log.
    """

    def __init__(self, client: Client, signer: LogSigner, *, begins: bool = False) -> None:
        self._client = client
        self._signer = signer
        self._begins = begins

    def check_key(self) -> None:
        """Check that the service expects the checkpoints of this log key.

        Raises:
            CommandFailed: the service expects the checkpoints of another key.
            Problem, ServerGone: the service refused the request, or did not answer.
        """
        expected, ours = self._client.get("/v1/log/key", ServiceKeys).log_key, str(self._signer.key.public)
        if expected != ours:
            why = f"The service expects the checkpoints of the log key {expected}, and this is {ours}."
            raise CommandFailed(ExitCode.FAILED, why, f"start the service with --log-vkey {ours}")

    def look(self) -> Done:
        """If the tree has grown, sign the tree and publish the checkpoint. Return what was done.

        If the tree has not grown, and the service lacks the last checkpoint, publish this checkpoint again.

        Raises:
            TreeMustContinue: the log was rewritten, cut or restored, so nothing was signed.
            AnotherWasSigned: another process has signed with this key in the meantime.
            HeadFileError: the file with the last checkpoint can't be read or written.
            ValueError: the answer of the service is malformed.
            Problem, ServerGone: the service refused a request, or did not answer.
        """
        last = self._signer.last()
        tree = self._client.get("/v1/log/tree", ServiceTree, since=last.size)
        head = TreeHead(tree.size, bytes.fromhex(tree.root))
        if head.size < last.size:
            raise TreeMustContinue(
                f"The log has {head.size:,} leaves, but the last checkpoint covers {last.size:,}: the log was cut, or"
                f" an older database was restored. {_CURE.format(self._signer.head_file)}."
            )
        if head.size == last.size and head.root != last.root:
            raise TreeMustContinue(
                f"The {last.size:,} leaves of the log have another root than the last checkpoint: the log was"
                f" rewritten. {_CURE.format(self._signer.head_file)}."
            )
        if head.size == last.size and tree.published >= last.size:
            return "no news"
        if head.size == last.size:  # The last checkpoint was signed, but not published.
            self._publish(self._signer.last_note().decode())
            return "published again"
        try:
            note = self._signer.sign(head, last, [bytes.fromhex(one) for one in tree.proof])
        except TreeMustContinue as error:
            raise TreeMustContinue(f"{error} {_CURE.format(self._signer.head_file)}.") from error
        self._publish(str(note))
        return "signed"

    def _publish(self, note: str) -> None:
        body = {"checkpoint": note.removesuffix("\n").split("\n"), "begins": self._begins}
        self._client.post("/v1/log/checkpoint", PublishedSize, body)
