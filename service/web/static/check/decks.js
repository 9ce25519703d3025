/**
 * The decks of a table, event by event: commitments, players' seeds, dealing from the top, and faces.
 *
 * @module
 */

import { Batch, Deck, PACK, shuffled } from "./deck.js";
import { hashOfLines } from "./hashes.js";
import {
  each, exactly, get, has, isHex, isObject, isThere, isWhole, key, must, same, shown, sorted,
} from "./values.js";

/** @typedef {import("./dossier.js").Dossier} Dossier */

const OUT_OF_THE_GAME = ["seat_left", "player_resigned", "player_bankrupt", "player_knocked_out"];

/**
 * Each deck was committed to, fixed, dealt from the top, and revealed after its use; shown faces are the deck's.
 *
 * @param {Dossier} dossier
 */
export async function checkDecks(dossier) {
  const table = new Decks(dossier);
  dossier.decks = table.decks;
  for (const [position, event, pub] of dossier.each()) await table.read(position, event, pub);
  table.mustBeSettled();
  for (const deck of table.decks.values()) {
    for (const [position, pos, face, salt] of deck.order.length > 0 ? deck.shown : []) {
      const [place, right] = [`position ${position}`, deck.order[pos]];
      must(right === face, place, `card ${pos} of ${deck.epoch} must be ${right}, not ${face}`);
      must(deck.salts[pos] === salt, place, `the salt of card ${pos} of ${deck.epoch} must be the deck's`);
    }
  }
  const revealed = [...table.decks.values()].filter((deck) => deck.seed).length;
  return `${table.decks.size} decks, ${revealed} of them revealed, follow from their seeds`;
}

export class Decks {
  /** @param {Dossier} dossier */
  constructor(dossier) {
    this.table = dossier.begin.stream.slice("table/".length);
    this.hasSeeds = get(get(dossier.events[0], "pub"), "seeds", "") === "players";
    /** @type {Map<string, Deck>} */
    this.decks = new Map();
    /** @type {Deck[]} */
    this.reserve = [];
    this.inPlay = this.decision = "";
    this.isOver = false;
    /** @type {Set<any>} the seats in the game */
    this.seats = new Set();
    /** @type {Map<any, Batch>} */
    this.batches = new Map();
    this.serverCommits = new Set();
  }

  /** Check the next event.
   * @param {number} position @param {any} event @param {any} pub */
  async read(position, event, pub) {
    const [kind, place] = [event.type, `position ${position}`];
    this.decision = "cmd" in event ? kind : this.decision;
    if (kind === "seat_taken") {
      this.seats.add(key(get(pub, "seat")));
    } else if (OUT_OF_THE_GAME.includes(kind)) {
      this.seats.delete(key(get(pub, "seat")));
    } else if (kind === "deck_opened") {
      await this.open(position, pub, place);
    } else if (/^deck_(?:seed|commitments|batch)/.test(kind)) {
      await this.addSeeds(kind, pub, place);
    } else if (kind === "deck_fixed") {
      this.fix(pub, place);
    } else if (kind === "deck_revealed" || kind === "deck_unused") {
      await this.reveal(kind, pub, place);
    } else if (kind === "cards_dealt") {
      this.deal(pub, place);
    } else if (kind === "cards_bottomed") {
      this.bottom(pub, place);
    } else if ("epoch" in pub && "order" in pub) {
      const deck = this.deck(pub, place);
      const isOrder = same(sorted(each(pub.order)), sorted(deck.left));
      must(isOrder, place, "order must have exactly the cards that are left");
      deck.left = [...each(pub.order)];
    } else if (kind === "game_ended" || kind === "table_closed") {
      this.isOver = true;
    }
    if ("epoch" in pub) this.show(position, pub, place);
  }

  /** @param {any} pub @param {string} place */
  deck(pub, place) {
    const deck = this.decks.get(get(pub, "epoch"));
    const isInUse = deck !== undefined && deck.fixed && !deck.seed;
    must(isInUse, place, `${shown(pub.epoch)} must be a deck that was fixed and is not retired`);
    return deck;
  }

