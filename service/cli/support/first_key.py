"""The first API key of a database, and the file in which the operator finds this key."""

from typing import Final

from sqlalchemy import Connection

from service.api_keys import repository
from service.api_keys.repository import SCOPES, Key
from service.entropy import Entropy
from service.secrets import keyring
from service.secrets.derivation import Derivation
from service.secrets.keyring import ServiceKey
from service.service_log import key_register
from service.service_log.service_log import ServiceLog
from service.settings import Settings

_NAME: Final = "first"


def ensure(
    connection: Connection, service_key: ServiceKey, service_log: ServiceLog, settings: Settings, entropy: Entropy
) -> bool:
    """If there is no first key, make a key with every scope, and write it to a file. Return whether the file exists.

    The file is written before the key is recorded: if the server is killed in between, its next start completes the
    work. Once the key is recorded, no start writes the file, even if the operator has removed the file.
    """
    if repository.first_service_key(connection) is None:
        derivation = Derivation(service_key)
        key_id = derivation.derived_id(
            "key", repository.SERVICE, _NAME
        )  # processes that start at the same time derive the same key
        owner = f"own_{derivation.derived_id('owner', repository.SERVICE, _NAME).hex()}"
        token = repository.token(service_key, key_id)
        keyring.make_private_file(settings.first_key_file, f"{token}\n".encode(), entropy)
        key_register.make_key(connection, service_log, _first(service_key, key_id, owner, entropy.now()))
    return settings.first_key_file.exists()


def _first(service_key: ServiceKey, key_id: bytes, owner: str, now: str) -> Key:
    return Key(
        key_id=key_id,
        owner=owner,
        scopes=SCOPES,
        secret_hash=repository.hash_of(repository.secret_of(service_key, key_id)),
        label="first key",
        made_by=repository.SERVICE,
        made_at=now,
    )
