"""Our rulings on disputes, by name. They hold for every game."""

from collections.abc import Mapping

DISPUTE_RULINGS: Mapping[str, str] = {
    "D.1": (
        "A dispute is about one hand of a table of this service. It is recorded beside the table: it changes no event, "
        "no balance and no time limit of the table, and play goes on. An imported table can't be disputed here."
    ),
    "D.2": (
        "A player of the hand or the host may open a dispute while the game is under way, and after the game until the "
        "number of days that the table sets (default: 30) has passed since the hand's last event. The same owner may "
        "dispute a hand at most three times, and again only after the owner's earlier dispute about it is closed."
    ),
    "D.3": (
        "Each player of the hand and the host may answer once until the dispute is decided, and once more whenever the "
        "auditor asks for it."
    ),
    "D.4": (
        "An auditor may take a dispute on, unless the auditor plays at the table, has played the hand, or hosts the "
        "table. Only this auditor then decides the dispute and proposes corrections. The auditor may return the "
        "dispute, and so may the service on its operator's command, until the dispute is decided, and after the "
        "outcome fault until a correction is proposed. Another auditor may then take the dispute on."
    ),
    "D.5": (
        "A dispute is decided once: after all decks of the hand are revealed, or as soon as the service judges the "
        "ended hand failed or undecidable. There are four outcomes. no_fault: nothing was wrong. explained: the rules "
        "answer the complaint. fault: something was wrong. unprovable: the records do not show what happened. An "
        "auditor who finds no fault in a hand that the service judges failed must declare the contradiction, and give "
        "the reason for it."
    ),
    "D.6": (
        "After the outcome fault the auditor may propose a correction: amounts that move between the adjustment "
        "accounts of players of the hand, in the unit of the table's accounts. The table's own accounts do not "
        "change; an owner is owed the sum of both. Each amount names the event of the hand that it corrects. An "
        "event that was corrected before can be corrected again only in a dispute that names the earlier dispute."
    ),
    "D.7": (
        "A correction takes place once a second person approves it. This person is neither the auditor, nor a "
        "player of the table or the hand, nor the host. If the second person refuses the correction, the auditor may "
        "propose another correction."
    ),
    "D.8": "The owner who opened a dispute may withdraw it until it is decided.",
    "D.9": (
        "Statements, answers and questions are sealed: only the players of the hand, the host and auditors read them. "
        "The reason of a decision is sealed and open to everybody who sees the table. Only the service may erase such "
        "a text, on its operator's command; the erasure is recorded."
    ),
}
