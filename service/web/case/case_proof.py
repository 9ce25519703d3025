"""The facts about a hand: the proved facts with their proofs, and the facts that are not proved."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from service.client.hand_answers import Deck, Event
from service.web.case.case_facts import Answers
from service.wording import phrases

_SIGNATURE: Final = "\N{EM DASH} "
_CALLERS: Final = {"host": "host", "limit": "time limit"}
_SIGNED: Final = "A player's signature shows that nobody else, not even the service, made the decision."


class Fact(Struct, frozen=True):
    """A fact. *said* explains the fact, or says why it is not proved; *values* has the fact's values by name."""

    title: str
    is_proved: bool
    said: str
    values: tuple[tuple[str, str], ...] = ()


class Checkpoint(Struct, frozen=True):
    """The checkpoint in a proof of leaf *index*: the log's *origin*, the tree's *size* and *root*, its *signers*."""

    index: str
    origin: str
    size: str
    root: str
    signers: tuple[str, ...]


def facts(answers: Answers) -> tuple[Fact, ...]:
    """Return what is proved about the hand, and what is not."""
    proof = answers.proof
    covered = checkpoint(proof) if isinstance(proof, bytes) else None
    return (
        *(fact for deck in answers.hand.decks for fact in _deck(answers, deck)),
        _chain(answers.events),
        *(_tree(answers, covered) if covered else [_uncovered(str(proof))]),
        _signatures(answers),
        _sheet(answers),
    )


def checkpoint(proof: bytes) -> Checkpoint:
    """Return the checkpoint in *proof*, which has the format C2SP tlog-proof."""
    head, _, note = proof.decode().partition("\n\n")
    text, _, signatures = note.partition("\n\n")
    origin, size, root = text.splitlines()[:3]
    signers = (line.split(" ")[1] for line in signatures.splitlines() if line.startswith(_SIGNATURE))
    return Checkpoint(head.splitlines()[1].removeprefix("index "), origin, size, root, tuple(signers))


def _deck(answers: Answers, deck: Deck) -> Iterator[Fact]:
    events = {one.leaf.type: one.leaf for one in answers.deck_events if one.leaf.pub["epoch"] == deck.epoch}
    opened, fixed, revealed = (events.get(kind) for kind in ("deck_opened", "deck_fixed", "deck_revealed"))
    name = f"deck {deck.epoch.rpartition('/')[2]}"
    dealt = min(card.position for card in answers.hand.cards if card.epoch == deck.epoch)
    seed: Mapping[str, Any] = opened.pub if opened else {}
    order: Mapping[str, Any] = fixed.pub if fixed else {}
    yield Fact(
        f"The order of {name} was settled before the hand",
        bool(opened and fixed),
        f"The service committed to the seed of {name} at position {deck.opened}"
        + (f" and to the order of its cards at {fixed.position}" if fixed else "")
        + f"; the first card of this hand was dealt at {dealt}. "
        "With another order the seed and the cards would not match these commitments.",
        _values(
            ("Commitment to the seed", seed.get("server_commit")),
            ("Commitment to the order of the cards", order.get("deck_root")),
            ("Hash of the shuffle's inputs", order.get("transcript")),
        ),
    )
    yield _chance(name, order)
    yield Fact(
        f"The seed of {name} is public",
        revealed is not None,
        f"Since position {revealed.position} anybody can compute the order of all its cards from the seed, and compare."
        if revealed
        else "Not yet: the deck is still in play. When it is used up, its seed becomes public."
        if not deck.is_retired
        else "The seed was revealed; this page did not find the event.",
        _values(("Seed", revealed.pub.get("server_seed") if revealed else None)),
    )


def _chance(name: str, order: Mapping[str, Any]) -> Fact:
    seats: Sequence[int] = order.get("seats", [])
    if not seats:
        said = (
            "No player's seed went into it. So the commitments show that the order was not changed later, but not that "
            "the service had drawn its seed at random."
        )
    else:
        said = f"Seeds of {phrases.seats(seats)} went into it, so the service alone could not choose the order."
    return Fact(f"The order of {name} was not chosen by the service alone", bool(seats), said)


