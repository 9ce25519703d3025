"""Takes the pictures in README.md: `python -m tests.web.screenshots`."""

import struct
import tempfile
import zlib
from pathlib import Path

from playwright.sync_api import Browser

from tests.http.service import serving_app
from tests.web.browser import started
from tests.web.pictures import DIGEST, FOLDER, MOST_BYTES, WIDTH, Scene, digest, scenes

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def take(browser: Browser, scene: Scene) -> bytes:
    """Return a picture of *scene* in light colours, as a PNG file."""
    with serving_app(scene.app) as url:
        context = browser.new_context(
            viewport={"width": WIDTH, "height": scene.picture.height},
            color_scheme="light",
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
        )
        context.add_cookies([{"name": "chiptrail_session", "value": scene.token, "url": url}])
        page = context.new_page()
        page.goto(f"{url}{scene.path}")
        if scene.picture.awaited:
            page.locator(scene.picture.awaited).wait_for()
        taken = page.screenshot(animations="disabled", caret="hide")
        context.close()
    return packed(taken)


def packed(png: bytes) -> bytes:
    """Return the same picture, with its data compressed at zlib's highest level."""
    kept, data, at = [], b"", len(_SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        name, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if name == b"IDAT":
            data += content
        elif name in {b"IHDR", b"IEND"}:
            kept.append((name, content))
        at += length + 12
    whole = (kept[0], (b"IDAT", zlib.compress(zlib.decompress(data), 9)), kept[1])
    return _SIGNATURE + b"".join(_chunk(*one) for one in whole)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def main() -> None:
    """Take all pictures, and write down the digest of their pages."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, scenes(Path(folder)) as made, started() as chromium:
        with chromium.in_use() as browser:
            for scene in made:
                picture = take(browser, scene)
                if len(picture) > MOST_BYTES:
                    raise SystemExit(f"{scene.picture.name} has {len(picture)} bytes, more than {MOST_BYTES}.")
                (FOLDER / scene.picture.name).write_bytes(picture)
                print(f"{scene.picture.name}: {len(picture)} bytes", flush=True)  # noqa: T201 -- a command prints
        DIGEST.write_text(f"{digest(made)}\n", encoding="ascii")


if __name__ == "__main__":
    main()
