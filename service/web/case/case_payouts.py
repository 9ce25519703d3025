"""The payouts of a hand as lines with their reasons, grouped by event, and what each event adds to each seat."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby

from msgspec import Struct

from service.ledger import account_seat
from service.web.case.case_facts import Answers, Game, Hand, Paid
from service.web.drawing import rule_links
from service.web.drawing.rule_links import Citation
from service.wording import phrases


class Line(Struct, frozen=True):
    """A payout in words.

    If *is_compared*, the formula compares the two *cards*. *counted* are the cards that the formula does not name.
    """

    anchor: str
    position: int
    amount: str
    source: str
    target: str
    seats: frozenset[int]
    formula: str
    cards: tuple[str, ...]
    counted: tuple[str, ...]
    is_compared: bool
    is_nothing: bool
    rule: Citation
    ruling: Citation | None


class Group(Struct, frozen=True):
    """The payouts of one event, with the event's sentence, and what the event adds to each seat."""

    position: int
    said: str
    lines: tuple[Line, ...]
    added: Mapping[int, int]
    is_within_seats: bool
    """Whether the event only moves amounts between the accounts of the same seat."""


def groups(answers: Answers, said: Mapping[int, str]) -> tuple[Group, ...]:
    """Return the payouts by event; *said* has the sentence of each event, by position."""
    found = []
    for position, paid in groupby(answers.hand.payouts, key=lambda one: one.position):
        several = list(paid)
        found.append(
            Group(
                position=position,
                said=said.get(position, ""),
                lines=tuple(_lines(answers, several)),
                added=added(several),
                is_within_seats=all(not any(added([one]).values()) for one in several),
            )
        )
    return tuple(found)


def added(payouts: list[Paid]) -> dict[int, int]:
    """Return what *payouts* add to each seat that they concern."""
    sums = Counter[int]()
    for one in payouts:
        sums[account_seat(one.payout.target)] += one.payout.amount
        sums[account_seat(one.payout.source)] -= one.payout.amount
    return {seat: amount for seat, amount in sums.items() if seat}


def _lines(answers: Answers, paid: list[Paid]) -> Iterator[Line]:
    for number, one in enumerate(paid, start=1):
        payout = one.payout
        yield Line(
            anchor=anchor(one.position, number),
            position=one.position,
            amount=phrases.amount(payout.amount, payout.unit),
            source=phrases.account(payout.source),
            target=phrases.account(payout.target),
            seats=frozenset({account_seat(payout.source), account_seat(payout.target)} - {0}),
            formula=payout.formula,
            cards=payout.cards,
            counted=tuple(card for card in payout.cards if card not in payout.formula),
            is_compared=len(payout.cards) == 2 and all(card in payout.formula for card in payout.cards),  # noqa: PLR2004 -- a pair
            is_nothing=not payout.amount,
            rule=cited(answers.hand, answers.game, payout.rule),
            ruling=cited(answers.hand, answers.game, payout.ruling) if payout.ruling not in {"", payout.rule} else None,
        )


def anchor(position: int, number: int) -> str:
    """Return the id of the payout that is the event's *number*-th."""
    return f"payout-{position}-{number}"


def cited(hand: Hand, game: Game, name: str) -> Citation:
    """Return a rule or ruling, with the link to its text."""
    text = game.rules.get(name) or game.rulings.get(name, "")
    return Citation(rule_links.in_words(name), text, rule_links.link(hand.game, name))
