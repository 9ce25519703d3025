"""Rights: the status of every route for every kind of caller and table; the app itself lists the routes."""

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import product
from typing import Any, Final, NamedTuple

import pytest
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from service.api_keys import key_tables
from service.database.engines import reading
from service.event_store import log_tables
from tests import seeds
from tests.databases import Databases
from tests.http.service import Person, Service, accepted, running

WHO: Final = {
    "none": "no key at all",
    "seat": "the player whose decision is due",
    "peer": "another player of the table",
    "host": "its host, who made the players' keys",
    "host2": "the host of other tables: a key with the scope host alone",
    "play": "a stranger: a key with the scope play alone",
    "audit": "an auditor: a key with the scope audit alone",
    "admin": "a key with the scope admin alone",
    "ended": "the player of `seat`, by a key that was revoked",
    "late": "the same player, by a key that has expired",
    "junk": "a key that was never made",
}
"""The callers, by the names of the columns in `RIGHTS`."""

RIGHTS: Final = """
endpoint                asked       at                none  seat  peer  host host2  play audit admin ended  late  junk
games.list_games        -           -                  200   200   200   200   200   200   200   200   401   401   401
games.get_game          -           -                  200   200   200   200   200   200   200   200   401   401   401
tables.open_table       -           -                  401   403   403   201   201   403   403   403   401   401   401
tables.list_tables      -           -                  200   200   200   200   200   200   200   200   401   401   401
table.get_table         -           public/*           200   200   200   200   200   200   200   200   401   401   401
table.get_table         -           private/*          404   200   200   200   404   404   200   404   401   401   401
seats.take_seat         for_oneself public/open        401   409   409   403   403   201   403   403   401   401   401
seats.take_seat         for_oneself public/live        401   409   409   403   403   409   403   403   401   401   401
seats.take_seat         for_oneself public/finished    401   409   409   403   403   409   403   403   401   401   401
seats.take_seat         for_oneself private/*          401   409   409   403   403   404   403   403   401   401   401
seats.take_seat         for_play    public/open        401   403   403   403   403   201   403   403   401   401   401
seats.take_seat         for_play    public/live        401   403   403   403   403   409   403   403   401   401   401
seats.take_seat         for_play    public/finished    401   403   403   403   403   409   403   403   401   401   401
seats.take_seat         for_play    private/open       401   403   403   403   403   404   403   403   401   401   401
seats.take_seat         for_play    private/live       401   403   403   403   403   404   403   403   401   401   401
seats.take_seat         for_play    private/finished   401   403   403   403   403   404   403   403   401   401   401
seats.take_seat         for_made    public/open        401   403   403   201   403   403   403   403   401   401   401
seats.take_seat         for_made    public/live        401   403   403   409   403   403   403   403   401   401   401
seats.take_seat         for_made    public/finished    401   403   403   409   403   403   403   403   401   401   401
seats.take_seat         for_made    private/open       401   403   403   201   403   403   403   403   401   401   401
seats.take_seat         for_made    private/live       401   403   403   409   403   403   403   403   401   401   401
seats.take_seat         for_made    private/finished   401   403   403   409   403   403   403   403   401   401   401
me.get_me               -           public/*           401   200   200   403   403   200   403   403   401   401   401
me.get_me               -           private/*          401   200   200   403   403   404   403   403   401   401   401
actions.list_actions    -           public/*           200   200   200   200   200   200   200   200   401   401   401
actions.list_actions    -           private/*          404   200   200   200   404   404   200   404   401   401   401
actions.do_action       hold_cards  public/open        401   409   409   403   403   403   403   403   401   401   401
actions.do_action       hold_cards  public/live        401   200   409   403   403   403   403   403   401   401   401
actions.do_action       hold_cards  public/finished    401   409   409   403   403   403   403   403   401   401   401
actions.do_action       hold_cards  private/open       401   409   409   403   403   404   403   403   401   401   401
actions.do_action       hold_cards  private/live       401   200   409   403   403   404   403   403   401   401   401
actions.do_action       hold_cards  private/finished   401   409   409   403   403   404   403   403   401   401   401
actions.do_action       hold_cards? public/open        401   409   409   403   403   403   403   403   401   401   401
actions.do_action       hold_cards? public/live        401   200   409   403   403   403   403   403   401   401   401
actions.do_action       hold_cards? public/finished    401   409   409   403   403   403   403   403   401   401   401
actions.do_action       hold_cards? private/open       401   409   409   403   403   404   403   403   401   401   401
actions.do_action       hold_cards? private/live       401   200   409   403   403   404   403   403   401   401   401
actions.do_action       hold_cards? private/finished   401   409   409   403   403   404   403   403   401   401   401
actions.do_action       call_time   public/open        401   403   403   409   403   403   403   403   401   401   401
actions.do_action       call_time   public/live        401   403   403   200   403   403   403   403   401   401   401
actions.do_action       call_time   public/finished    401   403   403   409   403   403   403   403   401   401   401
actions.do_action       call_time   private/open       401   403   403   409   404   403   403   403   401   401   401
actions.do_action       call_time   private/live       401   403   403   200   404   403   403   403   401   401   401
actions.do_action       call_time   private/finished   401   403   403   409   404   403   403   403   401   401   401
actions.do_action       leave_seat  public/open        401   200   200   403   403   403   403   403   401   401   401
actions.do_action       leave_seat  public/live        401   409   409   403   403   403   403   403   401   401   401
actions.do_action       leave_seat  public/finished    401   409   409   403   403   403   403   403   401   401   401
actions.do_action       leave_seat  private/open       401   200   200   403   403   404   403   403   401   401   401
actions.do_action       leave_seat  private/live       401   409   409   403   403   404   403   403   401   401   401
actions.do_action       leave_seat  private/finished   401   409   409   403   403   404   403   403   401   401   401
actions.do_action       invite      public/open        401   403   403   200   403   403   403   403   401   401   401
actions.do_action       invite      public/live        401   403   403   409   403   403   403   403   401   401   401
actions.do_action       invite      public/finished    401   403   403   409   403   403   403   403   401   401   401
actions.do_action       invite      private/open       401   403   403   200   404   403   403   403   401   401   401
actions.do_action       invite      private/live       401   403   403   409   404   403   403   403   401   401   401
actions.do_action       invite      private/finished   401   403   403   409   404   403   403   403   401   401   401
actions.do_action       invite?     public/open        401   403   403   200   403   403   403   403   401   401   401
actions.do_action       invite?     public/live        401   403   403   409   403   403   403   403   401   401   401
actions.do_action       invite?     public/finished    401   403   403   409   403   403   403   403   401   401   401
actions.do_action       invite?     private/open       401   403   403   200   404   403   403   403   401   401   401
actions.do_action       invite?     private/live       401   403   403   409   404   403   403   403   401   401   401
actions.do_action       invite?     private/finished   401   403   403   409   404   403   403   403   401   401   401
actions.do_action       withdraw    public/open        401   403   403   200   403   403   403   403   401   401   401
actions.do_action       withdraw    public/live        401   403   403   409   403   403   403   403   401   401   401
actions.do_action       withdraw    public/finished    401   403   403   409   403   403   403   403   401   401   401
actions.do_action       withdraw    private/open       401   403   403   200   404   403   403   403   401   401   401
actions.do_action       withdraw    private/live       401   403   403   409   404   403   403   403   401   401   401
actions.do_action       withdraw    private/finished   401   403   403   409   404   403   403   403   401   401   401
actions.do_action       decline     public/open        401   409   409   403   403   409   403   403   401   401   401
actions.do_action       decline     public/live        401   409   409   403   403   409   403   403   401   401   401
actions.do_action       decline     public/finished    401   409   409   403   403   409   403   403   401   401   401
actions.do_action       decline     private/open       401   409   409   403   403   404   403   403   401   401   401
actions.do_action       decline     private/live       401   409   409   403   403   404   403   403   401   401   401
actions.do_action       decline     private/finished   401   409   409   403   403   404   403   403   401   401   401
events.list_events      -           public/*           200   200   200   200   200   200   200   200   401   401   401
events.list_events      -           private/*          404   200   200   200   404   404   200   404   401   401   401
events.get_event        -           public/*           200   200   200   200   200   200   200   200   401   401   401
events.get_event        -           private/*          404   200   200   200   404   404   200   404   401   401   401
proofs.get_event_proof  -           public/*           200   200   200   200   200   200   200   200   401   401   401
proofs.get_event_proof  -           private/*          404   200   200   200   404   404   200   404   401   401   401
proofs.get_dispute_event_proof - */open            404   404   404   404   404   404   404   404   401   401   401
proofs.get_dispute_event_proof - public/[lf]*      200   200   200   200   200   200   200   200   401   401   401
proofs.get_dispute_event_proof - private/[lf]*     404   200   200   200   404   404   200   404   401   401   401
feed.get_feed           -           -                  401   200   200   200   200   200   200   200   401   401   401
feed.get_feed           lines       -                  401   200   200   200   200   200   200   200   401   401   401
events.list_events      lines       public/*           200   200   200   200   200   200   200   200   401   401   401
events.list_events      lines       private/*          404   200   200   200   404   404   200   404   401   401   401
balances.get_balances   -           public/*           200   200   200   200   200   200   200   200   401   401   401
balances.get_balances   -           private/*          404   200   200   200   404   404   200   404   401   401   401
balances.list_postings  -           public/*           200   200   200   200   200   200   200   200   401   401   401
balances.list_postings  -           private/*          404   200   200   200   404   404   200   404   401   401   401
flows.get_flows         -           public/*           200   200   200   200   200   200   200   200   401   401   401
flows.get_flows         -           private/*          404   200   200   200   404   404   200   404   401   401   401
hands.list_hands        -           public/*           200   200   200   200   200   200   200   200   401   401   401
hands.list_hands        -           private/*          404   200   200   200   404   404   200   404   401   401   401
hands.get_hand          -           public/open        404   404   404   404   404   404   404   404   401   401   401
hands.get_hand          -           public/live        200   200   200   200   200   200   200   200   401   401   401
hands.get_hand          -           public/finished    200   200   200   200   200   200   200   200   401   401   401
hands.get_hand          -           private/open       404   404   404   404   404   404   404   404   401   401   401
hands.get_hand          -           private/live       404   200   200   200   404   404   200   404   401   401   401
hands.get_hand          -           private/finished   404   200   200   200   404   404   200   404   401   401   401
adjudication.adjudicate -           public/open        404   404   404   404   404   404   404   404   401   401   401
adjudication.adjudicate -           public/live        200   200   200   200   200   200   200   200   401   401   401
adjudication.adjudicate -           public/finished    200   200   200   200   200   200   200   200   401   401   401
adjudication.adjudicate -           private/open       404   404   404   404   404   404   404   404   401   401   401
adjudication.adjudicate -           private/live       404   200   200   200   404   404   200   404   401   401   401
adjudication.adjudicate -           private/finished   404   200   200   200   404   404   200   404   401   401   401
disputes.list_disputes  -           public/*           200   200   200   200   200   200   200   200   401   401   401
disputes.list_disputes  -           private/*          404   200   200   200   404   404   200   404   401   401   401
disputes.get_dispute    -           */open             404   404   404   404   404   404   404   404   401   401   401
disputes.get_dispute    -           public/[lf]*       200   200   200   200   200   200   200   200   401   401   401
disputes.get_dispute    -           private/[lf]*      404   200   200   200   404   404   200   404   401   401   401
disputes.open_dispute   hand_one    public/open        401   409   409   409   409   409   403   403   401   401   401
disputes.open_dispute   hand_one    private/open       401   409   409   409   404   404   403   403   401   401   401
disputes.open_dispute   hand_one    public/[lf]*       401   201   201   409   409   409   403   403   401   401   401
disputes.open_dispute   hand_one    private/[lf]*      401   201   201   409   404   404   403   403   401   401   401
dispute_steps.answer statement  */open          401   404   404   404   404   404   403   403   401   401   401
dispute_steps.answer statement  public/[lf]*    401   200   200   200   409   409   403   403   401   401   401
dispute_steps.answer statement  private/[lf]*   401   200   200   200   404   404   403   403   401   401   401
dispute_steps.withdraw nothing    */open          401   404   404   404   404   404   403   403   401   401   401
dispute_steps.withdraw nothing    public/[lf]*    401   409   409   200   409   409   403   403   401   401   401
dispute_steps.withdraw nothing    private/[lf]*   401   409   409   200   404   404   403   403   401   401   401
dispute_steps.take nothing    */open          401   403   403   403   403   403   404   403   401   401   401
dispute_steps.take nothing    */[lf]*         401   403   403   403   403   403   200   403   401   401   401
dispute_steps.return_ nothing    */open          401   403   403   403   403   403   404   403   401   401   401
dispute_steps.return_ nothing    */[lf]*         401   403   403   403   403   403   409   403   401   401   401
dispute_steps.request_answers question   */open          401   403   403   403   403   403   404   403   401   401   401
dispute_steps.request_answers question   */[lf]*         401   403   403   403   403   403   409   403   401   401   401
dispute_steps.decide outcome    */open          401   403   403   403   403   403   404   403   401   401   401
dispute_steps.decide outcome    */[lf]*         401   403   403   403   403   403   409   403   401   401   401
dispute_steps.propose transfers  */open          401   403   403   403   403   403   404   403   401   401   401
dispute_steps.propose transfers  */[lf]*         401   403   403   403   403   403   409   403   401   401   401
dispute_steps.approve proposal   *               401   403   403   403   403   403   403   403   401   401   401
dispute_steps.refuse proposal   *               401   403   403   403   403   403   403   403   401   401   401
all_disputes.list_all_disputes -        -            401   403   403   403   403   403   200   403   401   401   401
dossiers.get_table_dossier - public/*           200   200   200   200   200   200   200   200   401   401   401
dossiers.get_table_dossier - private/*          404   200   200   200   404   404   200   404   401   401   401
dossiers.get_hand_dossier - public/open        404   404   404   404   404   404   404   404   401   401   401
dossiers.get_hand_dossier - public/live        200   200   200   200   200   200   200   200   401   401   401
dossiers.get_hand_dossier - public/finished    200   200   200   200   200   200   200   200   401   401   401
dossiers.get_hand_dossier - private/open       404   404   404   404   404   404   404   404   401   401   401
dossiers.get_hand_dossier - private/live       404   200   200   200   404   404   200   404   401   401   401
dossiers.get_hand_dossier - private/finished   404   200   200   200   404   404   200   404   401   401   401
dossiers.get_verifier - -                  200   200   200   200   200   200   200   200   401   401   401
consistency.get_consistency_proof - -                  200   200   200   200   200   200   200   200   401   401   401
log.get_log_keys        -           -                  200   200   200   200   200   200   200   200   401   401   401
log.get_checkpoint      -           -                  200   200   200   200   200   200   200   200   401   401   401
log.get_tile            -           -                  200   200   200   200   200   200   200   200   401   401   401
log.get_entries         -           -                  401   403   403   403   403   403   200   403   401   401   401
service_stream.list_service_events     -  -            401   403   403   403   403   403   200   200   401   401   401
service_stream.get_service_event_proof -  -            401   403   403   403   403   403   200   200   401   401   401
audited_players.audit_players - -                  401   403   403   403   403   403   200   403   401   401   401
own_statement.get_my_statement - -                 401   200   200   200   200   200   200   200   401   401   401
table_exports.export_table - public/*              200   200   200   200   200   200   200   200   401   401   401
table_exports.export_table - private/*             404   200   200   200   404   404   200   404   401   401   401
audit_exports.export_tables - -                    401   403   403   403   403   403   200   403   401   401   401
signing.get_tree        -           -                  401   403   403   403   403   403   403   200   401   401   401
signing.publish_checkpoint unsigned -                  401   403   403   403   403   403   403   403   401   401   401
keys.who_am_i           -           -                  200   200   200   200   200   200   200   200   401   401   401
keys.make_key           for_new     -                  401   403   403   201   201   403   403   201   401   401   401
keys.make_key           for_seat    -                  401   403   403   201   403   403   403   201   401   401   401
keys.make_key           scope_host  -                  401   403   403   403   403   403   403   201   401   401   401
keys.list_keys          -           -                  401   200   200   200   200   200   200   200   401   401   401
keys.revoke_key         own         -                  401   204   204   204   204   204   204   204   401   401   401
keys.revoke_key         peers       -                  401   404   204   204   404   404   404   204   401   401   401
keys.revoke_key         hosts       -                  401   404   404   204   404   404   404   204   401   401   401
keys.revoke_key         elses       -                  401   404   404   404   404   404   404   204   401   401   401
health.get_health       -           -                  200   200   200   200   200   200   200   200   200   200   200
health.get_readiness    -           -                  200   200   200   200   200   200   200   200   200   200   200
pages.list_problems     -           -                  200   200   200   200   200   200   200   200   200   200   200
pages.get_problem       -           -                  200   200   200   200   200   200   200   200   200   200   200
_openapi_to_try         -           -                  200   200   200   200   200   200   200   200   200   200   200
_openapi                -           -                  200   200   200   200   200   200   200   200   200   200   200
manual.get_docs         -           -                  200   200   200   200   200   200   200   200   200   200   200
manual.get_asset        -           -                  200   200   200   200   200   200   200   200   200   200   200
scrapes.get_metrics     -           -                  401   403   403   403   403   403   403   200   401   401   401
"""
"""The expected status for each caller, by endpoint, request (`?`: as a dry run) and kinds of table (`-`: none)."""

