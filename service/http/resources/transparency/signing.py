"""`/v1/log/tree` and POST `/v1/log/checkpoint`: for a signer on another machine (DECISIONS 101)."""

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct

from service.database.engines import reading
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import IDEMPOTENCY_KEY, READS, WRITES, operation
from service.http.problems.problem import Problem
from service.http.request.authentication import caller_with_scope
from service.http.request.parsing import idempotency_key
from service.http.request.schemas import schema_of
from service.http.request.services import services
from service.http.responses.answers import json_response
from service.transparency import published, tree
from service.transparency.log_signer import TreeMustContinue
from service.transparency.published import OtherLogKey
from service.transparency.signed_note import NoteMustBeGenuine

signing = Resource("signing", "What a signer on another machine needs: the tree, and the place for its checkpoints.")

_WRITES: Final = tuple(code for code in WRITES if code != "idempotency_key_must_be_new")
"""A checkpoint that is published twice changes nothing, so the service does not remember the Idempotency-Key."""
_MOST_SIZE: Final = 2**53 - 1
_MOST_CHARACTERS: Final = 2_000
_MOST_LINES: Final = 30

Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class TreeQuery(Struct, frozen=True):
    """Selects an older tree."""

    since: Annotated[int, Meta(ge=0, le=_MOST_SIZE, description="The number of leaves of the older tree.")] = 0


class TreeView(Struct, frozen=True, kw_only=True):
    """The present tree of the log; the newest checkpoint may cover a smaller tree."""

    size: Annotated[int, Meta(ge=0, le=_MOST_SIZE, description="The number of leaves.")]
    root: Annotated[Hash, Meta(description="The root of the tree, in hex.")]
    proof: Annotated[
        tuple[Hash, ...],
        Meta(
            description="The proof that the tree begins with the tree that has `since` leaves (RFC 6962, 2.1.2); empty "
            "if `since` is 0, or not below `size`."
        ),
    ]
    published: Annotated[
        int, Meta(ge=0, le=_MOST_SIZE, description="The size of the newest checkpoint of the log; 0: there is none.")
    ]


class NewCheckpoint(Struct, frozen=True):
    """A checkpoint to publish."""

    checkpoint: Annotated[
        tuple[Annotated[str, Meta(max_length=_MOST_CHARACTERS)], ...],
        Meta(min_length=1, max_length=_MOST_LINES, description="The lines of the signed note (C2SP tlog-checkpoint)."),
    ]
    begins: Annotated[
        bool,
        Meta(description="Whether a new log may begin, although the database has checkpoints of another origin."),
    ] = False


class PublishedCheckpoint(Struct, frozen=True):
    """A published checkpoint."""

    size: Annotated[int, Meta(ge=1, le=_MOST_SIZE, description="The number of leaves that the checkpoint covers.")]


@signing.get("/v1/log/tree")
@signing.query(TreeQuery)
@operation(signing, "get_tree", TreeView, codes=(*READS, "key_must_be_given", "scope_must_be_granted"))
def get_tree(query: TreeQuery) -> Response:
    """Get the tree of the log now, and the proof that it begins with an older tree (scope `admin`).

    A signer on another machine signs the tree if the proof shows that it begins with the tree that was signed last.
    """
    caller = caller_with_scope("admin")
    with reading(services().engine) as connection:
        head = tree.head(connection)
        is_older = query.since < head.size
        proof = tree.checked_consistency(connection, query.since, head.size, head.root) if is_older else []
        newest = published.newest_size(connection, services().log_key.name)
    hashes = tuple(one.hex() for one in proof)
    return json_response(TreeView(size=head.size, root=head.root.hex(), proof=hashes, published=newest), caller)


@signing.post("/v1/log/checkpoint")
@signing.body(
    schema_of(NewCheckpoint),
    scopes=("admin",),
    examples={
        "signed elsewhere": {"checkpoint": ["origin", "1", "root in base64", "", "— origin signature in base64"]}
    },
)
@operation(
    signing,
    "publish_checkpoint",
    PublishedCheckpoint,
    codes=(*_WRITES, "checkpoint_must_be_genuine", "checkpoint_must_be_of_the_tree"),
    parameters=(IDEMPOTENCY_KEY,),
)
def publish_checkpoint(new: NewCheckpoint) -> Response:
    """Publish a checkpoint that was signed on another machine.

    The service publishes the checkpoint if the log key signed it, and if the log begins with the leaves that the
    checkpoint covers. If you publish the same checkpoint again, nothing changes.
    """
    caller = caller_with_scope("admin")
    idempotency_key()
    try:
        found = published.accept(
            services().engine,
            services().log_key,
            "".join(f"{line}\n" for line in new.checkpoint).encode(),
            begins=new.begins,
        )
    except NoteMustBeGenuine as error:
        raise Problem("checkpoint_must_be_genuine", str(error)) from error
    except (OtherLogKey, TreeMustContinue) as error:
        raise Problem("checkpoint_must_be_of_the_tree", str(error)) from error
    return json_response(PublishedCheckpoint(found.size), caller)
