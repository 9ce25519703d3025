"""The settings file: TOML, in which each key is the name of a setting in lower case (DECISIONS 123)."""

import re
import stat
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final, get_type_hints

from service.settings import Given, Settings, SettingsError

_MOST_BYTES: Final = 65_536
_MOST_SHOWN: Final = 100  # characters
_CONTROL: Final = re.compile("[\x00-\x1f\x7f]")
_TOO_LARGE: Final = 10**18
_TYPES: Final = get_type_hints(Settings)
_SQLITE: Final = "sqlite:///"


def read(path: Path) -> Mapping[str, Given]:
    """Return the values of the settings file *path* by setting. An empty text or list counts as not given.

    Raises:
        SettingsError: the file can't be read, is not a regular file, is too large, is not UTF-8, is not TOML, or has an
            unknown key; or a value has the wrong type, has control characters, or names a file by a relative path.
    """
    text = _text(path)
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number that is too long raises a ValueError
        raise SettingsError(f"The settings file {path} is not TOML: {error}.") from error
    if strange := [key for key in found if key not in _TYPES]:
        raise SettingsError(f"{strange[0][:_MOST_SHOWN]!r} in {path} is not a setting{_advice(strange[0])}")
    given = {key: _given(key, value, f"{key} in {path}") for key, value in found.items()}
    return {key: value for key, value in given.items() if value.text}


def _text(path: Path) -> str:
    try:
        is_regular = stat.S_ISREG(path.stat().st_mode)  # a pipe could keep `open` waiting
        content = _beginning(path) if is_regular else b""
    except OSError as error:
        raise SettingsError(f"The settings file {path} can't be read: {error.strerror}.") from error
    if not is_regular:
        raise SettingsError(f"The settings file {path} is not a regular file.")
    if len(content) > _MOST_BYTES:
        raise SettingsError(f"The settings file {path} has more than {_MOST_BYTES:,} bytes.")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise SettingsError(f"The settings file {path} is not UTF-8 at byte {error.start}.") from error


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_BYTES + 1)


def _advice(key: str) -> str:
    near = get_close_matches(key.lower().removeprefix("chiptrail_"), _TYPES, n=1)
    return f"; did you mean {near[0]!r}?" if near else "."


def _given(key: str, value: object, source: str) -> Given:
    return Given(_value(key, value, source), source, is_of_file=True)


def _value(key: str, value: object, source: str) -> str:
    """Return *value* as the text that an environment variable would have."""
    if isinstance(value, str) and _CONTROL.search(value):
        raise SettingsError(f"{source} must have no control characters.")
    match _TYPES[key], value:
        case type() as kind, int() if kind is int and not isinstance(value, bool):
            return str(value) if abs(value) < _TOO_LARGE else f"{value:#x}"  # str() refuses a very long integer
        case type() as kind, str(text) if kind is Path:
            if text and not Path(text).is_absolute():
                raise SettingsError(f"{source} must be an absolute path, not one relative to the present folder.")
            return text
        case kind, list(items) if kind == tuple[str, ...]:
            if all(
                isinstance(item, str) and item.strip() and "," not in item and not _CONTROL.search(item)
                for item in items
            ):
                return ",".join(items)
        case kind, str(text) if kind is not int and kind != tuple[str, ...]:
            if key == "database_url" and text.startswith(_SQLITE) and not text.startswith(f"{_SQLITE}/"):
                raise SettingsError(f"{source} must name its file by an absolute path: sqlite:////folder/chiptrail.db.")
            return text
    raise SettingsError(f"{source} must be {_wanted(_TYPES[key])}.")


def _wanted(kind: object) -> str:
    if kind is int:
        return "a whole number without quotation marks"
    if kind == tuple[str, ...]:
        return 'a list of texts without commas, such as ["one", "two"]'
    return "a text in quotation marks"
