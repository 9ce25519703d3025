/**
 * Plays a whole game of Bankrupt: makes two players, opens a table, and takes legal actions until somebody has won.
 *
 *     CHIPTRAIL_KEY=ctk_… node whole_game.mjs http://127.0.0.1:8000
 *
 * The key has the scope `host`. chiptrail.d.ts is generated from openapi.json; service/client/README.md has the commands.
 */
import type { components, paths } from "./chiptrail.js";

declare const process: { argv: string[]; env: Record<string, string | undefined> };

type Schemas = components["schemas"];
type Json<R> = R extends { content: { "application/json": infer Body } } ? Body : never;
type Answer<O> = O extends { responses: infer R } ? Json<R[keyof R & (200 | 201)]> : never;
type Body<O> = O extends { requestBody: infer B } ? Json<B> : never;
type Reads = { [P in keyof paths]: paths[P] extends { get: object } ? P : never }[keyof paths];
type Writes = { [P in keyof paths]: paths[P] extends { post: object } ? P : never }[keyof paths];

/** The server refused a request; `code` says what must hold. */
class Refused extends Error {
  constructor(readonly status: number, readonly code: string, detail: string) {
    super(`${status} ${code}: ${detail}`);
  }
}

/** Sends requests with one key. A command that got no answer is sent again under the same Idempotency-Key. */
class Client {
  constructor(readonly url: string, readonly key: string) {}

  get<P extends Reads>(path: P, table = "", query = ""): Promise<Answer<paths[P]["get"]>> {
    return this.ask("GET", path.replace("{table}", table) + query);
  }

  post<P extends Writes>(
    path: P,
    body: Body<paths[P]["post"]>,
    table = "",
    idempotencyKey = `${Date.now()} ${Math.random()}`,
  ): Promise<Answer<paths[P]["post"]>> {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": idempotencyKey };
    return this.ask("POST", path.replace("{table}", table), { body: JSON.stringify(body), headers });
  }

  private async ask<T>(method: string, path: string, more: { body?: string; headers?: object } = {}): Promise<T> {
    for (let patience = 10; ; patience--) {
      const headers = { Authorization: `Bearer ${this.key}`, ...more.headers };
      const response = await fetch(this.url + path, { method, ...more, headers }).catch((error: unknown) => {
        if (!patience) throw error;
      });
      if (response?.ok) return (await response.json()) as T;
      if (response && (![429, 502, 503, 504].includes(response.status) || !patience)) {
        const problem = (await response.json()) as { code: string; detail?: string };
        throw new Refused(response.status, problem.code, problem.detail ?? "");
      }
      const seconds = Number(response?.headers.get("Retry-After") ?? 0.1);
      await new Promise((done) => setTimeout(done, seconds * 1000));
    }
  }
}

/** Plays one seat: waits until a decision is due, takes a random action with the smallest numbers, and goes on. */
async function play(client: Client, table: string): Promise<void> {
  for (;;) {
    const listed = await client.get("/v1/tables/{table}/actions", table, "?wait=20");
    if (listed.status === "finished" || listed.status === "closed") return;
    const moves = listed.items.filter((item) => item.action.type !== "resign");
    const move = moves[Math.floor(Math.random() * moves.length)];
    if (!move) continue; // The wait is over.
    const numbers = Object.fromEntries(move.bounds.map((bound) => [bound.member, bound.least]));
    const action = { ...move.action, ...numbers } as Schemas["Action"];
    try {
      await client.post("/v1/tables/{table}/actions", action, table, `at ${listed.position}`);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 409)) throw error; // Another decision came first.
    }
  }
}

const host = new Client(process.argv[2] ?? "http://127.0.0.1:8000", process.env.CHIPTRAIL_KEY ?? "");
const opened = await host.post("/v1/tables", { game: "bankrupt", seats: 2, options: { buy_in: 3 } });
const table = opened.table;
const players: Client[] = [];
for (const label of ["Ann", "Bob"]) {
  const made = await host.post("/v1/keys", { scopes: ["play"], label });
  const player = new Client(host.url, made.token);
  await player.post("/v1/tables/{table}/seats", { chips: 3 }, table);
  players.push(player);
}
const start: Schemas["StartGame"] = { type: "start_game" };
await host.post("/v1/tables/{table}/actions", start, table);
await Promise.all(players.map((player) => play(player, table)));
const { winners, hand, position } = await host.get("/v1/tables/{table}", table);
console.log(`${table}: seat ${winners.join(" and ")} won after ${hand} hands, ${position} events`);
