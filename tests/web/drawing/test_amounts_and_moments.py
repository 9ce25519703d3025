import pytest

from service.web.drawing.amounts import money, short, signed, units, whole
from service.web.drawing.moments import duration, moment

MINUS = "\N{MINUS SIGN}"


def test_amounts_have_their_sign_and_unit() -> None:
    assert [signed(amount) for amount in (1_200, 0, -3)] == ["+1,200", "0", f"{MINUS}3"]
    assert (whole(-1_200), units(1, "points"), units(-1, "chips"), units(0, "chips")) == (
        f"{MINUS}1,200",
        "1 point",
        f"{MINUS}1 chip",
        "0 chips",
    )


@pytest.mark.parametrize(
    ("minor", "currency", "value", "text"),
    [
        (120, "USD", "1.20", "1.20 USD"),
        (-5, "EUR", "-0.05", f"{MINUS}0.05 EUR"),
        (120, "JPY", "120", "120 JPY"),
        (1_234, "KWD", "1.234", "1.234 KWD"),
    ],
)
def test_money_has_the_digits_of_its_currency(minor: int, currency: str, value: str, text: str) -> None:
    assert money(minor, currency) == f'<data class="money" value="{value}" data-currency="{currency}">{text}</data>'


def test_a_time_is_in_utc_and_an_id_has_its_whole_text_in_the_title() -> None:
    assert moment("2026-07-04T09:05:06.789Z") == (
        '<time datetime="2026-07-04T09:05:06.789Z">4 Jul 2026, 09:05:06 UTC</time>'
    )
    assert short("own_0123456789<") == '<code title="own_0123456789&lt;">own_01234567…</code>'
    assert [duration(seconds) for seconds in (5, 60, 7_200, 90_000)] == [
        "less than a minute",
        "1 minute",
        "2 hours",
        "1 day",
    ]