  /** @param {number} position @param {any} pub @param {string} place */
  async open(position, pub, place) {
    const epoch = `${this.table}/${this.decks.size + 1}`;
    must(get(pub, "epoch") === epoch, place, `the deck must be ${epoch}`);
    const packId = await hashOfLines("chiptrail/input/v1", ...PACK);
    const isPack = get(pub, "n") === PACK.length && get(pub, "input_id") === packId;
    must(isPack, place, "the pack must be the fresh pack of 52 cards");
    const commit = get(pub, "server_commit");
    must(isHex(commit), place, "must commit to a seed");
    must(!this.serverCommits.has(commit), place, "no other deck may have the same server_commit");
    this.serverCommits.add(commit);
    const deck = new Deck(position, epoch, commit, get(pub, "batch", ""));
    this.decks.set(epoch, deck);
    this.reserve.push(deck);
    const hasBatch = isThere(deck.batch);
    must(hasBatch === this.hasSeeds, place, "must have a batch if players add seeds, and only then");
    if (!hasBatch) return;
    const batch = this.batches.get(key(deck.batch));
    const isOpen = deck.batch === epoch || (batch && batch.committed.size === 0);
    must(isOpen, place, "a deck must be opened before a seat commits to a seed for its batch");
    if (!batch) this.batches.set(deck.batch, new Batch());
  }

  /** @param {string} kind @param {any} pub @param {string} place */
  async addSeeds(kind, pub, place) {
    const batch = this.batches.get(key(get(pub, "epoch")));
    must(batch, place, "must name a batch of decks");
    const [seat, seats] = [get(pub, "seat", 0), sorted(each(get(pub, "seats", [])))];
    const committed = sorted(batch.committed.keys());
    if (kind === "deck_commitments_closed" || (kind === "deck_seeds_settled" && !batch.isClosed)) {
      const late = sorted([...this.seats].filter((one) => !batch.committed.has(one) && !batch.omitted.has(one)));
      const isDue = late.length === 0 && !batch.isClosed;
      must(isDue, place, `seats ${shown(late)} must commit first, or time must be called`);
      batch.isClosed = true;
    }
    if (kind === "deck_seed_committed") {
      const mayCommit = !batch.isClosed && this.seats.has(key(seat)) && !batch.omitted.has(seat);
      const isFirst = mayCommit && !batch.committed.has(seat) && isHex(get(pub, "client_commit"));
      must(isFirst, place, "a seat must commit once, before commitments close");
      batch.committed.set(seat, pub.client_commit);
    } else if (kind === "deck_seed_omitted") {
      must("called" in pub, place, "a seat must be left out only because time was called");
      batch.omitted.add(key(seat));
    } else if (kind === "deck_commitments_closed") {
      must(same(seats, committed), place, `the seats that committed must be ${shown(committed)}`);
    } else if (kind === "deck_seed_revealed") {
      await this.showSeed(batch, key(seat), pub, place);
    } else if (kind === "deck_seeds_dropped") {
      const missing = committed.filter((one) => !batch.shown.has(one));
      must(same(seats, missing), place, `the seats that showed no seed must be ${shown(missing)}`);
      const mayDrop = batch.isClosed && missing.length > 0 && "called" in pub;
      must(mayDrop, place, "must be dropped only because time was called");
      batch.isDropped = true;
    } else if (kind === "deck_batch_ended") {
      const mayEnd = ["seat_taken", "seat_left"].includes(this.decision) && !batch.isEnded;
      must(mayEnd, place, "a batch must end only because a player took a seat or left");
      batch.isEnded = true;
    } else if (kind === "deck_seeds_settled") {
      const wanted = batch.isDropped ? [] : committed;
      must(batch.settled === null, place, "the seeds of a batch must be settled once");
      const areShown = same(seats, wanted) && wanted.every((one) => batch.shown.has(one));
      must(areShown, place, `must have the seeds of seats ${shown(wanted)}`);
      batch.settled = seats;
    }
  }

  /** @param {Batch} batch @param {any} seat @param {any} pub @param {string} place */
  async showSeed(batch, seat, pub, place) {
    const seed = get(pub, "client_seed");
    must(isHex(seed) && batch.isClosed, place, "a seed must be shown after commitments close");
    const found = await hashOfLines("chiptrail/client-seed/v1", pub.epoch, `seat:${shown(seat)}`, seed);
    must(batch.committed.get(seat) === found, place, "the seed must be the one to which the seat committed");
    batch.shown.set(seat, seed);
  }

  /** @param {any} batch the name of a batch */
  batchOf(batch) {
    return this.batches.get(batch) ?? new Batch();
  }

