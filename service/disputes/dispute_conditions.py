"""The conditions that commands about disputes must meet, in the order in which the rules check them."""

from collections.abc import Mapping
from typing import Final

from service.disputes import dispute_commands
from service.games.common_refusals import Condition, conditions


def _condition(code: str, sentence: str, ruling: str) -> Condition:
    return Condition(code, sentence, (("", ruling),))


TABLE_MUST_BE_PLAYED_HERE: Final = _condition(
    "table_must_be_played_here", "Only a hand of a table that this service recorded can be disputed here.", "D.1"
)
DISPUTED_HAND_MUST_EXIST: Final = _condition(
    "disputed_hand_must_exist", "The table must have the disputed hand.", "D.1"
)
DISPUTE_MUST_EXIST: Final = _condition("dispute_must_exist", "The table must have the dispute.", "D.1")
COMPLAINANT_MUST_BE_PARTY: Final = _condition(
    "complainant_must_be_party", "Only a player of the hand or the host may open a dispute.", "D.2"
)
DISPUTE_MUST_BE_IN_TIME: Final = _condition(
    "dispute_must_be_in_time",
    "After the game has ended, a hand can be disputed only for `dispute_days` days after the hand's last event.",
    "D.2",
)
EARLIER_DISPUTE_MUST_BE_CLOSED: Final = _condition(
    "earlier_dispute_must_be_closed", "Your earlier dispute about this hand must be closed first.", "D.2"
)
HAND_MUST_BE_DISPUTED_LESS_OFTEN: Final = _condition(
    "hand_must_be_disputed_less_often", "The same owner may dispute a hand at most three times.", "D.2"
)
FOLLOWED_DISPUTE_MUST_BE_CORRECTED: Final = _condition(
    "followed_dispute_must_be_corrected",
    "The earlier dispute that this dispute names must be about the same hand, and must have led to a correction.",
    "D.6",
)
DISPUTE_MUST_NOT_BE_DECIDED: Final = _condition(
    "dispute_must_not_be_decided", "The dispute must be neither decided nor withdrawn.", "D.5"
)
DISPUTE_MUST_AWAIT_ITS_AUDITOR: Final = _condition(
    "dispute_must_await_its_auditor",
    "The dispute must wait for its auditor's decision or, after the outcome `fault`, for a proposal of a correction.",
    "D.4",
)
ANSWERER_MUST_BE_PARTY: Final = _condition(
    "answerer_must_be_party", "Only a player of the hand or the host may answer, or be asked to answer.", "D.3"
)
ANSWER_MUST_BE_ASKED_FOR: Final = _condition(
    "answer_must_be_asked_for", "A party answers once, and once more whenever the auditor asks for it.", "D.3"
)
DISPUTE_MUST_BE_FREE: Final = _condition(
    "dispute_must_be_free", "The dispute must be one that no auditor has taken on.", "D.4"
)
AUDITOR_MUST_NOT_PLAY: Final = _condition(
    "auditor_must_not_play", "An auditor must neither play at the table nor have played the hand.", "D.4"
)
AUDITOR_MUST_NOT_HOST: Final = _condition("auditor_must_not_host", "An auditor must not host the table.", "D.4")
AUDITOR_MUST_HAVE_TAKEN: Final = _condition(
    "auditor_must_have_taken", "Only the auditor who has taken the dispute on may take this step.", "D.4"
)
DECKS_MUST_BE_REVEALED: Final = _condition(
    "decks_must_be_revealed",
    "A dispute can be decided only once the hand is settled and its verdict waits for no deck and no sealed value.",
    "D.5",
)
RULE_MUST_BE_THE_GAMES: Final = _condition(
    "rule_must_be_the_games", "A rule or ruling must be one that the table's game has.", "D.5"
)
CONTRADICTION_MUST_BE_DECLARED: Final = _condition(
    "contradiction_must_be_declared",
    "`contradicts` must be true if the service's verdict on the hand is `failed` and your outcome is `no_fault` or "
    "`explained`; otherwise `contradicts` must be false.",
    "D.5",
)
FAULT_MUST_BE_FOUND: Final = _condition(
    "fault_must_be_found",
    "A correction can be proposed only after the outcome `fault`, and only until a correction is approved.",
    "D.6",
)
PROPOSAL_MUST_BE_DECIDED: Final = _condition(
    "proposal_must_be_decided", "An earlier proposal must be refused first.", "D.6"
)
ADJUSTMENT_MUST_BE_BETWEEN_PLAYERS: Final = _condition(
    "adjustment_must_be_between_players", "An adjustment moves units between two different players of the hand.", "D.6"
)
ADJUSTMENT_MUST_BE_IN_THE_TABLES_UNIT: Final = _condition(
    "adjustment_must_be_in_the_tables_unit",
    "An adjustment must be in the unit of the table's accounts: chips or points.",
    "D.6",
)
ADJUSTMENT_MUST_CORRECT_THE_HAND: Final = _condition(
    "adjustment_must_correct_the_hand", "An adjustment must name an event of the disputed hand.", "D.6"
)
EARLIER_CORRECTION_MUST_BE_NAMED: Final = _condition(
    "earlier_correction_must_be_named",
    "An event that was corrected before can be corrected again only in a dispute that follows the earlier dispute.",
    "D.6",
)
ADJUSTMENTS_MUST_STAY_COUNTABLE: Final = _condition(
    "adjustments_must_stay_countable", "A balance of an adjustment account must stay between -2**53 and 2**53.", "D.6"
)
CORRECTION_MUST_BE_PROPOSED: Final = _condition(
    "correction_must_be_proposed", "The proposal that you name must be the dispute's present proposal.", "D.7"
)
APPROVER_MUST_BE_ANOTHER: Final = _condition(
    "approver_must_be_another",
    "The person who approves or refuses must not be the auditor who proposed the correction.",
    "D.7",
)
APPROVER_MUST_NOT_BE_PARTY: Final = _condition(
    "approver_must_not_be_party",
    "The person who approves or refuses must not be the host, a player of the table or a player of the hand.",
    "D.7",
)
WITHDRAWER_MUST_HAVE_OPENED: Final = _condition(
    "withdrawer_must_have_opened", "Only the owner who opened the dispute may withdraw it.", "D.8"
)
DISPUTE_VALUE_MUST_BE_SEALED: Final = _condition(
    "dispute_value_must_be_sealed", "Only a value that an event sealed, and that was not erased, can be erased.", "D.9"
)

