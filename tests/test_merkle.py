from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256

import pytest
from hypothesis import given, strategies as st

from service import merkle
from service.merkle import Range, is_consistent, is_included

LARGEST = 70
LEAVES = [sha256(f"leaf {index}".encode()).digest() for index in range(LARGEST)]
SIZES = range(1, LARGEST + 1)
OTHER = sha256(b"another hash").digest()
HUGE = 10**100

# These functions follow the definitions of RFC 6962, section 2.1, word for word, but take the hashes of leaves.


@cache
def mth(first: int, end: int) -> bytes:
    """Return MTH(D[first:end])."""
    if first == end:
        return sha256().digest()
    if end - first == 1:
        return LEAVES[first]
    k = split(end - first)
    return sha256(b"\1" + mth(first, first + k) + mth(first + k, end)).digest()


def split(n: int) -> int:
    """Return the largest power of two smaller than n."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def path(m: int, first: int, end: int) -> list[bytes]:
    """Return PATH(m, D[first:end])."""
    if end - first == 1:
        return []
    k = split(end - first)
    if m < k:
        return [*path(m, first, first + k), mth(first + k, end)]
    return [*path(m - k, first + k, end), mth(first, first + k)]


def subproof(m: int, first: int, end: int, *, is_whole: bool) -> list[bytes]:
    """Return SUBPROOF(m, D[first:end], is_whole)."""
    if m == end - first:
        return [] if is_whole else [mth(first, end)]
    k = split(end - first)
    if m <= k:
        return [*subproof(m, first, first + k, is_whole=is_whole), mth(first + k, end)]
    return [*subproof(m - k, first + k, end, is_whole=False), mth(first, first + k)]


def roots_of(ranges: Sequence[Range]) -> list[bytes]:
    return [mth(*each) for each in ranges]


def damaged(proof: Sequence[bytes]) -> list[list[bytes]]:
    """Return copies of *proof*, each with one flaw: a hash is changed, dropped, doubled, swapped or added."""
    found = [[*proof, OTHER], [OTHER, *proof], [*proof, b""]]
    for place, step in enumerate(proof):
        before, after = proof[:place], proof[place + 1 :]
        changed = bytes([step[0] ^ 1]) + step[1:]
        found += [[*before, each, *after] for each in (changed, OTHER, step[:-1], step + b"\0", b"")]
        found += [[*before, *after], [*before, step, step, *after]]
        found += [[*before, after[0], step, *after[1:]]] if after else []
    return found


@pytest.mark.parametrize("size", SIZES)
def test_a_tree_has_the_root_that_the_rfc_defines(size: int) -> None:
    assert merkle.root(LEAVES[:size]) == mth(0, size)
    assert [len(level) for level in merkle.levels(LEAVES[:size])][-1] == 1


def test_the_tree_without_leaves_has_the_hash_of_nothing_as_its_root() -> None:
    assert merkle.root([]) == merkle.EMPTY_ROOT == mth(0, 0)


def test_hashes_of_leaves_and_nodes_begin_with_different_bytes() -> None:
    assert merkle.leaf_hash(b"data") == sha256(b"\0data").digest()
    assert merkle.node_hash(OTHER, LEAVES[0]) == sha256(b"\1" + OTHER + LEAVES[0]).digest()


@pytest.mark.parametrize("size", SIZES)
def test_every_leaf_of_a_tree_is_proved_and_no_other_leaf_is(size: int) -> None:
    root = mth(0, size)
    for index in range(size):
        proof = path(index, 0, size)
        assert roots_of(merkle.inclusion_ranges(index, size)) == proof
        assert is_included(LEAVES[index], index, size, proof, root)
        assert not is_included(OTHER, index, size, proof, root)
        assert not is_included(LEAVES[index], index, size, proof, OTHER)
        for other in {*range(-1, size + 2), -HUGE, HUGE} - {index}:
            assert not is_included(LEAVES[index], other, size, proof, root)
        for wrong in damaged(proof):
            assert not is_included(LEAVES[index], index, size, wrong, root)


@pytest.mark.parametrize("size", SIZES)
def test_no_leaf_is_proved_in_a_tree_of_another_size(size: int) -> None:
    for index in range(size):
        proof, root = path(index, 0, size), mth(0, size)
        for other in {*range(-1, LARGEST + 1), -HUGE} - {size}:
            if other <= index or len(path(index, 0, other)) != len(proof):
                assert not is_included(LEAVES[index], index, other, proof, root)
            else:  # A proof of this length fits both sizes, but each size has its own root.
                assert not is_included(LEAVES[index], index, other, proof, mth(0, other))


@pytest.mark.parametrize("new_size", SIZES)
def test_every_older_tree_is_proved_and_no_other_tree_is(new_size: int) -> None:
    new_root = mth(0, new_size)
    for old_size in range(1, new_size + 1):
        old_root = mth(0, old_size)
        proof = subproof(old_size, 0, new_size, is_whole=True)
        assert roots_of(merkle.consistency_ranges(old_size, new_size)) == proof
        assert is_consistent(old_size, old_root, new_size, new_root, proof)
        assert not is_consistent(old_size, OTHER, new_size, new_root, proof)
        assert not is_consistent(old_size, old_root, new_size, OTHER, proof)
        for wrong in damaged(proof):
            assert not is_consistent(old_size, old_root, new_size, new_root, wrong)
        for other in {*range(-1, new_size + 2), -HUGE, HUGE} - {old_size}:
            assert not is_consistent(other, old_root, new_size, new_root, proof)
        assert not is_consistent(new_size + 1, new_root, new_size, new_root, [])


@pytest.mark.parametrize("new_size", [*SIZES, HUGE])
def test_the_tree_without_leaves_begins_every_tree_and_needs_no_proof(new_size: int) -> None:
    assert merkle.consistency_ranges(0, new_size) == []
    assert is_consistent(0, merkle.EMPTY_ROOT, new_size, OTHER, [])
    assert not is_consistent(0, OTHER, new_size, OTHER, [])
    assert not is_consistent(0, merkle.EMPTY_ROOT, new_size, OTHER, [OTHER])


def test_a_rewritten_leaf_contradicts_every_older_tree_that_has_it() -> None:
    for old_size in SIZES:
        for index in range(old_size):
            rewritten = [*LEAVES[:index], OTHER, *LEAVES[index + 1 :]]
            proof = [merkle.root(rewritten[a:b]) for a, b in merkle.consistency_ranges(old_size, LARGEST)]
            assert not is_consistent(old_size, mth(0, old_size), LARGEST, merkle.root(rewritten), proof)


@given(
    numbers=st.tuples(*[st.integers() | st.just(HUGE)] * 2),
    hashes=st.lists(st.binary(max_size=40), max_size=70),
    leaf=st.binary(max_size=40),
)
def test_anything_but_a_proof_is_refused(numbers: tuple[int, int], hashes: list[bytes], leaf: bytes) -> None:
    assert not is_included(leaf, *numbers, hashes, OTHER)
    assert not is_consistent(numbers[0], leaf, numbers[1], OTHER, hashes)


@pytest.mark.parametrize(("index", "size"), [(-1, 1), (0, 0), (1, 1), (0, -1), (HUGE, HUGE)])
def test_there_is_no_proof_of_a_leaf_that_the_tree_lacks(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="has no leaf"):
        merkle.inclusion_ranges(index, size)


@pytest.mark.parametrize(("old_size", "new_size"), [(-1, 1), (2, 1), (0, -1), (HUGE + 1, HUGE)])
def test_there_is_no_proof_that_a_tree_shrank(old_size: int, new_size: int) -> None:
    with pytest.raises(ValueError, match="has no older tree"):
        merkle.consistency_ranges(old_size, new_size)


@pytest.mark.parametrize("ranges", [merkle.inclusion_ranges, merkle.consistency_ranges])
def test_proofs_in_huge_trees_are_short(ranges: Callable[[int, int], list[Range]]) -> None:
    for part in range(1, 100):
        assert 1 <= len(ranges(HUGE * part // 100, HUGE)) <= HUGE.bit_length() + 1


@pytest.mark.parametrize("size", SIZES)
def test_complete_subtrees_make_up_each_range_of_a_proof(size: int) -> None:
    ranges = {(0, size)}.union(*(merkle.inclusion_ranges(index, size) for index in range(size)))
    for leaves in ranges.union(*(merkle.consistency_ranges(old, size) for old in range(size))):
        subtrees = list(merkle.complete_subtrees(leaves))
        assert [number << level for level, number in subtrees] == sorted(
            {number << level for level, number in subtrees}
        )
        each = [mth(number << level, (number + 1) << level) for level, number in subtrees]
        assert merkle.joined(each) == mth(*leaves)
