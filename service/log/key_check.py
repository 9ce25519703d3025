"""The database remembers which service key it belongs to, and is opened with no other."""

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from service.log import faults, tables
from service.log.keyring import ServiceKey
from service.log.signer import Signer


class OtherServiceKey(Exception):
    """The database belongs to another service key: what it has sealed could not be opened with this one."""


def check_service_key(connection: Connection, service_key: ServiceKey) -> None:
    """Pass the service key that the database belongs to; a new database belongs to the first that comes.

    Raises:
        OtherServiceKey: it belongs to another one.
    """
    known = select(tables.service_keys.c.fingerprint)
    fingerprint = bytes.fromhex(service_key.fingerprint)
    if (found := connection.scalar(known)) is None:
        _remember(connection, service_key)
        found = connection.scalar(known)
    if found != fingerprint:
        raise OtherServiceKey(
            f"the service key has the fingerprint {fingerprint.hex()}, the database needs {(found or b'').hex()}"
        )


def _remember(connection: Connection, service_key: ServiceKey) -> None:
    row = {
        "slot": 1,
        "key_id": bytes.fromhex(service_key.key_id.removeprefix("svk_")),
        "fingerprint": bytes.fromhex(service_key.fingerprint),
        "public_key": bytes.fromhex(Signer(service_key).public_key),
    }
    try:
        with connection.begin_nested():
            connection.execute(insert(tables.service_keys).values(row))
    except IntegrityError as error:  # another process was first, with whichever key
        if faults.classify(error) is not faults.Fault.DUPLICATE_ROW:
            raise
