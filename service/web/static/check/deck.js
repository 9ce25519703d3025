/**
 * A deck (deck/v1): what the log says about it, and the order, salts and root that follow from its seeds.
 *
 * @module
 */

import { fromHex, hashOfLines, leafHash, lines, macBy, sha256, toHex, utf8 } from "./hashes.js";
import { treeRoot } from "./notes.js";
import { sorted } from "./values.js";

export const PACK = [..."cdhs"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));

/** A deck of the table: what the log says about it, and its order if its seed is known. */
export class Deck {
  /**
   * @param {number} position
   * @param {string} epoch
   * @param {string} serverCommit
   * @param {any} batch
   */
  constructor(position, epoch, serverCommit, batch) {
    this.position = position;
    this.epoch = epoch;
    this.serverCommit = serverCommit;
    this.batch = batch;
    /** @type {any} the members of deck_fixed; null: it was not fixed */
    this.fixed = null;
    /** @type {Map<number, string>} by seat: its seed, in hex */
    this.clients = new Map();
    this.seed = "";
    /** @type {string[]} */
    this.order = [];
    /** @type {string[]} */
    this.salts = [];
    this.left = PACK.map((_, at) => at);
    /** @type {Set<number>} */
    this.out = new Set();
    /** @type {[number, number, string, string][]} where, position of the card, face, salt */
    this.shown = [];
  }
}

/** Decks to which the service committed together, and the seeds of players that go into all of them. */
export class Batch {
  constructor() {
    /** @type {Map<any, string>} */
    this.committed = new Map();
    /** @type {Set<any>} */
    this.omitted = new Set();
    /** @type {Map<any, string>} */
    this.shown = new Map();
    this.isClosed = this.isDropped = this.isEnded = false;
    /** @type {any[] | null} */
    this.settled = null;
  }
}

/**
 * Return the deck that follows from the service's `seed` and the seats' seeds (`clients`), all in hex.
 *
 * @param {string} epoch
 * @param {string} seed
 * @param {Map<number, string>} clients
 */
export async function shuffled(epoch, seed, clients, pack = PACK) {
  const [mac, n] = [await macBy(fromHex(seed)), pack.length];
  const commit = await hashOfLines("chiptrail/server-seed/v1", epoch, seed);
  const seats = sorted(clients.keys()).map((seat) => `seat seat:${seat} ${clients.get(seat)}`);
  const packId = await hashOfLines("chiptrail/input/v1", ...pack);
  const transcript = lines("chiptrail/shuffle/v1", epoch, commit, packId, n, ...seats, "beacon -");
  const draw = await drawing(await macBy(await mac(transcript)));
  const saltOf = await macBy(await mac(lines("chiptrail/salts/v1", epoch)));
  const order = [...pack];
  for (let i = n - 1; i > 0; i -= 1) {
    const j = await draw(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  const salts = (await Promise.all(order.map((_, p) => saltOf(lines("salt", p))))).map(toHex);
  const hashes = await Promise.all(order.map((face, p) => cardHash(epoch, p, face, salts[p])));
  return { transcript: toHex(await sha256(utf8(transcript))), order, salts, root: toHex(await treeRoot(hashes)) };
}

/**
 * Return the function that draws a number below m (1 to 256) from the stream of blocks; all numbers are equally likely.
 *
 * @param {(text: string) => Promise<Uint8Array>} block
 */
export async function drawing(block) {
  let [number, left] = [0, /** @type {number[]} */ ([])];
  /** @param {number} m */
  return async (m) => {
    for (;;) {
      if (left.length === 0) {
        left = [...await block(lines("stream", number))];
        number += 1;
      }
      const byte = Number(left.shift());
      if (byte < 256 - (256 % m)) return byte % m;
    }
  };
}

/**
 * Return the hash by which a deck's root commits to a card.
 *
 * @param {string} epoch
 * @param {number} pos
 * @param {string} face
 * @param {string} salt
 */
export function cardHash(epoch, pos, face, salt) {
  return leafHash(utf8(lines("chiptrail/card/v1", epoch, pos, face, salt)));
}
