"""Only `service/entropy.py` draws random values without a seed; only `service/clock.py` reads time and makes ids."""

import pytest

from tests.house import tree
from tests.house.chance import findings

DOORS = ("service/clock.py", "service/entropy.py")
BY_SEED = (
    "service/bots/",
    "service/bench/",
    "service/client/example_bot.py",
    "service/player_statistics/",
)  # random choices in these modules are repeatable, and no card that is dealt depends on them

IMPORTERS = (
    "service/bench/games/__init__.py",
    "service/bots/strategies/__init__.py",
    "service/player_statistics/measures/__init__.py",
    "service/wording/games/__init__.py",
)
"""Modules that import the modules of their own folder by computed names; a separate test reads them."""


def test_only_clock_and_entropy_use_time_and_chance() -> None:
    doors = {
        path: found
        for folder in ("service", "migrations")
        for path in tree.paths(folder)
        if path not in {*DOORS, *IMPORTERS}
        if (found := findings((tree.ROOT / path).read_text(), seeded=path.startswith(BY_SEED)))
    }
    assert doors == {}


@pytest.mark.parametrize("importer", IMPORTERS)
def test_only_one_import_by_name_is_in_a_module_that_imports_its_own_folder(importer: str) -> None:
    (found,) = findings((tree.ROOT / importer).read_text(), seeded=True)
    assert found.endswith("import of what is not written there")


@pytest.mark.parametrize("door", DOORS)
def test_the_lint_would_find_each_of_the_two_modules(door: str) -> None:
    assert findings((tree.ROOT / door).read_text())


@pytest.mark.parametrize(
    "offender",
    [
        "import random",
        "import time as clock",
        "from secrets import token_hex as name",
        "from uuid_utils import uuid7",
        "import os\nseed = os.urandom(32)",
        "from os import urandom as seed",
        "import os as system\nseed = system.getrandom(32)",
        "def late():\n    import random",
        "dice = __import__('random')",
        "dice = __import__('random').Random()",
        "import os\nseed = os.urandom.__call__(32)",
        "import importlib\ndice = importlib.import_module('secrets')",
        "from importlib import import_module as load\ndice = load(name)",
        "import os\nseed = getattr(os, 'urandom')(32)",
        "import datetime\nat = datetime.datetime.now(datetime.UTC)",
        "from datetime import datetime as d\nat = d.now()",
        "from datetime import datetime\nclock = datetime.utcnow",
        "import datetime as dt\nday = dt.date.today()",
        "from cryptography.hazmat.primitives.ciphers.aead import AESGCM\nkey = AESGCM.generate_key(256)",
        "from cryptography.hazmat.primitives.asymmetric import ed25519\nkey = ed25519.Ed25519PrivateKey.generate()",
        "import sqlalchemy as sa\nwhen = sa.func.now()",
        "from sqlalchemy import func\nfirst = query.order_by(func.random())",
        "statement = 'SELECT gen_random_uuid()'",
        "default = f'{column} DEFAULT CURRENT_TIMESTAMP'",
        "seed = open('/dev/urandom', 'rb').read(32)",
        "order = sorted(cards, key=hash)",
        "name = id(object())",
    ],
)
def test_a_forbidden_use_is_found(offender: str) -> None:
    assert findings(offender)


@pytest.mark.parametrize(
    "innocent",
    [
        '"""Chance, random() and now(), in words only."""',
        "def at(time, uuid):\n    return time + uuid",
        "from service import entropy\nat = entropy.now()",
        "from datetime import UTC, datetime\nat = datetime.fromisoformat('2026-01-01').astimezone(UTC)",
        "import os\nfolder = os.getcwd()",
        "import importlib\npip = importlib.import_module('pip')",
        "from cryptography.hazmat.primitives.ciphers.aead import AESGCM\nlock = AESGCM(key)",
        "class Head:\n    hash: bytes\n    id: str",
        "columns = {'time': leaf.at, 'id': leaf.hash}",
        "from sqlalchemy import func\nhow_many = func.count()",
    ],
)
def test_an_allowed_use_is_not_found(innocent: str) -> None:
    assert findings(innocent) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import random\nchoices = random.Random(7)", []),
        ("from random import Random\ndef play(choices: Random) -> Random:\n    return Random(choices.seed)", []),
        ("import random\nchoices: random.Random = make()", []),
        ("import random\nchoices = random.Random()", ["2: random.Random"]),
        ("import random\nchoices = random.Random(None)", ["2: random.Random"]),
        ("import random\ncard = random.choice(cards)", ["2: random.choice"]),
        ("import random\nmakers = {'dice': random.Random}", ["2: random.Random"]),
        ("from random import randint", ["1: import random.randint"]),
        ("import time", ["1: import time"]),
    ],
)
def test_a_bot_chooses_by_its_seed_alone(source: str, found: list[str]) -> None:
    assert findings(source, seeded=True) == found
