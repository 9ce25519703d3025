/**
 * Sealed fields and openings: what the viewer may read from which event on, and whether each opening is the right one.
 *
 * @module
 */

import { PACK, cardHash } from "./deck.js";
import { sealedAt } from "./dossier.js";
import { canonical, fromHex, joined, lines, plain, sha256, toHex, utf8 } from "./hashes.js";
import { rootByProof } from "./notes.js";
import { each, exactly, get, has, hasMembers, isHex, isThere, isWhole, key, members, must, quoted } from "./values.js";

/** @typedef {import("./dossier.js").Dossier} Dossier */
/** @typedef {{at: number, field?: Sealed, card?: [string, number]}} Wanted an opening, and from which event on */

const MOST_SEALED = 256;

/** A sealed field: its place, its commitments, the seats that may read it, and how its disclosure ended. */
export class Sealed {
  /** @param {number} position @param {string} name @param {any} seat @param {any} sealed */
  constructor(position, name, seat, sealed) {
    this.position = position;
    this.name = name;
    this.seat = seat;
    this.c = sealed.c;
    this.choice = get(sealed, "choice", "");
    this.until = sealed.until;
    this.readers = new Set(each(sealed.to));
    this.ended = "";
  }

  /** Update who may read the field after an event of the type `kind`.
   * @param {string} kind */
  pass(kind) {
    if (has(this.until.open, kind)) {
      this.ended = "open";
    } else if (has(this.until.never, kind)) {
      this.ended = "never";
    } else {
      for (const seat of each(get(get(this.until, "shown", plain({})), kind, []))) this.readers.add(key(seat));
    }
  }
}

/**
 * Return the fields that the seat `viewer` may read, each with the position of its disclosure, and all fields.
 *
 * Each field must be public or closed for good when a deck is revealed, the game ends or the table is closed.
 *
 * @param {Dossier} dossier
 * @param {number} viewer
 */
export function disclosures(dossier, viewer) {
  /** @type {Map<string, Sealed>} */
  const fields = new Map();
  /** @type {Set<Sealed>} */
  const openOnes = new Set();
  /** @type {{at: number, field: Sealed}[]} */
  const mayRead = [];
  for (const [position, event, pub] of dossier.each()) {
    const kind = event.type;
    for (const field of [...openOnes]) {
      const couldRead = field.readers.has(viewer);
      field.pass(kind);
      if (!couldRead && (field.readers.has(viewer) || field.ended === "open")) mayRead.push({ at: position, field });
      if (field.ended) openOnes.delete(field);
    }
    for (const [name, sealed] of members(get(event, "priv", plain({})))) {
      const field = new Sealed(position, name, get(pub, "seat"), sealed);
      fields.set(sealedAt(position, name), field);
      openOnes.add(field);
      if (field.readers.has(viewer)) mayRead.push({ at: position, field });
    }
    must(openOnes.size <= MOST_SEALED, dossier.at, `at most ${MOST_SEALED} fields may be sealed at a time`);
    if (!["deck_revealed", "game_ended", "table_closed"].includes(kind)) continue;
    for (const field of openOnes) {
      const why = `${field.name} must be public or closed for good by position ${position}`;
      must(false, `position ${field.position}`, why);
    }
  }
  return { mayRead, fields };
}

/**
 * The file has each opening that the viewer may read, once, in order and right. Of the fields that were sealed after
 * the hand, it has the openings for everybody.
 *
 * @param {Dossier} dossier
 */
export async function checkOpenings(dossier) {
  const { viewer, last } = dossier.begin;
  const { mayRead, fields } = disclosures(dossier, viewer);
  const erased = erasedPlaces(dossier, fields);
  const isLeftOut = (/** @type {Sealed} */ field) =>
    (field.position > last && field.ended !== "open") || erased.has(sealedAt(field.position, field.name));
  /** @type {Wanted[]} */
  const wanted = mayRead.filter(({ field }) => !isLeftOut(field));
  for (const [position, event, pub] of dossier.each()) {
    if (event.type !== "cards_dealt" || position > last || dossier.deck(pub.epoch).seed) continue;
    for (const [pos, to] of each(pub.cards).map((card) => exactly(2, card))) {
      if (viewer > 0 && to === viewer) wanted.push({ at: position, card: [pub.epoch, pos] });
    }
  }
  wanted.sort((one, other) => one.at - other.at || Number(Boolean(one.field)) - Number(Boolean(other.field)));
  for (const [index, opening] of dossier.openings.entries()) {
    const place = dossier.at = `openings.ndjson, line ${index + 2}`;
    must(index < wanted.length, place, "the viewer may read no further value");
    const { at, field, card } = wanted[index];
    const what = field ? `(${field.position}, ${quoted(field.name)})` : `(${quoted(card?.[0])}, ${card?.[1]})`;
    must(get(opening, "from", 0) === at, place, `must be the opening of ${what} from position ${at} on`);
    if (field) {
      must(hasMembers(opening, ["field", "from"]), place, "must be the opening of a field");
      await openField(dossier, opening.field, field, place);
    } else if (card) {
      await openCard(dossier, opening, card, place);
    }
  }
  const next = dossier.openings.length;
  must(next === wanted.length, "openings.ndjson", `the opening after line ${next + 1} is missing`);
  const sealed = fields.size > 0 ? `${fields.size} sealed fields; ` : "";
  return `${sealed}the viewer may read ${wanted.length} values, and has them`;
}

