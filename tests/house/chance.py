"""A lint: finds code that gets random values, the time or new ids without `service.clock` or `service.entropy`."""

import ast
import re

from tests.house import tree

MODULES = {"random", "secrets", "time", "ulid", "uuid", "uuid6", "uuid_utils"}
BUILTINS = {"hash", "id"}  # the results differ between processes
NAMES = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "ssl.RAND_bytes",
    "werkzeug.security.gen_salt",
}
# Names that are forbidden as attributes of any object.
ANYWHERE = {
    "SystemRandom", "clock_gettime", "getrandbits", "getrandom", "perf_counter", "randbelow", "randbytes", "time_ns",
    "token_bytes", "token_hex", "token_urlsafe", "urandom", "utcnow", "uuid1", "uuid4", "uuid7",
}  # fmt: skip
IMPORTERS = {"__import__", "importlib.import_module"}
SQL_FUNCTIONS = {"current_date", "current_time", "current_timestamp", "gen_random_uuid", "now", "random", "randomblob"}
SQL = re.compile(
    r"\b(?:gen_random_uuid|uuidv[47]|uuid_generate_\w+|random|randomblob|now|\w+_timestamp|unixepoch|julianday)\("
    r"|\bcurrent_(?:date|time|timestamp)\b|'now'|/dev/u?random",
    re.IGNORECASE,
)
SEEDED = "random.Random"


def findings(source: str, *, seeded: bool = False) -> list[str]:
    """Return each forbidden source of chance, time or ids in *source*, as "line: name".

    If *seeded* is True, `random.Random(seed)` is allowed.
    """
    module = tree.parsed(source)
    origins = _origins(module)
    passed_over = _silent(module)
    allowed = {"import random", f"import {SEEDED}"} if seeded else set()
    if seeded:
        passed_over |= _seeded(module, origins)
    found = sorted(
        (node.lineno, name)
        for node in ast.walk(module)
        if id(node) not in passed_over and isinstance(node, ast.stmt | ast.expr)
        for name in _doors(node, origins)
        if name not in allowed
    )
    return [f"{line}: {name}" for line, name in found]


def _origins(module: ast.Module) -> dict[str, str]:
    """Map the names that absolute imports bind anywhere in *module*, and the forbidden builtins, to full names."""
    origins = {name: name for name in BUILTINS | IMPORTERS}
    for node in ast.walk(module):
        match node:
            case ast.Import(names=aliases):
                origins |= {alias.asname or alias.name.split(".")[0]: alias.name for alias in aliases if alias.asname}
                origins |= {alias.name.split(".")[0]: alias.name.split(".")[0] for alias in aliases if not alias.asname}
            case ast.ImportFrom(module=str(source), level=0, names=aliases):
                origins |= {alias.asname or alias.name: f"{source}.{alias.name}" for alias in aliases}
            case _:
                pass
    return origins


def _silent(module: ast.Module) -> set[int]:
    """Return the nodes that need no check: free-standing strings, and names before a dot (`time` in `time.sleep`)."""
    silent = set()
    for node in ast.walk(module):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as inner) | ast.Attribute(value=ast.Name() as inner):
                silent.add(id(inner))
            case _:
                pass
    return silent


def _seeded(module: ast.Module, origins: dict[str, str]) -> set[int]:
    """Return the allowed nodes with `random.Random`: calls with a seed, and type annotations."""
    rightly: list[ast.expr | None] = []
    for node in ast.walk(module):
        match node:
            case ast.Call(func=func, args=[ast.Constant(value=None)]):
                pass  # without a seed, the system's random source is used
            case ast.Call(func=func, args=[_, *_]):
                rightly.append(func)
            case ast.arg(annotation=annotation) | ast.AnnAssign(annotation=annotation):
                rightly.append(annotation)
            case ast.Subscript(slice=parameters) if not _calls(parameters):  # types such as Callable[[…], …]
                rightly += [inner for inner in ast.walk(parameters) if isinstance(inner, ast.expr)]
            case ast.FunctionDef(returns=returns):
                rightly.append(returns)
            case _:
                pass
    return {id(node) for node in rightly if node is not None and _dotted(node, origins) == SEEDED}


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def _doors(node: ast.stmt | ast.expr, origins: dict[str, str]) -> list[str]:
    """Return the forbidden names that *node* itself uses."""
    match node:
        case ast.Import(names=aliases):
            return [f"import {alias.name}" for alias in aliases if _is_door(alias.name)]
        case ast.ImportFrom(module=str(source), level=0, names=aliases):
            return [f"import {name}" for alias in aliases if _is_door(name := f"{source}.{alias.name}")]
        case ast.Attribute() | ast.Name(ctx=ast.Load()):
            return [name] if _is_door(name := _dotted(node, origins)) else []
        case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if _dotted(func, origins) in IMPORTERS:
            return [f"import {name}"] if _is_door(name) else []
        case ast.Call(func=func) if _dotted(func, origins) in IMPORTERS:
            return ["import of what is not written there"]
        case ast.Constant(value=str(text)) if text in ANYWHERE or SQL.search(text):
            return [repr(text)]
        case _:
            return []


def _dotted(node: ast.expr, origins: dict[str, str]) -> str:
    """Return the full name that *node* reads; it starts with "?" if *origins* lacks its first part."""
    match node:
        case ast.Name(id=name):
            return origins.get(name, "?")
        case ast.Attribute(value=value, attr=attribute):
            return f"{_dotted(value, origins)}.{attribute}"
        case _:
            return "?"


def _is_door(name: str) -> bool:
    """Return whether the full *name* is a source of chance, time or ids, or an attribute of such a source."""
    parts = name.split(".")
    first, last = parts[0], parts[-1]
    return (
        first in MODULES
        or name in NAMES | BUILTINS
        or last in ANYWHERE
        or (first == "cryptography" and last.startswith("generate"))
        or (name.startswith("sqlalchemy.") and ".func." in name and last in SQL_FUNCTIONS)
    )
