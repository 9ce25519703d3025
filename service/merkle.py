"""Merkle trees as RFC 6962 defines them: hashes of nodes, roots, and the checks of inclusion and consistency."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final, TypeAlias

Range: TypeAlias = tuple[int, int]
"""The leaves from the first index up to, but not including, the second."""

EMPTY_ROOT: Final = sha256().digest()
"""The root of the tree without leaves."""


def leaf_hash(data: bytes) -> bytes:
    """Return the hash (32 bytes) of a leaf with *data*."""
    return sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash (32 bytes) of the node above *left* and *right*."""
    return sha256(b"\1" + left + right).digest()


def levels(hashes: Sequence[bytes]) -> list[list[bytes]]:
    """Return the levels of the tree from the leaves' *hashes* to the root.

    If a level has an odd number of nodes, its last node moves up unchanged. The last level has only the root. *hashes*
    has at least one hash.
    """
    found = [list(hashes)]
    while len(level := found[-1]) > 1:
        # Calling `node_hash` for each node would slow this function down by a tenth.
        above = [sha256(b"\1" + level[i] + level[i + 1]).digest() for i in range(0, len(level) - 1, 2)]
        found.append(above + level[len(above) * 2 :])
    return found


def root(hashes: Sequence[bytes]) -> bytes:
    """Return the root of the tree whose leaves have *hashes*."""
    return levels(hashes)[-1][0] if hashes else EMPTY_ROOT


def is_included(hash_of_leaf: bytes, index: int, size: int, proof: Sequence[bytes], expected_root: bytes) -> bool:
    """Return whether *proof* proves that the leaf is at *index* in the tree with *size* leaves and *expected_root*.

    Source: RFC 9162, section 2.1.3.2.
    """
    if not 0 <= index < size:
        return False
    node, last, steps = hash_of_leaf, size - 1, iter(proof)
    while last:
        if index & 1 or index < last:
            if (step := next(steps, None)) is None:
                return False
            node = node_hash(step, node) if index & 1 else node_hash(node, step)
        index, last = index >> 1, last >> 1
    return next(steps, None) is None and node == expected_root


def is_consistent(old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Return whether *proof* proves that the new tree begins with all leaves of the old tree, in the same order.

    Source: RFC 9162, section 2.1.4.2. A tree without leaves is consistent with every tree; its proof is empty.
    """
    if not 0 <= old_size <= new_size:
        return False
    if old_size == new_size:
        return not proof and old_root == new_root
    if old_size == 0:
        return not proof and old_root == EMPTY_ROOT
    path = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    if not path:
        return False
    index, last = old_size - 1, new_size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    old = new = path[0]
    for step in path[1:]:
        if last == 0:
            return False
        if index & 1 or index == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            new = node_hash(new, step)
        index, last = index >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """Return the ranges of leaves for the inclusion proof of the leaf at *index* in the tree with *size* leaves.

    The proof has the root of the subtree over each range, from the leaf to the root of the tree.

    Raises:
        ValueError: the tree has no leaf at *index*.
    """
    if not 0 <= index < size:
        raise ValueError(f"A tree with {size} leaves has no leaf at index {index}.")
    first, end, found = 0, size, []
    while end - first > 1:
        split = first + _largest_power_below(end - first)
        if index < split:
            found.append((split, end))
            end = split
        else:
            found.append((first, split))
            first = split
    return found[::-1]


def consistency_ranges(old_size: int, new_size: int) -> list[Range]:
    """Return the ranges of leaves for the proof that the tree with *new_size* leaves begins with the older tree.

    The proof has the root of the subtree over each range. Source: RFC 9162, section 2.1.4.1.

    Raises:
        ValueError: *old_size* is negative, or larger than *new_size*.
    """
    if not 0 <= old_size <= new_size:
        raise ValueError(f"A tree with {new_size} leaves has no older tree with {old_size} leaves.")
    if old_size in (0, new_size):
        return []
    first, end, found = 0, new_size, []
    while old_size != end:
        split = first + _largest_power_below(end - first)
        if old_size <= split:
            found.append((split, end))
            end = split
        else:
            found.append((first, split))
            first = split
    if first:
        found.append((first, end))
    return found[::-1]


def complete_subtrees(leaves: Range) -> Iterator[tuple[int, int]]:
    """Yield the complete subtrees that make up the tree over *leaves*, from the left: each by its level and number.

    The subtree with a level and a number has 2**level leaves, from the index number * 2**level on. The first index of
    the range must be a multiple of a power of two that is at least the number of leaves in the range, as in the ranges
    of proofs.
    """
    first, end = leaves
    while first < end:
        level = (end - first).bit_length() - 1
        yield level, first >> level
        first += 1 << level


def joined(subtrees: Sequence[bytes]) -> bytes:
    """Return the root of the tree whose complete subtrees have the roots *subtrees*, the largest subtree first."""
    *others, node = subtrees
    for other in reversed(others):
        node = node_hash(other, node)
    return node


class GrowingTree:
    """A tree that grows leaf by leaf, and has a root after each leaf; it stores only the roots of complete subtrees.

    It begins with *size* leaves; *subtrees* are the roots of the complete subtrees over these leaves, from the left.
    """

    def __init__(self, size: int = 0, subtrees: Sequence[bytes] = ()) -> None:
        self.size = size
        self._subtrees = list(subtrees)

    def append(self, hash_of_leaf: bytes) -> None:
        """Add a leaf at the right end of the tree."""
        node, index = hash_of_leaf, self.size
        while index & 1:
            node, index = node_hash(self._subtrees.pop(), node), index >> 1
        self._subtrees.append(node)
        self.size += 1

    @property
    def subtrees(self) -> tuple[bytes, ...]:
        """The roots of the complete subtrees that make up the tree, from the left."""
        return tuple(self._subtrees)

    @property
    def root(self) -> bytes:
        """The root of the tree with the leaves that were added so far."""
        return joined(self._subtrees) if self._subtrees else EMPTY_ROOT


def _largest_power_below(number: int) -> int:
    return 1 << (number - 1).bit_length() - 1
