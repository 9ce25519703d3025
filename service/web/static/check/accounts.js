/**
 * Checks the hands and the accounts of a table: nobody plays a card or moves a chip that is not there.
 *
 * @module
 */

import { sealedAt } from "./dossier.js";
import { OtherForm, each, exactly, get, grouped, isWhole, key, must } from "./values.js";

/** @typedef {import("./dossier.js").Dossier} Dossier */
/** @typedef {Map<number, Set<any>>} Hands the cards of each seat */

/**
 * In Insurance Hearts, each card that a seat played is a card that the seat then had, if its hand is known.
 *
 * @param {Dossier} dossier
 */
export function checkHands(dossier) {
  /** @type {import("./deck.js").Deck | null} */
  let deck = null;
  /** @type {Hands} */
  let hands = new Map();
  /** @type {Map<number, any>} by position of the choice; null: the viewer can't read it */
  let passed = new Map();
  let played = 0;
  for (const [position, event, pub] of dossier.each()) {
    const [kind, place] = [event.type, `position ${position}`];
    if (kind === "cards_dealt") {
      if (deck === null || deck.epoch !== pub.epoch) [deck, hands] = [dossier.deck(pub.epoch), new Map()];
      for (const [pos, to] of deck.order.length > 0 ? each(pub.cards) : []) {
        if (isWhole(to)) handOf(hands, to).add(deck.order[pos]);
      }
    } else if (kind === "pass_chosen") {
      passed.set(position, dossier.values.get(sealedAt(position, "cards")) ?? null);
    } else if (kind === "cards_passed") {
      [hands, passed] = [afterPassing(dossier, hands, passed, place), new Map()];
    } else if (kind === "auction_settled") {
      for (const sold of each(get(pub, "sold"))) hands.get(get(sold, "seat"))?.add(key(get(sold, "card")));
    } else if (kind === "leftover_chosen" || kind === "leftover_given") {
      hands.get(key(get(pub, "seat")))?.add(key(get(pub, "card")));
    } else if (kind === "card_played") {
      const hand = hands.get(key(get(pub, "seat")));
      if (!hand) continue;
      must(hand.has(key(get(pub, "card"))), place, `seat ${pub.seat} must have ${pub.card}`);
      hand.delete(pub.card);
      played += 1;
    }
  }
  return `${played} cards were played from the hands that had them`;
}

/** @param {Hands} hands @param {number} seat */
function handOf(hands, seat) {
  const hand = hands.get(seat) ?? new Set();
  hands.set(seat, hand);
  return hand;
}

/**
 * Return the hands after the cards were passed; return no hands if a choice can't be read.
 *
 * @param {Dossier} dossier
 * @param {Hands} hands
 * @param {Map<number, any>} passed
 * @param {string} place
 * @returns {Hands}
 */
function afterPassing(dossier, hands, passed, place) {
  const after = new Map([...hands].map(([seat, cards]) => [seat, new Set(cards)]));
  for (const [position, choice] of passed) {
    const { pub, priv } = dossier.events[position - 1];
    const giver = get(pub, "seat");
    const [receiver] = exactly(1, get(get(get(get(priv, "cards"), "until"), "shown"), "cards_passed"));
    if (choice === null || hands.size === 0) return new Map();
    const cards = each(choice).map(key);
    const areHis = cards.every((card) => hands.get(giver)?.has(card));
    must(areHis, place, `seat ${giver} must have the cards that it passed`);
    const [from, to] = [after.get(giver), after.get(receiver)];
    if (!from || !to) throw new OtherForm("a seat that has no cards passed some");
    for (const card of cards) {
      from.delete(card);
      to.add(card);
    }
  }
  return after;
}

/**
 * Each transfer moves something from one account to another; only house and pool go below zero.
 *
 * @param {Dossier} dossier
 */
export function checkTransfers(dossier) {
  /** @type {Map<string, bigint>} */
  const balances = new Map();
  let moved = 0;
  for (const [position, , pub] of dossier.each()) {
    const place = `position ${position}`;
    for (const [source, target, amount, unit] of transfersOf(pub)) {
      must(isWhole(amount) && amount > 0, place, "the amount of a transfer must be above zero");
      must(source !== target, place, "a transfer must have two accounts");
      for (const account of [source, target]) {
        if (typeof account !== "string") throw new OtherForm("an account must be a text");
        const right = ["pool", "score"].includes(account.split(":")[0]) ? "points" : "chips";
        must(unit === right, place, `the unit of ${account} must be ${right}`);
      }
      add(balances, source, -BigInt(amount));
      add(balances, target, BigInt(amount));
      const isFree = source === "house" || source === "pool";
      must(isFree || (balances.get(source) ?? 0n) >= 0n, place, `${source} must not go below zero`);
      moved += 1;
    }
  }
  return `${grouped(moved)} transfers balance, over ${balances.size} accounts`;
}

/**
 * Return the transfers of an event: source, target, amount, unit and rule of each.
 *
 * @param {any} pub
 * @returns {any[][]}
 */
export function transfersOf(pub) {
  return each(get(pub, "transfers", [])).map((one) => exactly(5, one));
}

/**
 * Add an amount to the balance of an account.
 *
 * @param {Map<string, bigint>} balances
 * @param {string} account
 * @param {bigint} amount
 */
export function add(balances, account, amount) {
  balances.set(account, (balances.get(account) ?? 0n) + amount);
}
