"""The siege runs for a moment: attacks send requests, and other clients are measured; the figures are not checked."""

import socket

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from tests.bench.siege import attacks
from tests.bench.siege.__main__ import main
from tests.bench.siege.attacks import Target

TARGET = Target(port=1, table="tbl_1", hands=3, keys=("one", "two"), ended="ended")


@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_an_attack_comes_from_other_addresses_than_ours(name: str) -> None:
    attack, found = attacks.ATTACKS[name], set()
    with socket.create_server(("127.0.0.1", 0)) as server:
        target = replace(TARGET, port=server.getsockname()[1])
        for number in range(4):
            with attacks._connected(attack, target, number), server.accept()[0] as taken:
                found.add(taken.getpeername()[0])
    assert len(found) == attack.addresses
    assert all(address.startswith("127.0.0.") for address in found)
    assert "127.0.0.1" not in found


@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_an_attack_sends_whole_requests_but_for_half_sent_heads(name: str) -> None:
    attack = attacks.ATTACKS[name]
    sent = [attack.sends(TARGET, number) for number in range(4)]
    is_whole = all(one.endswith(b"\r\n\r\n") for one in sent)
    assert is_whole != (name in {"idle connections", "half-sent heads"})
    assert all(b"Content-Length: 1000" in one for one in sent) == ("bodies" in name)


def test_an_attack_that_does_not_begin_in_time_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "_SETTLE_SECONDS", 0.1)
    with (
        pytest.raises(TimeoutError, match="'idle connections' has not begun"),
        attacks.under("idle connections", TARGET),
    ):
        pytest.fail("nothing listens on the port, so the attack cannot begin")


@pytest.mark.full
def test_others_are_asked_before_an_attack_beside_it_and_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    few = "half-sent bodies, two players"
    monkeypatch.setitem(attacks.ATTACKS, few, replace(attacks.ATTACKS[few], many=4))
    done = CliRunner().invoke(main, ["--seconds", "1", "--attack", few])
    assert done.exit_code == 0, done.output
    assert "p50 ratio" in done.output
