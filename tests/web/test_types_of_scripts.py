"""The compiler of TypeScript accepts the types in the comments of our scripts."""

from pathlib import Path

import service.web
from tests.typescript import run

STATIC = Path(service.web.__file__).parent / "static"
TYPES = (
    *("--noEmit", "--allowJs", "--checkJs", "--strict", "--noUnusedLocals", "--target", "es2022", "--module", "es2022"),
    *("--lib", "es2022,dom,dom.iterable", "--skipLibCheck"),
)
WRONG = """\
/** @param {number} seconds */
export const wait = (seconds) => seconds.trim();
"""


def test_the_types_in_the_comments_hold(tmp_path: Path) -> None:
    scripts = [str(script) for script in sorted(STATIC.rglob("*.js"))]
    assert len(scripts) > 20
    (tmp_path / "wrong.js").write_text(WRONG)
    done = run("tsc", *TYPES, *scripts, "wrong.js", cwd=tmp_path)
    assert done.stdout == "wrong.js(2,42): error TS2339: Property 'trim' does not exist on type 'number'.\n"
