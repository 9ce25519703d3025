"""The payouts of a hand as lines with their reasons, grouped by event, and what each event adds to each seat."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from service.client.hand_answers import HandHistory, Payout, PayoutEvent
from service.client.table_answers import GameInfo
from service.ledger import account_seat
from service.web.case.case_facts import Answers
from service.web.drawing import rule_links
from service.web.drawing.rule_links import Citation
from service.wording import phrases
from service.wording.games import NOTES
from service.wording.hand_notes import Notes

_COMPARED: Final = 2


class Line(Struct, frozen=True):
    """A payout in words.

    If the formula compares two cards, *compared* is the comparison, and *worked_out* is the rest of the formula.
    *counted* are the cards of the payout that the formula does not name.
    """

    anchor: str
    position: int
    amount: str
    source: str
    target: str
    seats: frozenset[int]
    formula: str
    compared: str
    worked_out: str
    counted: tuple[str, ...]
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
    """Whether every payout of the event leaves the sum of each seat's accounts unchanged."""


class SeatParts(Struct, frozen=True):
    """The amounts that the events of a hand added to a seat; *total* is their sum.

    *parts* has a pair for each event that changed the seat's accounts: the event's position, and the amount.
    """

    seat: int
    parts: tuple[tuple[int, int], ...]
    total: int


def sums(found: Sequence[Group], seats: Iterable[int]) -> tuple[SeatParts, ...]:
    """Return the amounts that the events of the groups in *found* added to each of *seats*."""
    parts = {
        seat: tuple((group.position, amount) for group in found if (amount := group.added.get(seat, 0)))
        for seat in seats
    }
    return tuple(SeatParts(seat, own, sum(amount for _, amount in own)) for seat, own in parts.items())


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


def added(payouts: list[PayoutEvent]) -> dict[int, int]:
    """Return what *payouts* add to each seat that they concern."""
    sums = Counter[int]()
    for one in payouts:
        sums[account_seat(one.payout.target)] += one.payout.amount
        sums[account_seat(one.payout.source)] -= one.payout.amount
    return {seat: amount for seat, amount in sums.items() if seat}


def _lines(answers: Answers, paid: list[PayoutEvent]) -> Iterator[Line]:
    for number, one in enumerate(paid, start=1):
        payout = one.payout
        formula = _formula(payout, NOTES.get(answers.hand.game, Notes()).values)
        compared, worked_out = _comparison(payout, formula)
        yield Line(
            anchor=anchor(one.position, number),
            position=one.position,
            amount=phrases.amount(payout.amount, payout.unit),
            source=phrases.account(payout.source),
            target=phrases.account(payout.target),
            seats=frozenset({account_seat(payout.source), account_seat(payout.target)} - {0}),
            formula=formula,
            compared=compared,
            worked_out=worked_out,
            counted=tuple(card for card in payout.cards if card not in payout.formula),
            is_nothing=not payout.amount,
            rule=cited(answers.hand, answers.game, payout.rule),
            ruling=cited(answers.hand, answers.game, payout.ruling) if payout.ruling not in {"", payout.rule} else None,
        )


def _formula(payout: Payout, values: Mapping[str, int]) -> str:
    """Return the formula of *payout* with minus and times signs; in a comparison, add the cards' *values*."""
    formula = payout.formula.replace(" - ", " \N{MINUS SIGN} ").replace(" x ", " \N{MULTIPLICATION SIGN} ")
    head, colon, rest = formula.partition(": ")
    if not (values and colon):
        return formula
    words = (f"{word} ({values[word[0]]})" if word in payout.cards else word for word in head.split(" "))
    return f"{' '.join(words)}{colon}{rest}"


def _comparison(payout: Payout, formula: str) -> tuple[str, str]:
    """Return the part of *formula* that compares two cards, and the rest; two empty texts: there is no comparison."""
    head, colon, rest = formula.partition(": ")
    is_comparison = len(payout.cards) == _COMPARED and colon and all(card in head for card in payout.cards)
    return (head, rest) if is_comparison else ("", "")


def anchor(position: int, number: int) -> str:
    """Return the id of the *number*-th payout of the event at *position*."""
    return f"payout-{position}-{number}"


def cited(hand: HandHistory, game: GameInfo, name: str) -> Citation:
    """Return the rule or ruling *name*, with its text and the link to it."""
    text = game.rules.get(name) or game.rulings.get(name, "")
    return Citation(rule_links.in_words(name), text, rule_links.link(hand.game, name))
