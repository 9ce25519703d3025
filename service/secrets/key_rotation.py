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
    return keyring.keys_of(_read(path))[0]


def waiting(path: Path, in_use: str) -> str:
    """Return a sentence about the key in the file at *path* that waits for use; "": *in_use* is the newest key.

    Raises:
        KeyFileError: as for `newest`.
    """
    key_id = newest(path).key_id
    return "" if key_id == in_use else f"the database belongs to {in_use}, an earlier key in {path}; {key_id} waits"


class NextKey:
    """The key that a rotation of the key file at *path* takes into use.

    It is the file's newest key, or a new one if the newest is the key *in_use* ("svk_…") already. A new key is not in
    the file until `store` has put it there.

    Raises:
        KeyFileError: as for `keyring.load_or_make`.
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
        """If the key is new, add it to the file, durably. The database still uses the earlier key.

        Raises:
            KeyFileError: the file can't be replaced; it is unchanged.
        """
        if self._is_new:
            try:
                keyring.replace_private_file(self._path, keyring.encoded(self._content), self._entropy)
            except OSError as error:
                raise KeyFileError(f"The service key {self._path} can't be replaced: {error.strerror}.") from error


def with_new_key(content: KeyFile, entropy: Entropy) -> KeyFile:
    """Return *content* with a new newest key, which has the lasting secrets of the earlier keys."""
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
