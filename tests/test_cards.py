import pytest

from service.cards import PACK, UNKNOWN, rank, suit


def test_the_fresh_pack_is_clubs_diamonds_hearts_and_spades_from_two_to_ace() -> None:
    assert " ".join(PACK[:14]) == "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2d"
    assert [PACK[12], PACK[25], PACK[38], PACK[51]] == ["Ac", "Ad", "Ah", "As"]
    assert len(set(PACK)) == 52


def test_ranks_run_from_two_to_the_ace() -> None:
    assert [rank(face) for face in PACK[:13]] == list(range(2, 15))
    assert [rank(face) for face in ("Ts", "Jd", "Qh", "Kc", "As")] == [10, 11, 12, 13, 14]


def test_a_suit_is_the_second_character() -> None:
    assert [suit(face) for face in ("Tc", "Td", "Th", "Ts")] == ["c", "d", "h", "s"]


@pytest.mark.parametrize("face", [UNKNOWN, "1s", "10s", "sT", "tS", ""])
def test_the_placeholder_has_neither_rank_nor_suit(face: str) -> None:
    with pytest.raises(KeyError):
        rank(face)
    with pytest.raises(KeyError):
        suit(face)
