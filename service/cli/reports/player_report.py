"""Prints the statistics of players as text, for people to read."""

from rich.table import Table

from service.audit.player_audit import PlayerAudit
from service.cli.support import output
from service.player_statistics.player_figures import LEVEL

_MOST_PAIRS = 100
"""The maximum number of pairs that are printed; JSON has all pairs."""


def show(found: PlayerAudit) -> None:
    """Print the figures."""
    output.stdout.print(f"tables {found.tables:,}, hands {found.hands:,}, players and pairs tested {found.tests:,}")
    output.stdout.print(_players(found))
    output.stdout.print()
    output.stdout.print(_pairs(found))
    if len(found.pairs) > _MOST_PAIRS:
        output.stdout.print(f"{len(found.pairs) - _MOST_PAIRS:,} more pairs: --format json")
    for left_out in found.left_out:
        output.stdout.print(f"not counted: {left_out.table}: {left_out.reason}", markup=False)
    flagged = sum(one.is_flagged for one in found.players) + sum(one.is_flagged for one in found.pairs)
    output.stdout.print(
        f"\n{flagged} flagged (!): chance of at most {LEVEL:g}, corrected for all that was tested (Holm). "
        "A flag is a reason to look, and no proof."
    )


def _players(found: PlayerAudit) -> Table:
    grid = Table(
        "", "game", "player", "hands", "won a hand", "95 %", "choices", "best", "expected", "score", "chance",
        "adjusted", box=None, pad_edge=False,
    )  # fmt: skip
    _justify(grid, 3)
    for one in found.players:
        counts = one.best, one.expected_best
        best, expected = (f"{count / one.choices:.1%}" if one.choices else "" for count in counts)
        grid.add_row(
            "!" if one.is_flagged else "",
            one.game,
            one.player,
            f"{one.hands:,}",
            f"{one.won_per_hand:+.2f}",
            f"{one.won_low:+.2f} to {one.won_high:+.2f}",
            f"{one.choices:,}",
            best,
            expected,
            f"{one.score:.2f}",
            f"{one.chance:.2g}",
            f"{one.adjusted_chance:.2g}",
        )
    return grid


def _pairs(found: PlayerAudit) -> Table:
    grid = Table(
        "", "game", "first", "second", "hands", "gave", "got", "net", "surplus", "score", "chance", "adjusted",
        box=None, pad_edge=False,
    )  # fmt: skip
    _justify(grid, 4)
    for one in found.pairs[:_MOST_PAIRS]:
        amounts = (f"{amount:,.0f}" for amount in (one.given, one.got, one.net, one.surplus))
        grid.add_row(
            "!" if one.is_flagged else "",
            one.game,
            *one.players,
            f"{one.hands:,}",
            *amounts,
            f"{one.score:.2f}",
            f"{one.chance:.2g}",
            f"{one.adjusted_chance:.2g}",
        )
    return grid


def _justify(grid: Table, first: int) -> None:
    for column in grid.columns[first:]:
        column.justify = "right"
