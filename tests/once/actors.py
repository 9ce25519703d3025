"""Clients that send random commands, and a check that the stream has exactly the commands acknowledged to them."""

# ruff: noqa: ANN401 -- JSON may be any value

import random
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import count
from typing import Any, Final, NamedTuple

import msgspec

from service.event_store.leaf import NO_HASH
from tests.once.clients import Answer, Person

UNWANTED: Final = frozenset({"close_table", "resign", "invite_player", "withdraw_invitation"})
ANYTHING: Final[tuple[dict[str, Any], ...]] = (
    {"type": "deal_hand"},
    {"type": "hold_cards"},
    {"type": "exchange_card", "card": 1},
    {"type": "throw_in"},
    {"type": "offer_upping", "chips": 1},
    {"type": "pass_upping"},
    {"type": "accept_upping"},
    {"type": "decline_upping"},
    {"type": "leave_seat"},
    {"type": "start_game"},
    {"type": "call_time"},
    {"type": "close_table"},
)
REFUSED: Final = frozenset({403, 409, 412})


class _Item(msgspec.Struct):
    leaf: msgspec.Raw
    hash: str


class _Page(msgspec.Struct):
    items: list[_Item]
    has_more: bool
    next: int


class Command(NamedTuple):
    """A posted request, kept so that the client can repeat it."""

    path: str
    body: Any
    key: str
    headers: dict[str, str]


class Actor:
    """A client that sends random commands. *acknowledged*: the responses to its recorded commands, by command id.

    *note* is called with each of these responses. *may_be_signed_anew*: whether the service key was rotated, so that
    the receipt of a repeat may have another signature.
    """

    def __init__(self, person: Person, name: str, seed: int, note: Callable[[Answer], None] = lambda _: None) -> None:
        self.person = person
        self.chance = random.Random(seed)
        self.acknowledged: dict[str, Answer] = {}
        self.refused = 0
        self.may_be_signed_anew = False
        self._note = note
        self._heard: list[Command] = []
        self._unheard: Command | None = None
        self._cmds: dict[str, str] = {}
        self._keys = (f"{name}-{number}" for number in count(1))

    def act(self, table: str, deeds: int) -> None:
        """Make up to *deeds* random requests at *table*: available actions, unavailable actions, and repeats."""
        for _ in range(deeds):
            if self._heard and self.chance.random() < 0.15:
                self._send(self.chance.choice(self._heard))
                continue
            seen = self.person.get(f"{table}/actions").json
            offered = [one for one in seen["items"] if one["action"]["type"] not in UNWANTED]
            body = self._chosen(offered) if offered and self.chance.random() < 0.85 else self.chance.choice(ANYTHING)
            if body["type"] == "close_table" and seen["status"] == "open":
                continue  # The host could close an open table, which would end the test.
            on = {"If_Match": f'"{seen["position"]}"'} if self.chance.random() < 0.3 else {}
            self.post(f"{table}/actions", body, next(self._keys), **on)

    def sit(self, table: str, chips: int) -> None:
        self.post(f"{table}/seats", {"chips": chips}, next(self._keys))

    def post(self, path: str, body: Any, key: str, **headers: str) -> Answer:
        return self._send(Command(path, body, key, headers))

    def repeat_all(self) -> None:
        """Repeat all acknowledged commands, then the unanswered command, if there is one."""
        unheard = self._unheard  # `_send` resets it.
        for command in self._heard[:]:
            self._send(command)
        self._unheard = unheard
        self.repeat_unheard()

    def repeat_some(self, most: int) -> None:
        """Repeat up to *most* acknowledged commands, chosen at random."""
        for command in self.chance.sample(self._heard, min(most, len(self._heard))):
            self._send(command)

    def repeat_unheard(self) -> None:
        """Repeat the unanswered command, if there is one."""
        if self._unheard is not None:
            self._send(self._unheard, may_be_known=True)

    def _send(self, command: Command, *, may_be_known: bool = False) -> Answer:
        """Send *command* and check the response. *may_be_known*: the server may have recorded *command* before."""
        if command.key not in self._cmds:
            self._unheard = command
        doubts = self.person.in_doubt
        answer = self.person.post(command.path, command.body, command.key, **command.headers)
        may_be_known = may_be_known or self.person.in_doubt > doubts
        self._unheard = None
        if answer.status in {200, 201}:
            cmd = answer.json["receipt"]["cmd"]
            assert self._cmds.setdefault(command.key, cmd) == cmd
            known = self.acknowledged.setdefault(cmd, answer)
            assert known.body == answer.body or (self.may_be_signed_anew and _unsigned(known) == _unsigned(answer))
            assert may_be_known or answer.is_replayed == (known is not answer)
            if known is answer:
                self._heard.append(command)
                self._note(answer)
        else:
            assert answer.status in REFUSED, answer
            assert command.key not in self._cmds
            self.refused += 1
        return answer

    def _chosen(self, offered: Sequence[Any]) -> Any:
        item = self.chance.choice(offered)
        return {**item["action"], **{b["member"]: self.chance.randint(b["least"], b["most"]) for b in item["bounds"]}}


def _unsigned(answer: Answer) -> Any:
    """Return the body of the response to a command without the signature of its receipt."""
    body = answer.json
    del body["receipt"]["signature"]
    return body


def must_hold_what_was_acknowledged(table: str, actors: Sequence[Actor]) -> int:
    """Check that the stream of *table* has exactly the events acknowledged to *actors*.

    Return the number of decisions in the stream.
    """
    leaves, hashes = _stream(actors[0].person, table)
    decided = [leaf["cmd"] for leaf in leaves if "cmd" in leaf]
    acknowledged: dict[str, Answer] = {}
    for actor in actors:
        assert acknowledged.keys().isdisjoint(actor.acknowledged)
        acknowledged |= actor.acknowledged
    assert sorted(decided) == sorted(acknowledged)
    told: dict[int, str] = {}
    for answer in acknowledged.values():
        done = answer.json
        events = {event["leaf"]["position"]: event["hash"] for event in done["events"]}
        assert told.keys().isdisjoint(events)
        told |= events
        assert done["receipt"]["position"] == max(events)
        assert hashes[max(events) - 1] == done["receipt"]["leaf_hash"]
    assert [told[position] for position in sorted(told)] == hashes
    return len(decided)


def _stream(person: Person, table: str) -> tuple[list[Any], list[str]]:
    """Read the whole stream and check its hash chain; return its leaves and their hashes."""
    leaves: list[Any] = []
    hashes = [NO_HASH]
    page = _Page([], has_more=True, next=0)
    while page.has_more:
        page = msgspec.json.decode(person.get(f"{table}/events?limit=500&after={page.next}").body, type=_Page)
        for item in page.items:
            leaf = msgspec.json.decode(item.leaf)
            assert sha256(b"\0" + bytes(item.leaf)).hexdigest() == item.hash
            assert (leaf["position"], leaf["prev"]) == (len(leaves) + 1, hashes[-1])
            leaves.append(leaf)
            hashes.append(item.hash)
    return leaves, hashes[1:]
