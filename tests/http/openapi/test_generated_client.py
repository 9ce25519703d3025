"""The client that openapi-python-client generates from the document has types for actions and events, and plays."""

# ruff: noqa: ANN401 -- the generated types need no check

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

import pytest
from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType

from service.games import EVENTS
from service.http.resources.actions import ACTION
from tests.house.tree import ROOT
from tests.http.service import Service

_PACKAGE: Final = "generated_chiptrail_client"


class Generated:
    """The modules of the generated client."""

    def __init__(self) -> None:
        self.models: Any = import_module(f"{_PACKAGE}.models")
        self.root: Any = import_module(_PACKAGE)

    def operation(self, tag: str, name: str) -> Any:
        """Return the function that calls an operation, and returns the status and the parsed response."""
        return import_module(f"{_PACKAGE}.api.{tag}.{name}").sync_detailed

    def client(self, url: str, token: str) -> Any:
        return self.root.AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    """Generate the client from the committed document, check that there is no warning, and import the client."""
    folder = tmp_path_factory.mktemp("generated")
    config = Config.from_sources(
        ConfigFile(post_hooks=[]),
        MetaType.NONE,
        document_source=ROOT / "api_spec" / "openapi.json",
        file_encoding="utf-8",
        overwrite=False,
        output_path=folder / _PACKAGE,
    )
    assert list(generate(config=config)) == []
    sys.path.insert(0, str(folder))
    yield Generated()
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.split(".")[0] == _PACKAGE]:
        del sys.modules[name]


def test_actions_are_a_union_of_classes(generated: Generated) -> None:
    wanted = {shape.title for shape in ACTION.variants.values()}
    assert _union(generated.models.ActionItem.__annotations__["action"]) == wanted
    for name, shape in ACTION.variants.items():
        item = {"action": _example(name), "bounds": [], "choices": [], "rule": "", "ruling": "", "to_fill": []}
        action = generated.models.ActionItem.from_dict(item).action
        assert type(action) is getattr(generated.models, shape.title)
        assert action.to_dict() == _example(name)


def test_an_action_of_an_unknown_type_is_refused_by_the_client(generated: Generated) -> None:
    item = {"action": {"type": "win"}, "bounds": [], "choices": [], "rule": "", "ruling": "", "to_fill": []}
    with pytest.raises(ValueError, match="type must match const"):
        generated.models.ActionItem.from_dict(item)


def test_events_are_a_union_of_classes_with_members_of_their_own(generated: Generated) -> None:
    leaves = {f"{event.__name__}Leaf" for event in EVENTS.values()}
    assert _union(generated.models.EventItem.__annotations__["leaf"]) == leaves
    for name, event in EVENTS.items():
        annotations = getattr(generated.models, f"{event.__name__}Leaf").__annotations__
        assert annotations["type_"] == f"Literal['{name}']"
        assert annotations["pub"] == event.__name__


def test_every_answer_has_a_type(generated: Generated) -> None:
    for name in generated.models.__all__:
        annotations = getattr(getattr(generated.models, name), "__annotations__", {})
        untyped = {member for member, said in annotations.items() if "Any" in said} - {"additional_properties"}
        assert not untyped, name


def test_the_generated_client_plays_a_hand_of_bankrupt(
    generated: Generated, quickly_served: tuple[Service, str]
) -> None:
    service, url = quickly_served
    game = _Game(generated, url, service.person("admin").token)
    while not any(isinstance(leaf, generated.models.RoundEndedLeaf) for leaf in game.leaves()):
        game.decide()
    leaves = game.leaves()
    assert [leaf.position for leaf in leaves] == list(range(1, len(leaves) + 1))
    for leaf in leaves:
        event = EVENTS[leaf.type_]
        assert type(leaf) is getattr(generated.models, f"{event.__name__}Leaf")
        assert type(leaf.pub) is getattr(generated.models, event.__name__)
    (dealt,) = [leaf for leaf in leaves if isinstance(leaf, generated.models.HandDealtLeaf)]
    assert dealt.pub.hand == 1
    assert dealt.by == f"seat:{dealt.pub.dealer}"


class _Game:
    """A table of Bankrupt for three, which the generated client alone opens, fills, starts and plays."""

    def __init__(self, generated: Generated, url: str, admin: str) -> None:
        self._generated = generated
        self._url = url
        self._sent = 0
        models = generated.models
        self._host = self._made_by(generated.client(url, admin), models.NewKeyScopesItem.HOST)
        opening = models.Opening(game=models.OpeningGame.BANKRUPT, seats=3, options=models.BankruptOptions(buy_in=20))
        self._table: str = self._post("tables", "open_table", self._host, body=opening, status=201).table
        self._players = [self._made_by(self._host, models.NewKeyScopesItem.PLAY) for _ in range(3)]
        for player in self._players:
            sitting = models.Sitting(chips=20)
            self._post("seats", "take_seat", player, table=self._table, body=sitting, status=201)
        start = models.StartGame(type_="start_game")
        self._post("actions", "do_action", self._host, table=self._table, body=start)

    def decide(self) -> None:
        """Let the player who is due take the first listed action."""
        for player in self._players:
            found = self._get("actions", "list_actions", player)
            you = self._get("table", "get_table", player).you
            if f"seat:{you}" in found.due:
                action = found.items[0].action
                assert "additional_properties" not in vars(type(action))
                done = self._post("actions", "do_action", player, table=self._table, body=action)
                assert isinstance(done, self._generated.models.Done)
                assert done.events[0].leaf.cmd == done.receipt.cmd
                return

    def leaves(self) -> list[Any]:
        return [item.leaf for item in self._get("events", "list_events", self._host).items]

    def _made_by(self, maker: Any, scope: Any) -> Any:
        made = self._post("keys", "make_key", maker, body=self._generated.models.NewKey(scopes=[scope]), status=201)
        return self._generated.client(self._url, made.token)

    def _get(self, tag: str, name: str, who: Any) -> Any:
        answer = self._generated.operation(tag, name)(self._table, client=who)
        assert answer.status_code == 200, answer.content
        return answer.parsed

    def _post(self, tag: str, name: str, who: Any, *, status: int = 200, **more: Any) -> Any:
        self._sent += 1
        answer = self._generated.operation(tag, name)(client=who, idempotency_key=f"sent-{self._sent}", **more)
        assert answer.status_code == status, answer.content
        return answer.parsed


def _union(annotation: str) -> set[str]:
    return set(annotation.split(" | "))


def _example(type_: str) -> dict[str, Any]:
    return {"type": type_, **ACTION.variants[type_].example}
