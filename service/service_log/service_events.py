"""The events of the service's own stream. None of these events has personal data; `by` is always `service`."""

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

from msgspec import Meta, Struct

from service.event_store.codec import Codec

Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="32 bytes as lower-case hex.")]
KeyName = Annotated[str, Meta(pattern="^key_[0-9a-f]{32}$", description="The id of an API key.")]
ServiceKeyName = Annotated[str, Meta(pattern="^svk_[0-9a-f]{32}$", description="The id of a service key.")]
TableName = Annotated[
    str,
    Meta(pattern="^(tbl|dsp)_[0-9a-f]{32}$", description="The id of a table, or of the stream of a table's disputes."),
]
Limit = Annotated[
    str,
    Meta(
        pattern="^tbl_[0-9a-f]{32}(/[1-9][0-9]{0,9})?$",
        description="A table, or a dispute by its table and number: tbl_<hex>/2.",
    ),
]
Position = Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of an event in its stream.")]


class ServiceEvent(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """An event of the service's own stream."""

    VERSION: ClassVar[int] = 1


class LogOpened(ServiceEvent, frozen=True, kw_only=True):
    """The log *origin* began. The stream begins with this event, and has another such event for each new log.

    *log_key* verifies the log's checkpoints, and *receipt_key* the receipts; *release* is the version of the software.
    *checkpoint* is the last checkpoint of the earlier log, a signed note; "": no checkpoint of an earlier log is known.
    """

    origin: str
    log_key: str
    receipt_key: Hash
    release: str
    checkpoint: str = ""


class StreamShortened(ServiceEvent, frozen=True, kw_only=True):
    """When a new log began, a stream was shorter than in the log before.

    *stream* ended at *position*; its last known position in the log before was *earlier*.
    """

    stream: str
    position: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    earlier: Position


class KeyRecord(ServiceEvent, frozen=True, kw_only=True):
    """The members of the events that record a *key*. A key's label is in no event: people may write names in labels.

    *secret_hash* is the hash of the key's secret. *expires_at* is "" if the key does not expire. *limits* are the
    tables and disputes to which a key for audits is limited.
    """

    key: KeyName
    owner: str
    scopes: tuple[str, ...]
    secret_hash: Hash
    made_by: str
    made_at: str
    expires_at: str = ""
    limits: Annotated[
        tuple[Limit, ...], Meta(description="The tables and disputes to which a key for audits is limited.")
    ] = ()


class KeyMade(KeyRecord, frozen=True, kw_only=True):
    """An API key was made."""


class KeyAdopted(KeyRecord, frozen=True, kw_only=True):
    """An API key had been made before the stream began."""


class KeyEnded(ServiceEvent, frozen=True, kw_only=True):
    """An API key was revoked. No event records an expiry."""

    key: KeyName
    ended_by: str
    ended_at: str


class TableImported(ServiceEvent, frozen=True, kw_only=True):
    """An import wrote events or sealed values of *table* (or of the stream of its disputes).

    The stream's last event is now at *position*, and its leaf has *leaf_hash*. *origin* is the log that the imported
    file names; "": the file names no log. *imported_at* is the time at which the first import of the stream began.
    *values* has the position and the field of each sealed value that was written.
    """

    table: TableName
    position: Position
    leaf_hash: Hash
    imported_at: str
    origin: str = ""
    values: tuple[tuple[Position, str], ...] = ()


class ValueErasedAt(ServiceEvent, frozen=True, kw_only=True):
    """The sealed value *field* of the event at *position* of an imported *table* was erased on this *ground*.

    *table* may also be the stream of the disputes of an imported table.
    """

    table: TableName
    position: Position
    field: str
    ground: str


class ReleaseChanged(ServiceEvent, frozen=True, kw_only=True):
    """A server started with another version of the software: *release*."""

    release: str


class SigningKeyChanged(ServiceEvent, frozen=True, kw_only=True):
    """The service signs receipts with another key from now on; *receipt_key* verifies these receipts."""

    receipt_key: Hash


class ServiceKeyRotated(ServiceEvent, frozen=True, kw_only=True):
    """The service key *service_key*, with this *fingerprint*, seals and signs from now on, instead of *earlier*.

    The *earlier* key still opens the values that it sealed.
    """

    service_key: ServiceKeyName
    fingerprint: Hash
    earlier: ServiceKeyName


class TableArchived(ServiceEvent, frozen=True, kw_only=True):
    """An archive has *table* (or the stream of its disputes) up to *position*; the leaf at *position* has *leaf_hash*.

    *file_hash* is the SHA-256 of the archive.
    """

    table: TableName
    position: Position
    leaf_hash: Hash
    file_hash: Hash


KINDS: Final = (
    LogOpened,
    StreamShortened,
    KeyMade,
    KeyAdopted,
    KeyEnded,
    TableImported,
    ValueErasedAt,
    ReleaseChanged,
    SigningKeyChanged,
    ServiceKeyRotated,
    TableArchived,
)


def _type_name(cls: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


SERVICE_EVENTS: Final[Mapping[str, type[ServiceEvent]]] = {_type_name(cls): cls for cls in KINDS}
"""The class of each type of event in the service's own stream."""
SERVICE_CODEC: Final = Codec(SERVICE_EVENTS)