INVITED: Final = """
endpoint                asked        at             status
table.get_table         -            private/open   200
seats.take_seat         for_oneself  private/open   201
seats.take_seat         for_play     *              403
actions.list_actions    -            private/open   200
actions.do_action       hold_cards   private/open   403
actions.do_action       hold_cards?  private/open   403
actions.do_action       leave_seat   private/open   403
actions.do_action       decline      */open         200
events.list_events      -            private/open   200
events.get_event        -            private/open   200
proofs.get_event_proof  -            private/open   200
me.get_me               -            private/open   200
events.list_events      lines        private/open   200
balances.get_balances   -            private/open   200
balances.list_postings  -            private/open   200
flows.get_flows         -            private/open   200
hands.list_hands        -            private/open   200
dossiers.get_table_dossier -         private/open   200
table_exports.export_table -         private/open   200
disputes.list_disputes  -            private/open   200
disputes.open_dispute   hand_one     private/open   409
"""
"""The statuses for an owner invited before the game, if they differ from the statuses for a stranger (`play`)."""

KINDS: Final = tuple(f"{seen}/{state}" for seen in ("public", "private") for state in ("open", "live", "finished"))
GUEST: Final = "guest"
"""An owner who was invited before the game; `INVITED` has the statuses."""
NO_TABLE: Final = "public/live"
"""The kind of the world in which routes without a table are tested."""
UNKNOWN: Final = {"table": "tbl_" + "0" * 32, "key": "key_" + "0" * 32}
HEADERS: Final = {"lines": {"Accept": "application/x-ndjson"}}
METHODS: Final = frozenset({"DELETE", "GET", "PATCH", "POST", "PUT"})
_ADJUSTMENT: Final = {
    "source": "own_" + "0" * 32,
    "target": "own_" + "1" * 32,
    "amount": 1,
    "unit": "chips",
    "corrects": 1,
    "rule": "",
}
GARBAGE: Final = "ctk_" + "0" * 32 + "_" + "0" * 64
PAST: Final = "2026-01-01T00:00:00.000Z"


