"""The worth of chips in money."""

from decimal import Decimal
from typing import Final

# ISO 4217
_WITHOUT_MINOR_UNITS: Final = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF"}
    | {"XPF"}
)
_WITH_THOUSANDTHS: Final = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})


def worth(chips: int, minor: int, currency: str, *, is_signed: bool = False) -> str:
    """Return what *chips* are worth if a chip is worth *minor* minor units of *currency*, such as "-0.70 USD"."""
    places = 0 if currency in _WITHOUT_MINOR_UNITS else 3 if currency in _WITH_THOUSANDTHS else 2
    amount = Decimal(chips * minor).scaleb(-places)
    return f"{signed(amount) if is_signed else f'{amount:,}'} {currency}"


def signed(amount: int | Decimal) -> str:
    """Return *amount* with its sign, a minus that is as wide as a plus; 0 has no sign."""
    return f"{amount:+,}".replace("-", "\N{MINUS SIGN}") if amount else f"{amount:,}"
