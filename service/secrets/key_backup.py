"""Encrypts a key file under a passphrase, and decrypts such a backup (DECISIONS 120)."""

import re
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from service.entropy import Entropy
from service.secrets import keyring

MIN_CHARACTERS: Final = 12
MOST_BYTES: Final = 2**20
"""The maximum size of a backup, and of a passphrase's file."""
_KEY_BYTES: Final = 32
_SCRYPT_N, _SCRYPT_R, _SCRYPT_P = 2**17, 8, 1  # Deriving the key takes 128 MiB and some tenths of a second.
_FORM: Final = re.compile(
    rb"(chiptrail service key backup v1\nkey (?P<key>svk_[0-9a-f]{32})\nsalt (?P<salt>[0-9a-f]{64})\n"
    rb"nonce (?P<nonce>[0-9a-f]{24})\n)ciphertext (?P<ciphertext>(?:[0-9a-f]{2})+)\nsha256 (?P<hash>[0-9a-f]{64})\n",
    re.ASCII,
)


class BackupMustOpen(Exception):
    """The backup can't be decrypted: it was cut or changed, or the passphrase is wrong."""


class BadPassphrase(Exception):
    """The file of the passphrase has no usable passphrase."""


def read_passphrase(path: Path) -> str:
    """Return the passphrase in the file at *path*: its only line, of at least `MIN_CHARACTERS` characters.

    Raises:
        KeyFileError: other users may access the file, or it is no regular file.
        BadPassphrase: the file has no such passphrase.
        OSError: the file can't be read.
    """
    data = keyring.read_private_file(path, "passphrase")
    try:
        passphrase = data.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        passphrase = ""  # An exception raised here would have a cause that quotes the file.
    if len(data) > MOST_BYTES or len(passphrase) < MIN_CHARACTERS or len(passphrase.splitlines()) != 1:
        raise BadPassphrase(f"{path} must have one line of text, with at least {MIN_CHARACTERS} characters.")
    return passphrase


def encrypted(content: bytes, passphrase: str, entropy: Entropy) -> bytes:
    """Return the backup of the key file with the bytes *content*, encrypted under *passphrase*.

    Raises:
        KeyFileError: *content* is no key file, or its keys do not belong together.
    """
    key_id = keyring.parse(content, "the key file").id
    salt, nonce = entropy.secret(), entropy.nonce()
    head = f"chiptrail service key backup v1\nkey {key_id}\nsalt {salt.hex()}\nnonce {nonce.hex()}\n".encode("ascii")
    ciphertext = AESGCM(_key(passphrase, salt)).encrypt(nonce, content, head)
    body = head + f"ciphertext {ciphertext.hex()}\n".encode("ascii")
    return body + f"sha256 {sha256(body).hexdigest()}\n".encode("ascii")


def decrypted(backup: bytes, passphrase: str) -> bytes:
    """Return the bytes of the key file in *backup*.

    Raises:
        BackupMustOpen: *backup* was cut or changed, is not a backup of a key file, or has another passphrase.
        KeyFileError: *backup* has no key file that this release can read, or the file's keys do not belong together.
    """
    found = _FORM.fullmatch(backup) if len(backup) <= MOST_BYTES else None
    if found is None:
        raise BackupMustOpen("is no backup of a service key, or was cut or changed")
    body, _, _ = backup.rpartition(b"sha256 ")
    if sha256(body).hexdigest().encode() != found["hash"]:
        raise BackupMustOpen("was changed: its last line has another hash")
    salt, nonce, ciphertext = (bytes.fromhex(found[name].decode()) for name in ("salt", "nonce", "ciphertext"))
    try:
        content = AESGCM(_key(passphrase, salt)).decrypt(nonce, ciphertext, found[1])
    except InvalidTag as error:
        raise BackupMustOpen("has another passphrase") from error
    keyring.parse(content, "the backup")
    return content


def _key(passphrase: str, salt: bytes) -> bytes:
    kdf = Scrypt(salt=salt, length=_KEY_BYTES, n=_SCRYPT_N, r=_SCRYPT_R, p=_SCRYPT_P)
    return kdf.derive(passphrase.encode())