class Row(NamedTuple):
    """A line of `RIGHTS`: an endpoint, the request, the kinds of table, and the status for each caller."""

    endpoint: str
    asked: str
    at: str
    statuses: dict[str, int]

    def __str__(self) -> str:
        return f"{self.endpoint} {self.asked} {self.at}"


class Route(NamedTuple):
    """A route: its one method, its rule, the parameters of its path, and the function that fills them in."""

    method: str
    rule: str
    parts: frozenset[str]
    build: Callable[[dict[str, Any]], tuple[str, str] | None]


def _rows() -> Iterator[Row]:
    heads, *lines = RIGHTS.strip().splitlines()
    assert heads.split()[3:] == list(WHO)
    for line in lines:
        endpoint, asked, at, *statuses = line.split()
        yield Row(endpoint, asked, at, dict(zip(WHO, map(int, statuses), strict=True)))


ROWS: Final = tuple(_rows())
GUESTS: Final = tuple(line.split() for line in INVITED.strip().splitlines()[1:])


class World:
    """A table of the kind *kind*, and callers of all kinds with their keys."""

    def __init__(self, service: Service, kind: str) -> None:
        self._service = service
        seen, self.state = kind.split("/")
        self.people = {
            "none": service.spectator,
            "host": service.person("host"),
            "host2": service.person("host"),
            "play": service.person("play"),
            GUEST: service.person("play"),
            "audit": service.person("audit"),
            "admin": service.person("admin"),
            "junk": Person(service, "", GARBAGE),
        }
        self.people |= {"seat": self._made(), "peer": self._made()}
        body = {"game": "bankrupt", "seats": 3, "visibility": seen, "options": {"buy_in": 12}}
        self.path = str(accepted(self.people["host"].post("/v1/tables", body), 201).headers["Location"])
        self.made = self._made()
        self._play()
        owner = self.people["seat"].owner
        self.people |= {
            "ended": self._made(owner=owner),
            "late": service.person("play", expires_at=PAST, owner=owner, made_by=self.people["host"].owner),
        }
        self.delete("host", self.key_of("ended"))
        self._elses = service.person("admin")
        self.checkpoint_size = int(service.keep_log().split("\n")[1])

    def delete(self, who: str, key: str) -> None:
        accepted(self.people[who].send("DELETE", f"/v1/keys/{key}", headers={}), 204)

    def key_of(self, who: str) -> str:
        """Return the id of the key of *who*; if *who* has no key, return an id that no key has.

        If *who* is "else", return the id of the key of an admin who sends no request.
        """
        token = (self._elses if who == "else" else self.people[who]).token
        return f"key_{token.split('_')[1]}" if token else UNKNOWN["key"]

    def _made(self, **members: str) -> Person:
        """Return a player with a key that the host made."""
        made = accepted(self.people["host"].post("/v1/keys", members), 201).json
        return Person(self._service, made["key"]["owner"], made["token"])

    def _play(self) -> None:
        """Bring the table to its state; in the state live, the player of `seat` must decide."""
        accepted(self.people["host"].do(self.path, "invite_player", player=self.people[GUEST].owner))
        for who in ("seat", "peer"):
            sitting = {"chips": 12, "player": self.people[who].owner}
            accepted(self.people["host"].post(f"{self.path}/seats", sitting), 201)
        if self.state == "open":
            return
        accepted(self.people["host"].do(self.path, "start_game"))
        (due,) = accepted(self.people["host"].get(self.path)).json["due"]
        if due == "seat:1":  # seat 1 deals, and seat 2 decides first: it becomes "seat", and the dealer "peer"
            self.people |= {"seat": self.people["peer"], "peer": self.people["seat"]}
        accepted(self.people["peer"].do(self.path, "deal_hand"))
        if self.state == "finished":
            self._finish()
        complaint = {"hand": 1, "ground": "conduct"}
        accepted(self.people["host"].post(f"{self.path}/disputes", complaint), 201)

    def _finish(self) -> None:
        """Play the hand to its end, and let one of the two players resign."""
        seats = {"seat:1": self.people["seat"], "seat:2": self.people["peer"]}
        if accepted(seats["seat:1"].get(self.path)).json["you"] != 1:
            seats = {"seat:1": self.people["peer"], "seat:2": self.people["seat"]}
        while (view := accepted(self.people["host"].get(self.path)).json)["hand_is_running"]:
            due = seats[view["due"][0]]
            (first, *_) = accepted(due.get(f"{self.path}/actions")).json["items"]
            accepted(due.post(f"{self.path}/actions", first["action"]))
        accepted(self.people["seat"].do(self.path, "resign"))


