"""The siege runs for a moment: attacks send requests, and other clients are measured; the figures are not checked."""

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from tests.bench.siege import attacks
from tests.bench.siege.__main__ import main
from tests.bench.siege.attacks import Target

TARGET = Target(port=1, table="tbl_1", hands=3, keys=("one", "two"), ended="ended")


@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_an_attack_comes_from_other_addresses_than_ours(name: str) -> None:
    attack = attacks.ATTACKS[name]
    assert 1 <= attack.addresses < 200
    sent = [attack.sends(TARGET, number) for number in range(4)]
    is_whole = all(one.endswith(b"\r\n\r\n") for one in sent)
    assert is_whole != (name in {"idle connections", "half-sent heads"})
    assert all(b"Content-Length: 1000" in one for one in sent) == ("bodies" in name)


@pytest.mark.full
def test_others_are_asked_before_an_attack_beside_it_and_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    few = "half-sent bodies, two players"
    monkeypatch.setitem(attacks.ATTACKS, few, replace(attacks.ATTACKS[few], many=4))
    done = CliRunner().invoke(main, ["--seconds", "1", "--attack", few])
    assert done.exit_code == 0, done.output
    assert "p50 ratio" in done.output
