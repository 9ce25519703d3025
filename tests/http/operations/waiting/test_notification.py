"""Notification: no order of `notify` and `wait` loses an event."""

from threading import Thread

from service.http.operations.waiting.notification import Notification


class NotifiedMeanwhile(Notification):
    """A notification of position 8 arrives just when an earlier, wrong hint is forgotten."""

    is_next = False

    def __setattr__(self, name: str, value: object) -> None:
        """Notify before the announced position becomes 0."""
        if self.is_next and (name, value) == ("_announced", 0):
            self.is_next = False
            other = Thread(target=self.notify, args=(8,))
            other.start()
            other.join()
        super().__setattr__(name, value)


def test_a_notification_while_a_wrong_hint_is_forgotten_ends_the_wait() -> None:
    notification = NotifiedMeanwhile()
    notification.notify(7)
    assert notification.wait(5, 0)
    notification.is_next = True
    assert notification.wait(5, 0)  # the reader found no event 6 or 7
    assert not notification.is_next


def test_a_position_that_is_announced_again_during_a_look_ends_the_next_wait() -> None:
    notification = Notification()
    notification.notify(7)  # a wrong hint: the stream is at position 5
    assert notification.wait(5, 0)
    notification.notify(7)  # the reader has just read the stream when the event is committed
    assert notification.wait(5, 0)
    assert notification.least == 7
    assert not notification.wait(5, 0)  # the reader has looked after the last announcement


def test_a_notification_without_a_position_between_a_look_and_the_wait_ends_this_wait_alone() -> None:
    notification = Notification()
    assert not notification.wait(5, 0)
    notification.notify()
    assert notification.wait(5, 0)
    assert notification.least == 0  # the reader must read up to the head
    assert not notification.wait(5, 0)


def test_two_waits_without_a_look_forget_no_event_that_came_as_the_first_wait_ended() -> None:
    """The time of the first wait is over; before this wait returns, an event is announced."""
    reader = Notification()

    class Late:
        """A lock that nobody has released in time; then an event is announced."""

        def __init__(self) -> None:
            self.waits = 0

        def acquire(self, *, blocking: bool = True, timeout: float = -1) -> bool:
            if blocking and timeout >= 0 and not self.waits:
                self.waits += 1
                reader._announced, reader._count = 2, reader._count + 1
            return False

    setattr(reader, "_asleep", Late())  # noqa: B010 -- a type checker would refuse another lock
    assert not reader.wait(1, 0)
    assert reader.wait(1, 0)
