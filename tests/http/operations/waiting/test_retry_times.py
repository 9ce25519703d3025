"""The more requests are refused, the later their clients are asked to come back: about twenty in each second."""

from collections import Counter

from service.http.operations.waiting.retry_times import RetryTimes
from tests.clocks import Clock


def test_a_single_refusal_asks_for_a_second_and_many_are_spread_over_up_to_thirty() -> None:
    clock = Clock()
    times = RetryTimes(clock)
    asked = [times.headers()["Retry-After"] for _ in range(400)]
    assert asked[0] == "1"
    assert max(Counter(asked).values()) <= 21
    assert asked[-1] == "21"
    assert [times.headers()["Retry-After"] for _ in range(400)][-1] == "30"
    clock.seconds += 29
    assert times.headers()["Retry-After"] == "1"


def test_the_number_of_seconds_falls_again_while_few_requests_are_refused() -> None:
    clock = Clock()
    times = RetryTimes(clock)
    assert [times.headers()["Retry-After"] for _ in range(1_000)][-1] == "30"
    found = []
    for _ in range(40):
        clock.seconds += 1
        found.append(int(times.headers()["Retry-After"]))
    assert found == sorted(found, reverse=True)
    assert (found[0], found[9], found[-1]) == (29, 20, 1)
