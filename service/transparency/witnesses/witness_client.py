"""The client of one witness: sends a checkpoint, and reads an answer of limited size; each wait has a time limit."""

import re
from collections.abc import Sequence
from typing import Final, Protocol

import urllib3
from msgspec import Struct
from urllib3.exceptions import HTTPError

from service.transparency.signed_note import NoteMustBeGenuine, VerifierKey
from service.transparency.witnesses import cosignature
from service.transparency.witnesses.submission import Submission

_KEY_LENGTH: Final = 44
_MOST_BYTES: Final = 65_536
_CONNECT_SECONDS: Final = 5.0
_ANSWER_SECONDS: Final = 60.0
_PAIR: Final = re.compile(rf"(?P<vkey>[^+\s]+\+[0-9a-f]{{8}}\+[A-Za-z0-9+/]{{{_KEY_LENGTH}}})=(?P<url>https?://\S+)")


class Witness(Struct, frozen=True):
    """A witness: its public *key*, and the *url* below which it answers `add-checkpoint`."""

    key: VerifierKey
    url: str


class WitnessAnswer(Struct, frozen=True):
    """The answer of a witness; *body* has at most 65,536 bytes."""

    status: int
    content_type: str
    body: bytes


class WitnessSilent(Exception):
    """The witness gave no answer."""


class Asks(Protocol):
    """Sends a submission to one witness."""

    def __call__(self, submission: Submission) -> WitnessAnswer:
        """Return the answer.

        Raises:
            WitnessSilent: the witness gave no answer.
        """


def parse_all(pairs: Sequence[str]) -> tuple[Witness, ...]:
    """Return the witnesses in *pairs*, each as VKEY=URL.

    Raises:
        NoteMustBeGenuine: one of *pairs* is malformed or has no key of a witness, or two have the same key.
    """
    found = tuple(_parse(pair) for pair in pairs)
    if len({one.key for one in found}) != len(found):
        raise NoteMustBeGenuine("Two witnesses have the same key.")
    return found


class WitnessClient:
    """Sends submissions to the witness at *url*. Not thread-safe."""

    def __init__(self, url: str) -> None:
        self._url = f"{url.rstrip('/')}/add-checkpoint"
        timeout = urllib3.Timeout(connect=_CONNECT_SECONDS, read=_ANSWER_SECONDS)
        self._pool = urllib3.PoolManager(maxsize=1, retries=False, timeout=timeout)

    def __call__(self, submission: Submission) -> WitnessAnswer:
        """Return the answer to *submission*.

        Raises:
            WitnessSilent: the witness gave no answer.
        """
        headers = {"Content-Type": "text/plain; charset=utf-8"}
        try:
            answer = self._pool.request(
                "POST", self._url, body=bytes(submission), headers=headers, preload_content=False, redirect=False
            )
            try:
                body = answer.read(_MOST_BYTES, decode_content=False)
            finally:
                answer.close()
        except HTTPError as error:
            raise WitnessSilent(f"It does not answer ({type(error).__name__}).") from error
        return WitnessAnswer(answer.status, answer.headers.get("Content-Type", ""), body)


def _parse(pair: str) -> Witness:
    found = _PAIR.fullmatch(pair)
    if found is None:
        raise NoteMustBeGenuine("A witness is named as VKEY=URL.")
    return Witness(cosignature.parse_witness_key(found["vkey"]), found["url"])
