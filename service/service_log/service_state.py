"""The state after the events of the service's own stream: API keys, imports, archives, and the keys that sign."""

from msgspec import Struct, field

from service.event_store.disclosure import FieldPlace
from service.service_log.service_events import (
    KeyEnded,
    KeyRecord,
    LogOpened,
    ReleaseChanged,
    ServiceEvent,
    ServiceKeyRotated,
    SigningKeyChanged,
    StreamShortened,
    TableArchived,
    TableImported,
    ValueErasedAt,
)


class Recorded(Struct, frozen=True):
    """An *event* of the stream, and its *position*."""

    position: int
    event: ServiceEvent


class ServiceState(Struct):
    """The state after some events. The number beside an event is the event's position.

    *keys* has the first event that records each key, and *ends* the first event that records each revocation, by the
    key's id. *imports* has the newest `table_imported` of each imported stream. *values* has, for each imported stream,
    the places of the sealed values that were not erased, each with the position of the event that records the value.
    *release* is the newest version of the software. *opened* is the newest `log_opened`, *receipt_key* the newest key
    for receipts, and *rotation* the newest rotation of the service key; None: there is no such event. *unlinked* has
    each rotation whose `earlier` is not the new key of the preceding rotation, together with the preceding rotation's
    new key. *archives* has the newest `table_archived` of each stream. *repeated* has each event that records a key or
    a revocation again, and each revocation of an unrecorded key.
    """

    keys: dict[str, tuple[int, KeyRecord]] = field(default_factory=dict)
    ends: dict[str, tuple[int, KeyEnded]] = field(default_factory=dict)
    imports: dict[str, tuple[int, TableImported]] = field(default_factory=dict)
    values: dict[str, dict[FieldPlace, int]] = field(default_factory=dict)
    opened: tuple[int, LogOpened] | None = None
    receipt_key: tuple[int, str] | None = None
    rotation: tuple[int, ServiceKeyRotated] | None = None
    unlinked: list[tuple[int, ServiceKeyRotated, str]] = field(default_factory=list)
    archives: dict[str, tuple[int, TableArchived]] = field(default_factory=dict)
    release: str = ""
    repeated: list[Recorded] = field(default_factory=list)

    def apply(self, position: int, event: ServiceEvent) -> None:
        """Apply the *event* at *position*."""
        match event:
            case LogOpened():
                self.opened, self.receipt_key = (position, event), (position, event.receipt_key)
                self.release = event.release
            case KeyRecord():
                if self.keys.setdefault(event.key, (position, event))[0] != position:
                    self.repeated.append(Recorded(position, event))
            case KeyEnded():
                if event.key not in self.keys or self.ends.setdefault(event.key, (position, event))[0] != position:
                    self.repeated.append(Recorded(position, event))
            case TableImported():
                self.imports[event.table] = (position, event)
                self.values.setdefault(event.table, {}).update(dict.fromkeys(event.values, position))
            case ValueErasedAt():
                self.values.get(event.table, {}).pop((event.position, event.field), None)
            case SigningKeyChanged():
                self.receipt_key = (position, event.receipt_key)
            case TableArchived():
                self.archives[event.table] = (position, event)
            case ServiceKeyRotated():
                if self.rotation and self.rotation[1].service_key != event.earlier:
                    self.unlinked.append((position, event, self.rotation[1].service_key))
                self.rotation = (position, event)
            case ReleaseChanged():
                self.release = event.release
            case StreamShortened():
                pass
            case _:
                raise TypeError(f"{type(event).__name__} is no event of this stream.")
