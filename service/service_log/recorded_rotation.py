"""Records a rotation of the service key, in the transaction that binds the database to the new key (DECISIONS 121)."""

from sqlalchemy import Connection

from service.secrets import key_check, receipts
from service.secrets.keyring import ServiceKey
from service.service_log.service_events import ServiceKeyRotated, SigningKeyChanged
from service.service_log.service_log import ServiceLog


def rotate(connection: Connection, service_log: ServiceLog, earlier: ServiceKey, new: ServiceKey) -> None:
    """Rotate the service key from *earlier* to *new*, and record this; the database role must own `service_keys`."""
    service_log.open_if_needed(connection)
    key_check.rebind(connection, new)
    rotated = ServiceKeyRotated(service_key=new.key_id, fingerprint=new.fingerprint, earlier=earlier.key_id)
    service_log.append(connection, [rotated, SigningKeyChanged(receipt_key=receipts.public_key(new))])
