import pytest

from service.web.drawing.players_words import words


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("I saw the queen.", "I saw the queen."),
        ("<script>", "&lt;script&gt;"),
        ("\" onclick='x'", "&#34; onclick=&#39;x&#39;"),
        ("&lt;", "&amp;lt;"),
        ("two\nlines\tof שלום", "two\nlines\tof שלום"),
        ("a\u202eb", 'a<span class="sign">U+202E</span>b'),
        ("\x00\x1b", '<span class="sign">U+0000</span><span class="sign">U+001B</span>'),
        ("\u2028\U000e0001", '<span class="sign">U+2028</span><span class="sign">U+E0001</span>'),
        ("👩\u200d🚀", "👩\u200d🚀"),
    ],
)
def test_a_text_is_shown_as_text_and_apart_from_what_is_around_it(text: str, html: str) -> None:
    assert words(text) == f'<bdi class="words">{html}</bdi>'
