"""The API key that a database starts with, and the file in which its operator finds it."""

from typing import Final

from sqlalchemy import Connection

from service.entropy import Entropy
from service.http import keybook
from service.http.keybook import SCOPES, Key
from service.log import keyring
from service.log.derivation import Derivation
from service.log.keyring import ServiceKey
from service.settings import Settings

_NAME: Final = "first"


def ensure(connection: Connection, service_key: ServiceKey, settings: Settings, entropy: Entropy) -> bool:
    """Make the first key, with every scope, and its file, where the database has none yet; say if its file is there.

    The file is written first: a start that is killed in between is made up for by the next one. Once the
    key is kept, a file that its operator has removed stays away.
    """
    if keybook.first_of_the_service(connection) is None:
        derivation = Derivation(service_key)
        key_id = derivation.made_id("key", keybook.SERVICE, _NAME)  # All who start at once make the same one.
        owner = f"own_{derivation.made_id('owner', keybook.SERVICE, _NAME).hex()}"
        token = keybook.token(service_key, key_id)
        keyring.make_private_file(settings.first_key_file, f"{token}\n".encode(), entropy)
        keybook.add(connection, _first(service_key, key_id, owner, entropy.now()))
    return settings.first_key_file.exists()


def _first(service_key: ServiceKey, key_id: bytes, owner: str, now: str) -> Key:
    return Key(
        key_id=key_id,
        owner=owner,
        scopes=SCOPES,
        secret_hash=keybook.hash_of(keybook.secret_of(service_key, key_id)),
        label="first key",
        made_by=keybook.SERVICE,
        made_at=now,
    )
