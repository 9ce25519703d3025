"""Who may read the sealed texts of a dispute: every response, page and dossier uses this one function (D.9)."""

from service.disputes.dispute_rules import REASON
from service.disputes.dispute_state import Dispute


def may_read(dispute: Dispute, field: str, owner: str, *, is_auditor: bool) -> bool:
    """Return whether *owner* ("": somebody without a key) may read the text that was sealed under *field*.

    Everybody who may see the table may read the reason of a decision; the other texts are for the players of the hand,
    the host and auditors.
    """
    return field == REASON or is_auditor or (bool(owner) and owner in dispute.owners)
