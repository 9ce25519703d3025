"""Rotates the service key: makes the key file with a new newest key, which has the earlier keys too (DECISIONS 121)."""

from pathlib import Path

from service.entropy import Entropy
from service.secrets import keyring
from service.secrets.keyring import KeyFile, KeyFileError, KeyInFile, LastingSecrets, ServiceKey


def newest(path: Path) -> ServiceKey:
    """Return the newest key in the file at *path*.

    Raises:
        KeyFileError: as for `keyring.load_or_make`.
    """
    try:
        return keyring.keys_of(keyring.read(path))[0]
    except OSError as error:
        raise KeyFileError(f"The service key {path} can't be used: {error.strerror}.") from error


def add_key(path: Path, entropy: Entropy) -> ServiceKey:
    """Put a new newest key into the file at *path*, durably, and return it. The keys that are there stay in the file.

    The database selects the key in use, so this alone changes nothing.

    Raises:
        KeyFileError: the file can't be used or replaced; it is unchanged.
    """
    try:
        content = with_new_key(keyring.read(path), entropy)
        keyring.replace_private_file(path, keyring.encoded(content), entropy)
    except OSError as error:
        raise KeyFileError(f"The service key {path} can't be replaced: {error.strerror}.") from error
    return keyring.keys_of(content)[0]


def with_new_key(content: KeyFile, entropy: Entropy) -> KeyFile:
    """Return *content* with a new newest key, which has the secrets that never change of the earlier keys."""
    before = KeyInFile(id=content.id, secret=content.secret, lasting=content.lasting)
    key = keyring.keys_of(content)[0]
    lasting = LastingSecrets(api_secret=key.api_secret.hex(), derivation_secret=key.derivation_secret.hex())
    return KeyFile(
        v=1,
        id=entropy.new_id("svk"),
        secret=entropy.secret().hex(),
        lasting=lasting,
        earlier=(*content.earlier, before),
    )
