"""Waiting slots: neither an owner nor an address nor a host with the owners that it made can take all slots."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from service.entropy import Entropy
from service.http.operations.body_slots import BodySlots
from service.http.operations.bulkhead import KEYLESS, Bulkhead, Limits
from service.http.operations.long_polls import LongPolls
from service.http.operations.waiting.head_watcher import HeadWatcher
from service.http.operations.waiting.readers import Readers
from service.http.problems.problem import Problem
from service.http.request import authentication
from tests.clocks import Clock
from tests.databases import Databases
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.http.streams import EVENTS

PLACES, EACH = 8, 3
HOME, AWAY, ELSEWHERE = "192.0.2.1", "192.0.2.2", "192.0.2.3"


@pytest.fixture
def service(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    """Yield a service with eight waiting slots, at most three for each quota owner."""
    with (
        all_databases.migrated("sqlite") as url,
        running(tmp_path, url, waiting_places=PLACES, waiting_places_each=EACH, proxies=1) as made,
    ):
        yield made


class Waiters:
    """Readers of streams of a table that has not started; each takes a waiting slot."""

    def __init__(self, service: Service, stack: ExitStack) -> None:
        self._path = f"{Table(service, 2).path}/events?after=2"
        self._stack = stack

    def take(self, person: Person, at: str) -> TestResponse:
        headers = {"Accept": EVENTS, "X-Forwarded-For": at}
        if person.token:
            headers["Authorization"] = f"Bearer {person.token}"
        answer = person.service.app.test_client().get(self._path, headers=headers)  # nobody reads this stream
        self._stack.callback(answer.close)
        return answer

    def take_all(self, person: Person, at: str) -> int:
        """Take as many slots as *person* can get; return their number."""
        for taken in range(PLACES + 1):
            answer = self.take(person, at)
            if answer.status_code != 200:
                refused(answer, 503, "place_must_be_free")
                return taken
        raise AssertionError


@pytest.fixture
def waiters(service: Service) -> Iterator[Waiters]:
    with ExitStack() as stack:
        yield Waiters(service, stack)
    assert service.parts.long_polls.slots_taken == 0


def made_by(service: Service, host: Person) -> Person:
    made = accepted(host.post("/v1/keys", {}), 201).json
    return Person(service, made["key"]["owner"], made["token"])


def test_a_key_and_no_key_at_one_address_count_together(service: Service, waiters: Waiters) -> None:
    assert waiters.take_all(service.person("play"), HOME) == EACH
    assert waiters.take_all(service.spectator, HOME) == 0
    assert waiters.take_all(service.spectator, AWAY) == EACH


def test_an_owner_counts_wherever_its_keys_come_from(service: Service, waiters: Waiters) -> None:
    person = service.person("play")
    second = service.person("play", owner=person.owner)
    assert waiters.take(person, HOME).status_code == 200
    assert waiters.take(second, AWAY).status_code == 200
    assert waiters.take_all(person, ELSEWHERE) == 1
    assert waiters.take_all(second, HOME) == 0


def test_the_owners_that_a_host_made_count_together_and_with_the_host(service: Service, waiters: Waiters) -> None:
    host = service.person("host")
    three = [made_by(service, host) for _ in range(3)]
    for person, at in zip(three, (HOME, AWAY, ELSEWHERE), strict=True):
        assert waiters.take(person, at).status_code == 200
    assert waiters.take_all(three[0], "192.0.2.4") == 0
    assert waiters.take_all(host, "192.0.2.5") == 0
    assert waiters.take_all(service.person("play"), "192.0.2.6") == EACH


@pytest.fixture
def admin(service: Service) -> Person:
    """Return an admin, made before the service first asks which owners are admins."""
    return service.person("admin")


def test_the_owners_that_an_admin_made_are_each_counted_alone(
    admin: Person, service: Service, waiters: Waiters
) -> None:
    for number in range(EACH + 1):
        assert waiters.take(made_by(service, admin), f"192.0.2.{number}").status_code == 200


def test_a_lost_key_that_has_ended_takes_no_slot_of_its_owner(service: Service) -> None:
    host = service.person("host")
    player = made_by(service, host)
    ended = accepted(host.post("/v1/keys", {"owner": player.owner}), 201).json
    accepted(host.send("DELETE", f"/v1/keys/{ended['key']['id']}", headers={}), 204)
    lost = Person(service, player.owner, ended["token"])
    assert {_parties(player, HOME), _parties(lost, HOME)} == {
        (f"address {HOME}", f"owner {player.owner}", f"host {host.owner}"),
        (f"address {HOME}", f"ended keys of host {host.owner}"),
    }


def _parties(person: Person, at: str) -> tuple[str, ...]:
    headers = {"Authorization": f"Bearer {person.token}", "X-Forwarded-For": at}
    with person.service.app.test_request_context(headers=headers):
        return authentication.quota_owners(authentication.caller_or_ended())


def test_a_slot_counts_for_all_its_parties_until_it_is_free() -> None:
    bulkhead = Bulkhead(Limits(in_all=3, each=2))
    one, other = ("a", "b"), ("b", "c")
    bulkhead.enter(one)
    assert bulkhead.full_for(one) is None
    bulkhead.enter(other)
    assert (bulkhead.full_for(one), bulkhead.full_for(("d",))) == ("b", None)
    bulkhead.enter(("d",))
    assert bulkhead.full_for(("e",)) == ""
    bulkhead.leave(one)
    assert bulkhead.full_for(other) is None


def test_callers_without_a_key_leave_half_of_the_places_to_holders_of_keys() -> None:
    bulkhead = Bulkhead(Limits(in_all=4, each=1, keyless=2))
    for at in ("here", "there"):
        bulkhead.enter((at, KEYLESS))
    assert (bulkhead.full_for(("elsewhere", KEYLESS)), bulkhead.full_for(("elsewhere", "owner"))) == (KEYLESS, None)


def test_without_a_key_many_addresses_can_take_only_half_of_the_places(service: Service, waiters: Waiters) -> None:
    taken = [waiters.take_all(service.spectator, at) for at in (HOME, AWAY, ELSEWHERE)]
    assert taken == [EACH, PLACES // 2 - EACH, 0]
    assert waiters.take_all(service.person("play"), ELSEWHERE) == EACH


def test_a_request_that_waits_for_a_body_slot_gets_the_next_free_one() -> None:
    body_slots = BodySlots(Entropy(), Limits(1, 1))
    with pytest.raises(Problem), _places(body_slots, "a"), _places(body_slots, "b"):
        pass  # nobody frees a slot within a second
    with _places(body_slots, "b"):
        pass


@contextmanager
def _places(body_slots: BodySlots, *quota_owners: str) -> Iterator[None]:
    with body_slots.slot(*quota_owners):
        yield


def test_the_refusals_of_one_owner_do_not_delay_when_another_may_try_again() -> None:
    long_polls = LongPolls(Limits(9, 1), HeadWatcher(Readers(), lambda _: {}), Clock())
    seconds: dict[str, int] = {}
    for owner, times in (("often", 300), ("seldom", 1)):
        with long_polls.slot(owner):
            for _ in range(times):
                with pytest.raises(Problem, match="place_must_be_free") as refusal:
                    long_polls.slot(owner)
                seconds[owner] = int(refusal.value.headers["Retry-After"])
    assert seconds == {"often": 16, "seldom": 1}
    long_polls.end()
