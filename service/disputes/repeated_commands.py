"""Compares a command with the event that an earlier command recorded under the same Idempotency-Key."""

from collections.abc import Mapping
from typing import Final

from msgspec import structs

from service.disputes import dispute_commands, dispute_events
from service.disputes.dispute_commands import DisputeCommand, OpenDispute, RequestAnswers
from service.disputes.dispute_events import DisputeEvent
from service.event_store.codec import RecordedEvent

RECORDED_AS: Final[Mapping[type[DisputeCommand], type[DisputeEvent]]] = {
    dispute_commands.OpenDispute: dispute_events.DisputeOpened,
    dispute_commands.AnswerDispute: dispute_events.DisputeAnswered,
    dispute_commands.RequestAnswers: dispute_events.AnswersRequested,
    dispute_commands.TakeDispute: dispute_events.DisputeTaken,
    dispute_commands.ReturnDispute: dispute_events.DisputeReturned,
    dispute_commands.DecideDispute: dispute_events.DisputeDecided,
    dispute_commands.ProposeCorrection: dispute_events.CorrectionProposed,
    dispute_commands.ApproveCorrection: dispute_events.CorrectionApproved,
    dispute_commands.RefuseCorrection: dispute_events.CorrectionRefused,
    dispute_commands.WithdrawDispute: dispute_events.DisputeWithdrawn,
    dispute_commands.EraseDisputeValue: dispute_events.DisputeValueErased,
}
"""The type of event that each command records."""
_TEXTS: Final = frozenset({"statement", "question", "reason"})


def difference(recorded: RecordedEvent, texts: Mapping[str, str], command: DisputeCommand, number: int) -> str:
    """Return the name of the first member in which *command* differs from the event *recorded*.

    "": they do not differ. "type": another type of command recorded the event. "dispute": the event is not about the
    dispute *number*, which *command* is about. *texts* has the sealed texts of the event. A text that was erased
    counts as equal.
    """
    event = recorded.event
    if type(event) is not RECORDED_AS[type(command)]:
        return "type"
    members = structs.asdict(event)
    if not isinstance(command, OpenDispute) and number != members["dispute"]:
        return "dispute"
    for name, value in structs.asdict(command).items():
        if name in _TEXTS:
            is_same = texts[name] == value if name in texts else name in recorded.priv or not value
        elif name == "asked" and isinstance(command, RequestAnswers):
            is_same = not value or tuple(sorted(set(value))) == members[name]
        else:
            is_same = members[name] == value
        if not is_same:
            return name
    return ""