/**
 * Check the opening of a sealed field.
 *
 * @param {Dossier} dossier
 * @param {any} field
 * @param {Sealed} sealed
 * @param {string} place
 */
export async function openField(dossier, field, sealed, place) {
  const { position, name } = sealed;
  const isSigned = isThere(sealed.choice);
  const salts = isSigned ? ["blind", "salt"] : ["salt"];
  const isForm = hasMembers(field, ["field", "position", "stream", "value", ...salts]);
  must(isForm, place, "must have the members of an opening");
  const isIt = field.stream === dossier.begin.stream && field.position === position && field.field === name;
  must(isIt, place, `must be the opening of ${name} at position ${position}`);
  must(salts.every((one) => isHex(field[one])), place, "must have a salt, and a blind if the move is signed");
  const c = await commitment(["chiptrail/field/v1", field.stream, position, name, field.salt], field.value);
  must(c === sealed.c, place, `must match the commitment to ${name} at position ${position}`);
  if (isSigned) {
    const text = ["chiptrail/choice/v1", field.stream, `seat:${sealed.seat}`, name, field.blind];
    must(await commitment(text, field.value) === sealed.choice, place, `must match what seat ${sealed.seat} signed`);
  }
  dossier.values.set(sealedAt(position, name), field.value);
}

/**
 * Return the commitment to a value: the hash of these lines and of the value as canonical JSON.
 *
 * @param {(string | number)[]} text
 * @param {any} value
 */
export async function commitment(text, value) {
  return toHex(await sha256(joined(utf8(lines(...text)), canonical(value))));
}

/**
 * Check the opening of a card that was dealt to the viewer.
 *
 * @param {Dossier} dossier
 * @param {any} opening
 * @param {[string, number]} what
 * @param {string} place
 */
export async function openCard(dossier, opening, what, place) {
  must(hasMembers(opening, ["card", "from"]), place, "must be the opening of a card");
  const { card } = opening;
  const isForm = hasMembers(card, ["epoch", "face", "pos", "proof", "salt"]);
  must(isForm, place, "must have the members of a card");
  must(card.epoch === what[0] && card.pos === what[1], place, `must be card ${what[1]} of ${what[0]}`);
  must(has(PACK, card.face) && isHex(card.salt), place, "must have a face and a salt");
  must(each(card.proof).every((one) => isHex(one)), place, "must have a proof");
  const deck = dossier.deck(card.epoch);
  const hash = await cardHash(deck.epoch, card.pos, card.face, card.salt);
  const root = await rootByProof(hash, BigInt(card.pos), BigInt(PACK.length), each(card.proof).map(fromHex));
  const isThereIn = root !== null && toHex(root) === deck.fixed.deck_root;
  must(isThereIn, place, "the card must be in the fixed deck, at this place");
  deck.shown.push([opening.from, card.pos, card.face, card.salt]);
}

/**
 * Return the places of erased values; each value was sealed before, and was erased once.
 *
 * @param {Dossier} dossier
 * @param {Map<string, Sealed>} fields
 */
function erasedPlaces(dossier, fields) {
  const erased = new Set();
  const seeds = new Set([...dossier.decks.values()].map((deck) => sealedAt(deck.position, "server_seed")));
  for (const [position, event, pub] of dossier.each()) {
    if (event.type !== "value_erased") continue;
    const place = sealedAt(key(get(pub, "position")), key(get(pub, "field")));
    const wasSealed = isWhole(pub.position) && pub.position < position && (fields.has(place) || seeds.has(place));
    must(wasSealed && !erased.has(place), `position ${position}`, "must erase a sealed value, once");
    erased.add(place);
  }
  return erased;
}
