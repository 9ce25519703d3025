"""Chips, points, amounts of money and shortened ids for the templates."""

from typing import Final

from markupsafe import Markup

_NO_DIGITS: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE_DIGITS: Final = "BHD IQD JOD KWD LYD OMR TND"
_USUAL_DIGITS: Final = 2
_MINUS: Final = "\N{MINUS SIGN}"
_SHOWN: Final = 12


def signed(amount: int) -> str:
    """Return *amount* with its sign, so that a gain can't be taken for a loss; 0 has no sign."""
    sign = "+" if amount > 0 else _MINUS if amount < 0 else ""
    return f"{sign}{abs(amount):,}"


def whole(amount: int) -> str:
    """Return *amount* with thousands separated."""
    return f"{_MINUS if amount < 0 else ''}{abs(amount):,}"


def units(amount: int, unit: str) -> str:
    """Return *amount* with its *unit*, "chips" or "points", such as "1 chip" or "1,200 chips"."""
    return f"{whole(amount)} {unit.removesuffix('s') if abs(amount) == 1 else unit}"


def money(minor: int, currency: str) -> Markup:
    """Return the HTML of *minor* units of *currency* (ISO 4217); a script writes the amount for the reader's locale."""
    digits = 0 if currency in _NO_DIGITS else 3 if currency in _THREE_DIGITS else _USUAL_DIGITS
    units, rest = divmod(abs(minor), 10**digits)
    plain = f"{units}.{rest:0{digits}}" if digits else f"{units}"
    text = f"{_MINUS if minor < 0 else ''}{plain} {currency}"
    value = f"-{plain}" if minor < 0 else plain
    return Markup('<data class="money" value="{}" data-currency="{}">{}</data>').format(value, currency, text)


def short(name: str) -> Markup:
    """Return the HTML of the id *name*; if the id is long, only of its beginning, with the whole id as the title."""
    if len(name) <= _SHOWN:
        return Markup("<code>{}</code>").format(name)
    return Markup('<code title="{}">{}…</code>').format(name, name[:_SHOWN])