@pytest.fixture(scope="module")
def service(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("rights"), url) as made:
        yield made


@pytest.fixture(scope="module")
def worlds(service: Service) -> dict[str, World]:
    """Return a world of each kind; no test records anything in these worlds."""
    return {kind: World(service, kind) for kind in KINDS}


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_every_caller_gets_exactly_the_listed_statuses(service: Service, worlds: dict[str, World], row: Row) -> None:
    """An invited owner asks at a table of each kind, any other caller at one table; the run's seed selects its kind."""
    chance, kinds = seeds.chance(f"kinds {row}"), _kinds(row)
    _must_get(service, worlds, row, [(chance.choice(kinds), who) for who in WHO])
    _must_get(service, worlds, row, [(kind, GUEST) for kind in kinds])


@pytest.mark.full
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_every_caller_gets_the_listed_statuses_at_tables_of_each_kind(
    service: Service, worlds: dict[str, World], row: Row
) -> None:
    _must_get(service, worlds, row, [*product(_kinds(row), WHO)])


def _must_get(service: Service, worlds: dict[str, World], row: Row, asking: Sequence[tuple[str, str]]) -> None:
    """Check the statuses of *row*; *asking* has the kinds of table, each with the caller who asks there."""
    route, recorded = _routes(service)[row.endpoint], _recorded(service)
    asking_for_head = seeds.chance(f"HEAD {row}").choice(asking)
    for kind, who in asking:
        status = _for_guest(row, kind) if who == GUEST else row.statuses[who]
        records = route.method != "GET" and status < 300 and not row.asked.endswith("?")
        world, before = worlds[kind], recorded
        if records:
            world = World(service, kind)
            before = _recorded(service)
        answer = _ask(world, who, row, route)
        assert answer.status_code == status, (kind, who, answer.get_data(as_text=True))
        recorded = _recorded(service)  # the next comparison then finds what the requests below record
        assert (recorded != before) == records, (kind, who)
        if not _may_know(who, kind, route) or (status == 404 and "key" in route.parts):
            assert _told(answer) == _told(_ask(world, who, row, route, **UNKNOWN)), (kind, who)
        if route.method == "GET" and (kind, who) == asking_for_head:
            head = _ask(world, who, row, route._replace(method="HEAD"))
            assert (head.status_code, head.data) == (status, b""), (kind, who)


