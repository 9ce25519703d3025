"""Audits the log as a whole, or the indexes of one table; servers can write meanwhile."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Engine

from service.audit.findings import Finding
from service.audit.whole_log.index_audit import IndexAudit
from service.audit.whole_log.service_log_audit import ServiceLogAudit
from service.audit.whole_log.tree_audit import TreeAudit
from service.audit.whole_log.whole_log_report import WHOLE_LOG, LogEvidence, LogFindings, LogReport
from service.audit.whole_log.working_rows import outbox_findings, unfinished_findings, unfinished_imports
from service.database.engines import reading
from service.event_store.entries import disputes_stream
from service.transparency import published


def verify_log(engine: Engine, evidence: LogEvidence) -> LogReport:
    """Check the log as a whole, in one snapshot of the database.

    The parts are the indexes, the tree, the checkpoints, the outbox, unfinished imports, and the service's own stream.
    *evidence* was read before this call, so its checkpoints are not newer than the snapshot.
    """
    findings = LogFindings()
    with reading(engine, without_idle_limit=True) as connection:
        origins = published.origins(connection)
        newest = published.newest_size(connection, evidence.key.name) if evidence.key else 0
        tree, indexes = TreeAudit(connection, evidence.key, evidence.checkpoints), IndexAudit(connection)
        findings.add(_of_key(origins, evidence))
        findings.add(tree.findings())
        findings.add(indexes.findings())
        findings.add(_of_counts(tree.size, indexes.indexed))
        findings.add(outbox_findings(connection))
        findings.add(unfinished_findings(connection))
        unfinished = tuple(unfinished_imports(connection))
        service_log = ServiceLogAudit(connection, evidence.receipt_key, evidence.key)
        findings.add(service_log.findings())
    return LogReport(
        indexed=indexes.indexed,
        waiting=indexes.waiting,
        checkpoints=tree.checkpoints,
        service_events=service_log.events,
        keys=service_log.keys,
        not_checked=(*_not_checked(origins, evidence, newest), *service_log.not_checked, *unfinished),
        findings=tuple(findings.collected),
        left_out=findings.left_out,
    )


def verify_indexes(engine: Engine, stream_id: bytes) -> LogReport:
    """Check the indexes of the leaves of one table and of its disputes."""
    findings = LogFindings()
    with reading(engine, without_idle_limit=True) as connection:
        both = [IndexAudit(connection, one) for one in (stream_id, disputes_stream(stream_id))]
        for indexes in both:
            findings.add(indexes.findings())
    return LogReport(
        indexed=sum(indexes.indexed for indexes in both),
        waiting=sum(indexes.waiting for indexes in both),
        checkpoints=0,
        not_checked=("the tree, its checkpoints, API keys and imports, because --table names one table",),
        findings=tuple(findings.collected),
        left_out=findings.left_out,
    )


def _of_key(origins: Sequence[str], evidence: LogEvidence) -> Iterator[Finding]:
    """If a checkpoint was signed already, check that the log key and the signer's last checkpoint can be used.

    Also check that the log key has the origin of a signed checkpoint.
    """
    if not origins:
        return
    for problem in evidence.problems:
        yield _finding("log_key_and_head_must_be_usable", "the log key and its last checkpoint", problem)
    if evidence.key and evidence.key.name not in origins:
        known = f"a log with the origin {' or '.join(origins)}"
        yield _finding("log_key_must_be_of_this_log", known, f"the log key of {evidence.key.name}")


def _of_counts(of_tree: int, of_streams: int) -> Iterator[Finding]:
    if of_tree != of_streams:
        yield _finding(
            "indexes_must_be_unique", f"{of_streams:,} indexes, read by stream", f"{of_tree:,} read in order"
        )


def _not_checked(origins: Sequence[str], evidence: LogEvidence, newest: int) -> Iterator[str]:
    """Yield a sentence about each check that was not made; *newest*: the size of the newest stored checkpoint."""
    if not origins:
        for problem in evidence.problems:
            yield f"signatures, because nothing is signed yet and there is no key to check: {problem}"
    elif evidence.key and (others := [origin for origin in origins if origin != evidence.key.name]):
        yield f"the checkpoints of earlier logs: {', '.join(others)}"
    for name, known in evidence.checkpoints:
        if newest < known.size:  # A server that is killed may have signed a checkpoint without storing it.
            yield f"stored checkpoints above {newest:,} leaves: the database has none, and {name} covers {known.size:,}"


def _finding(check: str, expected: str, found: str) -> Finding:
    return Finding(table=WHOLE_LOG, position=0, check=check, expected=expected, found=found)
