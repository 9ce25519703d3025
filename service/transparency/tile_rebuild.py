"""Computes the tiles of the tree again from the indexes of the leaves, page by page (DECISIONS 98)."""

from collections.abc import Mapping

from sqlalchemy import Connection, Engine, delete, select

from service.database.engines import administering, reading
from service.merkle import GrowingTree
from service.transparency import index_pages, tree
from service.transparency.index_pages import GrowingTiles
from service.transparency.tiles import Tile
from service.transparency.tree import TreeDamaged, TreeHead
from service.transparency.tree_tables import tree_head, tree_tiles


def rebuild_tiles(engine: Engine) -> int:
    """Write the tiles that are missing or wrong, and delete tiles beyond the tree; return how many tiles changed.

    Servers may run meanwhile: a full tile never changes, so each page of full tiles has a transaction of its own. Only
    the last transaction, which writes the partial tiles, keeps the sequencer waiting.

    Raises:
        TreeDamaged: the tree's head is missing, or the indexes have a gap or do not give the root of the tree. No tile
            was changed.
    """
    _must_give_the_root(engine)
    growing, changed = GrowingTiles(), 0
    while True:
        with reading(engine) as connection:
            page = index_pages.page(connection, growing.size - 1)
            wrong = _wrong(connection, growing.extend([row.leaf_hash for row in page]))
        if not page:
            break
        changed += _write_full(engine, wrong)
    with administering(engine) as connection:
        size = connection.execute(select(tree_head.c.size).with_for_update()).scalar_one()
        rest: dict[Tile, bytes] = {}
        while page := index_pages.page(connection, growing.size - 1):
            rest |= growing.extend([row.leaf_hash for row in page])
        wrong = _wrong(connection, rest | growing.edge)
        if wrong:
            tree.write_tiles(connection, wrong)
        deleted = connection.execute(delete(tree_tiles).where(tree.is_beyond(size))).rowcount
        return changed + len(wrong) + deleted


def _must_give_the_root(engine: Engine) -> None:
    growing = GrowingTree()
    with reading(engine, without_idle_limit=True) as connection:
        for page in index_pages.pages(connection):
            for row in page:
                if row.leaf_index != growing.size:
                    raise TreeDamaged(f"No leaf has the index {growing.size}.")
                growing.append(row.leaf_hash)
        if TreeHead(growing.size, growing.root) != tree.head(connection):
            raise TreeDamaged("The indexes of the leaves do not give the root of the tree.")


def _wrong(connection: Connection, computed: Mapping[Tile, bytes]) -> dict[Tile, bytes]:
    """Return the *computed* tiles that are missing in the database, or stored there with other hashes."""
    found = tree.stored_tiles(connection, computed)
    return {one: hashes for one, hashes in computed.items() if found.get((one.level, one.number)) != hashes}


def _write_full(engine: Engine, wrong: Mapping[Tile, bytes]) -> int:
    if wrong:
        with administering(engine) as connection:
            tree.write_tiles(connection, wrong)
    return len(wrong)
