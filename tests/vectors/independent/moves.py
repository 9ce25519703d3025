"""Command ids, receipts, signed moves and sealed fields, as log_format.md describes them."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Mapping
from typing import Any

from tests.vectors.independent.texts import canonical, from_hex, is_signed, lines, mac, must, sha256

SIGNED_BY_RECEIPT = ("cmd", "leaf_hash", "origin", "position", "stream")
ACTIONS = {
    "seat_left": ("leave_seat",),
    "hand_dealt": ("deal_hand",),
    "cards_held": ("hold_cards",),
    "card_exchanged": ("exchange_card", "card"),
    "hand_thrown_in": ("throw_in",),
    "upping_offered": ("offer_upping", "chips"),
    "upping_passed": ("pass_upping",),
    "upping_accepted": ("accept_upping",),
    "upping_declined": ("decline_upping",),
    "player_resigned": ("resign",),
    "deal_begun": ("deal_hand",),
    "bet_placed": ("place_bet", "chips"),
    "hand_sat_out": ("sit_out",),
    "sat_in": ("sit_in",),
    "chips_bought": ("buy_chips", "chips"),
    "insurance_offered": ("offer_insurance", "chips"),
    "insurance_accepted": ("accept_insurance", "seat"),
    "insurance_refused": ("refuse_insurance", "seat"),
    "leftover_chosen": ("choose_leftover", "card"),
    "card_played": ("play_card", "card"),
    "deck_seed_committed": ("commit_seed", "epoch", "client_commit"),
    "deck_seed_revealed": ("reveal_seed", "epoch", "client_seed"),
    "signing_key_registered": ("register_signing_key", "public_key"),
}
"""The table in log_format.md: by the type of the decision, the type of the action and its members."""


def command_text(idempotency_key: str) -> bytes:
    return lines("chiptrail/cmd/v1", idempotency_key)


def asker_text(asker: str) -> bytes:
    return lines("chiptrail/asker/v1", asker)


def command(command_secret: str, idempotency_key: str) -> str:
    return mac(bytes.fromhex(command_secret), command_text(idempotency_key)).hex()


def command_secret(derivation_secret: str, asker: str, stream: str) -> str:
    return mac(mac(bytes.fromhex(derivation_secret), asker_text(asker)), lines(stream)).hex()


def receipt_text(receipt: Mapping[str, Any]) -> bytes:
    return b"chiptrail/receipt/v1\n" + canonical({name: receipt[name] for name in SIGNED_BY_RECEIPT})


def must_be_receipt(receipt: Mapping[str, Any], public_key: str, leaf_hash: str) -> None:
    """Check that the service with *public_key* says that the leaf at the receipt's position has *leaf_hash*."""
    must(receipt.keys() == {*SIGNED_BY_RECEIPT, "signature"}, "form")
    signature = from_hex(receipt["signature"], 64, "form")
    must(is_signed(from_hex(public_key, 32, "form"), signature, receipt_text(receipt)), "signature")
    must(receipt["leaf_hash"] == leaf_hash, "hash")


def field_text(stream: str, position: int, field: str, salt: str, value: Any) -> bytes:
    return lines("chiptrail/field/v1", stream, position, field, salt) + canonical(value)


def choice_text(stream: str, seat: int, field: str, blind: str, value: Any) -> bytes:
    return lines("chiptrail/choice/v1", stream, f"seat:{seat}", field, blind) + canonical(value)


def must_open(opening: Mapping[str, Any], seat: int, sealed: Mapping[str, Any], place: str = "") -> None:
    """Check an opening against *sealed*, its field in the leaf: the commitment, and the choice of a signed leaf."""
    stream, field, value = opening["stream"], opening["field"], opening["value"]
    from_hex(opening["salt"], 32, "form", place)
    text = field_text(stream, opening["position"], field, opening["salt"], value)
    must(sha256(text).hex() == sealed["c"], "hash", place)
    must(("choice" in sealed) == ("blind" in opening), "form", place)
    if "choice" in sealed:
        from_hex(opening["blind"], 32, "form", place)
        must(sha256(choice_text(stream, seat, field, opening["blind"], value)).hex() == sealed["choice"], "hash", place)


def action_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the signed action, made from the decision's leaf."""
    kind, *members = ACTIONS.get(event["type"], (event["type"],))
    action = {"type": kind, **{name: event["pub"][name] for name in members if name in event["pub"]}}
    return action | {field: sealed["choice"] for field, sealed in event.get("priv", {}).items()}


def move_text(event: Mapping[str, Any]) -> bytes:
    sig = {name: event["sig"][name] for name in ("position", "head_hash")}
    move = {"stream": event["stream"], "cmd": event["cmd"], "action": action_of(event), **sig}
    return b"chiptrail/move/v1\n" + canonical(move)


class Signers:
    """The signing keys of the seats of a stream, event by event; a wrong signature is refused as `moves`."""

    def __init__(self) -> None:
        self.keys: dict[int, str] = {}
        self.hashes: list[str] = []
        self._decided: dict[int, int] = {}  # by seat: the end of the last command that decided for it
        self._by = 0
        self.signed = 0

    def take(self, event: Mapping[str, Any], leaf_hash: str) -> None:
        position, pub, seat = event["position"], event["pub"], _seat_of(event)
        if "cmd" in event:
            self._take_decision(event, seat, f"position {position}")
            self._by = seat or (pub.get("seat", 0) if "called" in pub else 0)
        if self._by:
            self._decided[self._by] = position
        if event["type"] == "signing_key_registered":
            self.keys[seat] = pub["public_key"]
        elif event["type"] in {"signing_key_ended", "seat_left"}:
            self.keys.pop(seat or pub.get("seat", 0), None)
        self.hashes.append(leaf_hash)

    def _take_decision(self, event: Mapping[str, Any], seat: int, place: str) -> None:
        kind, sig, present = event["type"], event.get("sig"), self.keys.get(seat, "")
        must_sign = kind == "signing_key_registered" or (present and kind != "signing_key_ended")
        must(bool(sig) == bool(must_sign), "moves", place)
        must(all(("choice" in one) == bool(sig) for one in event.get("priv", {}).values()), "moves", place)
        if not sig:
            return
        least = self._decided.get(seat, 1) if present else len(self.hashes)
        must(least <= sig["position"] <= len(self.hashes), "moves", place)
        must(self.hashes[sig["position"] - 1] == sig["head_hash"], "moves", place)
        is_change = kind == "signing_key_registered"
        self._must_sign(event["pub"]["public_key"] if is_change else present, sig["signature"], event, place)
        must(("previous" in sig) == bool(is_change and present), "moves", place)
        if "previous" in sig:
            self._must_sign(present, sig["previous"], event, place)
        self.signed += 1

    def _must_sign(self, key: str, signature: str, event: Mapping[str, Any], place: str) -> None:
        public, data = from_hex(key, 32, "moves", place), from_hex(signature, 64, "moves", place)
        must(is_signed(public, data, move_text(event)), "moves", place)


def _seat_of(event: Mapping[str, Any]) -> int:
    by = str(event["by"])
    return int(by.removeprefix("seat:")) if by.startswith("seat:") else 0