  /** @param {any} pub @param {string} place */
  fix(pub, place) {
    while (this.reserve.length > 0 && this.batchOf(this.reserve[0].batch).isEnded) this.reserve.shift();
    const deck = this.reserve.shift();
    must(deck && deck.epoch === get(pub, "epoch"), place, "must be the next deck in reserve");
    const [transcript, root] = [get(pub, "transcript"), get(pub, "deck_root")];
    must(isHex(transcript) && isHex(root), place, "must have transcript and deck_root");
    const [batch, seats] = [this.batchOf(deck.batch), get(pub, "seats", [])];
    const wanted = isThere(deck.batch) ? batch.settled : [];
    must(wanted && same(seats, wanted), place, `must have the seeds of seats ${shown(batch.settled)}`);
    const some = wanted.some((seat) => this.seats.has(seat)) ? "partial" : "operator";
    const areAll = this.seats.size > 0 && [...this.seats].every((seat) => wanted.includes(seat));
    const level = areAll ? "joint" : some;
    const inTheGame = shown(sorted(this.seats));
    must(get(pub, "level") === level, place, `the level must be ${level}: the seats in the game are ${inTheGame}`);
    deck.clients = new Map(wanted.map((seat) => [seat, String(batch.shown.get(seat))]));
    [deck.fixed, this.inPlay] = [pub, deck.epoch];
  }

  /** @param {string} kind @param {any} pub @param {string} place */
  async reveal(kind, pub, place) {
    const deck = this.decks.get(get(pub, "epoch"));
    const isNew = deck !== undefined && !deck.seed && Boolean(deck.fixed) === (kind === "deck_revealed");
    must(isNew, place, `${shown(pub.epoch)} must be a deck to reveal, for the first time`);
    if (kind === "deck_unused") {
      const isDone = this.isOver || this.batchOf(deck.batch).isEnded;
      must(isDone, place, "a deck must be unused only because its batch or the game has ended");
    }
    must(isHex(get(pub, "server_seed")), place, "must have a seed");
    deck.seed = pub.server_seed;
    const commit = await hashOfLines("chiptrail/server-seed/v1", deck.epoch, deck.seed);
    must(commit === deck.serverCommit, place, `the seed must be the one of position ${deck.position}`);
    if (!deck.fixed) return;
    const made = await shuffled(deck.epoch, deck.seed, deck.clients);
    must(made.transcript === deck.fixed.transcript, place, "the seeds must give the transcript that was fixed");
    must(made.root === deck.fixed.deck_root, place, "the seeds must give the deck_root that was fixed");
    [deck.order, deck.salts] = [made.order, made.salts];
  }

  /** @param {any} pub @param {string} place */
  deal(pub, place) {
    const deck = this.deck(pub, place);
    must(deck.epoch === this.inPlay, place, `cards must be dealt from ${this.inPlay}`);
    const dealt = each(get(pub, "cards")).map((card) => exactly(2, card)[0]);
    const top = deck.left.slice(0, dealt.length);
    must(same(dealt, top), place, `cards must be dealt from the top of the deck, which is ${shown(top)}`);
    deck.left = deck.left.slice(dealt.length);
    for (const pos of dealt) deck.out.add(pos);
  }

  /** @param {any} pub @param {string} place */
  bottom(pub, place) {
    const [deck, used] = [this.deck(pub, place), each(get(pub, "positions"))];
    const areUsed = used.every((pos) => deck.out.has(key(pos))) && new Set(used).size === used.length;
    must(areUsed, place, "used cards must be cards that were dealt, each once");
    deck.left = [...deck.left, ...used];
    for (const pos of used) deck.out.delete(pos);
  }

  /** @param {number} position @param {any} pub @param {string} place */
  show(position, pub, place) {
    const cards = Array.isArray(pub.cards) ? pub.cards.filter(isObject) : [];
    for (const card of [pub, ...cards]) {
      if (!("salt" in card)) continue;
      const deck = this.deck(pub, place);
      const [pos, face, salt] = [get(card, "pos"), get(card, "face"), get(card, "salt")];
      const isCard = isWhole(pos) && pos >= 0 && pos < PACK.length && has(PACK, face) && isHex(salt);
      must(isCard, place, "must show a card of the deck");
      deck.shown.push([position, pos, face, salt]);
    }
  }

  /** Check that the seeds of all decks that are no longer needed are revealed. */
  mustBeSettled() {
    for (const deck of this.decks.values()) {
      const isUsedUp = deck.fixed && deck.epoch !== this.inPlay;
      const why = `the seed of ${deck.epoch} must be revealed by the end of the stream`;
      must(deck.seed || !(this.isOver || isUsedUp), `position ${deck.position}`, why);
    }
  }
}
