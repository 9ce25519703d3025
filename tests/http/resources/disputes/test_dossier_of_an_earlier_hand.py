"""The dossier of a disputed hand has events of the running hand, with only the values that everybody may read."""

import json

import pytest

from service.dossier import archive
from service.games import CURRENT
from tests.dossier.made import FOR_CHIPS, RULES, SEATS, dossier, files_of, must_pass
from tests.http.disputes import Case
from tests.http.service import Service


@pytest.mark.parametrize("game", CURRENT)
def test_a_dossier_that_a_player_gives_away_shows_no_card_of_the_running_hand(
    quick_service: Service, game: str
) -> None:
    case = Case(quick_service, hands=3, players=SEATS, game=game, **RULES.get(game, FOR_CHIPS))
    case.opened(hand=1)
    quick_service.keep_log()
    path, head = f"{case.table.path}/hands/1", case.table.position
    for_all = _of_later_hands(dossier(quick_service.spectator, path))
    for player in case.table.players.values():
        data = dossier(player, path)
        must_pass(data)
        assert len(files_of(data)[archive.EVENTS].splitlines()) == head, "The dispute was opened there."
        assert _of_later_hands(data) == for_all


def _of_later_hands(data: bytes) -> list[tuple[int, str]]:
    """Return the position and the field of each opened value of an event after the dossier's hand."""
    first, *openings = [json.loads(line) for line in files_of(data)[archive.OPENINGS].splitlines()]
    places = [
        (one.get("field", {}).get("position", one["from"]), str(one.get("field", {}).get("field"))) for one in openings
    ]
    return sorted(place for place in places if place[0] > first["begin"]["last"])
