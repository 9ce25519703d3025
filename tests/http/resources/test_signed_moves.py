"""Signed moves over HTTP: players register, change and end keys, and only valid signatures are accepted (G.13)."""

import pytest
from cryptography.exceptions import InvalidSignature
from werkzeug.test import TestResponse

from tests.http.service import Service, Table, accepted, refused as service_refused
from tests.http.signer import Signer, choice, key_of, public


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


@pytest.fixture
def table(quick_service: Service) -> Table:
    return Table(quick_service, 2).seated()


def signers_of(table: Table) -> dict[int, Signer]:
    """Register a key for each player; return the signers of the players by seat."""
    signers = {seat: Signer(player, table.path, key_of(f"{seat}")) for seat, player in table.players.items()}
    for signer in signers.values():
        accepted(signer.register())
    return signers


def dealt(table: Table) -> Signer:
    """Register the keys, start the game and deal; return the signer whose decision is due."""
    signers = signers_of(table)
    accepted(table.host.do(table.path, "start_game"))
    accepted(signers[table.due_seat].do("deal_hand", "deal"))
    return signers[table.due_seat]


def code_of(answer: TestResponse) -> str:
    refused = answer.get_json()
    assert (answer.status_code, refused["ruling"]) == (409, "G.13"), refused
    return str(refused["code"])


def test_a_move_without_a_signature_is_refused_and_nothing_is_recorded(table: Table) -> None:
    due, events = dealt(table), table.service.events()
    assert code_of(due.person.do(table.path, "hold_cards")) == "move_must_be_signed"
    assert table.service.events() == events


def test_a_wrong_or_foreign_signature_is_refused_and_nothing_is_recorded(table: Table) -> None:
    due, action = dealt(table), {"type": "hold_cards"}
    events, good = table.service.events(), due.sig(action, "hold")
    foreign = Signer(due.person, table.path, key_of("another"))
    for sig in (
        foreign.sig(action, "hold"),
        due.sig({"type": "throw_in"}, "hold"),
        due.sig(action, "another key"),
        {**good, "signature": "00" * 64},
        {**good, "previous": good["signature"]},
    ):
        answer = due.person.post(f"{table.path}/actions", {**action, "sig": sig}, key="hold")
        assert code_of(answer) == "signature_must_be_valid"
    assert table.service.events() == events
    accepted(due.person.post(f"{table.path}/actions", {**action, "sig": good}, key="hold"))


def test_another_head_is_refused_and_nothing_is_recorded(table: Table) -> None:
    due = dealt(table)
    head, events = due.sign_from, table.service.events()
    for position, head_hash in (
        (head["position"], "ab" * 32),
        (head["position"] - 1, head["head_hash"]),
        (head["position"] + 1, head["head_hash"]),
        (1, head["head_hash"]),
    ):
        answer = due.do("hold_cards", "hold", {"position": position, "head_hash": head_hash})
        assert code_of(answer) == "head_must_be_of_the_turn"
    assert table.service.events() == events


def test_of_two_signed_moves_on_one_head_only_the_first_is_recorded(table: Table) -> None:
    (old, _), new = signers_of(table).values(), Signer(table.players[1], table.path, key_of("new"))
    head = old.sign_from
    accepted(new.register("change", previous=old))
    events = table.service.events()
    assert code_of(new.do("leave_seat", "leave", head)) == "head_must_be_of_the_turn"
    assert table.service.events() == events
    accepted(new.do("leave_seat", "leave"))


def test_a_repeat_must_have_the_same_signature(table: Table) -> None:
    due, action = dealt(table), {"type": "hold_cards"}
    sig = due.sig(action, "hold")
    first = accepted(due.person.post(f"{table.path}/actions", {**action, "sig": sig}, key="hold"))
    again = accepted(due.person.post(f"{table.path}/actions", {**action, "sig": sig}, key="hold"))
    assert (again.headers["Idempotent-Replayed"], again.json["receipt"]) == ("true", first.json["receipt"])
    other = due.person.post(f"{table.path}/actions", action, key="hold")
    refused = service_refused(other, 422, "idempotency_key_must_be_new")
    assert refused["errors"][0]["pointer"] == "/sig"