def test_every_route_and_method_has_its_rows(service: Service) -> None:
    routes = _routes(service)
    assert {row.endpoint for row in ROWS} == routes.keys()
    for endpoint, route in routes.items():
        rows = [row for row in ROWS if row.endpoint == endpoint]
        for asked in {row.asked for row in rows}:
            found = [kind for row in rows if row.asked == asked for kind in _kinds(row)]
            assert sorted(found) == (sorted(KINDS) if "table" in route.parts else [NO_TABLE]), (endpoint, asked)


def test_a_table_is_listed_only_for_callers_who_may_see_it(worlds: dict[str, World]) -> None:
    for kind, world in worlds.items():
        for who, person in world.people.items():
            answer = person.get("/v1/tables?limit=1000")
            listed = [one["table"] for one in answer.get_json().get("items", ())]
            is_known = answer.status_code == 200 and person.get(world.path).status_code == 200
            assert (world.path.rpartition("/")[2] in listed) == is_known, (kind, who)


def test_a_method_that_no_route_has_is_refused_alike_for_everybody(service: Service, worlds: dict[str, World]) -> None:
    world = worlds["private/live"]
    allowed: dict[str, set[str]] = {}
    for rule in service.app.url_map.iter_rules():
        allowed.setdefault(rule.rule, set()).update(rule.methods or ())
    for endpoint, route in _routes(service).items():
        for method in METHODS - allowed[route.rule]:
            told = [
                _told(person.send(method, _path(world, who, Row(endpoint, "", "", {}), route, **names), headers={}))
                for who, person in world.people.items()
                for names in ({}, UNKNOWN)
            ]
            status, headers, _ = told[0]
            assert (status, set(headers["Allow"].split(", "))) == (405, allowed[route.rule])
            assert told.count(told[0]) == len(told), (method, endpoint)


