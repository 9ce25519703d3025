"""The words on pages for the grounds, outcomes, statuses, verdicts and steps of disputes."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

GROUNDS: Final[Mapping[str, str]] = {
    "payout": "Chips or points moved wrongly",
    "rules": "A move was allowed or refused wrongly",
    "deck": "The deck was ordered or dealt wrongly",
    "secrecy": "Somebody knew cards or choices that were hidden from them",
    "time": "Time was called wrongly, or the service was down",
    "identity": "Somebody else acted in a player's place",
    "conduct": "Players acted together",
}
OUTCOMES: Final[Mapping[str, str]] = {
    "no_fault": "No fault",
    "explained": "Explained",
    "fault": "Fault",
    "unprovable": "Can't be proved",
}
STATUSES: Final[Mapping[str, str]] = {
    "open": "It waits for an auditor.",
    "taken": "An auditor looks into it.",
    "decided": "It is decided.",
    "proposed": "A correction waits for the approval of a second person.",
    "corrected": "A correction was approved.",
    "withdrawn": "It was withdrawn.",
}
AWAITS_CORRECTION: Final = "The auditor found a fault. Nobody has proposed a correction yet."
VERDICTS: Final[Mapping[str, str]] = {
    "clean": "Every event of the hand follows from the rules and the decisions.",
    "pending": "Some cards or choices are not public yet, so not everything can be checked yet.",
    "undecidable": "A value was erased or is not here, so the hand can't be decided again.",
    "failed": "Deciding the hand again gives other events than the log has.",
}
_SENTENCES: Final[Mapping[str, str]] = {
    "dispute_opened": "opened the dispute",
    "dispute_answered": "answered",
    "answers_requested": "asked the parties",
    "dispute_taken": "took the dispute on",
    "dispute_returned": "returned the dispute, so that another auditor may take it on",
    "dispute_decided": "decided the dispute",
    "correction_proposed": "proposed a correction",
    "correction_approved": "approved the correction; the amounts have moved",
    "correction_refused": "refused the correction",
    "dispute_withdrawn": "withdrew the dispute",
    "dispute_value_erased": "erased a text",
    "verdict_changed": "decided the hand again, with another verdict than before",
}


class Quoted(Struct, frozen=True):
    """A *text* of a step that the viewer may read; its *name* is "statement", "question" or "reason"."""

    name: str
    text: str


class ShownStep(Struct, frozen=True, kw_only=True):
    """A step of a dispute, with the texts that the viewer may read.

    *who* is the person, and *did* is what this person did, both in words; *at* is the time. *is_sealed*: the step has a
    text that the viewer may not read, or that was erased.
    """

    position: int
    at: str
    who: str
    did: str
    outcome: str
    verdict: str
    transfers: tuple[Mapping[str, Any], ...]
    texts: tuple[Quoted, ...]
    is_sealed: bool
    contradicts: bool


def status(dispute: Mapping[str, Any]) -> str:
    """Return the sentence for the status of *dispute*, a dispute of the API."""
    if (dispute["status"], dispute["outcome"]) == ("decided", "fault"):
        return AWAITS_CORRECTION
    return STATUSES[dispute["status"]]


def steps(dispute: Mapping[str, Any], viewer: str) -> tuple[ShownStep, ...]:
    """Return the steps of *dispute* as the owner *viewer* reads them; "": a spectator."""
    return tuple(_step(one, dispute, viewer) for one in dispute["steps"])


def name_of(owner: str, dispute: Mapping[str, Any], viewer: str) -> str:
    """Return the name of *owner* on a page: the seat in the hand, the role, or the beginning of the owner's id.

    If *owner* is "", return "The service".
    """
    you = " (you)" if owner == viewer else ""
    for party in dispute["parties"]:
        if party["player"] == owner:
            return f"Seat {party['seat']}{you}"
    roles = {dispute["host"]: "The host", dispute["auditor"]: "The auditor", dispute["approver"]: "The approver"}
    if owner and owner in roles:
        return f"{roles[owner]}{you}"
    return f"{owner[:12]}…{you}" if owner else "The service"


def _step(item: Mapping[str, Any], dispute: Mapping[str, Any], viewer: str) -> ShownStep:
    leaf = item["leaf"]
    public = leaf["pub"]
    texts = tuple(Quoted(field["field"], field["value"]) for field in item["fields"])
    role = {"auditor": "The auditor", "approver": "The approver"}.get(leaf["by"], "")
    owner = public.get("owner", "")
    you = " (you)" if owner and owner == viewer else ""
    sealed = set(leaf.get("priv", {})) - {text.name for text in texts}
    return ShownStep(
        position=leaf["position"],
        at=leaf["at"],
        who=f"{role}{you}" if role else name_of(owner, dispute, viewer),
        did=_SENTENCES.get(leaf["type"], leaf["type"].replace("_", " ")),
        outcome=_outcome(public),
        verdict=public.get("evidence", {}).get("verdict", ""),
        transfers=tuple(public.get("transfers", ())),
        texts=texts,
        is_sealed=bool(sealed),
        contradicts=public.get("contradicts", False),
    )


def _outcome(public: Mapping[str, Any]) -> str:
    if "outcome" not in public:
        return ""
    rule = f", by {public['rule']}" if public.get("rule") else ""
    return f"{OUTCOMES[public['outcome']]}{rule}"