_FOR_ALL: Final = (TABLE_MUST_BE_PLAYED_HERE, DISPUTE_MUST_EXIST)
_OF_AUDITOR: Final = (AUDITOR_MUST_HAVE_TAKEN, AUDITOR_MUST_NOT_PLAY, AUDITOR_MUST_NOT_HOST)
_OF_APPROVER: Final = (CORRECTION_MUST_BE_PROPOSED, APPROVER_MUST_BE_ANOTHER, APPROVER_MUST_NOT_BE_PARTY)

PRECEDENCE: Final[Mapping[type[dispute_commands.DisputeCommand], tuple[Condition, ...]]] = {
    dispute_commands.OpenDispute: (
        TABLE_MUST_BE_PLAYED_HERE,
        DISPUTED_HAND_MUST_EXIST,
        COMPLAINANT_MUST_BE_PARTY,
        DISPUTE_MUST_BE_IN_TIME,
        EARLIER_DISPUTE_MUST_BE_CLOSED,
        HAND_MUST_BE_DISPUTED_LESS_OFTEN,
        FOLLOWED_DISPUTE_MUST_BE_CORRECTED,
    ),
    dispute_commands.AnswerDispute: (
        *_FOR_ALL,
        ANSWERER_MUST_BE_PARTY,
        DISPUTE_MUST_NOT_BE_DECIDED,
        ANSWER_MUST_BE_ASKED_FOR,
    ),
    dispute_commands.RequestAnswers: (*_FOR_ALL, *_OF_AUDITOR, DISPUTE_MUST_NOT_BE_DECIDED, ANSWERER_MUST_BE_PARTY),
    dispute_commands.TakeDispute: (
        *_FOR_ALL,
        AUDITOR_MUST_NOT_PLAY,
        AUDITOR_MUST_NOT_HOST,
        DISPUTE_MUST_AWAIT_ITS_AUDITOR,
        DISPUTE_MUST_BE_FREE,
    ),
    dispute_commands.ReturnDispute: (*_FOR_ALL, AUDITOR_MUST_HAVE_TAKEN, DISPUTE_MUST_AWAIT_ITS_AUDITOR),
    dispute_commands.DecideDispute: (
        *_FOR_ALL,
        *_OF_AUDITOR,
        DISPUTE_MUST_NOT_BE_DECIDED,
        DECKS_MUST_BE_REVEALED,
        RULE_MUST_BE_THE_GAMES,
        CONTRADICTION_MUST_BE_DECLARED,
    ),
    dispute_commands.ProposeCorrection: (
        *_FOR_ALL,
        *_OF_AUDITOR,
        FAULT_MUST_BE_FOUND,
        PROPOSAL_MUST_BE_DECIDED,
        ADJUSTMENT_MUST_BE_BETWEEN_PLAYERS,
        ADJUSTMENT_MUST_BE_IN_THE_TABLES_UNIT,
        ADJUSTMENT_MUST_CORRECT_THE_HAND,
        RULE_MUST_BE_THE_GAMES,
        EARLIER_CORRECTION_MUST_BE_NAMED,
        ADJUSTMENTS_MUST_STAY_COUNTABLE,
    ),
    dispute_commands.ApproveCorrection: (
        *_FOR_ALL,
        *_OF_APPROVER,
        EARLIER_CORRECTION_MUST_BE_NAMED,
        ADJUSTMENTS_MUST_STAY_COUNTABLE,
    ),
    dispute_commands.RefuseCorrection: (*_FOR_ALL, *_OF_APPROVER),
    dispute_commands.WithdrawDispute: (*_FOR_ALL, WITHDRAWER_MUST_HAVE_OPENED, DISPUTE_MUST_NOT_BE_DECIDED),
    dispute_commands.EraseDisputeValue: (*_FOR_ALL, DISPUTE_VALUE_MUST_BE_SEALED),
}
"""For each type of command: its conditions in order of precedence; the first that does not hold refuses the command."""

DISPUTE_CONDITIONS: Final = conditions(PRECEDENCE.values())
"""Every condition, by its code."""