def test_a_dry_run_needs_no_signature_but_checks_one(table: Table) -> None:
    due, path = dealt(table), f"{table.path}/actions?dry_run=true"
    action = {"type": "hold_cards"}
    assert accepted(due.person.post(path, action)).json == {"accepted": True}
    assert accepted(due.person.post(path, {**action, "sig": due.sig(action, "dry")}, key="dry")).json["accepted"]
    assert code_of(due.person.post(path, {**action, "sig": due.sig(action, "dry")}, key="other")) == (
        "signature_must_be_valid"
    )


def test_an_unexpected_signature_is_refused(table: Table) -> None:
    accepted(table.host.do(table.path, "start_game"))
    due = Signer(table.due, table.path, key_of("nobody's"))
    assert code_of(due.do("deal_hand", "deal")) == "move_must_not_be_signed"
    host = Signer(table.host, table.path, key_of("host"))
    sig = due.sig({"type": "call_time"}, "call")
    assert code_of(host.person.do(table.path, "call_time", sig=sig)) == "move_must_not_be_signed"
    dealing = due.sig({"type": "deal_hand"}, "with blinds") | {"blinds": [{"field": "bid", "blind": "9f" * 32}]}
    answer = due.person.do(table.path, "deal_hand", "with blinds", sig=dealing)
    assert code_of(answer) == "move_must_not_be_signed"  # this precedes `blinds_must_be_of_the_sealed_fields`


def test_a_key_is_changed_by_both_keys(table: Table) -> None:
    (old, _), new = signers_of(table).values(), Signer(table.players[1], table.path, key_of("new"))
    assert code_of(new.register("change")) == "signature_must_be_valid"
    assert code_of(new.register("change", previous=new)) == "signature_must_be_valid"
    leaf = accepted(new.register("change", previous=old)).json["events"][0]["leaf"]
    assert (leaf["pub"]["public_key"], "previous" in leaf["sig"]) == (public(new.key), True)
    assert accepted(new.person.get(f"{table.path}/me")).json["signing_key"] == public(new.key)
    assert code_of(old.do("leave_seat", "leave")) == "signature_must_be_valid"
    accepted(new.do("leave_seat", "leave"))


def test_a_registration_cannot_be_sent_again_after_the_end_of_the_key(table: Table) -> None:
    signer = Signer(table.players[1], table.path, key_of("1"))
    action = {"type": "register_signing_key", "public_key": public(signer.key)}
    body = {**action, "sig": signer.sig(action, "register")}
    accepted(signer.person.post(f"{table.path}/actions", body, key="register"))
    accepted(signer.person.do(table.path, "end_signing_key"))
    assert code_of(signer.person.post(f"{table.path}/actions", body, key="again")) == "head_must_be_of_the_turn"


def test_a_lost_key_blocks_no_seat_and_the_verdict_names_the_seat(table: Table) -> None:
    due = dealt(table)
    accepted(due.person.do(table.path, "end_signing_key"))
    accepted(due.person.do(table.path, "hold_cards"))
    verdict = accepted(table.host.get(f"{table.path}/hands/1/adjudication")).json
    seat = accepted(due.person.get(f"{table.path}/me")).json["seat"]
    assert verdict["unsigned_seats"] == [seat]
    assert [one["is_signed"] for one in verdict["decisions"]] == [True, False, False]