def test_options_are_the_same_for_everybody(service: Service, worlds: dict[str, World]) -> None:
    world = worlds["private/live"]
    for endpoint, route in _routes(service).items():
        told = [
            _told(person.send("OPTIONS", _path(world, who, Row(endpoint, "", "", {}), route, **names), headers={}))
            for who, person in world.people.items()
            for names in ({}, UNKNOWN)
        ]
        assert told[0][0] < 300
        assert told.count(told[0]) == len(told), endpoint


def _routes(service: Service) -> dict[str, Route]:
    """Return the routes of the service by their endpoints; each endpoint has one method."""
    found: dict[str, Route] = {}
    for rule in service.app.url_map.iter_rules():
        (method,) = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        assert rule.endpoint not in found
        found[rule.endpoint] = Route(method, rule.rule, frozenset(rule.arguments), rule.build)
    return found


def _kinds(row: Row) -> list[str]:
    return [NO_TABLE] if row.at == "-" else [kind for kind in KINDS if fnmatchcase(kind, row.at)]


def _may_know(who: str, kind: str, route: Route) -> bool:
    """Return whether *who* may see a table of this *kind*; True for a *route* without a table."""
    knows = {"seat", "peer", "host", "audit", *([GUEST] if kind == "private/open" else [])}
    return kind.startswith("public") or "table" not in route.parts or who in knows