def _chain(events: Sequence[Event]) -> Fact:
    return Fact(
        "The events are in one chain",
        bool(events),
        "Each event names the hash of the event before it. Whoever changes, adds or removes an event changes the hash "
        "of every later event.",
        _values(
            ("Hash of the first event of the hand", events[0].hash if events else None),
            ("Hash of the last event of the hand", events[-1].hash if events else None),
        ),
    )


def _tree(answers: Answers, covered: Checkpoint) -> Iterator[Fact]:
    yield Fact(
        "The hand is in the log as a whole",
        is_proved=True,
        said=f"The last event of the hand is leaf {int(covered.index):,} of the log's tree, which had "
        f"{int(covered.size):,} leaves at the last checkpoint. A proof of some hashes connects this leaf with the "
        "checkpoint.",
        values=_values(
            ("Index of the leaf", covered.index),
            ("Proof", f"/v1/tables/{answers.hand.table}/events/{answers.hand.last}/proof"),
        ),
    )
    yield Fact(
        "The service has signed the checkpoint",
        covered.origin in covered.signers,
        "With this signature the service cannot deny later that its log had this content.",
        _values(("Log", covered.origin), ("Leaves", covered.size), ("Root of the tree", covered.root)),
    )
    witnesses = [name for name in covered.signers if name != covered.origin]
    yield Fact(
        "Others have seen the same log",
        bool(witnesses),
        f"{len(witnesses)} {'witness has' if len(witnesses) == 1 else 'witnesses have'} cosigned the checkpoint: the "
        "service cannot show another log to people who accept only checkpoints that every witness named below cosigned."
        if witnesses
        else "No witness has cosigned this checkpoint: only the service itself says that everybody sees the same log.",
        _values(*(("Witness", name) for name in witnesses)),
    )


def _uncovered(why: str) -> Fact:
    return Fact("The hand is in the log as a whole", is_proved=False, said=f"There is no proof now. {why}")


def _signatures(answers: Answers) -> Fact:
    title = "The players have signed their decisions"
    called = _called(answers.events)
    if isinstance(answers.adjudication, str):
        return Fact(title, is_proved=False, said=f"The service did not answer who has signed. {called}")
    of_seats = [one for one in answers.adjudication.decisions if one.by.startswith("seat:")]
    signed = sum(one.is_signed for one in of_seats)
    unsigned = answers.adjudication.unsigned_seats
    if not of_seats:
        return Fact(title, is_proved=False, said=f"No seat made a decision in this hand. {called}")
    if not unsigned:
        return Fact(title, is_proved=True, said=f"All {signed} decisions of the seats are signed. {_SIGNED} {called}")
    who = f"{phrases.first_seats(unsigned)} decided without a signature"
    count = f"{signed} of {len(of_seats)} decisions of the seats are signed"
    said = f"{who}. Only the service's word shows that these decisions came from the players. {count}. {called}"
    return Fact(title, is_proved=False, said=said)


def _called(events: Sequence[Event]) -> str:
    """Return sentences about the decisions of the hand that were made by a time call."""
    said = [
        f"{_whose(leaf.pub.get('seat', 0))} decision at {leaf.position} was made by a time call "
        f"({_CALLERS.get(leaf.pub['called'], leaf.pub['called'])})."
        for leaf in (event.leaf for event in events)
        if leaf.pub.get("called")
    ]
    return " ".join(said) or "No decision was made by a time call."


def _whose(seat: int) -> str:
    return f"{phrases.first_seat(seat)}'s" if seat else "The"


def _sheet(answers: Answers) -> Fact:
    credit = answers.hand.credit
    return Fact(
        "The rules are fixed",
        is_proved=True,
        said=f"The first event of the table names edition {answers.table.edition} of the rules and the hash of "
        f"{credit.author}'s sheet, so the rules of this hand cannot change later.",
        values=_values(("SHA-256 of the sheet", credit.sheet_sha256)),
    )


def _values(*pairs: tuple[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value)) for name, value in pairs if value)