def test_a_host_that_sits_registers_a_key_for_its_own_seat_only(quick_service: Service) -> None:
    table = Table(quick_service, 2)
    sitting = Signer(quick_service.person("play", "host", owner=table.host.owner), table.path, key_of("host"))
    action = {"type": "register_signing_key", "public_key": public(sitting.key)}
    service_refused(sitting.person.post(f"{table.path}/actions", action), 403, "asker_must_be_a_player")
    accepted(sitting.person.post(f"{table.path}/seats", {"chips": 12, "seat": 2}), 201)
    named = sitting.person.post(f"{table.path}/actions", {**action, "seat": 1})
    service_refused(named, 422, "request_must_have_its_shape")
    leaf = accepted(sitting.register()).json["events"][0]["leaf"]
    assert (leaf["by"], leaf["pub"]["seat"]) == ("seat:2", 2)
    accepted(table.players[1].post(f"{table.path}/seats", {"chips": 12}), 201)
    accepted(sitting.person.do(table.path, "start_game"))  # A host's commands are not signed.


def test_a_malformed_signature_is_named(table: Table) -> None:
    due = dealt(table)
    bodies = ({"position": 0}, {"signature": "AB" * 64}, {"head_hash": "ab"}, {"blinds": [{"field": "x"}]}, {"more": 1})
    for change in bodies:
        body = {"type": "hold_cards", "sig": {**due.sig({"type": "hold_cards"}, "hold"), **change}}
        details = service_refused(due.person.post(f"{table.path}/actions", body), 422, "request_must_have_its_shape")
        assert {one["pointer"].split("/")[2] for one in details["errors"]} == set(change)
    details = service_refused(due.person.do(table.path, "hold_cards", sig=None), 422, "request_must_have_its_shape")
    assert [one["pointer"] for one in details["errors"]] == ["/sig"]


def test_time_called_for_a_seat_with_a_key_needs_no_signature(table: Table) -> None:
    dealt(table)
    leaf = accepted(table.host.do(table.path, "call_time")).json["events"][0]["leaf"]
    assert (leaf["by"], leaf["pub"]["called"], "sig" in leaf) == ("service", "host", False)


def test_a_sealed_choice_cannot_be_guessed_from_its_signature(quick_service: Service) -> None:
    table = Table(quick_service, 4, game="insurance_hearts").seated()
    signers = signers_of(table)
    accepted(table.host.do(table.path, "start_game"))
    accepted(signers[table.due_seat].do("deal_hand", "deal"))
    signer, blinds = signers[1], {"insurance": "5b" * 32, "foot": "77" * 32}
    values = {"insurance": 4, "foot": False}
    action = {"type": "write_slip", **values}
    tried = accepted(signer.person.post(f"{table.path}/actions?dry_run=true", action)).json
    fields = [{"field": field, "value": value} for field, value in values.items()]
    assert tried["seals"] == {"decision": "slip_written", "fields": fields}
    leaf = accepted(signer.do_sealed(action, "slip_written", values, blinds, "slip")).json["events"][0]["leaf"]
    hashes = {field: one["choice"] for field, one in leaf["priv"].items()}

    def guessed(field: str, blind: str) -> list[object]:
        all_values: tuple[object, ...] = tuple(range(7)) if field == "insurance" else (False, True)
        return [one for one in all_values if choice(signer.stream, 1, field, blind, one) == hashes[field]]

    for field, value in values.items():
        assert guessed(field, blinds[field]) == [value]  # With the blind, only this value fits the hash.
        assert guessed(field, "") == []
        assert guessed(field, leaf["priv"][field]["c"]) == []
    head = {"position": leaf["sig"]["position"], "head_hash": leaf["sig"]["head_hash"]}
    text = signer.text({"type": "slip_written", **hashes}, "slip", head)
    signer.key.public_key().verify(bytes.fromhex(leaf["sig"]["signature"]), text)
    for one in range(7):
        tried = signer.text({"type": "write_slip", "insurance": one, "foot": False}, "slip", head)
        with pytest.raises(InvalidSignature):
            signer.key.public_key().verify(bytes.fromhex(leaf["sig"]["signature"]), tried)
    assert code_of(signers[2].do_sealed(action, "slip_written", {"foot": False}, blinds, "slip")) == (
        "signature_must_be_valid"
    )
    without = {"foot": blinds["foot"]}
    assert code_of(signers[2].do_sealed(action, "slip_written", {"foot": False}, without, "slip")) == (
        "blinds_must_be_of_the_sealed_fields"
    )
