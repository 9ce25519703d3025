"""The life of a key: how it is stored, who made and ended it, and how a lost key is replaced."""

import hmac
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace
from sqlalchemy import inspect

from service.api_keys import repository
from service.api_keys.repository import Key
from service.database.engines import administering, reading
from tests.databases import Databases
from tests.http.service import Person, Service, Table, accepted, refused


@pytest.mark.walk
def test_no_column_of_the_database_holds_a_secret(service: Service) -> None:
    admin = service.person("admin", "host", "play")
    tokens = [accepted(admin.post("/v1/keys", {"scopes": [scope]}), 201).json["token"] for scope in ("play", "host")]
    table = Table(service).dealt()
    accepted(admin.send("DELETE", f"/v1/keys/key_{tokens[0].split('_')[1]}", headers={}), 204)
    tokens += [person.token for person in (admin, table.host, *table.players.values())]
    with reading(service.parts.engine) as connection:
        names = inspect(connection).get_table_names()
        rows = [row for name in names for row in connection.exec_driver_sql(f'SELECT * FROM "{name}"')]  # noqa: S608
    assert {"keys", "key_revocations", "events", "sealed"} <= set(names)
    kept = b"\n".join(value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row)
    for token in tokens:
        key_id, secret = token.split("_")[1:]
        assert bytes.fromhex(key_id) in kept
        assert repository.hash_of(secret) in kept
        for form in (token.encode(), secret.encode(), bytes.fromhex(secret)):
            assert form not in kept


