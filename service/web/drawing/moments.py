"""Times for the templates: in UTC, until a script shows them in the reader's zone."""

from datetime import datetime

from markupsafe import Markup


def moment(at: str) -> Markup:
    """Return the HTML of the time *at* (RFC 3339, in UTC), or of the word "never" if *at* is empty."""
    if not at:
        return Markup('<span class="quiet">never</span>')
    then = datetime.fromisoformat(at)
    return Markup('<time datetime="{}">{}</time>').format(at, f"{then.day} {then:%b %Y, %H:%M:%S} UTC")


def duration(seconds: float) -> str:
    """Return *seconds* in words, such as "3 days" or "less than a minute"."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if (count := int(seconds // length)) >= 1:
            return f"{count:,} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"
