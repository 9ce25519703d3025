"""The key file in a rotation of the service key: it gets a new key, and keeps the earlier keys (DECISIONS 121)."""

from pathlib import Path

from service.entropy import Entropy
from service.secrets import keyring
from service.secrets.keyring import KeyFile, KeyFileError, KeyInFile, LastingSecrets, ServiceKey


def newest(path: Path) -> ServiceKey:
    """Return the newest key in the file at *path*.

    Raises:
        KeyFileError: the file can't be read, or as for `keyring.read`.
    """
    return keyring.keys_of(_read(path))[0]


def waiting(path: Path, in_use: str) -> str:
    """Return a sentence about the newest key in the file at *path*; "": the database uses the newest key.

    *in_use* ("svk_…") is the id of the key to which the database is bound.

    Raises:
        KeyFileError: as for `newest`.
    """
    key_id = newest(path).key_id
    return "" if key_id == in_use else f"the database belongs to {in_use}, an earlier key in {path}; {key_id} waits"


class NextKey:
    """The key that replaces the key *in_use* ("svk_…") in a rotation; *path* is the key file.

    If the newest key in the file is not in use yet, this class takes that key. Otherwise it makes a new key, which
    `store` adds to the file.

    Raises:
        KeyFileError: as for `newest`.
    """

    def __init__(self, path: Path, in_use: str, entropy: Entropy) -> None:
        self._path = path
        self._entropy = entropy
        self._content = _read(path)
        self._is_new = self._content.id == in_use
        if self._is_new:
            self._content = with_new_key(self._content, entropy)
        self.key = keyring.keys_of(self._content)[0]

    def store(self) -> None:
        """If the key is new, add it to the file, durably. The database is still bound to the key *in_use*.

        Raises:
            KeyFileError: the file can't be replaced, or the new file may not be durable.
        """
        if self._is_new:
            try:
                keyring.replace_private_file(self._path, keyring.encoded(self._content), self._entropy)
            except OSError as error:
                raise KeyFileError(f"The service key {self._path} can't be replaced: {error.strerror}.") from error


def with_new_key(content: KeyFile, entropy: Entropy) -> KeyFile:
    """Return *content* with a new key as the newest; the new key has the lasting secrets of the earlier keys."""
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


def _read(path: Path) -> KeyFile:
    try:
        return keyring.read(path)
    except OSError as error:
        raise KeyFileError(f"The service key {path} can't be used: {error.strerror}.") from error