def _for_guest(row: Row, kind: str) -> int:
    """Return the status for the invited owner; an invitation ends when players may no longer take seats."""
    found = [
        int(status)
        for endpoint, asked, at, status in GUESTS
        if (endpoint, asked) == (row.endpoint, row.asked) and fnmatchcase(kind, at)
    ]
    return found[0] if found else row.statuses["play"]


def _ask(world: World, who: str, row: Row, route: Route, **names: str) -> TestResponse:
    person, path = world.people[who], _path(world, who, row, route, **names)
    if route.method == "POST":
        return person.post(path, _body(world, row.asked.removesuffix("?")))
    return person.send(route.method, path, headers=HEADERS.get(row.asked, {}), buffered=True)


def _path(world: World, who: str, row: Row, route: Route, **names: str) -> str:
    """Return the path of *route*; the value of each parameter comes from *names*, or else from *world*."""
    parts: dict[str, Any] = {
        "table": world.path.rpartition("/")[2],
        "game": "bankrupt",
        "hand": 1,
        "position": 1,
        "account": "house",
        "name": "start.js",
        "code": "table_must_exist",
        "dispute": 1,
        "level": 0,
        "tile": "000.p/1",
        "old": 1,
        "new": world.checkpoint_size,
        "key": world.key_of({"own": who, "peers": "peer", "hosts": "host"}.get(row.asked, "else")),
    }
    built = route.build({name: names.get(name, parts[name]) for name in route.parts})
    assert built is not None
    return built[1] + ("?dry_run=true" if row.asked.endswith("?") else "")


