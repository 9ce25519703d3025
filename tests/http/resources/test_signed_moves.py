"""Signed moves over HTTP: keys registered, changed and ended, and which signatures the service accepts (G.13)."""

from tests.http.service import Service, Table, accepted
from tests.http.signer import Signer, key_of


def test_a_signed_move_is_recorded_with_its_signature(quick_service: Service) -> None:
    table = Table(quick_service, 2).seated()
    signers = {seat: Signer(player, table.path, key_of(f"{seat}")) for seat, player in table.players.items()}
    for signer in signers.values():
        accepted(signer.register())
    accepted(table.host.do(table.path, "start_game"))
    accepted(signers[table.due_seat].do("deal_hand", "deal"))
    due = signers[table.due_seat]
    head = due.sign_from
    done = accepted(due.do("hold_cards", "hold")).json
    sig = done["events"][0]["leaf"]["sig"]
    assert sig == {**head, "signature": sig["signature"]}
    due.key.public_key().verify(bytes.fromhex(sig["signature"]), due.text({"type": "hold_cards"}, "hold", head))
