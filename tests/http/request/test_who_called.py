"""The member `called` of a decision says who called time: in responses to commands, in hands and in streams (G.3)."""

from service.games.common_commands import CallTime
from service.games.game import SERVICE
from service.play.orders import Order
from tests.http.service import Service, Table, accepted


def test_a_hands_history_distinguishes_a_call_by_the_host_from_a_call_by_the_time_limit(quick_service: Service) -> None:
    table = Table(quick_service, 3).dealt()
    answer = accepted(table.host.do(table.path, "call_time")).json
    assert answer["events"][0]["leaf"]["pub"]["called"] == "host"
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    call = Order(stream_id=stream_id, caller=SERVICE, key="time/1", command=CallTime(by=SERVICE), reads_all=True)
    quick_service.parts.play.do(call)
    accepted(table.due.do(table.path, "hold_cards"))
    history = accepted(quick_service.spectator.get(f"{table.path}/hands/1")).json["decisions"]
    held = [one for one in history if one["type"] == "cards_held"]
    assert [(one["by"], one["made"].get("called")) for one in held[:2]] == [("service", "host"), ("service", "limit")]
    assert held[2]["by"].startswith("seat:")
    assert "called" not in held[2]["made"]
    leaves = [one["leaf"] for one in accepted(quick_service.spectator.get(f"{table.path}/events")).json["items"]]
    told = [leaf["pub"].get("called", "") for leaf in leaves if leaf["type"] == "cards_held"]
    assert told == ["host", "limit", ""]