def _body(world: World, asked: str) -> dict[str, Any]:
    bodies: dict[str, dict[str, Any]] = {
        "-": {"game": "bankrupt"},
        "for_oneself": {"chips": 12},
        "for_play": {"chips": 12, "player": world.people["play"].owner},
        "for_made": {"chips": 12, "player": world.made.owner},
        "invite": {"type": "invite_player", "player": world.people["play"].owner},
        "withdraw": {"type": "withdraw_invitation", "player": world.people[GUEST].owner},
        "decline": {"type": "decline_invitation"},
        "unsigned": {"checkpoint": ["a checkpoint that the log key did not sign"]},
        "for_new": {},
        "for_seat": {"owner": world.people["seat"].owner},
        "scope_host": {"scopes": ["host"]},
        "hand_one": {"hand": 1, "ground": "payout"},
        "statement": {"statement": "I saw it."},
        "nothing": {},
        "question": {"question": "Who saw it?"},
        "outcome": {"outcome": "no_fault", "reason": "Nobody saw it."},
        "transfers": {"transfers": [_ADJUSTMENT]},
        "proposal": {"proposal": 1},
    }
    return bodies.get(asked, {"type": asked})


def _recorded(service: Service) -> tuple[int, ...]:
    tables = (log_tables.events, key_tables.keys, key_tables.key_revocations)
    counts = [select(func.count()).select_from(table).scalar_subquery() for table in tables]
    with reading(service.parts.engine) as connection:
        return tuple(connection.execute(select(*counts)).one())


def _told(answer: TestResponse) -> tuple[int, dict[str, str], Any]:
    """Return a response without the parts that differ for each request."""
    headers = {name: value for name, value in answer.headers if name not in {"Date", "X-Request-Id"}}
    body = answer.get_json(silent=True)
    return answer.status_code, headers, {**body, "request_id": ""} if isinstance(body, dict) else answer.data
