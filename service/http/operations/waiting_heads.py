"""Reads how far streams and feeds have come, for the requests that wait for the next event (DECISIONS 100)."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from service.database.engines import reading
from service.database.spread.spread_check import is_node_down
from service.event_store.store import Log
from service.http.operations.waiting.readers import Awaited
from service.projections import feed_leaves
from service.projections.swap_guard import ProjectionsWereSwapped, retry_after_swap
from service.transparency import tree
from service.transparency.tree import TreeDamaged

_MOST_LEAVES: Final = feed_leaves.WINDOW
"""If more leaves than this got their indexes since the last look, every feed counts as changed."""


class WaitingHeads:
    """Reads the heads of streams and feeds. Only the thread of `HeadWatcher` may call `read`.

    The head of a stream is the position of its last event. The head of a feed is a size of the tree that is larger
    than the index of the feed's last leaf. One query finds the feeds of all leaves that are new in the log, so its cost
    does not depend on the number of tables in a feed.
    """

    def __init__(self, engine: Engine, log: Log) -> None:
        self._engine = engine
        self._log = log
        self._size = 0
        self._feeds: dict[str, int] = {}

    def read(self, awaited: Collection[Awaited]) -> Mapping[Awaited, int]:
        """Return the heads of the streams and feeds in *awaited*.

        If the tree can't be read, a feed has the head of the last call, or no head.
        """
        streams = [one for one in awaited if isinstance(one, bytes)]
        feeds = {one for one in awaited if isinstance(one, str)}
        heads: dict[Awaited, int] = {}
        if streams:
            heads.update(self._log.heads(self._engine, streams).items())
        if feeds:
            with suppress(TreeDamaged, ProjectionsWereSwapped):  # Each reader of a feed gets this error when it reads.
                self._look(feeds)
        self._feeds = {feed: head for feed, head in self._feeds.items() if feed in feeds}
        return heads | self._feeds

    def _look(self, feeds: Collection[str]) -> None:
        """Bring `_feeds` up to date; a feed that nobody awaited before counts as changed."""
        size, changed = self._changed()
        for feed in feeds:
            if feed not in self._feeds or changed is None or feed in changed:
                self._feeds[feed] = size
        self._size = size

    @retry_after_swap
    def _changed(self) -> tuple[int, frozenset[str] | None]:
        """Return the tree's size, and the feeds with new leaves since the last look; None: perhaps all feeds."""
        with reading(self._engine) as connection:
            size = tree.head(connection).size
            if not self._feeds or not 0 <= size - self._size <= _MOST_LEAVES:
                return size, None
            if size == self._size:
                return size, frozenset()
            try:
                return size, feed_leaves.feeds_with(connection, self._size, size)
            except DBAPIError as error:
                if not is_node_down(self._engine, error):
                    raise
                return size, None
