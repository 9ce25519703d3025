"""What the events of the service's own stream say in total: which keys there must be, and how the log is signed."""

from msgspec import Struct, field

from service.service_log.service_events import (
    KeyEnded,
    KeyRecord,
    LogOpened,
    ReleaseChanged,
    ServiceEvent,
    SigningKeyChanged,
    StreamShortened,
)


class Recorded(Struct, frozen=True):
    """An *event* of the stream, and its *position*."""

    position: int
    event: ServiceEvent


class ServiceState(Struct):
    """The state after some events: *keys* and *ends* by the key's name, and the present *opened* and *receipt_key*.

    *opened* is the newest `log_opened`, *receipt_key* the event that last named the key for receipts; None: no event
    did. *repeated* has the events that record a key, or its end, once more.
    """

    keys: dict[str, tuple[int, KeyRecord]] = field(default_factory=dict)
    ends: dict[str, tuple[int, KeyEnded]] = field(default_factory=dict)
    opened: tuple[int, LogOpened] | None = None
    receipt_key: tuple[int, str] | None = None
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
            case SigningKeyChanged():
                self.receipt_key = (position, event.receipt_key)
            case ReleaseChanged():
                self.release = event.release
            case StreamShortened():
                pass
            case _:
                raise TypeError(f"{type(event).__name__} is no event of this stream.")
