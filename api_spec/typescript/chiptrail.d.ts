/** Types of all that openapi.json describes; `python -m service.http.openapi.generate` writes them. */
export interface paths {
  "/v1/games": {
    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": components["schemas"]["GameList"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/games/{game}": {
    get: {
      parameters: { path: { game: string } };
      responses: {
        200: { content: { "application/json": components["schemas"]["GameDetails"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables": {
    post: {
      parameters: { header: { "Idempotency-Key": string; "If-Match"?: string } };
      requestBody: { content: { "application/json": components["schemas"]["Opening"] } };
      responses: {
        201: { content: { "application/json": components["schemas"]["Done"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        412: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
    get: {
      parameters: { query?: { after?: string; limit?: number; status?: "" | "closed" | "finished" | "open" | "playing"; game?: string; mine?: boolean; invited?: boolean } };
      responses: {
        200: { content: { "application/json": components["schemas"]["TableList"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}": {
    get: {
      parameters: { path: { table: string }; header?: { "If-None-Match"?: string }; query?: { at?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["TableView"] } };
        304: { content?: never };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/seats": {
    post: {
      parameters: { path: { table: string }; header: { "Idempotency-Key": string; "If-Match"?: string }; query?: { expand?: string } };
      requestBody: { content: { "application/json": components["schemas"]["Sitting"] } };
      responses: {
        201: { content: { "application/json": components["schemas"]["Done"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        412: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/me": {
    get: {
      parameters: { path: { table: string } };
      responses: {
        200: { content: { "application/json": components["schemas"]["MyselfHere"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/actions": {
    get: {
      parameters: { path: { table: string }; header?: { "If-None-Match"?: string }; query?: { wait?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["ActionList"] } };
        304: { content?: never };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
    post: {
      parameters: { path: { table: string }; header: { "Idempotency-Key": string; "If-Match"?: string }; query?: { expand?: string; dry_run?: boolean } };
      requestBody: { content: { "application/json": components["schemas"]["Action"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["Done"] | components["schemas"]["Accepted"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        412: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/events": {
    get: {
      parameters: { path: { table: string }; header?: { "Last-Event-ID"?: string; "If-None-Match"?: string }; query?: { after?: number; limit?: number; wait?: number; type?: ("antes_placed" | "antes_returned" | "auction_settled" | "bet_placed" | "bid_written" | "bids_awaited" | "bids_opened" | "card_exchanged" | "card_played" | "card_upturned" | "cards_bottomed" | "cards_dealt" | "cards_held" | "cards_passed" | "cards_shown" | "centre_collected" | "centre_divided" | "chips_bought" | "deal_begun" | "dealer_drawn" | "deck_batch_ended" | "deck_commitments_closed" | "deck_fixed" | "deck_opened" | "deck_revealed" | "deck_seed_committed" | "deck_seed_omitted" | "deck_seed_revealed" | "deck_seeds_dropped" | "deck_seeds_settled" | "deck_unused" | "draw_tied" | "foot_told" | "game_ended" | "game_started" | "hand_begun" | "hand_cancelled" | "hand_dealt" | "hand_ended" | "hand_finished" | "hand_sat_out" | "hand_scored" | "hand_settled" | "hand_thrown_in" | "insurance_accepted" | "insurance_offered" | "insurance_refused" | "invitation_declined" | "invitation_withdrawn" | "leftover_chosen" | "leftover_given" | "offer_returned" | "offers_awaited" | "pass_awaited" | "pass_chosen" | "play_begun" | "player_bankrupt" | "player_invited" | "player_knocked_out" | "player_resigned" | "round_dead" | "round_ended" | "round_won" | "round_won_uncontested" | "sat_in" | "seat_left" | "seat_taken" | "signing_key_ended" | "signing_key_registered" | "slip_written" | "slips_awaited" | "table_closed" | "table_opened" | "trick_taken" | "upping_accepted" | "upping_collected" | "upping_declined" | "upping_offered" | "upping_passed" | "upturned_exposed" | "value_erased")[] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["EventList"]; "text/event-stream": string; "application/x-ndjson": string } };
        304: { content?: never };
        204: { content?: never };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/events/{position}": {
    get: {
      parameters: { path: { table: string; position: number }; header?: { "If-None-Match"?: string } };
      responses: {
        200: { content: { "application/json": components["schemas"]["EventItem"] } };
        304: { content?: never };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/feed": {
    get: {
      parameters: { header?: { "Last-Event-ID"?: string }; query?: { after?: string; limit?: number; wait?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["FeedList"]; "text/event-stream": string; "application/x-ndjson": string } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/events/{position}/proof": {
    get: {
      parameters: { path: { table: string; position: number } };
      responses: {
        200: { content: { "text/plain; charset=utf-8": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/events/{position}/proof": {
    get: {
      parameters: { path: { table: string; position: number } };
      responses: {
        200: { content: { "text/plain; charset=utf-8": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/balances": {
    get: {
      parameters: { path: { table: string }; header?: { "If-None-Match"?: string }; query?: { at?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["BalanceList"] } };
        304: { content?: never };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/accounts/{account}/postings": {
    get: {
      parameters: { path: { table: string; account: string }; query?: { after?: string; limit?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["Statement"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/flows": {
    get: {
      parameters: { path: { table: string }; header?: { "If-None-Match"?: string }; query?: { hand?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["FlowList"] } };
        304: { content?: never };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/hands": {
    get: {
      parameters: { path: { table: string }; header?: { "If-None-Match"?: string }; query?: { after?: number; limit?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["HandList"] } };
        304: { content?: never };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/hands/{hand}": {
    get: {
      parameters: { path: { table: string; hand: number }; header?: { "If-None-Match"?: string } };
      responses: {
        200: { content: { "application/json": components["schemas"]["HandView"] } };
        304: { content?: never };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/hands/{hand}/adjudication": {
    get: {
      parameters: { path: { table: string; hand: number }; header?: { "If-None-Match"?: string } };
      responses: {
        200: { content: { "application/json": components["schemas"]["Adjudication"] } };
        304: { content?: never };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/audit/players": {
    get: {
      parameters: { query?: { after?: string; limit?: number; game?: string; table?: string; since?: string; until?: string } };
      responses: {
        200: { content: { "application/json": components["schemas"]["PlayerAuditPage"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/me/statement": {
    get: {
      parameters: { query?: { after?: string; limit?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["OwnStatement"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/export": {
    get: {
      parameters: { path: { table: string }; query?: { format?: "csv" | "hledger" | "text"; sheet?: "hands" | "statements" | "transfers"; since?: string; until?: string } };
      responses: {
        200: { content: { "text/plain; charset=utf-8": string; "text/csv; charset=utf-8": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/audit/export": {
    get: {
      parameters: { query?: { format?: "csv" | "hledger" | "text"; sheet?: "hands" | "statements" | "transfers"; since?: string; until?: string; owner?: string } };
      responses: {
        200: { content: { "text/plain; charset=utf-8": string; "text/csv; charset=utf-8": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes": {
    post: {
      parameters: { path: { table: string }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["OpenDispute"] } };
      responses: {
        201: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
    get: {
      parameters: { path: { table: string }; query?: { after?: number; limit?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeList"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}": {
    get: {
      parameters: { path: { table: string; dispute: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeView"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}/answer": {
    post: {
      parameters: { path: { table: string; dispute: number }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["AnswerDispute"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}/withdrawal": {
    post: {
      parameters: { path: { table: string; dispute: number }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["WithdrawDispute"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}/assignment": {
    post: {
      parameters: { path: { table: string; dispute: number }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["TakeDispute"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}/return": {
    post: {
      parameters: { path: { table: string; dispute: number }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["ReturnDispute"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}/question": {
    post: {
      parameters: { path: { table: string; dispute: number }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["RequestAnswers"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}/decision": {
    post: {
      parameters: { path: { table: string; dispute: number }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["DecideDispute"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}/correction": {
    post: {
      parameters: { path: { table: string; dispute: number }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["NewCorrection"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}/approval": {
    post: {
      parameters: { path: { table: string; dispute: number }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["ApproveCorrection"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/disputes/{dispute}/refusal": {
    post: {
      parameters: { path: { table: string; dispute: number }; header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["RefuseCorrection"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["DisputeDone"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Details"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/disputes": {
    get: {
      parameters: { query?: { after?: string; limit?: number; closed?: boolean; mine?: boolean } };
      responses: {
        200: { content: { "application/json": components["schemas"]["AllDisputes"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/dossier": {
    get: {
      parameters: { path: { table: string } };
      responses: {
        200: { content: { "application/octet-stream": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/tables/{table}/hands/{hand}/dossier": {
    get: {
      parameters: { path: { table: string; hand: number } };
      responses: {
        200: { content: { "application/octet-stream": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/verify.py": {
    get: {
      parameters: {};
      responses: {
        200: { content: { "text/x-python; charset=utf-8": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/log/key": {
    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": components["schemas"]["LogKeys"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/log/checkpoint": {
    get: {
      parameters: { query?: { cosignatures?: number } };
      responses: {
        200: { content: { "text/plain; charset=utf-8": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
    post: {
      parameters: { header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["NewCheckpoint"] } };
      responses: {
        200: { content: { "application/json": components["schemas"]["PublishedCheckpoint"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/log/tile/{level}/{tile}": {
    get: {
      parameters: { path: { level: number; tile: string } };
      responses: {
        200: { content: { "application/octet-stream": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/log/tile/entries/{tile}": {
    get: {
      parameters: { path: { tile: string } };
      responses: {
        200: { content: { "application/octet-stream": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/log/events": {
    get: {
      parameters: { query?: { after?: number; limit?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["ServiceEventList"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/log/events/{position}/proof": {
    get: {
      parameters: { path: { position: number } };
      responses: {
        200: { content: { "text/plain; charset=utf-8": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/log/consistency/{old}/{new}": {
    get: {
      parameters: { path: { old: number; new: number } };
      responses: {
        200: { content: { "text/plain; charset=utf-8": string } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/log/tree": {
    get: {
      parameters: { query?: { since?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["TreeView"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/whoami": {
    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": components["schemas"]["Myself"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/keys": {
    post: {
      parameters: { header: { "Idempotency-Key": string } };
      requestBody: { content: { "application/json": components["schemas"]["NewKey"] } };
      responses: {
        201: { content: { "application/json": components["schemas"]["MadeKey"] } };
        400: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        408: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        413: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        415: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
    get: {
      parameters: { query?: { after?: string; limit?: number } };
      responses: {
        200: { content: { "application/json": components["schemas"]["KeyList"] } };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/v1/keys/{key}": {
    delete: {
      parameters: { path: { key: string } };
      responses: {
        204: { content?: never };
        401: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        403: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        404: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        409: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        429: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/healthz": {
    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": components["schemas"]["Health"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
  "/readyz": {
    get: {
      parameters: {};
      responses: {
        200: { content: { "application/json": components["schemas"]["Health"] } };
        422: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        500: { content: { "application/problem+json": components["schemas"]["Problem"] } };
        503: { content: { "application/problem+json": components["schemas"]["Problem"] } };
      };
    };
  };
}
export interface components {
  schemas: {
    /** What a chip is worth in money. */
    Worth: {
      /** The currency code (ISO 4217). */
      currency: string;
      /** The worth of a chip, in the currency's minor units. */
      minor: number;
    };
    /** A table to open. */
    Opening: {
      /** The name of the game, from GET /v1/games. */
      game: "bankrupt" | "insurance" | "insurance_hearts";
      /** The game's options; an option that is left out has its default. */
      options?: components["schemas"]["BankruptOptions"] | components["schemas"]["InsuranceOptions"] | components["schemas"]["InsuranceHeartsOptions"];
      /** The number of seats, within the game's range; 0: the game's default. */
      seats?: number;
      /** Who may see the table: everybody, or only its host, players, invited owners, auditors and approvers. */
      visibility?: "private" | "public";
      /** What a chip is worth in money; null: nothing. */
      worth?: components["schemas"]["Worth"] | null;
      /** The seconds that players have for a decision before the service makes it (G.3); 0: no limit. */
      time_limit_seconds?: number;
      /** For how many days after a hand's last event the hand may be disputed, once the game is over (D.2). */
      dispute_days?: number;
      /** Whose seeds determine the order of the decks: the service's alone, or the players' seeds too (G.9). */
      seeds?: "operator" | "players";
    };
    /** A seat to take. */
    Sitting: {
      /** The number of chips to buy; 0 if the game has no chips. */
      chips?: number;
      /** The number of the seat; 0: the lowest free seat. */
      seat?: number;
      /** The owner to seat: an owner for whom the host has made a key (G.10). Empty: the caller. */
      player?: string;
    };
    /** The *blind* (64 hex digits) that the caller has drawn for the value of a sealed *field*. */
    Blind: {
      /** The sealed field. */
      field: string;
      /** 32 random bytes, as 64 hex digits. Draw new ones for each field of each action. */
      blind: string;
    };
    /** The caller's signature of an action (log/v1); needed if the caller's seat has a signing key (G.13). */
    Signature: {
      /** The position of the event on which the seat signs: `sign_from` or a later event. */
      position: number;
      /** The hash of the leaf at `position`. */
      head_hash: string;
      /** The Ed25519 signature of the action by the seat's signing key; if the action registers a key, by the new key. */
      signature: string;
      /** If the action registers another key: the signature of the same text by the present key. */
      previous?: string;
      /** A blind for each field that the action seals. */
      blinds?: (components["schemas"]["Blind"])[];
    };
    /** Deal the next hand. */
    DealHand: {
      /** The type of the action. */
      type: "deal_hand";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Leave the table with your chips, before the start or, if the game allows leaving, between hands. */
    LeaveSeat: {
      /** The type of the action. */
      type: "leave_seat";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Start the game with the seated players. */
    StartGame: {
      /** The type of the action. */
      type: "start_game";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Call time: the service makes the first decision that is due, on behalf of the player. If the game waits for players' seeds, the service leaves out the first seat that has not committed. Once the commitments are closed, the service leaves out all players' seeds (G.9). */
    CallTime: {
      /** The type of the action. */
      type: "call_time";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Close the table for good and pay all chips out, before the start or, if players may leave, between hands. */
    CloseTable: {
      /** The type of the action. */
      type: "close_table";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Invite an owner: the owner may then see the table even if it is private, and may take a seat or decline. */
    InvitePlayer: {
      /** The type of the action. */
      type: "invite_player";
      /** The id of an owner of API keys. */
      player: string;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Withdraw the invitation of *player*. */
    WithdrawInvitation: {
      /** The type of the action. */
      type: "withdraw_invitation";
      /** The id of an owner of API keys. */
      player: string;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Decline the invitation to the table; *player* is the caller. */
    DeclineInvitation: {
      /** The type of the action. */
      type: "decline_invitation";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Register a public key for your seat: from then on, the matching private key must sign the actions of your seat. This action must also be signed with the new private key. If your seat already has a key, this action must also be signed with the earlier private key. */
    RegisterSigningKey: {
      /** The type of the action. */
      type: "register_signing_key";
      /** An Ed25519 public key (RFC 8032): 64 hex digits. */
      public_key: string;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** End the signing key of your seat, for example because you lost the private key; this action needs no signature. From then on your actions are unsigned, and the verdicts on hands name your seat as unsigned. */
    EndSigningKey: {
      /** The type of the action. */
      type: "end_signing_key";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Commit to a seed of your own for a batch of decks (G.9). */
    CommitSeed: {
      /** The type of the action. */
      type: "commit_seed";
      /** The name of a batch of decks: the epoch of its first deck. */
      epoch: string;
      /** Your commitment (deck/v1): the hash of the batch, your seat and your seed. */
      client_commit: string;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Show the seed to which you have committed, once the commitments of the batch are closed (G.9). */
    RevealSeed: {
      /** The type of the action. */
      type: "reveal_seed";
      /** The name of a batch of decks: the epoch of its first deck. */
      epoch: string;
      /** Your seed: 32 random bytes in hex. */
      client_seed: string;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Keep both cards (Rule 11). */
    HoldCards: {
      /** The type of the action. */
      type: "hold_cards";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Discard one card and get the top card of the deck in its place (Rule 11). */
    ExchangeCard: {
      /** The type of the action. */
      type: "exchange_card";
      /** Which card to discard; 1: the first dealt, 2: the second. */
      card: number;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Leave the round; if your ante has any pieces, forfeit one of them to the centre (Rule 11). */
    ThrowIn: {
      /** The type of the action. */
      type: "throw_in";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Offer to up the ante (Rule 12). */
    OfferUpping: {
      /** The type of the action. */
      type: "offer_upping";
      /** How many pieces to lay down. */
      chips: number;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Make no offer; the right to offer passes to the next player, if any (Rule 12). */
    PassUpping: {
      /** The type of the action. */
      type: "pass_upping";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Accept the offer, and lay down the same number of pieces (Rule 12). */
    AcceptUpping: {
      /** The type of the action. */
      type: "accept_upping";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Decline the offer (Rule 12). */
    DeclineUpping: {
      /** The type of the action. */
      type: "decline_upping";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Give up the game between rounds (Rule 19). */
    Resign: {
      /** The type of the action. */
      type: "resign";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Place your bet for the hand; the first bet begins the hand (BET). */
    PlaceBet: {
      /** The type of the action. */
      type: "place_bet";
      /** How many chips. */
      chips: number;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Sit out this hand or, between hands, the next hand, in the gambling game (I-BET.2). */
    SitOut: {
      /** The type of the action. */
      type: "sit_out";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Play the next hand after all, while no bet is on the table (I-BET.2). */
    SitIn: {
      /** The type of the action. */
      type: "sit_in";
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Buy chips between hands, in the gambling game (I-BET.2). */
    BuyChips: {
      /** The type of the action. */
      type: "buy_chips";
      /** How many chips. */
      chips: number;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Offer the banker a payment to insure your bet (INSURANCE OFFER). */
    OfferInsurance: {
      /** The type of the action. */
      type: "offer_insurance";
      /** How many chips. */
      chips: number;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** As the banker, accept an offer and insure the bet (ACCEPTANCE). */
    AcceptInsurance: {
      /** The type of the action. */
      type: "accept_insurance";
      /** The seat that made the offer. */
      seat: number;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** As the banker, refuse an offer, whose chips go back (ACCEPTANCE). */
    RefuseInsurance: {
      /** The type of the action. */
      type: "refuse_insurance";
      /** The seat that made the offer. */
      seat: number;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Write your slip: an insurance number, and whether to call a foot. The number stays sealed until the hand is scored, or for good if a foot cancels the hand. */
    WriteSlip: {
      /** The type of the action. */
      type: "write_slip";
      /** The insurance number; 0 at a table without the insurance rule. */
      insurance: number;
      /** Whether to call a foot, which cancels the hand. A player may call a foot once a game. */
      foot?: boolean;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Choose three cards to pass to another player. Once all players have chosen, the receiver can read the choice. Once the deck is revealed, everybody can read the choice. */
    PassCards: {
      /** The type of the action. */
      type: "pass_cards";
      /** Three cards of your own hand. */
      cards: (string)[];
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Bid points for one of the four cards, and show a card of your hand; the card that you show decides ties. */
    PlaceBid: {
      /** The type of the action. */
      type: "place_bid";
      /** One of the four cards of the auction. */
      card: string;
      /** The bid, in points, which count against you if you get the card. */
      points: number;
      /** A card of your own hand. */
      shown: string;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Make no bid; the stronger the card that you show, the earlier you choose from the leftovers. */
    MakeNoBid: {
      /** The type of the action. */
      type: "make_no_bid";
      /** A card of your own hand. */
      shown: string;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Choose a leftover: a card of the auction that nobody bought and nobody has chosen yet. */
    ChooseLeftover: {
      /** The type of the action. */
      type: "choose_leftover";
      /** One of the four cards of the auction. */
      card: string;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** Play a card to the trick. */
    PlayCard: {
      /** The type of the action. */
      type: "play_card";
      /** A card of your own hand. */
      card: string;
      /** The caller's signature; needed if the caller's seat has a signing key. */
      sig?: components["schemas"]["Signature"];
    };
    /** An action of any game, selected by `type`. */
    Action: components["schemas"]["DealHand"] | components["schemas"]["LeaveSeat"] | components["schemas"]["StartGame"] | components["schemas"]["CallTime"] | components["schemas"]["CloseTable"] | components["schemas"]["InvitePlayer"] | components["schemas"]["WithdrawInvitation"] | components["schemas"]["DeclineInvitation"] | components["schemas"]["RegisterSigningKey"] | components["schemas"]["EndSigningKey"] | components["schemas"]["CommitSeed"] | components["schemas"]["RevealSeed"] | components["schemas"]["HoldCards"] | components["schemas"]["ExchangeCard"] | components["schemas"]["ThrowIn"] | components["schemas"]["OfferUpping"] | components["schemas"]["PassUpping"] | components["schemas"]["AcceptUpping"] | components["schemas"]["DeclineUpping"] | components["schemas"]["Resign"] | components["schemas"]["PlaceBet"] | components["schemas"]["SitOut"] | components["schemas"]["SitIn"] | components["schemas"]["BuyChips"] | components["schemas"]["OfferInsurance"] | components["schemas"]["AcceptInsurance"] | components["schemas"]["RefuseInsurance"] | components["schemas"]["WriteSlip"] | components["schemas"]["PassCards"] | components["schemas"]["PlaceBid"] | components["schemas"]["MakeNoBid"] | components["schemas"]["ChooseLeftover"] | components["schemas"]["PlayCard"];
    /** Dispute a hand. */
    OpenDispute: {
      /** The number of the hand at the table. */
      hand: number;
      /** What the complaint is about. */
      ground: "conduct" | "deck" | "identity" | "payout" | "rules" | "secrecy" | "time";
      /** At most 2,000 characters. It is sealed: only the players of the hand, the host and auditors can read it, and it can be erased. */
      statement?: string;
      /** An earlier dispute whose correction this dispute is about; 0: none. */
      follows?: number;
    };
    /** Answer as a player of the hand or as the host. */
    AnswerDispute: {
      /** At most 2,000 characters, sealed. */
      statement: string;
    };
    /** Withdraw the dispute, which the caller opened. */
    WithdrawDispute: {
    };
    /** Take the dispute on, to decide it. */
    TakeDispute: {
    };
    /** Return the dispute, so that another auditor may take it on. */
    ReturnDispute: {
    };
    /** Ask parties to answer, or to answer again. */
    RequestAnswers: {
      /** At most 2,000 characters, sealed. */
      question: string;
      /** Who shall answer; empty: all parties. */
      asked?: (string)[];
    };
    /** Decide the dispute. */
    DecideDispute: {
      /** What you find. */
      outcome: "explained" | "fault" | "no_fault" | "unprovable";
      /** The rule of the sheet or the ruling that the step cites. */
      rule?: string;
      /** The reason, at most 2,000 characters. All who may see the table can read it; it can be erased. */
      reason: string;
      /** True if you find no fault although the verdict of the service is `failed`, otherwise false. */
      contradicts?: boolean;
    };
    /** *amount* units that shall move from the owner *source* to the owner *target*. *corrects*: the position of the event for which the amount moves. */
    NewAdjustment: {
      /** The owner who gives. */
      source: string;
      /** The owner who receives. */
      target: string;
      /** A whole number of chips or points. */
      amount: number;
      /** The unit: chips, or points of a score. */
      unit: "chips" | "points";
      /** The position of an event of the table. */
      corrects: number;
      /** The rule of the sheet or the ruling that the step cites. */
      rule: string;
    };
    /** A correction to propose. */
    NewCorrection: {
      /** The amounts, each from one player of the hand to another. */
      transfers: (components["schemas"]["NewAdjustment"])[];
    };
    /** Approve the correction that the event at *proposal* proposes. */
    ApproveCorrection: {
      /** The position of the proposal in the disputes. */
      proposal: number;
    };
    /** Refuse the correction that the event at *proposal* proposes. */
    RefuseCorrection: {
      /** The position of the proposal in the disputes. */
      proposal: number;
    };
    /** A checkpoint to publish. */
    NewCheckpoint: {
      /** The lines of the signed note (C2SP tlog-checkpoint). */
      checkpoint: (string)[];
      /** Whether a new log may begin, although the database has checkpoints of another origin. */
      begins?: boolean;
    };
    /** A key to make. */
    NewKey: {
      /** What the key may do. */
      scopes?: ("admin" | "approve" | "audit" | "host" | "metrics" | "play")[];
      /** The owner of the key; empty: a new owner. */
      owner?: string;
      /** A note for people: what the key is for. */
      label?: string;
      /** When the key expires, in UTC (RFC 3339); empty: never. */
      expires_at?: string;
      /** The tables to which the key is limited; a limited key can have only the scopes audit and approve. If `disputes` is empty too, the key is not limited. */
      tables?: (string)[];
      /** The disputes to which the key is limited, each as its table and number: tbl_<hex>/2. */
      disputes?: (string)[];
    };
    /** The service would accept the command now. The response does not show the events of the command. */
    Accepted: {
      /** Always true: the service answers a refusal with a problem. */
      accepted: true;
      /** What the command would seal, for a caller who signs it; absent if it would seal nothing. */
      seals?: components["schemas"]["WouldSeal"];
    };
    /** What a command would seal: a player who signs the command signs hashes of these values (G.13). */
    WouldSeal: {
      /** The type of the event that would be recorded. */
      decision: string;
      /** The fields, with their values. */
      fields: (components["schemas"]["FieldToSeal"])[];
    };
    /** A *field* that a command would seal, and its *value* (JSON). */
    FieldToSeal: {
      /** The field to seal. */
      field: string;
      /** The value that the command gives the field. */
      value: number | boolean | (string)[] | components["schemas"]["Bid"];
    };
    /** The actions that the caller may take at the table now, as a player, as the host or as an invited owner. */
    ActionList: {
      /** The table's position. */
      position: number;
      /** The table's status: open, playing, finished or closed. */
      status: "open" | "playing" | "finished" | "closed";
      /** Who must decide now: "seat:<n>" or "host". */
      due: (string)[];
      /** The seats that owe a commitment or a seed, as "seat:<n>", even while play goes on (G.9). */
      seeds_awaited: (string)[];
      /** The end of the time limit for the decision that is due (G.3): the `at` of the event since which the decision is due, plus the time limit. Empty: the table has no time limit, or no time runs now. If the table has not moved on by then, the service makes the decision within seconds; after an outage, only when a whole time limit has passed since the service came back. The service never makes the decision earlier, unless the host calls time. */
      due_at: string;
      /** The items of the list, in order. */
      items: (components["schemas"]["ActionItem"])[];
      /** The signing key of the caller's seat; null: no seat. */
      signing: components["schemas"]["Signing"] | null;
    };
    /** An action that the service would accept now, with the ranges and choices of its members. */
    ActionItem: {
      /** The action, ready to post. */
      action: components["schemas"]["Action"];
      /** The members whose values are numbers that the caller may choose, each with its range. */
      bounds: (components["schemas"]["Bound"])[];
      /** The members that name cards, each with the cards from which the caller may choose. */
      choices: (components["schemas"]["Choice"])[];
      /** The rule of the author's sheet; empty: no rule is cited. */
      rule: string;
      /** Our ruling where the sheet is silent; empty: no ruling is cited. */
      ruling: string;
      /** The members whose values are only examples: send your own values. Empty: no members. */
      to_fill: (string)[];
    };
    /** The range of a command's *member*: *least* to *most*. */
    Bound: {
      /** The name of the member, or the path to the member. */
      member: string;
      /** The smallest value allowed. */
      least: number;
      /** The largest value allowed. */
      most: number;
    };
    /** The values that a command's *member* may have: every list of *count* different faces that are in *among*. If *count* is 0, the value is not a list but one face that is in *among*. */
    Choice: {
      /** The member of the action that names the cards. */
      member: string;
      /** The cards to choose from. */
      among: (string)[];
      /** How many different cards to choose, as an array; 0: one card, without an array; if left out: 0. */
      count?: number;
    };
    /** The signing key of the caller's seat, and what the caller may do about it now. The actions that register and end keys are not in `items`: they are not moves, and a registration needs a signature. */
    Signing: {
      /** The public key that must verify the signature of each action of the seat; empty: none. */
      public_key: string;
      /** Whether `register_signing_key` is possible now. */
      may_register: boolean;
      /** Whether `end_signing_key` is possible now. */
      may_end: boolean;
      /** The last event that changed what the seat may do; for a seat without a key, the last event. Sign only one action for each `sign_from`. */
      sign_from: components["schemas"]["SignFrom"];
    };
    /** The first event on which the caller may sign the next action: sign on this event or on a later event. */
    SignFrom: {
      /** The position of the event. */
      position: number;
      /** The hash of the event's leaf. */
      head_hash: string;
    };
    /** The verdict on a hand. The audit has decided every decision of the hand again. Only `failed` is an alarm. `pending` means: the hand is running, a deck is not retired yet, or a sealed value is not public yet. */
    Adjudication: {
      /** The table's id. */
      table: string;
      /** The hand's number, from 1. */
      hand: number;
      /** The position of the hand's first event. */
      first: number;
      /** The position of the hand's last event; 0: the hand is not settled. */
      last: number;
      /** The result of deciding the hand or the decision again. */
      verdict: components["schemas"]["Verdict"];
      /** The first difference, if the hand has failed. */
      difference: components["schemas"]["Difference"] | null;
      /** The seats that made decisions in the hand without signing these decisions. */
      unsigned_seats: (number)[];
      /** The decisions of the hand, in order. */
      decisions: (components["schemas"]["DecisionJudged"])[];
      /** The disputes about the hand, in the order of their numbers; if left out: []. */
      disputes?: (components["schemas"]["HandDispute"])[];
    };
    /** The verdicts, from the best to the worst; only FAILED is an alarm. */
    Verdict: "clean" | "failed" | "pending" | "undecidable";
    /** A difference in a *member* of the event at *position*: the *expected* value and the value *found*. *member* is a path into the event, such as ``claims[0].taken``, or a member of the leaf, such as ``type``, ``by``, ``cmd`` or ``priv.cards``. *member* is ``event`` if an event is missing, surplus or impossible, ``decision`` if the rules do not allow the decision, and ``sealed_seed`` if the seed of an unrevealed deck is missing or altered. Each value is JSON, or a text such as the type of an event, a hash, "nothing", or a description. */
    Difference: {
      /** A position in a stream, counted from 1. */
      position: number;
      /** The name of the member, or the path to the member. */
      member: string;
      /** The value that the rules require, as JSON; for a whole event, the event's type. */
      expected: string;
      /** The recorded value, as JSON; for a whole event, the event's type. */
      found: string;
    };
    /** The verdict on one decision. The audit has decided the decision again from the values that are public now. */
    DecisionJudged: {
      /** A position in a stream, counted from 1. */
      position: number;
      /** The type of the event or action, in snake case. */
      type: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The result of deciding the hand or the decision again. */
      verdict: components["schemas"]["Verdict"];
      /** Whether the key of a player's seat has signed the decision. */
      is_signed: boolean;
      /** How many events were recorded: the decision and its consequences. */
      events: number;
      /** The first difference between the expected and the recorded events; null: none was found. */
      difference: components["schemas"]["Difference"] | null;
    };
    /** A dispute about a hand, with the service's verdict on the hand beside the auditor's outcome. */
    HandDispute: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The state of the dispute. */
      status: "corrected" | "decided" | "open" | "proposed" | "taken" | "withdrawn";
      /** What the auditor has found; empty: the dispute is not decided. */
      outcome: string;
      /** The service's verdict on the hand at the last step with a verdict. */
      verdict: "clean" | "failed" | "pending" | "undecidable";
      /** The service's verdict now: it has decided the hand again for this response. */
      verdict_now: "clean" | "failed" | "pending" | "undecidable";
    };
    /** A page of disputes; the oldest first. */
    AllDisputes: {
      /** The items of the list, in order. */
      items: (components["schemas"]["ListedDispute"])[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: string;
      /** Whether the whole database answered. If not, a server of the database is down, and the response lacks the tables at this server. */
      is_whole: boolean;
    };
    /** A dispute in a list. */
    ListedDispute: {
      /** The table's id. */
      table: string;
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The number of the hand at the table. */
      hand: number;
      /** What the complaint is about. */
      ground: "conduct" | "deck" | "identity" | "payout" | "rules" | "secrecy" | "time";
      /** The state of the dispute. */
      status: "corrected" | "decided" | "open" | "proposed" | "taken" | "withdrawn";
      /** What the auditor has found; empty: the dispute is not decided. */
      outcome: string;
      /** The service's verdict on the hand, as the last step with a verdict recorded it. The verdict is shown beside the auditor's outcome, and no outcome changes the verdict. */
      verdict: "clean" | "failed" | "pending" | "undecidable";
      /** The owner who opened the dispute. */
      opened_by: string;
      /** When the dispute was opened, in UTC (RFC 3339). */
      opened_at: string;
      /** The owner who has taken the dispute on; empty: nobody has. */
      auditor: string;
      /** Whether the dispute is over; only erasures of texts can follow. */
      is_closed: boolean;
      /** The service's verdict now: it has decided the hand again for this response. */
      verdict_now: "clean" | "failed" | "pending" | "undecidable";
    };
    /** The balances of a table's accounts at one position; an account that no transfer has used so far is left out. */
    BalanceList: {
      /** The position of the table for which the balances hold. */
      position: number;
      /** The balances in whole chips or points, by account; their sum is 0. */
      balances: { [member: string]: number };
      /** What each owner has won, what corrections have adjusted, and the sum of both. */
      owners: (components["schemas"]["OwnerStatement"])[];
    };
    /** What one owner has won at the table, what corrections have adjusted, and the sum, which the owner is owed. */
    OwnerStatement: {
      /** The owner. */
      owner: string;
      /** The unit: chips, or points of a score. */
      unit: "chips" | "points";
      /** What the owner has won in play; below zero: lost. */
      winnings: number;
      /** What approved corrections have given to the owner; below zero: taken. */
      adjustments: number;
      /** `winnings` plus `adjustments`; below zero: the owner owes this amount. */
      owed: number;
      /** `owed` in the minor units of `currency`, as a whole number; empty: the unit has no worth in money. */
      owed_minor: string;
      /** The currency code (ISO 4217); empty: the unit has no worth in money. */
      currency: string;
    };
    /** Problem details (RFC 9457). The members after `request_id` depend on the problem. */
    Details: {
      /** The path of the problem's page: /problems/<code>. */
      type: string;
      /** The title, for people. */
      title: string;
      /** The HTTP status. */
      status: number;
      /** What must hold: the problem's code, or the refusal's code if the rules refused the command. */
      code: "body_must_be_json" | "idempotency_key_must_be_given" | "position_must_be_well_formed" | "key_must_be_given" | "key_must_be_valid" | "scope_must_be_granted" | "asker_must_be_the_host" | "asker_must_be_a_player" | "key_must_be_within_your_power" | "player_must_be_yours_to_seat" | "checkpoint_must_be_genuine" | "resource_must_exist" | "table_must_exist" | "game_must_exist" | "account_must_exist" | "hand_must_exist" | "dispute_must_exist" | "position_must_exist" | "key_must_exist" | "checkpoint_must_exist" | "tile_must_exist" | "proof_must_exist" | "method_must_be_allowed" | "body_must_come_in_time" | "refused_by_the_rules" | "table_must_be_played_here" | "table_must_be_intact" | "dossier_must_be_small" | "cursor_must_be_of_this_log" | "last_admin_key_must_stay" | "tables_must_be_fewer" | "keys_must_be_fewer" | "seats_must_be_fewer" | "checkpoint_must_be_of_the_tree" | "position_must_match" | "body_must_be_small" | "content_type_must_be_json" | "request_must_have_its_shape" | "idempotency_key_must_be_new" | "requests_must_be_fewer" | "service_must_not_fail" | "outcome_must_be_known" | "service_must_be_ready" | "place_must_be_free" | "body_must_find_a_place" | "database_must_answer" | "action_must_belong_to_the_game" | "adjustment_must_be_between_players" | "adjustment_must_be_in_the_tables_unit" | "adjustment_must_correct_the_hand" | "adjustments_must_stay_countable" | "answer_must_be_asked_for" | "answerer_must_be_party" | "ante_must_be_being_upped" | "approver_must_be_another" | "approver_must_not_be_party" | "auditor_must_have_taken" | "auditor_must_not_host" | "auditor_must_not_play" | "banker_must_do_it" | "banker_must_not_bet" | "batch_must_await_seeds" | "bet_must_be_within_its_bounds" | "bet_must_stand" | "bets_must_all_lie" | "bets_must_be_open" | "bid_must_be_within_its_bounds" | "bids_must_be_awaited" | "blinds_must_be_of_the_sealed_fields" | "buy_in_must_be_the_tables" | "card_must_be_first_or_second" | "card_must_be_held" | "card_must_be_left" | "card_must_be_up_for_auction" | "cards_must_be_being_decided_on" | "chips_must_be_within_their_bounds" | "choice_must_stand" | "commitment_must_be_given" | "commitment_must_stand" | "commitments_must_be_closed" | "commitments_must_be_open" | "complainant_must_be_party" | "contradiction_must_be_declared" | "correction_must_be_proposed" | "dealer_must_deal" | "decks_must_be_revealed" | "dispute_must_await_its_auditor" | "dispute_must_be_free" | "dispute_must_be_in_time" | "dispute_must_not_be_decided" | "dispute_value_must_be_sealed" | "disputed_hand_must_exist" | "earlier_correction_must_be_named" | "earlier_dispute_must_be_closed" | "enough_must_be_able_to_play" | "enough_seats_must_be_taken" | "fault_must_be_found" | "first_trick_must_be_free_of_points" | "followed_dispute_must_be_corrected" | "foot_must_be_left" | "foot_must_be_played" | "game_must_be_under_way" | "game_must_not_be_over" | "game_must_not_have_started" | "hand_must_be_disputed_less_often" | "hand_must_be_one_to_sit_out" | "hand_must_be_over" | "hand_must_be_under_way" | "hand_must_not_be_running" | "head_must_be_of_the_turn" | "hearts_must_be_broken" | "host_must_ask" | "insurance_must_be_within_its_bounds" | "invitations_must_be_fewer" | "invited_must_not_sit_here" | "leftovers_must_lie" | "move_must_be_signed" | "move_must_not_be_signed" | "offer_must_be_answered_first" | "offer_must_be_awaited" | "offer_must_be_within_its_bounds" | "offer_must_be_within_the_cap" | "offer_must_have_been_made" | "offer_must_lie_in_its_zone" | "offers_must_be_awaited" | "offers_must_lie" | "open_invitations_must_be_fewer" | "options_must_be_the_games" | "passed_cards_must_be_three" | "passes_must_be_awaited" | "player_must_be_in_the_game" | "player_must_be_in_the_hand" | "player_must_be_invited" | "player_must_be_sitting_out" | "player_must_have_a_seat" | "player_must_not_be_invited_twice" | "player_must_not_sit_twice" | "proposal_must_be_decided" | "round_must_be_settled" | "rule_must_be_the_games" | "seat_must_be_free" | "seat_must_be_taken_less_often" | "seat_must_cost_nothing" | "seats_must_be_within_the_games" | "seed_must_match_its_commitment" | "seed_must_stand" | "seeds_must_be_in" | "service_must_ask" | "signature_must_be_valid" | "signing_key_must_be_new" | "signing_key_must_be_registered" | "signing_key_must_be_sound" | "slips_must_be_awaited" | "suit_must_be_followed" | "table_must_be_for_gambling" | "table_must_be_new" | "table_must_have_a_free_seat" | "table_must_have_players_seeds" | "throw_ins_in_a_row_must_be_within_the_limit" | "tricks_must_be_played" | "turn_must_be_yours" | "two_of_clubs_must_lead" | "withdrawer_must_have_opened" | "worth_must_be_of_chips";
      /** What happened in this case, for people; empty: there are no details. */
      detail: string;
      /** The id of the request in the service's log lines. */
      request_id: string;
      /** The errors in the request, each with its place; if left out: []. */
      errors?: (components["schemas"]["Error"])[];
      /** The number of further errors that `errors` does not list; if left out: 0. */
      more_errors?: number;
      /** A scope that the key lacks, and that is enough for the request. */
      scope?: "admin" | "approve" | "audit" | "host" | "metrics" | "play";
      /** The rule of the author's sheet that the refusal cites. */
      rule?: string;
      /** Our ruling that the refusal cites. */
      ruling?: string;
      /** The table's position; 0: the table is not open yet. For a damaged log, the first damaged position. */
      position?: number;
      /** The actions that the caller may take now. Present only if the rules refused the command. */
      actions?: (components["schemas"]["ActionItem"])[];
      /** The events after the position in If-Match, at most 100, as the caller may see them. */
      missed?: (components["schemas"]["EventItem"])[];
    };
    /** One error in a request. */
    Error: {
      /** The place in the body: a JSON Pointer (RFC 6901). */
      pointer?: string;
      /** The name of the query parameter. */
      parameter?: string;
      /** What must hold, in snake case. A code is never renamed. */
      code: "member_must_be_given" | "member_must_be_known" | "member_must_not_be_null" | "member_must_be_given_once" | "value_must_be_an_object" | "value_must_be_an_array" | "value_must_be_text" | "value_must_be_a_whole_number" | "value_must_be_true_or_false" | "value_must_be_within_its_range" | "value_must_have_its_form" | "value_must_have_its_length" | "value_must_be_one_of_those_known" | "values_must_be_different" | "value_must_fit";
      /** What is wrong at this place, for people. */
      message: string;
    };
    /** The step is recorded. The response has the receipt, and the events with the texts that the caller may read. */
    DisputeDone: {
      /** The dispute right after this step, also in the response to a repeat. */
      dispute: components["schemas"]["DisputeItem"];
      /** The position of the last event in the stream of the disputes. */
      position: number;
      /** The service's signed receipt. */
      receipt: components["schemas"]["Receipt"];
      /** The events of the step. If the service's verdict on the hand has changed, and the step itself records no verdict, a second event records the new verdict. */
      events: (components["schemas"]["DisputeEventItem"])[];
    };
    /** A dispute at one moment. */
    DisputeItem: {
      /** The table's id. */
      table: string;
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The number of the hand at the table. */
      hand: number;
      /** What the complaint is about. */
      ground: "conduct" | "deck" | "identity" | "payout" | "rules" | "secrecy" | "time";
      /** The state of the dispute. */
      status: "corrected" | "decided" | "open" | "proposed" | "taken" | "withdrawn";
      /** What the auditor has found; empty: the dispute is not decided. */
      outcome: string;
      /** The service's verdict on the hand, as the last step with a verdict recorded it. The verdict is shown beside the auditor's outcome, and no outcome changes the verdict. */
      verdict: "clean" | "failed" | "pending" | "undecidable";
      /** The owner who opened the dispute. */
      opened_by: string;
      /** When the dispute was opened, in UTC (RFC 3339). */
      opened_at: string;
      /** The owner who has taken the dispute on; empty: nobody has. */
      auditor: string;
      /** Whether the dispute is over; only erasures of texts can follow. */
      is_closed: boolean;
    };
    /** The service states that the command *cmd* put the leaf with *leaf_hash* at *position* of *stream*. *origin* is the name of the log; *leaf_hash* and *cmd* have 64 hex digits; *signature* (Ed25519) has 128. */
    Receipt: {
      /** The name of the log: the first line of each checkpoint. */
      origin: string;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** SHA-256 of a zero byte and the leaf's bytes: 64 hex digits. */
      leaf_hash: string;
      /** The command's id: 64 hex digits; empty: the event is a consequence. */
      cmd: string;
      /** The service's Ed25519 signature: 128 hex digits. */
      signature: string;
    };
    /** An event of a table's disputes: its leaf, byte for byte as it was hashed, and the texts that the caller may read. Only the players of the hand, the host and auditors may read statements and questions. Everybody who sees the table may read the reason of a decision. A text that was erased is left out. */
    DisputeEventItem: {
      /** The event's leaf: the bytes that are hashed. */
      leaf: components["schemas"]["DisputeLeaf"];
      /** SHA-256 of a zero byte and the leaf's bytes, in hex. */
      hash: string;
      /** The sealed texts of this event that the caller may read. */
      fields: (components["schemas"]["TextOpening"])[];
    };
    /** The opening of a sealed text: *value* and *salt* (hex), with which a reader checks the leaf's commitment. */
    TextOpening: {
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** The position of the event that sealed the text. */
      position: number;
      /** The name of the sealed field. */
      field: "question" | "reason" | "statement";
      /** The salt that was hashed with the text. */
      salt: string;
      /** The text. */
      value: string;
    };
    /** A page of a table's disputes, in the order in which they were opened. */
    DisputeList: {
      /** The items of the list, in order. */
      items: (components["schemas"]["ListedDispute"])[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: number;
    };
    /** A dispute, as the caller may see it. */
    DisputeView: {
      /** The table's id. */
      table: string;
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The number of the hand at the table. */
      hand: number;
      /** What the complaint is about. */
      ground: "conduct" | "deck" | "identity" | "payout" | "rules" | "secrecy" | "time";
      /** The state of the dispute. */
      status: "corrected" | "decided" | "open" | "proposed" | "taken" | "withdrawn";
      /** What the auditor has found; empty: the dispute is not decided. */
      outcome: string;
      /** The service's verdict on the hand, as the last step with a verdict recorded it. The verdict is shown beside the auditor's outcome, and no outcome changes the verdict. */
      verdict: "clean" | "failed" | "pending" | "undecidable";
      /** The owner who opened the dispute. */
      opened_by: string;
      /** When the dispute was opened, in UTC (RFC 3339). */
      opened_at: string;
      /** The owner who has taken the dispute on; empty: nobody has. */
      auditor: string;
      /** Whether the dispute is over; only erasures of texts can follow. */
      is_closed: boolean;
      /** The service's verdict now: it has decided the hand again for this response. */
      verdict_now: "clean" | "failed" | "pending" | "undecidable";
      /** The earlier dispute whose correction this dispute is about; 0: none. */
      follows: number;
      /** The players of the hand, with their seats during the hand. */
      parties: (components["schemas"]["Party"])[];
      /** The owner who opened the table and runs it. */
      host: string;
      /** What the opening step recorded about the hand. */
      evidence: components["schemas"]["Evidence"];
      /** The owners who have answered and were not asked again. */
      answered: (string)[];
      /** The rule or ruling that the decision cites; empty: none. */
      rule: string;
      /** The last proposal that was not refused; null: there is none. */
      proposal: components["schemas"]["ProposedCorrection"] | null;
      /** The events of the hand that other disputes have corrected. */
      corrected_before: (components["schemas"]["CorrectedBefore"])[];
      /** The amounts that the approved correction has moved; empty: no correction was approved. */
      transfers: (components["schemas"]["Adjustment"])[];
      /** The owner who approved the correction; empty: nobody has. */
      approver: string;
      /** The name of the stream of the table's disputes: dispute/dsp_<hex>. */
      stream: string;
      /** The events of the dispute, in order. */
      steps: (components["schemas"]["DisputeEventItem"])[];
    };
    /** An owner who had a *seat* during the disputed hand. */
    Party: {
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** The id of an owner of API keys. */
      player: string;
    };
    /** What a step says about the disputed hand: its events *first* to *last*, and the table's head at the step. *verdict* is the verdict of the service, which decided the hand again. An audit compares this verdict with the audit's own verdict at this head; the two may differ if a value was erased, or damage was repaired, since the step. */
    Evidence: {
      /** The position of an event of the table. */
      first: number;
      /** The position of the hand's last event; 0: the hand is not settled. */
      last: number;
      /** The position of the table's head. */
      position: number;
      /** 32 bytes as lower-case hex. */
      leaf_hash: string;
      /** The verdict of deciding the hand again at the time of the step. */
      verdict: "clean" | "failed" | "pending" | "undecidable";
    };
    /** The correction that an auditor proposed. */
    ProposedCorrection: {
      /** The position of the proposal, which an approval or refusal names. */
      position: number;
      /** The auditor who proposed the correction. */
      by: string;
      /** The amounts that would move, or have moved. */
      transfers: (components["schemas"]["Adjustment"])[];
    };
    /** *amount* units move from the adjustment account of the owner *source* to the account of the owner *target*. *corrects* is the position of the table's event that the adjustment corrects, and *rule* is the rule or ruling that the adjustment cites. An adjustment account may be below zero: its owner then owes this amount. */
    Adjustment: {
      /** The owner who gives. */
      source: string;
      /** The owner who receives. */
      target: string;
      /** A whole number of chips or points. */
      amount: number;
      /** The unit: chips, or points of a score. */
      unit: "chips" | "points";
      /** The position of an event of the table. */
      corrects: number;
      /** The rule of the sheet or the ruling that the step cites. */
      rule: string;
    };
    /** An event of the hand that another dispute has corrected. */
    CorrectedBefore: {
      /** The position of an event of the table. */
      position: number;
      /** The number of the dispute at its table, from 1. */
      dispute: number;
    };
    /** The command is recorded. The response has the service's receipt, and the events as the caller may see them. *actions* and *table_view* are present if the request asks for them with `expand` and the service can read them. */
    Done: {
      /** The table's id. */
      table: string;
      /** The position of the last event. */
      position: number;
      /** The service's signed receipt. */
      receipt: components["schemas"]["Receipt"];
      /** The events of the command, in order. */
      events: (components["schemas"]["EventItem"])[];
      /** What the caller may do next, if `expand` names `actions`. */
      actions?: components["schemas"]["ActionList"];
      /** The table at `position`, shown as a view of the past, if `expand` names `table`. */
      table_view?: components["schemas"]["TableView"];
    };
    /** An event: its leaf, byte for byte as it was hashed, and the openings that the event discloses to the caller. */
    EventItem: {
      /** The event's leaf: the bytes that are hashed. */
      leaf: components["schemas"]["Leaf"];
      /** SHA-256 of a zero byte and the leaf's bytes, in hex. */
      hash: string;
      /** The cards that this event dealt to the caller's seat. */
      openings: (components["schemas"]["CardOpening"])[];
      /** The sealed fields, of this or earlier events, that the caller may read from this event on. */
      fields: (components["schemas"]["FieldOpening"])[];
    };
    /** The face and the salt of a card that one seat may see, and the proof that the card is in its deck. *position*: the position of the event that dealt the card. *pos*: the card's place in the deck. *proof*: the RFC 6962 inclusion path to the deck's root. */
    CardOpening: {
      /** A position in a stream, counted from 1. */
      position: number;
      /** The name of the deck's epoch: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** The card's position in its deck; 0: the top. */
      pos: number;
      /** The card's rank and suit; ?? if the card is hidden. */
      face: string;
      /** The salt that was hashed with the face: 64 hex digits. */
      salt: string;
      /** The Merkle path to the deck's root (RFC 6962), each hash as 64 hex digits. */
      proof: (string)[];
    };
    /** The *value* and *salt* (hex) of a sealed *field*, with which a reader checks the leaf's commitment. *blind* (hex) is the player's own salt, with which a reader checks the value against the player's signature; empty: the decision is not signed. */
    FieldOpening: {
      /** The name of the table's stream: table/<table id>. */
      stream: string;
      /** The position of the event that sealed the value. */
      position: number;
      /** The name of the sealed field: a member of the leaf's `priv`. */
      field: string;
      /** The salt that was hashed with the value: 64 hex digits. */
      salt: string;
      /** The sealed value, as JSON. */
      value: number | boolean | (string)[] | components["schemas"]["Bid"];
      /** The player's blind, which was hashed with the value: 64 hex digits; empty: the decision is not signed; if left out: "". */
      blind?: string;
    };
    /** A table at one position, as the caller may see it. The member `game` selects the type of `view`. */
    TableView: components["schemas"]["BankruptTable"] | components["schemas"]["InsuranceTable"] | components["schemas"]["InsuranceHeartsTable"];
    /** The title, author and year of a game, and the SHA-256 of the rule sheet that this service follows. */
    Credit: {
      /** The title, for people. */
      title: string;
      /** The author of the game. */
      author: string;
      /** The year in which the game was published; 0: the rule sheet names no year. */
      year: number;
      /** SHA-256 of the rule sheet's text: 64 hex digits. */
      sheet_sha256: string;
    };
    /** A seat: its player, and its accounts. */
    SeatView: {
      /** A seat's number, clockwise from 1; 0: no seat. */
      seat: number;
      /** The owner in the seat; empty: the seat is free. */
      player: string;
      /** The balances of the seat's accounts, by their kind, such as stack or score. */
      accounts: { [member: string]: number };
    };
    /** The epochs of the decks at the table. */
    DeckView: {
      /** The epoch of the deck in play; empty: no deck is in play. */
      epoch: string;
      /** The epoch of the next deck, to which the service has committed already; empty: none. */
      reserve: string;
    };
    /** The players' seeds at the table (G.9). */
    SeedsView: {
      /** Whose seeds determine the order of the table's decks. */
      whose: "operator" | "players";
      /** The batch for which seeds are collected now; empty: no batch. */
      batch: string;
      /** What players owe for the batch; empty: nothing. */
      owed: "" | "commitment" | "seed";
      /** The seats that owe a commitment or a seed. */
      seats: (number)[];
      /** Whether the game waits for these seats. */
      waits: boolean;
      /** How many batches were made without players' seeds, because a seat had not shown its seed in time: "seat:<n>" has the number of batches for which this seat was late, "service" the number of all such batches. Empty: no such batch. */
      dropped: { [member: string]: number };
    };
    /** A page of a table's events in order: all events, without a gap, or only the events of the wanted types. */
    EventList: {
      /** The items of the list, in order. */
      items: (components["schemas"]["EventItem"])[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: number;
      /** The table's position. */
      position: number;
      /** The end of the time limit for the decision that is due (G.3): the `at` of the event since which the decision is due, plus the time limit. Empty: the table has no time limit, or no time runs now. If the table has not moved on by then, the service makes the decision within seconds; after an outage, only when a whole time limit has passed since the service came back. The service never makes the decision earlier, unless the host calls time. */
      due_at: string;
      /** Whether the table is over: no play will follow. Even then, the erasure of a value, or another import of an imported table, may add events. */
      is_over: boolean;
    };
    /** A page of a feed: events of several tables, in the order of their indexes. */
    FeedList: {
      /** The items of the list, in order. */
      items: (components["schemas"]["FeedItem"])[];
      /** The tables whose log is damaged: this page lacks their events from the damage on. */
      broken: (components["schemas"]["BrokenTable"])[];
      /** Whether the log has further events, which may all be of tables that are not in the feed. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: string;
    };
    /** An event in a feed, as in the table's own list of events, with its table and its index in the whole log. */
    FeedItem: {
      /** The event's leaf: the bytes that are hashed. */
      leaf: components["schemas"]["Leaf"];
      /** SHA-256 of a zero byte and the leaf's bytes, in hex. */
      hash: string;
      /** The cards that this event dealt to the caller's seat. */
      openings: (components["schemas"]["CardOpening"])[];
      /** The sealed fields, of this or earlier events, that the caller may read from this event on. */
      fields: (components["schemas"]["FieldOpening"])[];
      /** The table's id. */
      table: string;
      /** The event's index in the whole log, from 0. */
      index: number;
      /** The `after` with which the feed goes on after this event. */
      cursor: string;
      /** If the caller gained the table with this event (took a seat, or was invited): the position up to which earlier events may be missing in the feed; otherwise 0. Read the missing events from the table's own list of events. */
      table_added: number;
    };
    /** A table whose log is damaged: the feed has no events of the table from *position* on. */
    BrokenTable: {
      /** The table's id. */
      table: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The damage, in words. */
      why: string;
    };
    /** All flows at a table, over a hand or over the game so far. */
    FlowList: {
      /** The number of the hand; 0: the whole game so far. */
      hand: number;
      /** The position of the first event that counts. */
      first: number;
      /** The position of the last event that counts. */
      last: number;
      /** The flows, ordered by payer and receiver. */
      items: (components["schemas"]["Flow"])[];
    };
    /** The sum of the transfers from one account to another. */
    Flow: {
      /** The account that paid. */
      source: string;
      /** The account that received. */
      target: string;
      /** The unit: chips or points. */
      unit: "chips" | "points";
      /** The sum of the transfers. */
      amount: number;
      /** The number of the transfers. */
      transfers: number;
    };
    /** A game: its options, its actions, its rules in our words, and our rulings where its rule sheet is silent. */
    GameDetails: {
      /** The game's name. */
      game: "bankrupt" | "insurance" | "insurance_hearts";
      /** The edition of the game's rules and rulings, from 1. */
      edition: number;
      /** The author and the rule sheet of the game. */
      credit: components["schemas"]["Credit"];
      /** A short summary. */
      summary: string;
      /** How many seats a table of the game may have. */
      seats: components["schemas"]["SeatRange"];
      /** The options that the host may choose when opening a table. */
      options: (components["schemas"]["Member"])[];
      /** The types of action in the game. */
      actions: (components["schemas"]["ActionKind"])[];
      /** The rules of the author's sheet in our words, by the number or heading that payouts cite. */
      rules: { [member: string]: string };
      /** Our rulings, not the author's, by name. A ruling whose name begins with `G.` or `D.` holds for every game; those with `D.` are about disputes. */
      rulings: { [member: string]: string };
    };
    /** How many seats a table of a game may have: *least* to *most*, and *default* if the host names no number. */
    SeatRange: {
      /** The smallest number of seats. */
      least: number;
      /** The largest number of seats. */
      most: number;
      /** The number of seats if the host names none. */
      default: number;
    };
    /** A member of a game's options or of an action, and the values that the member may have. */
    Member: {
      /** The member's name. */
      name: string;
      /** The description, for people. */
      description: string;
      /** The type of the member: integer, boolean or text; for an array: integers or texts. */
      type: string;
      /** The allowed values of a text that has a closed list of values; otherwise empty. */
      values: (string)[];
      /** The value if the member is left out; null: the member is required. */
      default: number | boolean | string | (number)[] | null;
      /** The smallest value allowed. */
      least: number | null;
      /** The largest value allowed. */
      most: number | null;
      /** The pattern of a text, or of each text of an array; empty: no pattern. */
      form: string;
      /** The minimum number of items of an array. */
      fewest: number;
      /** The maximum number of items of an array; 0: not an array. */
      largest: number;
    };
    /** A type of action, with the members of such an action. */
    ActionKind: {
      /** The type of the event or action, in snake case. */
      type: string;
      /** A short summary. */
      summary: string;
      /** The members of the action besides `type`. */
      members: (components["schemas"]["Member"])[];
      /** Whether only the table's host may take the action; if not, a player or invited owner may. */
      for_host: boolean;
      /** Whether a player should rarely take the action, because it is not a move in a hand, or ends the player's game. */
      is_rare: boolean;
    };
    /** The games that this service plays. */
    GameList: {
      /** The items of the list, in order. */
      items: (components["schemas"]["GameItem"])[];
    };
    /** A game and its author. */
    GameItem: {
      /** The game's name. */
      game: "bankrupt" | "insurance" | "insurance_hearts";
      /** The edition of the rules and rulings that a new table gets. */
      edition: number;
      /** The author and the rule sheet of the game. */
      credit: components["schemas"]["Credit"];
      /** A short summary. */
      summary: string;
      /** How many seats a table of the game may have. */
      seats: components["schemas"]["SeatRange"];
    };
    /** A page of a table's hands in order, including the hand that is being played. */
    HandList: {
      /** The items of the list, in order. */
      items: (components["schemas"]["HandItem"])[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: number;
    };
    /** A hand, and the positions of its events. */
    HandItem: {
      /** The hand's number, from 1. */
      hand: number;
      /** The position of the hand's first event. */
      first: number;
      /** The position of the hand's last event so far. */
      last: number;
      /** Whether the hand is over. */
      is_settled: boolean;
    };
    /** A hand as the caller may see it: its cards, decisions, payouts with their reasons, and balances. */
    HandView: {
      /** The table's id. */
      table: string;
      /** The game's name. */
      game: "bankrupt" | "insurance" | "insurance_hearts";
      /** The author and the rule sheet of the game. */
      credit: components["schemas"]["Credit"];
      /** The hand's number, from 1. */
      hand: number;
      /** The position of the hand's first event. */
      first: number;
      /** The position of the hand's last event, or of its last event so far if the hand is running. */
      last: number;
      /** Whether the hand is over. */
      is_settled: boolean;
      /** The cards, in the order in which they were dealt. */
      cards: (components["schemas"]["DealtCard"])[];
      /** The decks of the hand's cards, in the order in which they were used. */
      decks: (components["schemas"]["HandDeck"])[];
      /** The decisions of the hand, in order. */
      decisions: (components["schemas"]["DecisionMade"])[];
      /** The sealed fields of the hand that the caller may read after the hand's last event. */
      fields: (components["schemas"]["FieldOpening"])[];
      /** The payouts of the hand, each with its reason. */
      payouts: (components["schemas"]["PaidOut"])[];
      /** The accounts that were used before the end of the hand, and every score. */
      accounts: (components["schemas"]["AccountInHand"])[];
      /** For each seat, the sums of its accounts before and after the hand, and the hand's net. */
      seats: (components["schemas"]["SeatInHand"])[];
      /** The disputes about the hand, in the order of their numbers; if left out: []. */
      disputes?: (components["schemas"]["HandDispute"])[];
    };
    /** A card that the event at *position* dealt from the place *pos* of its deck. *to* is the seat, or the place on the table, that got the card. *face* is `??` if the caller may not see the face, or if the face follows only from a seed that the service does not have. */
    DealtCard: {
      /** A position in a stream, counted from 1. */
      position: number;
      /** The name of the deck's epoch: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** The card's position in its deck; 0: the top. */
      pos: number;
      /** Where the card was dealt: a seat's number, or the name of a place on the table. */
      to: number | string;
      /** The card's rank and suit; ?? if the card is hidden. */
      face: string;
    };
    /** A deck from which the hand's cards were dealt. */
    HandDeck: {
      /** The name of the deck's epoch: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** The position of the `deck_opened` that committed to the deck's seed. */
      opened: number;
      /** Whether the deck's seed is public, and with it the order of all its cards (G.6). */
      is_retired: boolean;
    };
    /** A decision in a hand, with the event's own members. */
    DecisionMade: components["schemas"]["TableOpenedMade"] | components["schemas"]["SeatTakenMade"] | components["schemas"]["SeatLeftMade"] | components["schemas"]["PlayerInvitedMade"] | components["schemas"]["InvitationDeclinedMade"] | components["schemas"]["InvitationWithdrawnMade"] | components["schemas"]["GameStartedMade"] | components["schemas"]["TableClosedMade"] | components["schemas"]["SigningKeyRegisteredMade"] | components["schemas"]["SigningKeyEndedMade"] | components["schemas"]["ValueErasedMade"] | components["schemas"]["DeckSeedCommittedMade"] | components["schemas"]["DeckSeedRevealedMade"] | components["schemas"]["DeckSeedOmittedMade"] | components["schemas"]["DeckSeedsDroppedMade"] | components["schemas"]["HandDealtMade"] | components["schemas"]["CardsHeldMade"] | components["schemas"]["CardExchangedMade"] | components["schemas"]["HandThrownInMade"] | components["schemas"]["UppingOfferedMade"] | components["schemas"]["UppingPassedMade"] | components["schemas"]["UppingAcceptedMade"] | components["schemas"]["UppingDeclinedMade"] | components["schemas"]["PlayerResignedMade"] | components["schemas"]["ChipsBoughtMade"] | components["schemas"]["HandSatOutMade"] | components["schemas"]["SatInMade"] | components["schemas"]["BetPlacedMade"] | components["schemas"]["DealBegunMade"] | components["schemas"]["InsuranceOfferedMade"] | components["schemas"]["InsuranceAcceptedMade"] | components["schemas"]["InsuranceRefusedMade"] | components["schemas"]["SlipWrittenMade"] | components["schemas"]["PassChosenMade"] | components["schemas"]["BidWrittenMade"] | components["schemas"]["LeftoverChosenMade"] | components["schemas"]["CardPlayedMade"];
    /** A payout, the event that made it, and how its amount follows from the rules. */
    PaidOut: {
      /** A position in a stream, counted from 1. */
      position: number;
      /** The type of the event or action, in snake case. */
      type: string;
      /** The transfer, with its reason. */
      payout: components["schemas"]["Payout"];
    };
    /** A transfer of *amount* from *source* to *target*, and its reason. *formula* says in words how the amount comes about. *cards* are the cards that determine the amount, if any do. */
    Payout: {
      /** The account that paid the amount. */
      source: string;
      /** The account that received the amount. */
      target: string;
      /** The amount in whole units; 0: a cap has left nothing of a claim. */
      amount: number;
      /** The unit: chips, or points of a score. */
      unit: "chips" | "points";
      /** The rule of the author's sheet; empty: no rule is cited. */
      rule: string;
      /** Our ruling where the sheet is silent; empty: no ruling is cited; if left out: "". */
      ruling?: string;
      /** How the amount comes about, in words; if left out: "". */
      formula?: string;
      /** The cards, each as its rank and suit; ?? for a hidden card; if left out: []. */
      cards?: (string)[];
    };
    /** An account's balance before a hand, the net of the hand's transfers, and the account's balance after the hand. */
    AccountInHand: {
      /** The account's name, such as stack:1 or house. */
      account: string;
      /** The unit: chips, or points of a score. */
      unit: "chips" | "points";
      /** The balance before the hand. */
      opening: number;
      /** The amount that the hand's transfers added; negative: they subtracted it. Over all accounts the sum is 0. */
      net: number;
      /** The balance after the hand, or now if the hand is running: `opening` plus `net`. */
      closing: number;
    };
    /** The sum of a seat's accounts before a hand, the net of the hand's transfers, and the sum after the hand. */
    SeatInHand: {
      /** A seat's number, clockwise from 1; 0: no seat. */
      seat: number;
      /** The unit: chips, or points of a score. */
      unit: "chips" | "points";
      /** The balance before the hand. */
      opening: number;
      /** The amount that the hand's transfers added; negative: they subtracted it. Over all accounts the sum is 0. */
      net: number;
      /** The balance after the hand, or now if the hand is running: `opening` plus `net`. */
      closing: number;
    };
    /** The process runs (`/healthz`), or is ready for commands (`/readyz`). */
    Health: {
      /** Always ok: in any other case the response is a problem; if left out: "ok". */
      status?: "ok";
    };
    /** A page of the keys that the caller owns or made; for an admin, of all keys. */
    KeyList: {
      /** The items of the list, in order. */
      items: (components["schemas"]["KeyView"])[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: string;
    };
    /** A key, without its secret. */
    KeyView: {
      /** The key's id. */
      id: string;
      /** The owner of the key. */
      owner: string;
      /** The scopes of the key: what the key may do. */
      scopes: ("admin" | "approve" | "audit" | "host" | "metrics" | "play")[];
      /** What the key is for, for people. */
      label: string;
      /** The owner whose key made this key, or "service" or "operator". */
      made_by: string;
      /** When the key was made, in UTC. */
      made_at: string;
      /** When the key expires; empty: never. */
      expires_at: string;
      /** The tables to which the key is limited. */
      tables: (string)[];
      /** The disputes to which the key is limited, each as its table and number. */
      disputes: (string)[];
      /** When the key was revoked; empty: it was not revoked. */
      revoked_at: string;
      /** The owner whose key revoked this key, or "operator"; empty: it was not revoked. */
      revoked_by: string;
    };
    /** The public keys with which anybody can check checkpoints, proofs and receipts. */
    LogKeys: {
      /** The name of the log: the first line of each checkpoint. */
      origin: string;
      /** The public key that verifies checkpoints, as C2SP signed-note writes a key: <origin>+<hash>+<key>. */
      log_key: string;
      /** The public key that verifies receipts: an Ed25519 key in hex. */
      receipt_key: string;
    };
    /** A key and its token, which contains the secret; clients send `Authorization: Bearer <token>`. */
    MadeKey: {
      /** The key without its secret, as lists show keys. */
      key: components["schemas"]["KeyView"];
      /** The key with its secret, as clients send the key: ctk_<id>_<secret>. */
      token: string;
    };
    /** The caller: the owner and the scopes of the key in the request. */
    Myself: {
      /** The id of the key's owner; empty: a spectator, without a key. */
      owner: string;
      /** The scopes of the key: what the key may do. */
      scopes: ("admin" | "approve" | "audit" | "host" | "metrics" | "play")[];
      /** The id of the key; empty: no key was sent. */
      key: string;
    };
    /** The caller's id, seat, command secret and signing key at one table. */
    MyselfHere: {
      /** The table's id. */
      table: string;
      /** The id of the caller: of the owner of the key. */
      owner: string;
      /** The caller's seat; 0: none. */
      seat: number;
      /** 32 bytes in hex, for the caller alone. They are the key of an HMAC-SHA-256 over two lines: `chiptrail/cmd/v1` and an Idempotency-Key, each followed by a line feed. The result in hex is the `cmd` of the caller's command with that Idempotency-Key at this table. */
      command_secret: string;
      /** The public key that verifies the signed actions of the caller's seat; empty: none. */
      signing_key: string;
    };
    /** A page of the caller's statement, the newest tables first. */
    OwnStatement: {
      /** The caller's statements at each table: one for each unit in which anything is won or owed. */
      items: (components["schemas"]["OwnTableStatement"])[];
      /** The ids of tables of this page whose log, or whose disputes, are damaged; `items` has no item of these tables. */
      damaged: (string)[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: string;
      /** Whether the whole database answered. If not, a server of the database is down, and the response lacks the tables at this server. */
      is_whole: boolean;
    };
    /** What the caller has won at one table, what corrections have adjusted, and the sum, which the caller is owed. */
    OwnTableStatement: {
      /** The owner. */
      owner: string;
      /** The unit: chips, or points of a score. */
      unit: "chips" | "points";
      /** What the owner has won in play; below zero: lost. */
      winnings: number;
      /** What approved corrections have given to the owner; below zero: taken. */
      adjustments: number;
      /** `winnings` plus `adjustments`; below zero: the owner owes this amount. */
      owed: number;
      /** `owed` in the minor units of `currency`, as a whole number; empty: the unit has no worth in money. */
      owed_minor: string;
      /** The currency code (ISO 4217); empty: the unit has no worth in money. */
      currency: string;
      /** The table's id. */
      table: string;
      /** The game's name. */
      game: "bankrupt" | "insurance" | "insurance_hearts";
      /** The status of the table: open, playing, finished or closed. */
      status: "open" | "playing" | "finished" | "closed";
      /** When the table was opened. */
      opened_at: string;
      /** The time of the table's last event. */
      last_at: string;
      /** The caller's seat; 0: the caller has left. */
      seat: number;
      /** The position of the table for which the sums hold. */
      position: number;
    };
    /** The figures of the players and pairs at some tables, the newest tables first. The figures are about the tables of this page alone. `chiptrail audit players` computes figures for all tables. A hand counts only if it has ended, its decks are retired, and the sealed values that the figures need are public. A flag is a reason to look at the hands; it proves nothing. */
    PlayerAuditPage: {
      /** The ids of the tables that the page is about. */
      tables: (string)[];
      /** How many hands were counted. */
      hands: number;
      /** The players: flagged players first, then by ascending chance. */
      players: (components["schemas"]["PlayerFigures"])[];
      /** The pairs: flagged pairs first, then by ascending chance. */
      pairs: (components["schemas"]["PairFigures"])[];
      /** Tables at which not all hands could be counted. */
      left_out: (components["schemas"]["LeftOut"])[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: string;
      /** Whether the whole database answered. If not, a server of the database is down, and the response lacks the tables at this server. */
      is_whole: boolean;
    };
    /** The figures of one player in one game. */
    PlayerFigures: {
      /** The game's name. */
      game: "bankrupt" | "insurance" | "insurance_hearts";
      /** Hands of the player, or of both players, that ended and are disclosed. */
      hands: number;
      /** The evidence that the player knew hidden cards, or the surplus of the pair, in standard deviations, less an allowance. */
      score: number;
      /** The chance that an honest player has at least this score, or an honest pair a score at least this far from 0. */
      chance: number;
      /** `chance`, corrected by Holm's method for all players and pairs that were tested. */
      adjusted_chance: number;
      /** Whether `adjusted_chance` is at most 0.001. */
      is_flagged: boolean;
      /** The owner id of the player. */
      player: string;
      /** Chips won per hand; below zero: lost. In a game for points: points (the fewer, the better). */
      won_per_hand: number;
      /** The lower end of the 95 % confidence interval of `won_per_hand`. */
      won_low: number;
      /** The upper end of the 95 % confidence interval of `won_per_hand`. */
      won_high: number;
      /** Choices in which one alternative was better than another, at least with some order of the hidden cards. */
      choices: number;
      /** Choices that were best in hindsight. */
      best: number;
      /** How many of the choices would be best with other orders of the hidden cards, on average. */
      expected_best: number;
    };
    /** The figures of two players in one game; *given* and *got* are the chips or points that moved between them. */
    PairFigures: {
      /** The game's name. */
      game: "bankrupt" | "insurance" | "insurance_hearts";
      /** Hands of the player, or of both players, that ended and are disclosed. */
      hands: number;
      /** The evidence that the player knew hidden cards, or the surplus of the pair, in standard deviations, less an allowance. */
      score: number;
      /** The chance that an honest player has at least this score, or an honest pair a score at least this far from 0. */
      chance: number;
      /** `chance`, corrected by Holm's method for all players and pairs that were tested. */
      adjusted_chance: number;
      /** Whether `adjusted_chance` is at most 0.001. */
      is_flagged: boolean;
      /** The owner ids of the two players. */
      players: [string, string];
      /** What the first player gave the second, in chips or in points. */
      given: number;
      /** What the first player got from the second, in chips or in points. */
      got: number;
      /** `given` less `got`. */
      net: number;
      /** The part of `net` that transfers with others in the same hands do not explain. */
      surplus: number;
    };
    /** A table at which not all hands could be counted, and why. */
    LeftOut: {
      /** The table's id. */
      table: string;
      /** Why not all of its hands were counted. */
      reason: string;
    };
    /** A published checkpoint. */
    PublishedCheckpoint: {
      /** The number of leaves that the checkpoint covers. */
      size: number;
    };
    /** A page of the service's own stream, in order and without a gap. */
    ServiceEventList: {
      /** The items of the list, in order. */
      items: (components["schemas"]["ServiceEventItem"])[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: number;
      /** The position of the stream's last event; 0: there is none yet. */
      position: number;
    };
    /** An event of the service's own stream: its leaf, byte for byte as it was hashed. */
    ServiceEventItem: {
      /** The event's leaf: the bytes that are hashed. */
      leaf: components["schemas"]["ServiceLeaf"];
      /** SHA-256 of a zero byte and the leaf's bytes, in hex. */
      hash: string;
    };
    /** A page of an account's postings, in order. */
    Statement: {
      /** The account's name, such as stack:1 or house. */
      account: string;
      /** The items of the list, in order. */
      items: (components["schemas"]["Posting"])[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: string;
    };
    /** A posting: one side of a transfer, as a line of an account's statement, with the balance after the transfer. */
    Posting: {
      /** A position in a stream, counted from 1. */
      position: number;
      /** The number of the transfer in its event, from 0. */
      ordinal: number;
      /** The account on the other side of the transfer. */
      counterparty: string;
      /** The amount: positive if the account received it, negative if the account paid it. */
      amount: number;
      /** The account's balance after the transfer. */
      balance: number;
      /** The unit: chips or points. */
      unit: "chips" | "points";
      /** The rule of the author's sheet; empty: no rule is cited. */
      rule: string;
      /** The type of the event. */
      type: string;
      /** The leaf hash of the event, in hex. */
      hash: string;
    };
    /** A page of tables, the newest first. */
    TableList: {
      /** The items of the list, in order. */
      items: (components["schemas"]["TableItem"])[];
      /** Whether there is another page. */
      has_more: boolean;
      /** The `after` of the next page. */
      next: string;
      /** Whether the whole database answered. If not, a server of the database is down, and the response lacks the tables at this server. */
      is_whole: boolean;
    };
    /** A table in a list. */
    TableItem: {
      /** The table's id. */
      table: string;
      /** The game's name. */
      game: "bankrupt" | "insurance" | "insurance_hearts";
      /** The edition of the game's rules and rulings, from 1. */
      edition: number;
      /** The author and the rule sheet of the game. */
      credit: components["schemas"]["Credit"];
      /** The status of the table. */
      status: "open" | "playing" | "finished" | "closed";
      /** Who may see the table: everybody, or only its host, players, invited owners, auditors and approvers. */
      visibility: "private" | "public";
      /** The owner who opened the table and runs it. */
      host: string;
      /** The number of seats. */
      seats: number;
      /** The number of taken seats. */
      seats_taken: number;
      /** The seconds that players have before the service decides; 0: no limit. */
      time_limit_seconds: number;
      /** When the table was opened, in UTC. */
      opened_at: string;
      /** The time of the table's last event, in UTC (RFC 3339). Empty: the event is damaged. */
      last_at: string;
      /** When the table was imported; an imported table is read-only. Empty: it was not imported. */
      imported_at: string;
      /** Whether the caller is invited, and so may take a seat or decline (G.10). */
      is_invited: boolean;
    };
    /** The present tree of the log; the newest checkpoint may cover a smaller tree. */
    TreeView: {
      /** The number of leaves. */
      size: number;
      /** The root of the tree, in hex. */
      root: string;
      /** The proof that the tree begins with the tree that has `since` leaves (RFC 6962, 2.1.2); empty if `since` is 0, or not below `size`. */
      proof: (string)[];
      /** The size of the newest checkpoint of the log; 0: there is none. */
      published: number;
    };
    /** The leaf of table_opened, version 1. */
    TableOpenedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "table_opened";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["TableOpened"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** A table was opened for one edition of a game, with the table's options (G.2). *worth_minor* is the worth of a chip in minor units of *currency*, or 0 if chips have no worth. */
    TableOpened: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The game's name. */
      game: "bankrupt" | "insurance" | "insurance_hearts";
      /** The edition of the game's rules and rulings, from 1. */
      edition: number;
      /** 32 bytes as lower-case hex. */
      sheet: string;
      /** The game's options, each with its value. */
      options: { [member: string]: boolean | number | string | (number)[] };
      /** How many seats the table has. */
      seats: number;
      /** The id of an owner of API keys. */
      host: string;
      /** Who may see the table: everybody, or only its host, players, invited owners, auditors and approvers. */
      visibility: "private" | "public";
      /** The currency of a chip's worth (ISO 4217); empty: chips have no worth; if left out: "". */
      currency?: string;
      /** What a chip is worth, in the currency's minor units; 0: nothing; if left out: 0. */
      worth_minor?: number;
      /** The seconds that players have before the service decides; 0: no limit; if left out: 0. */
      time_limit_seconds?: number;
      /** Whose seeds, besides the service's, determine the order of decks (G.9); if left out: "". */
      seeds?: "" | "players";
      /** For how many days after its last event a hand may be disputed once the game is over (D.2); if left out: 30. */
      dispute_days?: number;
    };
    /** *amount* whole units (above zero) move from *source* to *target* because of *rule*. As JSON, a transfer is the array [source, target, amount, unit, rule] (`log/v1`). */
    Transfer: [string, string, number, "chips" | "points", string];
    /** A sealed field in its leaf: *c* is the commitment (hex), and *to* has the seats that may read the field at once. *until* decides who may read the field later. *choice* (hex) is the hash that the signed action has instead of the value; empty: the decision is not signed. */
    Commitment: {
      /** The commitment: 64 hex digits. */
      c: string;
      /** The seats that may read the value immediately. */
      to: (number)[];
      /** The types of event that decide who may read the value later. */
      until: components["schemas"]["Until"];
      /** The hash of the value and the player's blind, which the player has signed: 64 hex digits; empty: the decision is not signed; if left out: "". */
      choice?: string;
    };
    /** The types of event that decide who may read a sealed field later. From the first event of a type in *open* on, everybody may read the field. After an event of a type in *never*, no seat gains the right to read the field. *shown* has, for each of its types, the seats that may read the field from the first event of this type on. */
    Until: {
      /** The types of event after which no seat gains the right to read the value. */
      never: (string)[];
      /** The types of event after which everybody may read the value. */
      open: (string)[];
      /** By type of event, the seats that may read the value after such an event; if left out: {}. */
      shown?: { [member: string]: (number)[] };
    };
    /** The member `sig` of a decision's leaf: the *signature* (hex) by the signing key of the decision's seat. When deciding, the player had seen the stream up to the event at *position*, whose hash is *head_hash* (hex). If the decision registers another key, *previous* is the signature of the same data by the seat's previous key. */
    MoveSignature: {
      /** The hash of the event on which the player decided: 64 hex digits. */
      head_hash: string;
      /** The position of the event on which the player decided. */
      position: number;
      /** The Ed25519 signature by the seat's signing key: 128 hex digits. */
      signature: string;
      /** The signature by the seat's previous key, if the decision registers another key; if left out: "". */
      previous?: string;
    };
    /** The leaf of seat_taken, version 1. */
    SeatTakenLeaf: {
      /** The type of the event or action, in snake case. */
      type: "seat_taken";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["SeatTaken"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *player* took *seat* and bought *chips*, if the game has chips (G.7). *any_seat*: whether the command named no seat, so that the player got the lowest free seat. */
    SeatTaken: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** The id of an owner of API keys. */
      player: string;
      /** A whole number of chips. */
      chips: number;
      /** Whether the player asked for any free seat, rather than for this seat; if left out: false. */
      any_seat?: boolean;
    };
    /** The leaf of seat_left, version 1. */
    SeatLeftLeaf: {
      /** The type of the event or action, in snake case. */
      type: "seat_left";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["SeatLeft"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The player in *seat* left with *chips*, before the start or between hands (G.4, G.7). */
    SeatLeft: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A whole number of chips. */
      chips: number;
    };
    /** The leaf of player_invited, version 1. */
    PlayerInvitedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "player_invited";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["PlayerInvited"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The host invited *player*, who may now see the table even if it is private, and may take a seat (G.10). */
    PlayerInvited: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The id of an owner of API keys. */
      player: string;
      /** The number of the invitation at this table, from 1. */
      number: number;
    };
    /** The leaf of invitation_declined, version 1. */
    InvitationDeclinedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "invitation_declined";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["InvitationDeclined"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *player* declined the invitation (G.10). */
    InvitationDeclined: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The id of an owner of API keys. */
      player: string;
    };
    /** The leaf of invitation_withdrawn, version 1. */
    InvitationWithdrawnLeaf: {
      /** The type of the event or action, in snake case. */
      type: "invitation_withdrawn";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["InvitationWithdrawn"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The host withdrew the invitation of *player* (G.10). */
    InvitationWithdrawn: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The id of an owner of API keys. */
      player: string;
    };
    /** The leaf of game_started, version 1. */
    GameStartedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "game_started";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["GameStarted"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The game started. *seats_stay_open*: whether players may still take seats, so that open invitations stay open (G.4, G.10). */
    GameStarted: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Whether players may still take seats after the start; if left out: false. */
      seats_stay_open?: boolean;
    };
    /** The leaf of table_closed, version 1. */
    TableClosedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "table_closed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["TableClosed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The host closed the table, before the start or between hands, and all chips were paid out (G.4, G.7). */
    TableClosed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
    };
    /** The leaf of signing_key_registered, version 1. */
    SigningKeyRegisteredLeaf: {
      /** The type of the event or action, in snake case. */
      type: "signing_key_registered";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["SigningKeyRegistered"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** From now on, *seat* must sign every decision with the private key of *public_key*, until the key ends (G.13). */
    SigningKeyRegistered: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** 32 bytes as lower-case hex. */
      public_key: string;
    };
    /** The leaf of signing_key_ended, version 1. */
    SigningKeyEndedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "signing_key_ended";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["SigningKeyEnded"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The signing key of *seat* has ended; from now on, the decisions of the seat are unsigned (G.13). */
    SigningKeyEnded: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of value_erased, version 1. */
    ValueErasedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "value_erased";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["ValueErased"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The service erased the value that the event at *position* sealed under *field*; its commitment stays (log/v1). */
    ValueErased: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The position of the event that sealed the value. */
      position: number;
      /** The name of the sealed field. */
      field: string;
      /** Why the value was erased: its owner's request, the end of retention, or an authority's order. */
      ground: "order" | "request" | "retention";
    };
    /** The leaf of deck_opened, version 1. */
    DeckOpenedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_opened";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckOpened"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The service drew and sealed the seed of the deck of *epoch*, and committed to the seed (deck/v1). */
    DeckOpened: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** 32 bytes as lower-case hex. */
      server_commit: string;
      /** 32 bytes as lower-case hex. */
      input_id: string;
      /** The number of cards in the deck. */
      n: number;
      /** The batch of the deck, at a table with players' seeds: the epoch of the batch's first deck; if left out: "". */
      batch?: string;
    };
    /** The leaf of deck_fixed, version 1. */
    DeckFixedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_fixed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckFixed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The order of the deck of *epoch* is fixed: *deck_root* is the root over its salted cards (deck/v1). */
    DeckFixed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** 32 bytes as lower-case hex. */
      transcript: string;
      /** 32 bytes as lower-case hex. */
      deck_root: string;
      /** How many of the seats in the game gave a seed to the deck's order, besides the service: none (operator), some (partial) or all (joint). `seats` also has seats that gave a seed and whose players are out of the game. */
      level: "joint" | "operator" | "partial";
      /** The seats whose seeds went into the deck's order; if left out: []. */
      seats?: (number)[];
    };
    /** The leaf of deck_revealed, version 1. */
    DeckRevealedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_revealed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckRevealed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The deck of *epoch* is retired: its seed is revealed, and anybody can compute the deck's order (G.6). */
    DeckRevealed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** 32 bytes as lower-case hex. */
      server_seed: string;
    };
    /** The leaf of deck_unused, version 1. */
    DeckUnusedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_unused";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckUnused"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The deck of *epoch* was never fixed and never dealt from; its seed is revealed (deck/v1). */
    DeckUnused: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** 32 bytes as lower-case hex. */
      server_seed: string;
    };
    /** The leaf of cards_dealt, version 1. */
    CardsDealtLeaf: {
      /** The type of the event or action, in snake case. */
      type: "cards_dealt";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CardsDealt"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** Cards were dealt from the top of the deck. *cards* lists, in the order dealt, each card's position in the deck, and the seat or place that got the card. */
    CardsDealt: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** Each card's position in the deck, and where the card was dealt: a seat's number, or the name of a place. */
      cards: ([number, number | string])[];
    };
    /** The leaf of cards_shown, version 1. */
    CardsShownLeaf: {
      /** The type of the event or action, in snake case. */
      type: "cards_shown";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CardsShown"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** Cards of the deck of *epoch* were turned face up. */
    CardsShown: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** The cards, each with the salt that proves its face. */
      cards: (components["schemas"]["ShownCard"])[];
    };
    /** The *face* of the card at *pos* of a deck, and the *salt* with which the deck's root commits to the face. *seat* is the seat that has the card, or 0 if no seat has the card. */
    ShownCard: {
      /** A card's position in its shuffled deck; 0: the top. */
      pos: number;
      /** The card's rank and suit; ?? if the card is hidden. */
      face: string;
      /** 32 bytes as lower-case hex. */
      salt: string;
      /** A seat's number, clockwise from 1; 0: no seat; if left out: 0. */
      seat?: number;
    };
    /** The leaf of cards_bottomed, version 1. */
    CardsBottomedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "cards_bottomed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CardsBottomed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** Used cards were put under the deck; the last of *positions* is the bottom card. */
    CardsBottomed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** The positions of the cards in the deck; 0: the top. */
      positions: (number)[];
    };
    /** The leaf of game_ended, version 1. */
    GameEndedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "game_ended";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["GameEnded"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The game is over; *winners* are the seats that won, and their chips, if any, were paid out (G.7). */
    GameEnded: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The numbers of the winners' seats. */
      winners: (number)[];
    };
    /** The leaf of deck_seed_committed, version 1. */
    DeckSeedCommittedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_seed_committed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckSeedCommitted"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* committed to a seed of its own for the batch of *epoch* (deck/v1). */
    DeckSeedCommitted: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** 32 bytes as lower-case hex. */
      client_commit: string;
    };
    /** The leaf of deck_seed_revealed, version 1. */
    DeckSeedRevealedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_seed_revealed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckSeedRevealed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* showed the seed to which it had committed for the batch of *epoch* (deck/v1). */
    DeckSeedRevealed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** 32 bytes as lower-case hex. */
      client_seed: string;
    };
    /** The leaf of deck_seed_omitted, version 1. */
    DeckSeedOmittedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_seed_omitted";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckSeedOmitted"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** Time was called for *seat*, which had not committed to a seed; the batch of *epoch* has no seed of this seat. */
    DeckSeedOmitted: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of deck_seeds_dropped, version 1. */
    DeckSeedsDroppedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_seeds_dropped";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckSeedsDropped"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** Time was called for *seats*, which had not shown their seeds: the batch of *epoch* gets no player's seed. Either these seats or the service withheld the seeds. The event counts against these seats and the service. */
    DeckSeedsDropped: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** The seats that had committed to a seed and had not shown it. */
      seats: (number)[];
    };
    /** The leaf of deck_commitments_closed, version 1. */
    DeckCommitmentsClosedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_commitments_closed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckCommitmentsClosed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** No seat may commit to a seed for the batch of *epoch* any more; the *seats* that committed show their seeds. */
    DeckCommitmentsClosed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** The seats that have committed to a seed. */
      seats: (number)[];
    };
    /** The leaf of deck_seeds_settled, version 1. */
    DeckSeedsSettledLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_seeds_settled";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckSeedsSettled"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The decks of the batch of *epoch* are ready; the seeds of *seats* go into each deck. */
    DeckSeedsSettled: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** The seats whose seeds go into the decks of the batch. */
      seats: (number)[];
    };
    /** The leaf of deck_batch_ended, version 1. */
    DeckBatchEndedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deck_batch_ended";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DeckBatchEnded"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** A player came or left: no further deck of the batch of *epoch* is used (G.9). */
    DeckBatchEnded: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
    };
    /** The leaf of draw_tied, version 1. */
    DrawTiedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "draw_tied";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DrawTied"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The draw for the first dealer is tied between *seats*, who draw again once another deck is ready (G.9). */
    DrawTied: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The seats that draw again. */
      seats: (number)[];
    };
    /** The leaf of dealer_drawn, version 1. */
    DealerDrawnLeaf: {
      /** The type of the event or action, in snake case. */
      type: "dealer_drawn";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DealerDrawn"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The draw determined the first *dealer*. */
    DealerDrawn: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      dealer: number;
    };
    /** The leaf of card_upturned, version 1. */
    CardUpturnedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "card_upturned";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CardUpturned"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The ritual of Rule 7: the card at *pos* was shown to everybody and is face up in the deck. *order* lists the positions of the deck's cards after the ritual, from the top (B7.1). */
    CardUpturned: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** A card's position in its shuffled deck; 0: the top. */
      pos: number;
      /** The positions of the deck's cards after the ritual, from the top. */
      order: (number)[];
    };
    /** The leaf of upturned_exposed, version 1. */
    UpturnedExposedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "upturned_exposed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["UpturnedExposed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The upturned card became the top card: everybody sees it, and it is set aside (B7.3). */
    UpturnedExposed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The name of a deck: <table id>/<k>, for the table's k-th deck. */
      epoch: string;
      /** A card's position in its shuffled deck; 0: the top. */
      pos: number;
      /** The card's rank and suit; ?? if the card is hidden. */
      face: string;
      /** 32 bytes as lower-case hex. */
      salt: string;
    };
    /** The leaf of hand_dealt, version 1. */
    HandDealtLeaf: {
      /** The type of the event or action, in snake case. */
      type: "hand_dealt";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["HandDealt"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *dealer* began hand number *hand*. */
    HandDealt: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** The hand's number, from 1. */
      hand: number;
      /** A seat's number, clockwise from 1. */
      dealer: number;
    };
    /** The leaf of antes_placed, version 1. */
    AntesPlacedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "antes_placed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["AntesPlaced"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** Every player placed this round's ante: nine pieces, or all of a smaller stack (Rule 6). *last_legs*: the seats that had fewer than nine pieces in their stack (Rule 18, B18.1). *dead_rounds*: how many dead rounds in a row came before this round. */
    AntesPlaced: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Seats on last legs in this round; if left out: []. */
      last_legs?: (number)[];
      /** The number of dead rounds in a row; if left out: 0. */
      dead_rounds?: number;
    };
    /** The leaf of cards_held, version 1. */
    CardsHeldLeaf: {
      /** The type of the event or action, in snake case. */
      type: "cards_held";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CardsHeld"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* kept both cards (Rule 11). *all_have_decided*: whether this was the last decision on cards in the round (B11.1). */
    CardsHeld: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** Whether every player in the game has now decided on their cards; if left out: false. */
      all_have_decided?: boolean;
    };
    /** The leaf of card_exchanged, version 1. */
    CardExchangedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "card_exchanged";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CardExchanged"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* discarded its first or second *card*, for the top card of the deck (Rule 11, B11.6). *all_have_decided*: whether this was the last decision on cards in the round (B11.1). */
    CardExchanged: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** Which card was discarded; 1: the first dealt, 2: the second. */
      card: number;
      /** Whether every player in the game has now decided on their cards; if left out: false. */
      all_have_decided?: boolean;
    };
    /** The leaf of hand_thrown_in, version 1. */
    HandThrownInLeaf: {
      /** The type of the event or action, in snake case. */
      type: "hand_thrown_in";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["HandThrownIn"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* left the round; one piece of its ante, if there was one, went to the centre (Rule 11, B11.2). *rounds_in_a_row*: in how many rounds in a row the seat has now thrown in (B11.3). *from_heaps*: how many pieces each ante heap paid, the newest heap first. *all_have_decided*: whether every player in the game has now decided. It is false if this throw-in leaves one player in the round who has not decided: the round ends without that player's decision (B11.1, B11.4). */
    HandThrownIn: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** In how many rounds in a row the seat has thrown in, this round included; if left out: 1. */
      rounds_in_a_row?: number;
      /** Pieces taken from each ante heap of the seat, the newest heap first; empty: no pieces were taken; if left out: []. */
      from_heaps?: (number)[];
      /** Whether every player in the game has now decided on their cards; if left out: false. */
      all_have_decided?: boolean;
    };
    /** The leaf of upping_offered, version 1. */
    UppingOfferedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "upping_offered";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["UppingOffered"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* laid down *chips* to up the ante (Rule 12). */
    UppingOffered: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A whole number of chips. */
      chips: number;
    };
    /** The leaf of upping_passed, version 1. */
    UppingPassedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "upping_passed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["UppingPassed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* made no offer; the right to offer passes to the next player, if any (Rule 12, B12.3). */
    UppingPassed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of upping_accepted, version 1. */
    UppingAcceptedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "upping_accepted";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["UppingAccepted"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* accepted the offer and laid down the same number of *chips* (Rule 12, B12.4). */
    UppingAccepted: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A whole number of chips. */
      chips: number;
    };
    /** The leaf of upping_declined, version 1. */
    UppingDeclinedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "upping_declined";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["UppingDeclined"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* declined the offer (Rule 12). */
    UppingDeclined: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of upping_collected, version 1. */
    UppingCollectedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "upping_collected";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["UppingCollected"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The offered and the accepted pieces went to the centre (B12.3). */
    UppingCollected: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Seats whose pieces went to the centre. */
      seats: (number)[];
    };
    /** The leaf of offer_returned, version 1. */
    OfferReturnedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "offer_returned";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["OfferReturned"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** No player accepted the offer: *seat* took its *chips* back, and the upping is over (Rule 12, B12.3). */
    OfferReturned: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A whole number of chips. */
      chips: number;
    };
    /** The leaf of round_dead, version 1. */
    RoundDeadLeaf: {
      /** The type of the event or action, in snake case. */
      type: "round_dead";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["RoundDead"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seats* share the best hand: nobody wins and nobody loses (Rules 9, 10, B9.1). *dead_rounds*: how many rounds in a row are dead, this round included. */
    RoundDead: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Seats that share the best hand. */
      seats: (number)[];
      /** The number of dead rounds in a row. */
      dead_rounds: number;
    };
    /** The leaf of round_won, version 1. */
    RoundWonLeaf: {
      /** The type of the event or action, in snake case. */
      type: "round_won";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["RoundWon"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *winner* had the best hand and claims from each loser's ante (Rules 9, 10, 15 to 18). *multiplier*: one more than the number of dead rounds in a row before this round (B17.1). *centre*: whether the centre is empty, stays, or is collected by the winner. */
    RoundWon: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      winner: number;
      /** The factor for each difference: 1 + the number of dead rounds in a row before this round. */
      multiplier: number;
      /** The winner's claim on each loser's ante. */
      claims: (components["schemas"]["Claim"])[];
      /** Whether the centre is empty, stays, or goes to the winner. */
      centre: "collected" | "empty" | "stays";
    };
    /** The winner's claim on the ante of *seat*, and its reason. *winning* and *losing* are the compared cards. *difference* is the debt for one round (Rules 15 and 16). *due* is the difference times the multiplier. *taken* is the number of pieces that were moved. If *taken* is less than *due*, *cap* names the reason: "B17.1" if the ante had no more pieces, "B18.2" if the winner is on last legs. *from_heaps*: how many pieces each ante heap paid, the newest heap first. */
    Claim: {
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** The winner's card that was compared. */
      winning: string;
      /** The loser's card that was compared. */
      losing: string;
      /** The debt for one round, in pieces (Rules 15 and 16). */
      difference: number;
      /** The difference times the multiplier, in pieces. */
      due: number;
      /** Whole pieces that were moved. */
      taken: number;
      /** The number of a rule of the sheet. */
      rule: string;
      /** The name of a ruling. */
      ruling: string;
      /** The name of a ruling; if left out: "". */
      cap?: string;
      /** Pieces taken from each ante heap of the seat, the newest heap first; empty: no pieces were taken; if left out: []. */
      from_heaps?: (number)[];
    };
    /** The leaf of round_won_uncontested, version 1. */
    RoundWonUncontestedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "round_won_uncontested";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["RoundWonUncontested"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** All other players threw in: *winner* claims nothing and shows no card (B11.4). */
    RoundWonUncontested: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      winner: number;
      /** Whether the centre is empty, stays, or goes to the winner. */
      centre: "collected" | "empty" | "stays";
    };
    /** The leaf of centre_divided, version 1. */
    CentreDividedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "centre_divided";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CentreDivided"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** After the last allowed dead round, *seats* got *share* pieces each; *residue* stayed in the centre (Rule 17). */
    CentreDivided: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Seats that got a share. */
      seats: (number)[];
      /** Whole pieces for each player who got a share. */
      share: number;
      /** Whole pieces that go to the centre, or stay in the centre. */
      residue: number;
    };
    /** The leaf of centre_collected, version 1. */
    CentreCollectedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "centre_collected";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CentreCollected"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *winner* collected the whole centre: by Rule 14 and B12.7, or on last legs by Rule 18 and B12.8. */
    CentreCollected: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      winner: number;
      /** A whole number of chips. */
      chips: number;
      /** The name of a ruling. */
      ruling: string;
    };
    /** The leaf of antes_returned, version 1. */
    AntesReturnedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "antes_returned";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["AntesReturned"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The rest of every ante went back to its player (Rule 17, B6.2). */
    AntesReturned: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
    };
    /** The leaf of player_bankrupt, version 1. */
    PlayerBankruptLeaf: {
      /** The type of the event or action, in snake case. */
      type: "player_bankrupt";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["PlayerBankrupt"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* has no pieces left and is out of the game (Rule 20, B20.1). */
    PlayerBankrupt: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of player_resigned, version 1. */
    PlayerResignedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "player_resigned";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["PlayerResigned"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* gave up the game (Rule 19, B19.1). Each other player got *share* pieces, and the centre got the *residue*. *dealer* deals the next round, if any. */
    PlayerResigned: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** Whole pieces for each player who got a share. */
      share: number;
      /** Whole pieces that go to the centre, or stay in the centre. */
      residue: number;
      /** The seat that deals next. */
      dealer: number;
    };
    /** The leaf of round_ended, version 1. */
    RoundEndedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "round_ended";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["RoundEnded"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The round is settled; *dealer* deals the next round, or is 0 if there is no next round (B5.2). */
    RoundEnded: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The seat that deals the next round; 0: none. */
      dealer: number;
    };
    /** The leaf of chips_bought, version 1. */
    ChipsBoughtLeaf: {
      /** The type of the event or action, in snake case. */
      type: "chips_bought";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["ChipsBought"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* bought *chips* between hands (I-BET.2, G.7). */
    ChipsBought: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A whole number of chips. */
      chips: number;
    };
    /** The leaf of hand_sat_out, version 1. */
    HandSatOutLeaf: {
      /** The type of the event or action, in snake case. */
      type: "hand_sat_out";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["HandSatOut"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* sits out this hand or, between hands, the next hand (I-BET.2). */
    HandSatOut: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of sat_in, version 1. */
    SatInLeaf: {
      /** The type of the event or action, in snake case. */
      type: "sat_in";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["SatIn"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* plays the next hand after all (I-BET.2). */
    SatIn: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of bet_placed, version 1. */
    BetPlacedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "bet_placed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["BetPlaced"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* placed a bet of *chips* (BET, I-BET.1). *begins_hand*: the number of the hand that this bet begins, or 0 if the hand has already begun (I-END.2). */
    BetPlaced: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A whole number of chips. */
      chips: number;
      /** The number of the hand that this bet begins; 0: the hand has already begun; if left out: 0. */
      begins_hand?: number;
    };
    /** The leaf of hand_begun, version 1. */
    HandBegunLeaf: {
      /** The type of the event or action, in snake case. */
      type: "hand_begun";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["HandBegun"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The first bet began hand number *hand*, with its *banker* and its *players*, the banker included (I-END.2). */
    HandBegun: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The hand's number, from 1. */
      hand: number;
      /** The banker's seat. */
      banker: number;
      /** Seats in the hand, the banker included. */
      players: (number)[];
    };
    /** The leaf of deal_begun, version 1. */
    DealBegunLeaf: {
      /** The type of the event or action, in snake case. */
      type: "deal_begun";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DealBegun"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** Every bet is placed, and *banker* began the deal (FIRST ROUND DEAL, I-DEAL1.2). */
    DealBegun: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** The banker's seat. */
      banker: number;
    };
    /** The leaf of offers_awaited, version 1. */
    OffersAwaitedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "offers_awaited";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["OffersAwaited"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The banker's card calls for offers: *seats*, the players with chips left, must offer (I-OFFER.1, I-OFFER.2). */
    OffersAwaited: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Seats that must make an offer. */
      seats: (number)[];
    };
    /** The leaf of insurance_offered, version 1. */
    InsuranceOfferedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "insurance_offered";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["InsuranceOffered"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* offered *chips* to insure its bet (INSURANCE OFFER). *all_have_offered*: whether this is the last offer of the hand, after which the banker answers (I-ACC.1). */
    InsuranceOffered: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A whole number of chips. */
      chips: number;
      /** Whether this is the last offer of the hand; if left out: false. */
      all_have_offered?: boolean;
    };
    /** The leaf of insurance_accepted, version 1. */
    InsuranceAcceptedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "insurance_accepted";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["InsuranceAccepted"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The banker accepted the offer of *seat*, and insures the bet for *chips* (ACCEPTANCE). */
    InsuranceAccepted: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A whole number of chips. */
      chips: number;
    };
    /** The leaf of insurance_refused, version 1. */
    InsuranceRefusedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "insurance_refused";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["InsuranceRefused"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The banker refused to insure the bet of *seat*, and the offered *chips* went back (ACCEPTANCE, I-ACC.1). */
    InsuranceRefused: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A whole number of chips. */
      chips: number;
    };
    /** The leaf of hand_settled, version 1. */
    HandSettledLeaf: {
      /** The type of the event or action, in snake case. */
      type: "hand_settled";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["HandSettled"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The bets were settled against the card of *banker*, in the order of I-PAY.1 (WINNING, PAYOUT). */
    HandSettled: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The banker's seat. */
      banker: number;
      /** The banker's card. */
      card: string;
      /** The result of each player but the banker, from the banker's left. */
      results: (components["schemas"]["Result"])[];
    };
    /** The outcome of the hand for *seat*, with its *bet* and the *insurance* on the bet (0: not insured). *card* is the seat's own card, or empty if the banker's card alone decided. *short* is the number of chips that the banker could not pay; nobody owes these chips (I-PAY.2). */
    Result: {
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** The outcome of the hand for the player. */
      outcome: "lost" | "tied" | "won";
      /** The bet, in chips. */
      bet: number;
      /** The payment that insures the bet, in chips; 0: the bet is not insured; if left out: 0. */
      insurance?: number;
      /** The player's card; empty: the banker's card alone decided; if left out: "". */
      card?: string;
      /** Chips that the banker could not pay (I-PAY.2); if left out: 0. */
      short?: number;
    };
    /** The leaf of player_knocked_out, version 1. */
    PlayerKnockedOutLeaf: {
      /** The type of the event or action, in snake case. */
      type: "player_knocked_out";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["PlayerKnockedOut"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* ran out of chips and is out of the game (NON-GAMBLING VARIATION). */
    PlayerKnockedOut: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of hand_ended, version 1. */
    HandEndedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "hand_ended";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["HandEnded"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The hand is over, and its cards were discarded; *banker* was the hand's banker (END OF HAND). */
    HandEnded: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The banker's seat. */
      banker: number;
    };
    /** The leaf of slips_awaited, version 1. */
    SlipsAwaitedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "slips_awaited";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["SlipsAwaited"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The cards are dealt, and each player writes a slip before the passing (IH.1, IH.2). */
    SlipsAwaited: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
    };
    /** The leaf of slip_written, version 1. */
    SlipWrittenLeaf: {
      /** The type of the event or action, in snake case. */
      type: "slip_written";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["SlipWritten"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* wrote its slip; values are sealed under `insurance` and `foot` if the table plays these rules (IH.2). */
    SlipWritten: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of foot_told, version 1. */
    FootToldLeaf: {
      /** The type of the event or action, in snake case. */
      type: "foot_told";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["FootTold"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** All slips are written, and *callers* called a foot; empty: nobody called a foot (IH.3). */
    FootTold: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Seats that called a foot. */
      callers: (number)[];
    };
    /** The leaf of hand_cancelled, version 1. */
    HandCancelledLeaf: {
      /** The type of the event or action, in snake case. */
      type: "hand_cancelled";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["HandCancelled"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The hand is cancelled because *callers* called a foot; the numbers on all slips are closed for good (IH.3). */
    HandCancelled: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Seats that called a foot. */
      callers: (number)[];
    };
    /** The leaf of pass_awaited, version 1. */
    PassAwaitedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "pass_awaited";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["PassAwaited"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** Each player chooses three cards to pass in this *direction* (H-PASS.1). */
    PassAwaited: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Where the passed cards go. */
      direction: "across" | "left" | "right";
    };
    /** The leaf of pass_chosen, version 1. */
    PassChosenLeaf: {
      /** The type of the event or action, in snake case. */
      type: "pass_chosen";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["PassChosen"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* chose three cards, sealed under `cards` (H-PASS.1). */
    PassChosen: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of cards_passed, version 1. */
    CardsPassedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "cards_passed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CardsPassed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** All players have chosen, and the cards went in this *direction*; each receiver sees its new cards (H-PASS.1). */
    CardsPassed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Where the passed cards go. */
      direction: "across" | "left" | "right";
    };
    /** The leaf of bids_awaited, version 1. */
    BidsAwaitedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "bids_awaited";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["BidsAwaited"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The four *cards* are up for auction, and each player bids (Bidding, IH.7). */
    BidsAwaited: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The four cards of the auction. */
      cards: (string)[];
    };
    /** The leaf of bid_written, version 1. */
    BidWrittenLeaf: {
      /** The type of the event or action, in snake case. */
      type: "bid_written";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["BidWritten"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* made a bid or no bid; the card bid for, the points and the card shown are sealed under `bid` (IH.7). */
    BidWritten: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
    };
    /** The leaf of bids_opened, version 1. */
    BidsOpenedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "bids_opened";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["BidsOpened"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The service opened all bids, with the cards shown; the cards shown went back to the players' hands (IH.8). */
    BidsOpened: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The bids, in the order of the seats. */
      bids: (components["schemas"]["OpenedBid"])[];
    };
    /** The bid of *seat*, and the card that the seat showed. If *card* is empty, the seat made no bid. */
    OpenedBid: {
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A card's face. */
      shown: string;
      /** A card's face; empty: none; if left out: "". */
      card?: string;
      /** The bid, in points; if left out: 0. */
      points?: number;
    };
    /** The leaf of auction_settled, version 1. */
    AuctionSettledLeaf: {
      /** The type of the event or action, in snake case. */
      type: "auction_settled";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["AuctionSettled"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The highest bid for each card won that card; *choosing* lists the seats that bought no card (IH.8, IH.9). */
    AuctionSettled: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** The cards that were bought, in the order of the four cards. */
      sold: (components["schemas"]["Sold"])[];
      /** Seats that get a leftover, in the order of choice. */
      choosing: (number)[];
      /** Cards that nobody bought. */
      left: (string)[];
    };
    /** *seat* bought *card* for *points*. */
    Sold: {
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A card's face. */
      card: string;
      /** The bid, in points. */
      points: number;
    };
    /** The leaf of leftover_chosen, version 1. */
    LeftoverChosenLeaf: {
      /** The type of the event or action, in snake case. */
      type: "leftover_chosen";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["LeftoverChosen"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* chose *card* from the leftovers (IH.9). */
    LeftoverChosen: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A card's face. */
      card: string;
    };
    /** The leaf of leftover_given, version 1. */
    LeftoverGivenLeaf: {
      /** The type of the event or action, in snake case. */
      type: "leftover_given";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["LeftoverGiven"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* got *card*, the last leftover, without a choice (IH.9). */
    LeftoverGiven: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A card's face. */
      card: string;
    };
    /** The leaf of play_begun, version 1. */
    PlayBegunLeaf: {
      /** The type of the event or action, in snake case. */
      type: "play_begun";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["PlayBegun"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** Every hand has thirteen cards; *leader* has the two of clubs and leads this card (H-LEAD.1). *to_play* lists the seats in the order in which they play the first trick (H-FOLLOW.1). */
    PlayBegun: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      leader: number;
      /** Seats in the order in which they play the next trick; empty: no trick is left. */
      to_play: (number)[];
    };
    /** The leaf of card_played, version 1. */
    CardPlayedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "card_played";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CardPlayed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* played *card* (H-FOLLOW.1). *breaks_hearts*: whether this card breaks hearts, which were not broken before (H-BREAK.1). */
    CardPlayed: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** Who called time, so that the service decided: the host or the time limit; empty: nobody; if left out: "". */
      called?: "" | "host" | "limit";
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** A card's face. */
      card: string;
      /** Whether this card breaks hearts, which were not broken before; if left out: false. */
      breaks_hearts?: boolean;
    };
    /** The leaf of trick_taken, version 1. */
    TrickTakenLeaf: {
      /** The type of the event or action, in snake case. */
      type: "trick_taken";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["TrickTaken"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** *seat* took the trick of *cards*, and leads the next trick, if there is one (H-FOLLOW.1). *to_play* lists the seats in the order in which they play the next trick; it is empty after the last trick. */
    TrickTaken: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** The cards of the trick, in the order played. */
      cards: (string)[];
      /** Seats in the order in which they play the next trick; empty: no trick is left; if left out: []. */
      to_play?: (number)[];
    };
    /** The leaf of hand_scored, version 1. */
    HandScoredLeaf: {
      /** The type of the event or action, in snake case. */
      type: "hand_scored";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["HandScored"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** All tricks are played, the slips' numbers are public, and the points are booked (H-SCORE.1, IH.5, IH.6, IH.10). *queen* is the seat that took the queen of spades. *shooter* is the seat that took all 26 points; 0: no seat. */
    HandScored: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      queen: number;
      /** The score of each seat, and its parts. */
      scores: (components["schemas"]["SeatScore"])[];
      /** A seat; 0: none; if left out: 0. */
      shooter?: number;
    };
    /** The *score* of *seat* for the hand, and its parts. *taken* lists the hearts and the queen of spades in the seat's tricks; these cards count *points*. *insurance* is the number on the seat's slip. *bid* is the number of points for which the seat bought a card; 0: the seat bought no card, or a club for 0 points. */
    SeatScore: {
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** The points that the hand adds to the seat's score. */
      score: number;
      /** One for each heart taken, thirteen for the queen of spades; if left out: 0. */
      points?: number;
      /** Hearts and the queen of spades in the tricks of the seat; if left out: []. */
      taken?: (string)[];
      /** The number on the seat's slip; if left out: 0. */
      insurance?: number;
      /** The bid, in points; if left out: 0. */
      bid?: number;
    };
    /** The leaf of hand_finished, version 1. */
    HandFinishedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "hand_finished";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["HandFinished"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The hand is over; *dealer* deals the next hand, if there is one (H-DEAL.1). */
    HandFinished: {
      /** The transfers, each with its two accounts, its amount, its unit and its rule; if left out: []. */
      transfers?: (components["schemas"]["Transfer"])[];
      /** A seat's number, clockwise from 1. */
      dealer: number;
    };
    /** The leaf of log_opened, version 1. */
    LogOpenedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "log_opened";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["LogOpened"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The log *origin* began. The stream begins with this event, and has another such event for each new log. *log_key* verifies the log's checkpoints, and *receipt_key* the receipts; *release* is the version of the software. *checkpoint* is the last checkpoint of the earlier log, a signed note; "": no checkpoint of an earlier log is known. */
    LogOpened: {
      /** The name of the log: the first line of each checkpoint. */
      origin: string;
      /** The public key that verifies checkpoints, as C2SP signed-note writes it: <origin>+<hash>+<key>. */
      log_key: string;
      /** 32 bytes as lower-case hex. */
      receipt_key: string;
      /** The version of the software. */
      release: string;
      /** The last checkpoint of the earlier log, a signed note; empty: none is known; if left out: "". */
      checkpoint?: string;
    };
    /** The leaf of stream_shortened, version 1. */
    StreamShortenedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "stream_shortened";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["StreamShortened"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** When a new log began, a stream was shorter than in the log before. *stream* ended at *position*; its last known position in the log before was *earlier*. */
    StreamShortened: {
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** The position of the stream's last event; 0: no event. */
      position: number;
      /** The position of an event in its stream. */
      earlier: number;
    };
    /** The leaf of key_made, version 1. */
    KeyMadeLeaf: {
      /** The type of the event or action, in snake case. */
      type: "key_made";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["KeyMade"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** An API key was made. */
    KeyMade: {
      /** The id of an API key. */
      key: string;
      /** The owner of the key. */
      owner: string;
      /** The scopes of the key: what the key may do. */
      scopes: (string)[];
      /** 32 bytes as lower-case hex. */
      secret_hash: string;
      /** The owner whose key made this key, or "service" or "operator". */
      made_by: string;
      /** When the key was made, in UTC. */
      made_at: string;
      /** When the key expires, in UTC; empty: never; if left out: "". */
      expires_at?: string;
      /** The tables and disputes to which a key for audits is limited; if left out: []. */
      limits?: (string)[];
    };
    /** The leaf of key_adopted, version 1. */
    KeyAdoptedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "key_adopted";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["KeyAdopted"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** An API key had been made before the stream began. */
    KeyAdopted: {
      /** The id of an API key. */
      key: string;
      /** The owner of the key. */
      owner: string;
      /** The scopes of the key: what the key may do. */
      scopes: (string)[];
      /** 32 bytes as lower-case hex. */
      secret_hash: string;
      /** The owner whose key made this key, or "service" or "operator". */
      made_by: string;
      /** When the key was made, in UTC. */
      made_at: string;
      /** When the key expires, in UTC; empty: never; if left out: "". */
      expires_at?: string;
      /** The tables and disputes to which a key for audits is limited; if left out: []. */
      limits?: (string)[];
    };
    /** The leaf of key_ended, version 1. */
    KeyEndedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "key_ended";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["KeyEnded"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** An API key was revoked. No event records an expiry. */
    KeyEnded: {
      /** The id of an API key. */
      key: string;
      /** The owner whose key revoked this key, or "operator". */
      ended_by: string;
      /** When the key was revoked, in UTC. */
      ended_at: string;
    };
    /** The leaf of table_imported, version 1. */
    TableImportedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "table_imported";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["TableImported"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** An import wrote events or sealed values of *table* (or of the stream of its disputes). The stream's last event is now at *position*, and its leaf has *leaf_hash*. *origin* is the log that the imported file names; "": the file names no log. *imported_at* is the time at which the first import of the stream began. *values* has the position and the field of each sealed value that was written. */
    TableImported: {
      /** The id of a table, or of the stream of a table's disputes. */
      table: string;
      /** The position of an event in its stream. */
      position: number;
      /** 32 bytes as lower-case hex. */
      leaf_hash: string;
      /** When the first import of the table began, in UTC. */
      imported_at: string;
      /** The log that the imported file names; empty: the file names no log; if left out: "". */
      origin?: string;
      /** The position and the field of each sealed value that was written; if left out: []. */
      values?: ([number, string])[];
    };
    /** The leaf of value_erased_at, version 1. */
    ValueErasedAtLeaf: {
      /** The type of the event or action, in snake case. */
      type: "value_erased_at";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["ValueErasedAt"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The sealed value *field* of the event at *position* of an imported *table* was erased on this *ground*. *table* may also be the stream of the disputes of an imported table. */
    ValueErasedAt: {
      /** The id of a table, or of the stream of a table's disputes. */
      table: string;
      /** The position of an event in its stream. */
      position: number;
      /** The name of the sealed field, or `seed`. */
      field: string;
      /** The reason of the erasure. */
      ground: "request" | "retention" | "order";
    };
    /** The leaf of release_changed, version 1. */
    ReleaseChangedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "release_changed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["ReleaseChanged"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** A server started with another version of the software: *release*. */
    ReleaseChanged: {
      /** The version of the software. */
      release: string;
    };
    /** The leaf of signing_key_changed, version 1. */
    SigningKeyChangedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "signing_key_changed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["SigningKeyChanged"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The service signs receipts with another key from now on; *receipt_key* verifies these receipts. */
    SigningKeyChanged: {
      /** 32 bytes as lower-case hex. */
      receipt_key: string;
    };
    /** The leaf of service_key_rotated, version 1. */
    ServiceKeyRotatedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "service_key_rotated";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["ServiceKeyRotated"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The service key *service_key*, with this *fingerprint*, seals and signs from now on, instead of *earlier*. The *earlier* key still opens the values that it sealed. */
    ServiceKeyRotated: {
      /** The id of a service key. */
      service_key: string;
      /** 32 bytes as lower-case hex. */
      fingerprint: string;
      /** The id of a service key. */
      earlier: string;
    };
    /** The leaf of table_archived, version 1. */
    TableArchivedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "table_archived";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["TableArchived"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** An archive has *table* (or the stream of its disputes) up to *position*; the leaf at *position* has *leaf_hash*. *file_hash* is the SHA-256 of the archive. */
    TableArchived: {
      /** The id of a table, or of the stream of a table's disputes. */
      table: string;
      /** The position of an event in its stream. */
      position: number;
      /** 32 bytes as lower-case hex. */
      leaf_hash: string;
      /** 32 bytes as lower-case hex. */
      file_hash: string;
    };
    /** The leaf of dispute_opened, version 1. */
    DisputeOpenedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "dispute_opened";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DisputeOpened"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** A player of the *hand*, or the table's *host*, disputes the hand. A statement may be sealed with the event. *follows*: the number of an earlier dispute whose correction this dispute is about, or 0. */
    DisputeOpened: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
      /** The table's id. */
      table: string;
      /** The number of the hand at the table. */
      hand: number;
      /** What the complaint is about. */
      ground: "conduct" | "deck" | "identity" | "payout" | "rules" | "secrecy" | "time";
      /** The players of the hand, with their seats in the hand. */
      parties: (components["schemas"]["Party"])[];
      /** The id of an owner of API keys. */
      host: string;
      /** At this step: the hand's positions, the table's head, and the service's verdict. */
      evidence: components["schemas"]["Evidence"];
      /** The earlier dispute whose correction this dispute is about; 0: none; if left out: 0. */
      follows?: number;
    };
    /** The leaf of dispute_answered, version 1. */
    DisputeAnsweredLeaf: {
      /** The type of the event or action, in snake case. */
      type: "dispute_answered";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DisputeAnswered"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** A party answered; its statement is sealed with the event. */
    DisputeAnswered: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
    };
    /** The leaf of answers_requested, version 1. */
    AnswersRequestedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "answers_requested";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["AnswersRequested"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The auditor asks the owners in *asked* to answer, or to answer again; the question is sealed with the event. */
    AnswersRequested: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
      /** The owners who may answer once more. */
      asked: (string)[];
    };
    /** The leaf of dispute_taken, version 1. */
    DisputeTakenLeaf: {
      /** The type of the event or action, in snake case. */
      type: "dispute_taken";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DisputeTaken"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** An auditor took the dispute on. */
    DisputeTaken: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
    };
    /** The leaf of dispute_returned, version 1. */
    DisputeReturnedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "dispute_returned";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DisputeReturned"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The auditor, or the service on its operator's command, returned the dispute: another auditor may take it on. */
    DisputeReturned: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
    };
    /** The leaf of dispute_decided, version 1. */
    DisputeDecidedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "dispute_decided";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DisputeDecided"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The auditor decided the dispute, by the rule or ruling in *rule*. The reason is a sealed value; everybody who may see the table may read it. *contradicts*: the auditor finds no fault although the verdict of the service is `failed`; the reason says why (D.5). */
    DisputeDecided: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
      /** What the auditor has found. */
      outcome: "explained" | "fault" | "no_fault" | "unprovable";
      /** The rule of the sheet or the ruling that the step cites. */
      rule: string;
      /** At this step: the hand's positions, the table's head, and the service's verdict. */
      evidence: components["schemas"]["Evidence"];
      /** Whether the outcome is `no_fault` or `explained`, though the service's verdict is `failed`; if left out: false. */
      contradicts?: boolean;
    };
    /** The leaf of correction_proposed, version 1. */
    CorrectionProposedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "correction_proposed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CorrectionProposed"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The auditor proposed a correction; nothing moves before somebody else approves it. */
    CorrectionProposed: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
      /** The amounts, each from one player of the hand to another. */
      transfers: (components["schemas"]["Adjustment"])[];
    };
    /** The leaf of correction_approved, version 1. */
    CorrectionApprovedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "correction_approved";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CorrectionApproved"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** A second person approved the correction that the event at *proposal* proposes, and its *transfers* took place. */
    CorrectionApproved: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
      /** The position of the proposal in this stream. */
      proposal: number;
      /** The amounts, each from one player of the hand to another. */
      transfers: (components["schemas"]["Adjustment"])[];
    };
    /** The leaf of correction_refused, version 1. */
    CorrectionRefusedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "correction_refused";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["CorrectionRefused"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** A second person refused the correction that the event at *proposal* proposes. */
    CorrectionRefused: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
      /** The position of the proposal in this stream. */
      proposal: number;
    };
    /** The leaf of dispute_withdrawn, version 1. */
    DisputeWithdrawnLeaf: {
      /** The type of the event or action, in snake case. */
      type: "dispute_withdrawn";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DisputeWithdrawn"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The owner who opened the dispute withdrew it. */
    DisputeWithdrawn: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
    };
    /** The leaf of dispute_value_erased, version 1. */
    DisputeValueErasedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "dispute_value_erased";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["DisputeValueErased"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** The service erased the value that the event at *position* of this stream sealed under *field*. */
    DisputeValueErased: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** The owner of the key that took the step; empty: the service; if left out: "". */
      owner?: string;
      /** The position of an event of the table. */
      table_position: number;
      /** The position of the event that sealed the value. */
      position: number;
      /** The name of the sealed field. */
      field: string;
      /** Why the value was erased. */
      ground: "order" | "request" | "retention";
    };
    /** The leaf of verdict_changed, version 1. */
    VerdictChangedLeaf: {
      /** The type of the event or action, in snake case. */
      type: "verdict_changed";
      /** The version of the log's format: 1. */
      v: number;
      /** The name of the stream: table/<table id>, dispute/dsp_<hex>, or service/log. */
      stream: string;
      /** A position in a stream, counted from 1. */
      position: number;
      /** The hash of the leaf at the previous position; at position 1, 64 zeros. */
      prev: string;
      /** The version of the schema of this type of event, from 1. */
      version: number;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The public members of the event. */
      pub: components["schemas"]["VerdictChanged"];
      /** The commitments to the sealed fields, by the fields' names; if left out: {}. */
      priv?: { [member: string]: components["schemas"]["Commitment"] };
      /** The command's id: 64 hex digits; empty: the event is a consequence; if left out: "". */
      cmd?: string;
      /** The player's signature of the decision; left out if the decision is not signed. */
      sig?: components["schemas"]["MoveSignature"];
    };
    /** At the step before this event, the service's verdict on the hand differed from the last recorded verdict. */
    VerdictChanged: {
      /** The number of the dispute at its table, from 1. */
      dispute: number;
      /** At this step: the hand's positions, the table's head, and the service's verdict. */
      evidence: components["schemas"]["Evidence"];
    };
    /** The decision table_opened in a hand. */
    TableOpenedMade: {
      /** The type of the event or action, in snake case. */
      type: "table_opened";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["TableOpened"];
    };
    /** The decision seat_taken in a hand. */
    SeatTakenMade: {
      /** The type of the event or action, in snake case. */
      type: "seat_taken";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["SeatTaken"];
    };
    /** The decision seat_left in a hand. */
    SeatLeftMade: {
      /** The type of the event or action, in snake case. */
      type: "seat_left";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["SeatLeft"];
    };
    /** The decision player_invited in a hand. */
    PlayerInvitedMade: {
      /** The type of the event or action, in snake case. */
      type: "player_invited";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["PlayerInvited"];
    };
    /** The decision invitation_declined in a hand. */
    InvitationDeclinedMade: {
      /** The type of the event or action, in snake case. */
      type: "invitation_declined";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["InvitationDeclined"];
    };
    /** The decision invitation_withdrawn in a hand. */
    InvitationWithdrawnMade: {
      /** The type of the event or action, in snake case. */
      type: "invitation_withdrawn";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["InvitationWithdrawn"];
    };
    /** The decision game_started in a hand. */
    GameStartedMade: {
      /** The type of the event or action, in snake case. */
      type: "game_started";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["GameStarted"];
    };
    /** The decision table_closed in a hand. */
    TableClosedMade: {
      /** The type of the event or action, in snake case. */
      type: "table_closed";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["TableClosed"];
    };
    /** The decision signing_key_registered in a hand. */
    SigningKeyRegisteredMade: {
      /** The type of the event or action, in snake case. */
      type: "signing_key_registered";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["SigningKeyRegistered"];
    };
    /** The decision signing_key_ended in a hand. */
    SigningKeyEndedMade: {
      /** The type of the event or action, in snake case. */
      type: "signing_key_ended";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["SigningKeyEnded"];
    };
    /** The decision value_erased in a hand. */
    ValueErasedMade: {
      /** The type of the event or action, in snake case. */
      type: "value_erased";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["ValueErased"];
    };
    /** The decision deck_seed_committed in a hand. */
    DeckSeedCommittedMade: {
      /** The type of the event or action, in snake case. */
      type: "deck_seed_committed";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["DeckSeedCommitted"];
    };
    /** The decision deck_seed_revealed in a hand. */
    DeckSeedRevealedMade: {
      /** The type of the event or action, in snake case. */
      type: "deck_seed_revealed";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["DeckSeedRevealed"];
    };
    /** The decision deck_seed_omitted in a hand. */
    DeckSeedOmittedMade: {
      /** The type of the event or action, in snake case. */
      type: "deck_seed_omitted";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["DeckSeedOmitted"];
    };
    /** The decision deck_seeds_dropped in a hand. */
    DeckSeedsDroppedMade: {
      /** The type of the event or action, in snake case. */
      type: "deck_seeds_dropped";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["DeckSeedsDropped"];
    };
    /** The decision hand_dealt in a hand. */
    HandDealtMade: {
      /** The type of the event or action, in snake case. */
      type: "hand_dealt";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["HandDealt"];
    };
    /** The decision cards_held in a hand. */
    CardsHeldMade: {
      /** The type of the event or action, in snake case. */
      type: "cards_held";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["CardsHeld"];
    };
    /** The decision card_exchanged in a hand. */
    CardExchangedMade: {
      /** The type of the event or action, in snake case. */
      type: "card_exchanged";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["CardExchanged"];
    };
    /** The decision hand_thrown_in in a hand. */
    HandThrownInMade: {
      /** The type of the event or action, in snake case. */
      type: "hand_thrown_in";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["HandThrownIn"];
    };
    /** The decision upping_offered in a hand. */
    UppingOfferedMade: {
      /** The type of the event or action, in snake case. */
      type: "upping_offered";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["UppingOffered"];
    };
    /** The decision upping_passed in a hand. */
    UppingPassedMade: {
      /** The type of the event or action, in snake case. */
      type: "upping_passed";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["UppingPassed"];
    };
    /** The decision upping_accepted in a hand. */
    UppingAcceptedMade: {
      /** The type of the event or action, in snake case. */
      type: "upping_accepted";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["UppingAccepted"];
    };
    /** The decision upping_declined in a hand. */
    UppingDeclinedMade: {
      /** The type of the event or action, in snake case. */
      type: "upping_declined";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["UppingDeclined"];
    };
    /** The decision player_resigned in a hand. */
    PlayerResignedMade: {
      /** The type of the event or action, in snake case. */
      type: "player_resigned";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["PlayerResigned"];
    };
    /** The decision chips_bought in a hand. */
    ChipsBoughtMade: {
      /** The type of the event or action, in snake case. */
      type: "chips_bought";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["ChipsBought"];
    };
    /** The decision hand_sat_out in a hand. */
    HandSatOutMade: {
      /** The type of the event or action, in snake case. */
      type: "hand_sat_out";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["HandSatOut"];
    };
    /** The decision sat_in in a hand. */
    SatInMade: {
      /** The type of the event or action, in snake case. */
      type: "sat_in";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["SatIn"];
    };
    /** The decision bet_placed in a hand. */
    BetPlacedMade: {
      /** The type of the event or action, in snake case. */
      type: "bet_placed";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["BetPlaced"];
    };
    /** The decision deal_begun in a hand. */
    DealBegunMade: {
      /** The type of the event or action, in snake case. */
      type: "deal_begun";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["DealBegun"];
    };
    /** The decision insurance_offered in a hand. */
    InsuranceOfferedMade: {
      /** The type of the event or action, in snake case. */
      type: "insurance_offered";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["InsuranceOffered"];
    };
    /** The decision insurance_accepted in a hand. */
    InsuranceAcceptedMade: {
      /** The type of the event or action, in snake case. */
      type: "insurance_accepted";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["InsuranceAccepted"];
    };
    /** The decision insurance_refused in a hand. */
    InsuranceRefusedMade: {
      /** The type of the event or action, in snake case. */
      type: "insurance_refused";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["InsuranceRefused"];
    };
    /** The decision slip_written in a hand. */
    SlipWrittenMade: {
      /** The type of the event or action, in snake case. */
      type: "slip_written";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["SlipWritten"];
    };
    /** The decision pass_chosen in a hand. */
    PassChosenMade: {
      /** The type of the event or action, in snake case. */
      type: "pass_chosen";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["PassChosen"];
    };
    /** The decision bid_written in a hand. */
    BidWrittenMade: {
      /** The type of the event or action, in snake case. */
      type: "bid_written";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["BidWritten"];
    };
    /** The decision leftover_chosen in a hand. */
    LeftoverChosenMade: {
      /** The type of the event or action, in snake case. */
      type: "leftover_chosen";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["LeftoverChosen"];
    };
    /** The decision card_played in a hand. */
    CardPlayedMade: {
      /** The type of the event or action, in snake case. */
      type: "card_played";
      /** A position in a stream, counted from 1. */
      position: number;
      /** The time in UTC, to the millisecond (RFC 3339), by the service's clock. */
      at: string;
      /** The actor: "seat:<n>", "host", "player" (without a seat), "service", "auditor" or "approver". */
      by: string;
      /** The public members of the decision. */
      made: components["schemas"]["CardPlayed"];
    };
    /** A table of Bankrupt as one viewer may see it. */
    BankruptView: {
      /** The phase of the table. */
      phase: "seating" | "between_rounds" | "deciding" | "upping" | "over";
      /** The dealer of this round or, between rounds, of the next; 0: not drawn yet, or there is no next round. */
      dealer: number;
      /** Seats in the round or, between rounds, in the game, from the dealer's left. */
      order: (number)[];
      /** The factor for a winner's claims (Rule 17). */
      multiplier: number;
      /** Seats on last legs in this round (Rule 18). */
      last_legs: (number)[];
      /** Seats that have thrown in their hands. */
      thrown_in: (number)[];
      /** Seats that are bankrupt or have resigned. */
      out: (number)[];
      /** Pieces in each ante heap by seat, the newest heap last. */
      heaps: components["schemas"]["BankruptViewHeaps"];
      /** Cards by seat; ?? for a hidden card. */
      cards: components["schemas"]["BankruptViewCards"];
      /** Discarded cards by seat; ?? for a hidden card. */
      discards: components["schemas"]["BankruptViewDiscards"];
      /** The upturned card; ??: the card is hidden; empty: no card is upturned. */
      upturned: string;
      /** Whether the upturned card was exposed; if so, the deck is shuffled before the next round. */
      exposed: boolean;
      /** Cards in the deck, the upturned card included. */
      deck_left: number;
      /** The open offer; null: none. */
      offer: components["schemas"]["OfferView"] | null;
      /** The maximum offer now; 0: no offer is possible. */
      offer_cap: number;
      /** Seats that made or accepted an offer in this round (B12.7). */
      involved: (number)[];
    };
    /** An open offer: its seat and pieces, the seats that have answered, and the seats that have accepted. */
    OfferView: {
      /** The seat that offered. */
      seat: number;
      /** How many pieces the seat offered. */
      chips: number;
      /** Seats that answered the offer. */
      answered: (number)[];
      /** Seats that accepted the offer. */
      accepted: (number)[];
    };
    /** A table of Insurance; the view is the same for everybody. */
    InsuranceView: {
      /** The phase of the table. */
      phase: "seating" | "betting" | "offering" | "accepting" | "over";
      /** The banker's seat; 0: no seat is able to be the banker. */
      banker: number;
      /** Whether the banker is final. In the gambling game the banker may change until the hand's first bet. */
      banker_is_settled: boolean;
      /** Chips from which the banker can pay bets. */
      banker_chips: number;
      /** Chips of all bets; a banker with fewer chips may be unable to pay every bet. */
      bets_total: number;
      /** The least bet of a player who has enough chips for this bet. */
      least_bet: number;
      /** The standard bet; 0: players choose their bets. */
      standard_bet: number;
      /** Seats in this hand or, between hands, in the next hand, from the banker's left. */
      players: (number)[];
      /** Seats that sit out this hand or, between hands, the next hand. */
      sitting_out: (number)[];
      /** Seats that were knocked out. */
      out: (number)[];
      /** Seats whose offer is due. */
      to_offer: (number)[];
      /** Seats whose offer the banker has not answered. */
      to_answer: (number)[];
      /** Seats whose bet is insured. */
      insured: (number)[];
      /** Cards on the table by seat, the banker's card included. */
      cards: components["schemas"]["InsuranceViewCards"];
      /** Undealt cards in the deck. */
      deck_left: number;
    };
    /** A table of Insurance Hearts as one caller may see it. */
    HeartsView: {
      /** The phase of the table. */
      phase: "seating" | "between_hands" | "slips" | "passing" | "bidding" | "choosing" | "playing" | "over";
      /** The dealer of this hand or the next; 0: not drawn yet. */
      dealer: number;
      /** Where passed cards go in this hand; none: no cards are passed. */
      direction: "across" | "left" | "none" | "right";
      /** Hands by seat; `??` for each card that the caller may not see. */
      hands: components["schemas"]["HeartsViewHands"];
      /** Seats that have written their slip. */
      slips_in: (number)[];
      /** Seats that have chosen the cards to pass. */
      passes_in: (number)[];
      /** Seats that have made a bid or no bid. */
      bids_in: (number)[];
      /** Insurance numbers that the caller may read, by seat. */
      insurance: components["schemas"]["HeartsViewInsurance"];
      /** By seat, whether the seat called a foot, if the caller may read this. */
      foot: components["schemas"]["HeartsViewFoot"];
      /** Passed cards that the caller may see, by the seat that passed them. */
      passed: components["schemas"]["HeartsViewPassed"];
      /** Bids that the caller may read, by seat. */
      bids: components["schemas"]["HeartsViewBids"];
      /** Seats that have called their one foot. */
      feet_used: (number)[];
      /** The four cards of the auction; empty: not turned up. */
      auction: (string)[];
      /** The cards of the auction that no seat has yet. */
      left: (string)[];
      /** The card of the auction that each seat got. */
      gained: components["schemas"]["HeartsViewGained"];
      /** Seats that get a leftover, in the order of choice. */
      choosing: (number)[];
      /** The trick that is being played. */
      trick: (components["schemas"]["PlayedView"])[];
      /** The last trick that was taken in this hand. */
      last_trick: (components["schemas"]["PlayedView"])[];
      /** Tricks that each seat has taken in this hand. */
      tricks: components["schemas"]["HeartsViewTricks"];
      /** Hearts and the queen of spades that each seat has taken in this hand. */
      taken: components["schemas"]["HeartsViewTaken"];
      /** Whether hearts are broken, so that any player may lead a heart. */
      hearts_are_broken: boolean;
      /** The total score of each seat. */
      scores: components["schemas"]["HeartsViewScores"];
    };
    /** A bid: the card bid for, the points, and the card that the bidder showed. If the bidder made no bid, *card* is empty. */
    Bid: {
      /** The card bid for: rank and suit; empty: no bid. */
      card: string;
      /** The bid, in points; 0 if there is no bid. */
      points: number;
      /** The card that the bidder showed. */
      shown: string;
    };
    /** A card of a trick, and the seat that played it. */
    PlayedView: {
      /** A seat's number, clockwise from 1. */
      seat: number;
      /** The card that was played. */
      card: string;
    };
    /** An event as it is hashed: canonical JSON (log/v1), the same for everybody. */
    Leaf: components["schemas"]["TableOpenedLeaf"] | components["schemas"]["SeatTakenLeaf"] | components["schemas"]["SeatLeftLeaf"] | components["schemas"]["PlayerInvitedLeaf"] | components["schemas"]["InvitationDeclinedLeaf"] | components["schemas"]["InvitationWithdrawnLeaf"] | components["schemas"]["GameStartedLeaf"] | components["schemas"]["TableClosedLeaf"] | components["schemas"]["SigningKeyRegisteredLeaf"] | components["schemas"]["SigningKeyEndedLeaf"] | components["schemas"]["ValueErasedLeaf"] | components["schemas"]["DeckOpenedLeaf"] | components["schemas"]["DeckFixedLeaf"] | components["schemas"]["DeckRevealedLeaf"] | components["schemas"]["DeckUnusedLeaf"] | components["schemas"]["CardsDealtLeaf"] | components["schemas"]["CardsShownLeaf"] | components["schemas"]["CardsBottomedLeaf"] | components["schemas"]["GameEndedLeaf"] | components["schemas"]["DeckSeedCommittedLeaf"] | components["schemas"]["DeckSeedRevealedLeaf"] | components["schemas"]["DeckSeedOmittedLeaf"] | components["schemas"]["DeckSeedsDroppedLeaf"] | components["schemas"]["DeckCommitmentsClosedLeaf"] | components["schemas"]["DeckSeedsSettledLeaf"] | components["schemas"]["DeckBatchEndedLeaf"] | components["schemas"]["DrawTiedLeaf"] | components["schemas"]["DealerDrawnLeaf"] | components["schemas"]["CardUpturnedLeaf"] | components["schemas"]["UpturnedExposedLeaf"] | components["schemas"]["HandDealtLeaf"] | components["schemas"]["AntesPlacedLeaf"] | components["schemas"]["CardsHeldLeaf"] | components["schemas"]["CardExchangedLeaf"] | components["schemas"]["HandThrownInLeaf"] | components["schemas"]["UppingOfferedLeaf"] | components["schemas"]["UppingPassedLeaf"] | components["schemas"]["UppingAcceptedLeaf"] | components["schemas"]["UppingDeclinedLeaf"] | components["schemas"]["UppingCollectedLeaf"] | components["schemas"]["OfferReturnedLeaf"] | components["schemas"]["RoundDeadLeaf"] | components["schemas"]["RoundWonLeaf"] | components["schemas"]["RoundWonUncontestedLeaf"] | components["schemas"]["CentreDividedLeaf"] | components["schemas"]["CentreCollectedLeaf"] | components["schemas"]["AntesReturnedLeaf"] | components["schemas"]["PlayerBankruptLeaf"] | components["schemas"]["PlayerResignedLeaf"] | components["schemas"]["RoundEndedLeaf"] | components["schemas"]["ChipsBoughtLeaf"] | components["schemas"]["HandSatOutLeaf"] | components["schemas"]["SatInLeaf"] | components["schemas"]["BetPlacedLeaf"] | components["schemas"]["HandBegunLeaf"] | components["schemas"]["DealBegunLeaf"] | components["schemas"]["OffersAwaitedLeaf"] | components["schemas"]["InsuranceOfferedLeaf"] | components["schemas"]["InsuranceAcceptedLeaf"] | components["schemas"]["InsuranceRefusedLeaf"] | components["schemas"]["HandSettledLeaf"] | components["schemas"]["PlayerKnockedOutLeaf"] | components["schemas"]["HandEndedLeaf"] | components["schemas"]["SlipsAwaitedLeaf"] | components["schemas"]["SlipWrittenLeaf"] | components["schemas"]["FootToldLeaf"] | components["schemas"]["HandCancelledLeaf"] | components["schemas"]["PassAwaitedLeaf"] | components["schemas"]["PassChosenLeaf"] | components["schemas"]["CardsPassedLeaf"] | components["schemas"]["BidsAwaitedLeaf"] | components["schemas"]["BidWrittenLeaf"] | components["schemas"]["BidsOpenedLeaf"] | components["schemas"]["AuctionSettledLeaf"] | components["schemas"]["LeftoverChosenLeaf"] | components["schemas"]["LeftoverGivenLeaf"] | components["schemas"]["PlayBegunLeaf"] | components["schemas"]["CardPlayedLeaf"] | components["schemas"]["TrickTakenLeaf"] | components["schemas"]["HandScoredLeaf"] | components["schemas"]["HandFinishedLeaf"];
    /** An event of the service's own stream as it is hashed. */
    ServiceLeaf: components["schemas"]["LogOpenedLeaf"] | components["schemas"]["StreamShortenedLeaf"] | components["schemas"]["KeyMadeLeaf"] | components["schemas"]["KeyAdoptedLeaf"] | components["schemas"]["KeyEndedLeaf"] | components["schemas"]["TableImportedLeaf"] | components["schemas"]["ValueErasedAtLeaf"] | components["schemas"]["ReleaseChangedLeaf"] | components["schemas"]["SigningKeyChangedLeaf"] | components["schemas"]["ServiceKeyRotatedLeaf"] | components["schemas"]["TableArchivedLeaf"];
    /** An event of a table's disputes as it is hashed. */
    DisputeLeaf: components["schemas"]["DisputeOpenedLeaf"] | components["schemas"]["DisputeAnsweredLeaf"] | components["schemas"]["AnswersRequestedLeaf"] | components["schemas"]["DisputeTakenLeaf"] | components["schemas"]["DisputeReturnedLeaf"] | components["schemas"]["DisputeDecidedLeaf"] | components["schemas"]["CorrectionProposedLeaf"] | components["schemas"]["CorrectionApprovedLeaf"] | components["schemas"]["CorrectionRefusedLeaf"] | components["schemas"]["DisputeWithdrawnLeaf"] | components["schemas"]["DisputeValueErasedLeaf"] | components["schemas"]["VerdictChangedLeaf"];
    /** Pieces in each ante heap by seat, the newest heap last. */
    BankruptViewHeaps: { [member: string]: (number)[] };
    /** Cards by seat; ?? for a hidden card. */
    BankruptViewCards: { [member: string]: (string)[] };
    /** Discarded cards by seat; ?? for a hidden card. */
    BankruptViewDiscards: { [member: string]: string };
    /** Cards on the table by seat, the banker's card included. */
    InsuranceViewCards: { [member: string]: string };
    /** Hands by seat; `??` for each card that the caller may not see. */
    HeartsViewHands: { [member: string]: (string)[] };
    /** Insurance numbers that the caller may read, by seat. */
    HeartsViewInsurance: { [member: string]: number };
    /** By seat, whether the seat called a foot, if the caller may read this. */
    HeartsViewFoot: { [member: string]: boolean };
    /** Passed cards that the caller may see, by the seat that passed them. */
    HeartsViewPassed: { [member: string]: (string)[] };
    /** Bids that the caller may read, by seat. */
    HeartsViewBids: { [member: string]: components["schemas"]["Bid"] };
    /** The card of the auction that each seat got. */
    HeartsViewGained: { [member: string]: string };
    /** Tricks that each seat has taken in this hand. */
    HeartsViewTricks: { [member: string]: number };
    /** Hearts and the queen of spades that each seat has taken in this hand. */
    HeartsViewTaken: { [member: string]: (string)[] };
    /** The total score of each seat. */
    HeartsViewScores: { [member: string]: number };
    /** A table at one position, as the caller may see it. */
    BankruptTable: {
      /** The table's id. */
      table: string;
      /** The game's name. */
      game: "bankrupt";
      /** The edition of the game's rules and rulings, fixed for the table. */
      edition: number;
      /** The author and the rule sheet of the game. */
      credit: components["schemas"]["Credit"];
      /** The position of the table that the view shows. */
      position: number;
      /** The status of the table. */
      status: "open" | "playing" | "finished" | "closed";
      /** When the table was imported; an imported table is read-only. Empty: it was not imported. */
      imported_at: string;
      /** Who may see the table: everybody, or only its host, players, invited owners, auditors and approvers. */
      visibility: "private" | "public";
      /** The owner who opened the table and runs it. */
      host: string;
      /** The values of all options of the game. */
      options: { [member: string]: boolean | number | string | (number)[] };
      /** The seconds that players have before the service decides; 0: no limit. */
      time_limit_seconds: number;
      /** The end of the time limit for the decision that is due (G.3): the `at` of the event since which the decision is due, plus the time limit. Empty: the table has no time limit, or no time runs now. If the table has not moved on by then, the service makes the decision within seconds; after an outage, only when a whole time limit has passed since the service came back. The service never makes the decision earlier, unless the host calls time. */
      due_at: string;
      /** For how many days after a hand's last event the hand may be disputed, once the game is over (D.2). */
      dispute_days: number;
      /** What a chip is worth in money; null: nothing. */
      worth: components["schemas"]["Worth"] | null;
      /** The number of the current or latest hand; 0: no hand yet. */
      hand: number;
      /** Whether a hand is being played. */
      hand_is_running: boolean;
      /** The seats of the table, in the order of their numbers. */
      seats: (components["schemas"]["SeatView"])[];
      /** The owners who have an open invitation (G.10). */
      invited: (string)[];
      /** The balances of the accounts that were used so far or exist from the start, such as scores. */
      balances: { [member: string]: number };
      /** Who must decide now: "seat:<n>" or "host". */
      due: (string)[];
      /** The caller's seat, if the key has the scope play; 0: no seat. */
      you: number;
      /** The numbers of the winners' seats. */
      winners: (number)[];
      /** The deck in play, and the deck in reserve. */
      deck: components["schemas"]["DeckView"];
      /** Whose seeds determine the decks' order, and who owes a seed (G.9). */
      seeds: components["schemas"]["SeedsView"];
      /** The part of the view that belongs to this game alone. */
      view: components["schemas"]["BankruptView"];
    };
    /** A table at one position, as the caller may see it. */
    InsuranceTable: {
      /** The table's id. */
      table: string;
      /** The game's name. */
      game: "insurance";
      /** The edition of the game's rules and rulings, fixed for the table. */
      edition: number;
      /** The author and the rule sheet of the game. */
      credit: components["schemas"]["Credit"];
      /** The position of the table that the view shows. */
      position: number;
      /** The status of the table. */
      status: "open" | "playing" | "finished" | "closed";
      /** When the table was imported; an imported table is read-only. Empty: it was not imported. */
      imported_at: string;
      /** Who may see the table: everybody, or only its host, players, invited owners, auditors and approvers. */
      visibility: "private" | "public";
      /** The owner who opened the table and runs it. */
      host: string;
      /** The values of all options of the game. */
      options: { [member: string]: boolean | number | string | (number)[] };
      /** The seconds that players have before the service decides; 0: no limit. */
      time_limit_seconds: number;
      /** The end of the time limit for the decision that is due (G.3): the `at` of the event since which the decision is due, plus the time limit. Empty: the table has no time limit, or no time runs now. If the table has not moved on by then, the service makes the decision within seconds; after an outage, only when a whole time limit has passed since the service came back. The service never makes the decision earlier, unless the host calls time. */
      due_at: string;
      /** For how many days after a hand's last event the hand may be disputed, once the game is over (D.2). */
      dispute_days: number;
      /** What a chip is worth in money; null: nothing. */
      worth: components["schemas"]["Worth"] | null;
      /** The number of the current or latest hand; 0: no hand yet. */
      hand: number;
      /** Whether a hand is being played. */
      hand_is_running: boolean;
      /** The seats of the table, in the order of their numbers. */
      seats: (components["schemas"]["SeatView"])[];
      /** The owners who have an open invitation (G.10). */
      invited: (string)[];
      /** The balances of the accounts that were used so far or exist from the start, such as scores. */
      balances: { [member: string]: number };
      /** Who must decide now: "seat:<n>" or "host". */
      due: (string)[];
      /** The caller's seat, if the key has the scope play; 0: no seat. */
      you: number;
      /** The numbers of the winners' seats. */
      winners: (number)[];
      /** The deck in play, and the deck in reserve. */
      deck: components["schemas"]["DeckView"];
      /** Whose seeds determine the decks' order, and who owes a seed (G.9). */
      seeds: components["schemas"]["SeedsView"];
      /** The part of the view that belongs to this game alone. */
      view: components["schemas"]["InsuranceView"];
    };
    /** A table at one position, as the caller may see it. */
    InsuranceHeartsTable: {
      /** The table's id. */
      table: string;
      /** The game's name. */
      game: "insurance_hearts";
      /** The edition of the game's rules and rulings, fixed for the table. */
      edition: number;
      /** The author and the rule sheet of the game. */
      credit: components["schemas"]["Credit"];
      /** The position of the table that the view shows. */
      position: number;
      /** The status of the table. */
      status: "open" | "playing" | "finished" | "closed";
      /** When the table was imported; an imported table is read-only. Empty: it was not imported. */
      imported_at: string;
      /** Who may see the table: everybody, or only its host, players, invited owners, auditors and approvers. */
      visibility: "private" | "public";
      /** The owner who opened the table and runs it. */
      host: string;
      /** The values of all options of the game. */
      options: { [member: string]: boolean | number | string | (number)[] };
      /** The seconds that players have before the service decides; 0: no limit. */
      time_limit_seconds: number;
      /** The end of the time limit for the decision that is due (G.3): the `at` of the event since which the decision is due, plus the time limit. Empty: the table has no time limit, or no time runs now. If the table has not moved on by then, the service makes the decision within seconds; after an outage, only when a whole time limit has passed since the service came back. The service never makes the decision earlier, unless the host calls time. */
      due_at: string;
      /** For how many days after a hand's last event the hand may be disputed, once the game is over (D.2). */
      dispute_days: number;
      /** What a chip is worth in money; null: nothing. */
      worth: components["schemas"]["Worth"] | null;
      /** The number of the current or latest hand; 0: no hand yet. */
      hand: number;
      /** Whether a hand is being played. */
      hand_is_running: boolean;
      /** The seats of the table, in the order of their numbers. */
      seats: (components["schemas"]["SeatView"])[];
      /** The owners who have an open invitation (G.10). */
      invited: (string)[];
      /** The balances of the accounts that were used so far or exist from the start, such as scores. */
      balances: { [member: string]: number };
      /** Who must decide now: "seat:<n>" or "host". */
      due: (string)[];
      /** The caller's seat, if the key has the scope play; 0: no seat. */
      you: number;
      /** The numbers of the winners' seats. */
      winners: (number)[];
      /** The deck in play, and the deck in reserve. */
      deck: components["schemas"]["DeckView"];
      /** Whose seeds determine the decks' order, and who owes a seed (G.9). */
      seeds: components["schemas"]["SeedsView"];
      /** The part of the view that belongs to this game alone. */
      view: components["schemas"]["HeartsView"];
    };
    /** Problem details (RFC 9457). The members besides the required ones depend on the problem. */
    Problem: {
      /** The path of the problem's page: /problems/<code>. */
      type: string;
      /** The title, for people. */
      title: string;
      /** The HTTP status. */
      status: number;
      /** What must hold: the problem's code, or the refusal's code if the rules refused the command. */
      code: "body_must_be_json" | "idempotency_key_must_be_given" | "position_must_be_well_formed" | "key_must_be_given" | "key_must_be_valid" | "scope_must_be_granted" | "asker_must_be_the_host" | "asker_must_be_a_player" | "key_must_be_within_your_power" | "player_must_be_yours_to_seat" | "checkpoint_must_be_genuine" | "resource_must_exist" | "table_must_exist" | "game_must_exist" | "account_must_exist" | "hand_must_exist" | "dispute_must_exist" | "position_must_exist" | "key_must_exist" | "checkpoint_must_exist" | "tile_must_exist" | "proof_must_exist" | "method_must_be_allowed" | "body_must_come_in_time" | "refused_by_the_rules" | "table_must_be_played_here" | "table_must_be_intact" | "dossier_must_be_small" | "cursor_must_be_of_this_log" | "last_admin_key_must_stay" | "tables_must_be_fewer" | "keys_must_be_fewer" | "seats_must_be_fewer" | "checkpoint_must_be_of_the_tree" | "position_must_match" | "body_must_be_small" | "content_type_must_be_json" | "request_must_have_its_shape" | "idempotency_key_must_be_new" | "requests_must_be_fewer" | "service_must_not_fail" | "outcome_must_be_known" | "service_must_be_ready" | "place_must_be_free" | "body_must_find_a_place" | "database_must_answer" | "action_must_belong_to_the_game" | "adjustment_must_be_between_players" | "adjustment_must_be_in_the_tables_unit" | "adjustment_must_correct_the_hand" | "adjustments_must_stay_countable" | "answer_must_be_asked_for" | "answerer_must_be_party" | "ante_must_be_being_upped" | "approver_must_be_another" | "approver_must_not_be_party" | "auditor_must_have_taken" | "auditor_must_not_host" | "auditor_must_not_play" | "banker_must_do_it" | "banker_must_not_bet" | "batch_must_await_seeds" | "bet_must_be_within_its_bounds" | "bet_must_stand" | "bets_must_all_lie" | "bets_must_be_open" | "bid_must_be_within_its_bounds" | "bids_must_be_awaited" | "blinds_must_be_of_the_sealed_fields" | "buy_in_must_be_the_tables" | "card_must_be_first_or_second" | "card_must_be_held" | "card_must_be_left" | "card_must_be_up_for_auction" | "cards_must_be_being_decided_on" | "chips_must_be_within_their_bounds" | "choice_must_stand" | "commitment_must_be_given" | "commitment_must_stand" | "commitments_must_be_closed" | "commitments_must_be_open" | "complainant_must_be_party" | "contradiction_must_be_declared" | "correction_must_be_proposed" | "dealer_must_deal" | "decks_must_be_revealed" | "dispute_must_await_its_auditor" | "dispute_must_be_free" | "dispute_must_be_in_time" | "dispute_must_not_be_decided" | "dispute_value_must_be_sealed" | "disputed_hand_must_exist" | "earlier_correction_must_be_named" | "earlier_dispute_must_be_closed" | "enough_must_be_able_to_play" | "enough_seats_must_be_taken" | "fault_must_be_found" | "first_trick_must_be_free_of_points" | "followed_dispute_must_be_corrected" | "foot_must_be_left" | "foot_must_be_played" | "game_must_be_under_way" | "game_must_not_be_over" | "game_must_not_have_started" | "hand_must_be_disputed_less_often" | "hand_must_be_one_to_sit_out" | "hand_must_be_over" | "hand_must_be_under_way" | "hand_must_not_be_running" | "head_must_be_of_the_turn" | "hearts_must_be_broken" | "host_must_ask" | "insurance_must_be_within_its_bounds" | "invitations_must_be_fewer" | "invited_must_not_sit_here" | "leftovers_must_lie" | "move_must_be_signed" | "move_must_not_be_signed" | "offer_must_be_answered_first" | "offer_must_be_awaited" | "offer_must_be_within_its_bounds" | "offer_must_be_within_the_cap" | "offer_must_have_been_made" | "offer_must_lie_in_its_zone" | "offers_must_be_awaited" | "offers_must_lie" | "open_invitations_must_be_fewer" | "options_must_be_the_games" | "passed_cards_must_be_three" | "passes_must_be_awaited" | "player_must_be_in_the_game" | "player_must_be_in_the_hand" | "player_must_be_invited" | "player_must_be_sitting_out" | "player_must_have_a_seat" | "player_must_not_be_invited_twice" | "player_must_not_sit_twice" | "proposal_must_be_decided" | "round_must_be_settled" | "rule_must_be_the_games" | "seat_must_be_free" | "seat_must_be_taken_less_often" | "seat_must_cost_nothing" | "seats_must_be_within_the_games" | "seed_must_match_its_commitment" | "seed_must_stand" | "seeds_must_be_in" | "service_must_ask" | "signature_must_be_valid" | "signing_key_must_be_new" | "signing_key_must_be_registered" | "signing_key_must_be_sound" | "slips_must_be_awaited" | "suit_must_be_followed" | "table_must_be_for_gambling" | "table_must_be_new" | "table_must_have_a_free_seat" | "table_must_have_players_seeds" | "throw_ins_in_a_row_must_be_within_the_limit" | "tricks_must_be_played" | "turn_must_be_yours" | "two_of_clubs_must_lead" | "withdrawer_must_have_opened" | "worth_must_be_of_chips";
      /** What happened in this case, for people; empty: there are no details. */
      detail: string;
      /** The id of the request in the service's log lines. */
      request_id: string;
      /** The errors in the request, each with its place; if left out: []. */
      errors?: (components["schemas"]["Error"])[];
      /** The number of further errors that `errors` does not list; if left out: 0. */
      more_errors?: number;
      /** A scope that the key lacks, and that is enough for the request. */
      scope?: "admin" | "approve" | "audit" | "host" | "metrics" | "play";
      /** The rule of the author's sheet that the refusal cites. */
      rule?: string;
      /** Our ruling that the refusal cites. */
      ruling?: string;
      /** The table's position; 0: the table is not open yet. For a damaged log, the first damaged position. */
      position?: number;
    };
    /** The options of a table of Bankrupt, which the players agree on before the game. */
    BankruptOptions: {
      /** Pieces that each player starts with (Rule 4). */
      buy_in?: number;
      /** The number of dead rounds in a row after which the centre is divided (option 2, BO2.1). */
      max_dead_rounds?: number;
      /** The maximum number of rounds in a row in which a player may throw in (option 2, BO2.1). */
      max_throw_ins_in_a_row?: number;
      /** Whether players show only one card if this card settles the round (option 1, BO1.1). */
      show_one_card?: boolean;
    };
    /** The options of a table of Insurance, which the players agree on before the first hand. */
    InsuranceOptions: {
      /** gambling: players may buy chips or leave between hands; non_gambling: the last player wins. */
      form?: "gambling" | "non_gambling";
      /** The chips with which each player starts; in the gambling game only a suggestion. */
      buy_in?: number;
      /** Non-gambling: the list of standard bets; no bet may be lower than the bet before. Each knock-out moves the standard bet one step along the list, up to the last bet. Empty: players choose their bets (I-BET.3). */
      standard_bets?: (number)[];
      /** The seat of the first banker (I-END.2). */
      first_banker?: number;
    };
    /** The options of a table of Insurance Hearts; if the three optional rules are off, the game is Hearts. */
    InsuranceHeartsOptions: {
      /** Insurance: each player insures against taking the queen of spades (IH.5, IH.6). */
      insurance?: boolean;
      /** Bidding: players get twelve cards each, and bid for the other four (IH.7 to IH.10). */
      bidding?: boolean;
      /** Foot rule: once a game, each player may cancel a hand before passing (IH.3, IH.4). */
      foot?: boolean;
      /** Whether the queen of spades breaks hearts too (H-BREAK.1). */
      queen_breaks_hearts?: boolean;
      /** The game ends after the hand in which a total reaches this number of points (H-END.1). */
      target?: number;
    };
  };
}