def test_no_line_of_the_log_holds_a_secret(
    all_databases: Databases, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with all_databases.migrated("sqlite") as url:
        service = Service(tmp_path, url, log_level="debug")
        host = service.person("host")
        made = accepted(host.post("/v1/keys", {}), 201).json["token"]
        player = Person(service, "", made)
        accepted(player.get("/v1/whoami"))
        refused(Person(service, "", made[:-1]).get("/v1/whoami"), 401, "key_must_be_valid")
        refused(player.post("/v1/keys", {}), 403, "scope_must_be_granted")
        monkeypatch.setattr(repository, "matches", _fail)
        refused(player.get("/v1/whoami"), 500, "service_must_not_fail")
        service.close()
    said = capsys.readouterr().err
    assert '"route":"/v1/whoami"' in said
    for token in (host.token, made):
        assert token.split("_")[2][:-1] not in said


def test_a_secret_is_compared_in_constant_time(quick_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    person = quick_service.person("play")
    compared = []
    compare_digest = hmac.compare_digest

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return compare_digest(one, other)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    kept = repository.hash_of(person.token.split("_")[2])
    refused(Person(quick_service, "", person.token[:-1] + "x").get("/v1/whoami"), 401, "key_must_be_valid")
    accepted(person.get("/v1/whoami"))
    assert [kept in pair for pair in compared] == [True, True]
    assert [one == other for one, other in compared] == [False, True]


def test_the_maker_and_the_revoker_of_a_key_are_recorded_and_shown(service: Service) -> None:
    admin, host = service.person("admin"), service.person("host")
    made = [accepted(host.post("/v1/keys", {}), 201).json["key"] for _ in range(2)]
    assert {(key["made_by"], key["revoked_by"], key["revoked_at"]) for key in made} == {(host.owner, "", "")}
    for key, by in zip(made, (host, admin), strict=True):
        accepted(by.send("DELETE", f"/v1/keys/{key['id']}", headers={}), 204)
        accepted(admin.send("DELETE", f"/v1/keys/{key['id']}", headers={}), 204)  # the first revocation stays recorded
    listed = {key["id"]: key for key in accepted(host.get("/v1/keys")).json["items"]}
    assert [listed[key["id"]]["revoked_by"] for key in made] == [host.owner, admin.owner]
    assert all(listed[key["id"]]["revoked_at"] >= key["made_at"] for key in made)


def test_the_record_of_a_made_key_is_the_same_after_its_end(service: Service) -> None:
    host = service.person("host")
    first = accepted(host.post("/v1/keys", {"label": "Ann"}, key="ann"), 201)
    accepted(host.send("DELETE", f"/v1/keys/{first.json['key']['id']}", headers={}), 204)
    again = accepted(host.post("/v1/keys", {"label": "Ann"}, key="ann"), 201)
    assert (again.data, again.headers["Idempotent-Replayed"]) == (first.data, "true")


@pytest.mark.parametrize("by_admin", [False, True], ids=["by the host", "by an admin"])
def test_a_lost_key_is_replaced_and_the_seat_is_kept(service: Service, *, by_admin: bool) -> None:
    table = Table(service, 2, buy_in=200)
    helper = service.person("admin") if by_admin else table.host
    made = accepted(table.host.post("/v1/keys", {}), 201).json
    owner, old = made["key"]["owner"], Person(service, made["key"]["owner"], made["token"])
    table.players[1] = old
    table.started()
    _play_until(table, old, "deal_hand")
    dealt = accepted(old.do(table.path, "deal_hand", key="deal"))
    cards = table.view(old)["view"]["cards"]["1"]

    new = Person(service, owner, accepted(helper.post("/v1/keys", {"owner": owner}), 201).json["token"])
    accepted(helper.send("DELETE", f"/v1/keys/{made['key']['id']}", headers={}), 204)

    refused(old.get(table.path), 401, "key_must_be_valid")
    refused(old.do(table.path, "resign"), 401, "key_must_be_valid")
    seen = table.view(new)
    assert (seen["you"], seen["view"]["cards"]["1"]) == (1, cards)
    again = accepted(new.do(table.path, "deal_hand", key="deal"))
    assert (again.data, again.headers["Idempotent-Replayed"]) == (dealt.data, "true")
    table.players[1] = new
    _play_until(table, new, "hold_cards")
    assert accepted(new.do(table.path, "hold_cards")).json["events"][0]["leaf"]["by"] == "seat:1"
    assert accepted(old.do(table.path, "deal_hand", key="deal")).data == dealt.data


@pytest.mark.parametrize("path", ["actions?wait=1", "events?after=1000&wait=1"])
@pytest.mark.parametrize("how", ["revoked here", "revoked elsewhere", "expired"])
def test_a_wait_by_a_key_that_ends_before_the_first_look_gets_no_data(
    service: Service, monkeypatch: pytest.MonkeyPatch, path: str, how: str
) -> None:
    table = Table(service).started()
    waiting, ending = table.others[0], _Ending(service, table.others[0], how, monkeypatch)
    notification = service.parts.long_polls.notification

    def notification_and_end(stream_id: bytes) -> object:
        """End the key once the caller of the waiting request is known, before the first look of the request."""
        with ending:
            pass
        return notification(stream_id)

    monkeypatch.setattr(service.parts.long_polls, "notification", notification_and_end)
    refused(waiting.get(f"{table.path}/{path}"), 401, "key_must_be_valid")
    assert ending.count == 1


@pytest.mark.parametrize("path", ["actions?wait=1", "events?after=1000&wait=1"])
@pytest.mark.parametrize("how", ["revoked here", "revoked elsewhere", "expired"])
def test_a_wait_during_which_the_key_ends_gets_no_data(
    service: Service, monkeypatch: pytest.MonkeyPatch, path: str, how: str
) -> None:
    table = Table(service).started()
    waiting, ending = table.others[0], _Ending(service, table.others[0], how, monkeypatch)
    of_wait = service.parts.long_polls._waiting

    @contextmanager
    def waiting_and_end(give_up: Callable[[], None]) -> Iterator[None]:
        with ending, of_wait(give_up):
            yield

    monkeypatch.setattr(service.parts.long_polls, "_waiting", waiting_and_end)
    refused(waiting.get(f"{table.path}/{path}"), 401, "key_must_be_valid")
    assert ending.count == 1


class _Ending:
    """Ends the key of *waiting* in another thread, between the entry and the end of a `with` block.

    *count* is the number of `with` blocks that were entered.
    """

    def __init__(self, service: Service, waiting: Person, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        name = accepted(waiting.get("/v1/whoami")).json["key"]
        self._thread = Thread(target=_end, args=(service, service.person("admin"), name, how, monkeypatch))

    def __enter__(self) -> None:
        self.count += 1
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join()


def _end(service: Service, admin: Person, name: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key_id = bytes.fromhex(name.removeprefix("key_"))
    if how == "revoked here":
        accepted(admin.send("DELETE", f"/v1/keys/{name}", headers={}), 204)
    elif how == "revoked elsewhere":
        with administering(service.parts.engine) as connection:
            repository.revoke(connection, key_id, by=repository.OPERATOR, at=service.parts.clock.now())
    else:
        known = service.parts.key_cache.find

        def expired(asked: bytes) -> object:
            key = known(asked)
            return key if key is None or asked != key_id else _ended(key)

        monkeypatch.setattr(service.parts.key_cache, "find", expired)


def _ended(key: Key) -> Key:
    return replace(key, expires_at="2026-01-01T00:00:00.000Z")


def _fail(_key: Key, secret: str) -> bool:
    raise RuntimeError(secret)


def _play_until(table: Table, player: Person, deed: str) -> None:
    """Play until *player* is due, and *deed* is the first action in the player's list."""
    while True:
        due = table.due
        (first, *_) = [one["action"] for one in accepted(due.get(f"{table.path}/actions")).json["items"]]
        if due is player and first["type"] == deed:
            return
        accepted(due.post(f"{table.path}/actions", first))
