"""Makes the lines of disputes in an export with openings; everybody may read the reasons in these lines (D.9)."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection

from service.audit.disputes.dispute_audit import erased_in
from service.disputes.dispute_events import DISPUTE_CODEC
from service.disputes.dispute_rules import REASON
from service.event_store.codec import RecordedEvent
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.event_store.stream_reader import StreamReader
from service.secrets.encryption import Tampered, WrongKey
from service.secrets.openings import FieldOpening, OpeningMustMatch
from service.tables.envelopes import with_openings
from service.tables.visibility import DisclosedField


class TextLost(Exception):
    """A reason is missing or altered: only the *lines* before its event can be written."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        super().__init__("a reason is missing or altered")
        self.lines = lines


class DisputeLines:
    """Makes the lines of one stream of disputes: each has an event and, if the event has a reason, the reason."""

    def __init__(self, log: Log, stream_id: bytes) -> None:
        self._log = log
        self._stream_id = stream_id

    def lines(self, connection: Connection, page: Sequence[RecordedEvent]) -> Sequence[bytes]:
        """Return the events of *page* in envelopes.

        Raises:
            TextLost: a reason can't be decrypted, does not match its commitment, or is missing although the stream is
                not imported and records no erasure of the reason.
        """
        made: list[bytes] = []
        for one in page:
            try:
                openings = self._openings(connection, one)
            except (OpeningMustMatch, Tampered, WrongKey) as error:
                raise TextLost(made) from error
            fields = [DisclosedField(one.position, opening) for opening in openings]
            made += [msgspec.json.encode(item) for item in with_openings([one], (), fields)]
        return made

    def _openings(self, connection: Connection, one: RecordedEvent) -> list[FieldOpening]:
        if REASON not in one.priv:
            return []
        found = [each for each in self._log.openings(connection, self._stream_id, [one]) if each.field == REASON]
        if not found and not self._may_be_missing(connection, one.position):
            raise OpeningMustMatch(REASON)
        return found

    def _may_be_missing(self, connection: Connection, position: int) -> bool:
        if self._log.imported_at(connection, self._stream_id):
            return True
        try:
            recorded = StreamReader(DISPUTE_CODEC, self._log.quarantine).read(connection, self._stream_id)
        except StreamCorrupted as error:
            recorded = error.sound_events
        return (position, REASON) in erased_in(recorded)
