"""Draws who paid whom: payers at the left, receivers at the right, and a band for each flow between them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from service.web.drawing.amounts import units
from service.web.drawing.plots.flow_sums import FlowMatrix, Participant

WIDTH: Final = 760
LEFT, RIGHT, BAR = 196, 552, 12
_FOR_EACH: Final = 44
_GAP: Final = 14
_LEAST: Final = 18
_COLOURS: Final = 6
_MOST_SENTENCES: Final = 12


class Node(Struct, frozen=True, kw_only=True):
    """The bar of a participant: *top*, *height*, and its *label* with the sum."""

    top: float
    height: float
    label: str
    colour: int


class Band(Struct, frozen=True, kw_only=True):
    """The *path* of one flow, and a sentence about the flow."""

    path: str
    words: str
    colour: int


class FlowDrawing(Struct, frozen=True, kw_only=True):
    """The bars of payers and receivers, the bands between the bars, and the *height* of the drawing.

    *sentences* name the largest flows; *left_out* is the number of the other flows.
    """

    height: float
    payers: tuple[Node, ...]
    receivers: tuple[Node, ...]
    bands: tuple[Band, ...]
    sentences: tuple[str, ...]
    left_out: int


def flow_drawing(matrix: FlowMatrix) -> FlowDrawing:
    """Return the drawing of *matrix*, which has at least one flow."""
    colours = {participant: number % _COLOURS for number, participant in enumerate(matrix.participants)}
    paid = {row.payer: row.paid_in_all for row in matrix.rows if row.paid_in_all}
    received = {row.payer: row.received_in_all for row in matrix.rows if row.received_in_all}
    scale = _FOR_EACH * max(len(paid), len(received)) / matrix.moved
    payers, receivers = (_column(sums, scale, matrix.unit, colours) for sums in (paid, received))
    ends = (one.top + one.height for one in (*payers.values(), *receivers.values()))
    sentences = [_sentence(*flow, matrix.unit) for flow in matrix.flows()]
    return FlowDrawing(
        height=round(max(ends) + _GAP, 1),
        payers=tuple(payers.values()),
        receivers=tuple(receivers.values()),
        bands=tuple(_bands(matrix, scale, payers, receivers)),
        sentences=tuple(sentences[:_MOST_SENTENCES]),
        left_out=max(0, len(sentences) - _MOST_SENTENCES),
    )


def _column(
    sums: Mapping[Participant, int], scale: float, unit: str, colours: Mapping[Participant, int]
) -> dict[Participant, Node]:
    nodes, top = dict[Participant, Node](), float(_GAP)
    for participant, amount in sums.items():
        height = max(_LEAST, round(scale * amount, 1))
        label = f"{participant.label}: {units(amount, unit)}"
        nodes[participant] = Node(top=round(top, 1), height=height, label=label, colour=colours[participant])
        top += height + _GAP
    return nodes


def _bands(
    matrix: FlowMatrix, scale: float, payers: Mapping[Participant, Node], receivers: Mapping[Participant, Node]
) -> Sequence[Band]:
    left, right = defaultdict[Participant, float](float), defaultdict[Participant, float](float)
    bands, middle = list[Band](), (LEFT + BAR + RIGHT) // 2
    for row in matrix.rows:
        for receiver, amount in zip(matrix.participants, row.paid, strict=True):
            if not amount:
                continue
            thick = max(1.0, scale * amount)
            start, end = payers[row.payer].top + left[row.payer], receivers[receiver].top + right[receiver]
            left[row.payer] += scale * amount
            right[receiver] += scale * amount
            path = (
                f"M{LEFT + BAR} {start:.1f}C{middle} {start:.1f} {middle} {end:.1f} {RIGHT} {end:.1f}"
                f"V{end + thick:.1f}C{middle} {end + thick:.1f} {middle} {start + thick:.1f} "
                f"{LEFT + BAR} {start + thick:.1f}Z"
            )
            words = _sentence(row.payer, receiver, amount, matrix.unit)
            bands.append(Band(path=path, words=words, colour=payers[row.payer].colour))
    return bands


def _sentence(payer: Participant, receiver: Participant, amount: int, unit: str) -> str:
    return f"{payer.label} paid {units(amount, unit)} to {receiver.label.lower()}."
