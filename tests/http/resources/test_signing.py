"""A signer on another machine signs the log, and refuses a log that was rewritten or cut."""

# ruff: noqa: ANN401  # JSON may be any value

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import delete, text, update

from service import merkle
from service.cli.support.exit_codes import CommandFailed
from service.cli.support.remote_signing import RemoteSigner
from service.client.client import Client
from service.client.client_errors import Problem, ProblemBody
from service.database.engines import administering
from service.entropy import Entropy
from service.transparency import checkpoint, log_signer, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.log_keeper import LogKeeper
from service.transparency.log_signer import LogSigner, TreeMustContinue
from service.transparency.tree import TreeHead
from service.transparency.tree_tables import leaf_indexes, tree_head, tree_tiles
from tests.databases import Databases
from tests.http.service import Person, Service, Table, accepted, refused, running


class OfPerson(Client):
    """A client that sends its requests as *person* to the service in this process."""

    def __init__(self, person: Person) -> None:
        super().__init__("http://127.0.0.1", "", Entropy())
        self._person = person

    def _data(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        more: dict[str, Any] = {"data": body, "content_type": "application/json"} if body else {}
        answer = self._person.send(method, path, headers=headers, **more)
        if answer.status_code >= 400:
            raise Problem(answer.status_code, msgspec.json.decode(answer.data, type=ProblemBody))
        return answer.get_data()


class Apart:
    """A service without a log key, and a signer with the log key on another machine."""

    def __init__(self, service: Service, signer: LogSigner) -> None:
        self.service = service
        self.signer = signer
        self.admin = service.person("admin")
        self.remote = RemoteSigner(OfPerson(self.admin), signer)
        self.table = Table(service)

    def keep(self) -> None:
        """Do the work of the log keeper of the service."""
        keeper = LogKeeper(self.service.parts.engine, self.service.parts.log_signer, self.service.parts.clock)
        while keeper.look():
            pass

    def newest(self) -> int:
        answer = accepted(self.service.spectator.get("/v1/log/checkpoint"))
        return checkpoint.opened(answer.data, self.signer.key.public)[0].size

    def signed(self, size: int, root: bytes | None = None) -> str:
        """Return a checkpoint that the log key has signed, without the checks of the signer."""
        key = self.signer.key
        return str(checkpoint.signed(Checkpoint(key.origin, size, root or bytes(32)), key.private_key))

    def post(self, note: str, *, begins: bool = False, who: Person | None = None) -> Any:
        return (who or self.admin).post(
            "/v1/log/checkpoint", {"checkpoint": note.removesuffix("\n").split("\n"), "begins": begins}
        )

    def run(self, *statements: Any) -> None:
        """Drop the triggers and run *statements*, as the owner of the database can."""
        with administering(self.service.parts.engine) as connection:
            rows = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars().all()
            for name in rows:
                connection.execute(text(f"DROP TRIGGER {name}"))
            for statement in statements:
                connection.execute(statement)


@pytest.fixture
def apart(tmp_path: Path, all_databases: Databases) -> Iterator[Apart]:
    elsewhere = tmp_path / "elsewhere"
    signer = log_signer.load_or_make(elsewhere / "log-key.txt", elsewhere / "log-key.txt.head", Entropy())
    with (
        all_databases.migrated("sqlite") as url,
        running(tmp_path / "here", url, log_vkey=str(signer.key.public)) as service,
    ):
        yield Apart(service, signer)
        assert not (tmp_path / "here" / "log-key.txt").exists(), "the service made no log key"


def test_the_log_is_signed_elsewhere_and_published_here(apart: Apart) -> None:
    apart.keep()
    refused(apart.service.spectator.get("/v1/log/checkpoint"), 404, "checkpoint_must_exist")
    apart.remote.check_key()
    assert apart.remote.look() == "signed"
    assert apart.newest() == apart.service.events()
    assert apart.remote.look() == "no news"
    apart.table.seated()
    assert apart.remote.look() == "no news", "leaves without an index are not in the tree"
    apart.keep()
    assert apart.remote.look() == "signed"
    assert apart.newest() == apart.service.events() == apart.signer.last().size


def test_a_checkpoint_that_was_signed_and_not_published_is_published_later(apart: Apart) -> None:
    apart.keep()
    told = accepted(apart.admin.get("/v1/log/tree")).json
    last = apart.signer.last()
    apart.signer.sign(TreeHead(told["size"], bytes.fromhex(told["root"])), last, [])
    assert apart.remote.look() == "published again"
    assert apart.newest() == told["size"]


def test_a_cut_log_is_refused(apart: Apart) -> None:
    apart.table.seated()
    apart.keep()
    apart.remote.look()
    before = apart.signer.head_file.read_bytes()
    hashes = [merkle.leaf_hash(b"a")]
    apart.run(update(tree_head).values(size=1, root=merkle.root(hashes)))
    with pytest.raises(
        TreeMustContinue,
        match=f"has 1 leaves, but the last checkpoint covers {apart.signer.last().size}: the log was cut",
    ):
        apart.remote.look()
    assert apart.signer.head_file.read_bytes() == before


def test_a_rewritten_log_is_refused_with_as_many_leaves_and_with_more(apart: Apart) -> None:
    apart.table.seated()
    apart.keep()
    apart.remote.look()
    size, before = apart.signer.last().size, apart.signer.head_file.read_bytes()
    for more in (0, 3):
        hashes = [merkle.leaf_hash(b"%d" % index) for index in range(size + more)]
        apart.run(
            delete(tree_tiles),
            tree_tiles.insert().values(level=0, number=0, hashes=b"".join(hashes)),
            delete(leaf_indexes),
            update(tree_head).values(size=len(hashes), root=merkle.root(hashes)),
        )
        with pytest.raises(TreeMustContinue, match="names the first leaf that may differ"):
            apart.remote.look()
    assert apart.signer.head_file.read_bytes() == before


def test_the_service_publishes_only_signed_checkpoints_of_its_tree(apart: Apart) -> None:
    apart.keep()
    told = accepted(apart.admin.get("/v1/log/tree")).json
    root = bytes.fromhex(told["root"])
    good = apart.signed(told["size"], root)
    for note in (
        "nonsense",
        good.replace("\n\n", "\n"),
        good.replace(f"\n{told['size']}\n", f"\n{told['size'] + 1}\n"),
        good.replace("— ", "- "),
        good + "— x AAAAAAAA" * 3,
    ):
        refused(apart.post(note), 403, "checkpoint_must_be_genuine")
    for note in (apart.signed(told["size"]), apart.signed(told["size"] + 1, root), apart.signed(0, merkle.EMPTY_ROOT)):
        refused(apart.post(note), 409, "checkpoint_must_be_of_the_tree")
    for malformed in ("x" * 2_001, "\n" * 30):
        refused(apart.post(malformed), 422, "request_must_have_its_shape")
    refused(apart.service.spectator.get("/v1/log/checkpoint"), 404, "checkpoint_must_exist")
    stranger = signed_note.parse(good.encode()).signatures[0]
    line = f"— other {str(stranger).split(' ')[2]}\n"
    for _ in range(2):
        assert accepted(apart.post(good + line)).json == {"size": told["size"]}
    served = accepted(apart.service.spectator.get("/v1/log/checkpoint")).text
    assert served == good, "the lines of others are not published"


def test_only_an_admin_signs(apart: Apart) -> None:
    apart.keep()
    for person, code in ((apart.service.spectator, 401), (apart.service.person("audit", "host", "play"), 403)):
        assert person.get("/v1/log/tree").status_code == code
        assert apart.post(apart.signed(1), who=person).status_code == code


def test_the_proof_is_for_the_requested_size(apart: Apart) -> None:
    apart.keep()
    old = accepted(apart.admin.get("/v1/log/tree")).json
    assert (old["proof"], old["published"]) == ([], 0)
    apart.table.seated()
    apart.keep()
    new = accepted(apart.admin.get(f"/v1/log/tree?since={old['size']}")).json
    proof = [bytes.fromhex(one) for one in new["proof"]]
    roots = [bytes.fromhex(one["root"]) for one in (old, new)]
    assert merkle.is_consistent(old["size"], roots[0], new["size"], roots[1], proof)
    assert accepted(apart.admin.get("/v1/log/tree?since=999")).json["proof"] == []
    refused(apart.admin.get("/v1/log/tree?since=-1"), 422, "request_must_have_its_shape")


def test_another_key_is_refused_by_both_sides(apart: Apart, tmp_path: Path) -> None:
    apart.keep()
    other = log_signer.load_or_make(tmp_path / "other" / "key", tmp_path / "other" / "key.head", Entropy())
    remote = RemoteSigner(OfPerson(apart.admin), other)
    with pytest.raises(CommandFailed, match="expects the checkpoints of the log key"):
        remote.check_key()
    with pytest.raises(Problem, match="checkpoint_must_be_genuine"):
        remote.look()


def test_a_new_log_begins_only_on_purpose(apart: Apart, tmp_path: Path) -> None:
    apart.keep()
    apart.remote.look()
    parts = apart.service.parts
    other = log_signer.load_or_make(tmp_path / "other" / "key", tmp_path / "other" / "key.head", Entropy())
    url, keys = str(parts.engine.url), {"key_file": parts.settings.key_file, "log_vkey": str(other.key.public)}
    with running(tmp_path / "again", url, **keys) as service:
        admin = Person(service, apart.admin.owner, apart.admin.token)
        with pytest.raises(Problem, match="none of the origin"):
            RemoteSigner(OfPerson(admin), other).look()
        assert RemoteSigner(OfPerson(admin), other, begins=True).look() == "published again"
