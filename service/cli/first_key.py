"""The API key that a database starts with, and the file in which its operator finds it."""

from typing import Final

from sqlalchemy import Connection

from service.entropy import Entropy
from service.http import keybook
from service.http.keybook import SCOPES, Key
from service.log import keyring
from service.log.keyring import ServiceKey
from service.settings import Settings

_NAME: Final = "first"


def first_key_id(service_key: ServiceKey) -> bytes:
    """Return the id of the first key; it follows from the service key, so that all who start at once make one."""
    return keybook.id_made_from("key", service_key.key_id, _NAME)


def ensure(connection: Connection, service_key: ServiceKey, settings: Settings, entropy: Entropy) -> bool:
    """Make the first key, with every scope, and its file, where the database has none yet; say if its file is there.

    The file is written first: a start that is killed in between is made up for by the next one. Once the
    key is kept, a file that its operator has removed stays away.
    """
    key_id = first_key_id(service_key)
    if keybook.find(connection, key_id) is None:
        token = keybook.token(service_key, key_id)
        keyring.make_private_file(settings.first_key_file, f"{token}\n".encode(), entropy)
        keybook.add(connection, _first(service_key, key_id, entropy.now()))
    return settings.first_key_file.exists()


def _first(service_key: ServiceKey, key_id: bytes, now: str) -> Key:
    return Key(
        key_id=key_id,
        owner=f"own_{keybook.id_made_from('own', service_key.key_id, _NAME).hex()}",
        scopes=SCOPES,
        secret_hash=keybook.hash_of(keybook.secret_of(service_key, key_id)),
        label="first key",
        made_by=keybook.SERVICE,
        made_at=now,
    )
