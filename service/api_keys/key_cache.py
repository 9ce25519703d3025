"""A cache of API keys, so that most requests don't read their key from the database."""

from threading import Lock
from typing import Final

from sqlalchemy import Engine, func, select

from service.api_keys import key_tables, repository
from service.api_keys.repository import OPERATOR, SERVICE, Key
from service.clock import Clock
from service.database.cache_generation import Generation
from service.database.engines import reading
from service.ttl_cache import TtlCache

_MOST_CACHED: Final = 10_000
_CHECK_SECONDS: Final = 1.0
"""A process notices within this time that another process has revoked a key."""
_ADMINS_SECONDS: Final = 10.0
"""A process notices within this time that an owner has become an admin."""


class KeyCache:
    """Caches the keys of one cache generation, and drops all keys if any key was revoked or if the cache is full.

    At most once in _CHECK_SECONDS the cache checks whether it is full, and reads from the database how many keys were
    revoked. `forget` drops the keys without waiting for this check.
    """

    def __init__(self, engine: Engine, clock: Clock, generation: Generation) -> None:
        self._engine = engine
        self._clock = clock
        self._generation = generation
        self._number = generation.number
        self._keys: dict[bytes, Key] = {}
        self._revocations = 0
        self._checked_at = -_CHECK_SECONDS
        self._lock = Lock()
        self._admins = TtlCache(self._read_admins, _ADMINS_SECONDS, clock)

    def find(self, key_id: bytes) -> Key | None:
        """Return the key with this id, or None if no key has this id."""
        self._check_revocations()
        # A revocation replaces the dict. If the code below read the key before the revocation, it adds the key to the
        # old dict, which no later call reads.
        cached = self._keys_of_generation()
        key = cached.get(key_id)
        if key is None:
            with reading(self._engine) as connection:
                key = repository.find(connection, key_id)
            if key is not None and len(cached) < _MOST_CACHED:
                cached[key_id] = key
        return key

    def is_admin(self, owner: str) -> bool:
        """Return whether *owner* is the service or its operator, or has ever had a key with the scope admin.

        The result may be up to _ADMINS_SECONDS old.
        """
        return owner in self._admins.get()

    def _read_admins(self) -> frozenset[str]:
        with reading(self._engine) as connection:
            return frozenset({OPERATOR, SERVICE, *(key.owner for key in repository.admin_keys(connection))})

    def forget(self) -> None:
        """Drop all cached keys, because a key was revoked."""
        self._keys = {}

    def _check_revocations(self) -> None:
        with self._lock:
            now = self._clock.monotonic()
            if now - self._checked_at < _CHECK_SECONDS:
                return
            with reading(self._engine) as connection:
                revocations = connection.execute(
                    select(func.count()).select_from(key_tables.key_revocations)
                ).scalar_one()
            if revocations != self._revocations or len(self._keys) >= _MOST_CACHED:
                self._revocations, self._keys = revocations, {}
            self._checked_at = now

    def _keys_of_generation(self) -> dict[bytes, Key]:
        """Return the keys that were cached in the present generation of the cache.

        Keys of an earlier generation are dropped, because after a failover the database may lack these keys.
        """
        with self._lock:
            if self._number != self._generation.number:
                self._number, self._keys = self._generation.number, {}
            return self._keys
