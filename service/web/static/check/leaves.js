/**
 * The leaves of a stream: the form of each, their hash chain, and the events of the hand that a dossier is about.
 *
 * @module
 */

import { plain, readJson } from "./hashes.js";
import { OtherForm, each, get, grouped, hasMembers, isHex, isObject, isWhole, members, must, shown } from "./values.js";

/** @typedef {import("./dossier.js").Dossier} Dossier */

const FORMAT = "chiptrail/dossier/v1";
const MOST_LEAF_BYTES = 65_535;
export const NO_HASH = "0".repeat(64);
const HAND_BEGINS = ["hand_dealt", "hand_begun"];
const HAND_ENDS = ["round_ended", "hand_ended", "hand_finished"];
const TYPE = /^[a-z][a-z_]*$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const BY = /^(?:seat:[1-9]\d*|host|player|service|auditor|approver)$/;
const OF_LEAF = ["at", "by", "position", "prev", "pub", "stream", "type", "v", "version"];

/**
 * Each leaf is the canonical JSON of its value, has the right stream and position, and names the hash of the leaf
 * before.
 *
 * @param {Dossier} dossier
 */
export async function checkLeaves(dossier) {
  readBegin(dossier);
  const commands = readLeaves(dossier, dossier.begin.stream);
  mustBeHand(dossier);
  return `${grouped(dossier.leaves.length)} leaves follow one another, with ${grouped(commands)} decisions`;
}

/**
 * Read the leaves of a `stream` from its position 1 on, and return the number of its decisions.
 *
 * @param {Dossier} dossier
 * @param {string} stream
 */
export function readLeaves(dossier, stream) {
  let before = NO_HASH;
  const commands = new Set();
  for (const [index, leaf] of dossier.leaves.entries()) {
    const position = index + 1;
    const place = dossier.at = `position ${position}`;
    must(leaf.length <= MOST_LEAF_BYTES, place, `a leaf must have at most ${grouped(MOST_LEAF_BYTES)} bytes`);
    const event = readJson(leaf, place);
    mustBeEvent(event, place);
    must(event.stream === stream, place, `the stream must be ${stream}`);
    must(event.position === position, place, `the position must be ${position}, not ${event.position}`);
    must(event.prev === before, place, `prev must be ${before}, the hash of the leaf before`);
    if ("cmd" in event) {
      must(!commands.has(event.cmd), place, "a stream must have each command once");
      commands.add(event.cmd);
    }
    before = dossier.hashes[index];
    dossier.events.push(event);
  }
  must("cmd" in dossier.events[0], "position 1", "the first event must be a decision");
  return commands.size;
}

/**
 * Check that `event` has the members of a leaf, with values of their types.
 *
 * @param {any} event
 * @param {string} place
 */
export function mustBeEvent(event, place) {
  must(isObject(event), place, "a leaf must be an object");
  must(hasMembers(event, OF_LEAF, ["cmd", "priv", "sig"]), place, "a leaf must have the members of log/v1");
  must(event.v === 1, place, "v must be 1");
  must(isWhole(event.position) && isWhole(event.version), place, "must have whole numbers");
  must(isText(event.type, TYPE), place, "must name a type");
  must(isText(event.at, TIME), place, "must have a time");
  must(isText(event.by, BY), place, "by must name who decided");
  must(isObject(event.pub) && isHex(event.prev), place, "must have pub and prev");
  must(!("cmd" in event) || isHex(event.cmd), place, "cmd must be 64 hexadecimal digits");
  must(!("priv" in event) || "cmd" in event, place, "only a decision may seal a field");
  for (const [field, sealed] of members(get(event, "priv", plain({})))) {
    const named = `${place}, field ${field}`;
    const isKnown = hasMembers(sealed, ["c", "to", "until"], ["choice"]);
    must(isKnown && isHex(sealed.c) && isHex(get(sealed, "choice", NO_HASH)), named, "must have c, to and until");
    must(each(sealed.to).every(isWhole), named, "to must list seats");
    must(hasMembers(sealed.until, ["never", "open"], ["shown"]), named, "until must have never and open");
  }
}

/** @param {any} value @param {RegExp} form */
function isText(value, form) {
  return typeof value === "string" && form.test(value);
}

/**
 * Return the number of the seat that decided `event`; 0: no seat did.
 *
 * @param {any} event
 */
export function seatOf(event) {
  const seat = event.by.startsWith("seat:") ? Number(event.by.slice("seat:".length)) : 0;
  if (!isWhole(seat)) throw new OtherForm("the number of a seat is too large");
  return seat;
}

/**
 * Read openings.ndjson: its first line says what the dossier is about.
 *
 * @param {Dossier} dossier
 */
function readBegin(dossier) {
  const values = dossier.ndjson("openings.ndjson").map((line, at) => readJson(line, `openings.ndjson, line ${at + 1}`));
  const place = dossier.at = "openings.ndjson, line 1";
  must(values.length > 0 && values.every(isObject), "openings.ndjson", "must have objects, a line each");
  const names = ["first", "format", "hand", "last", "stream", "viewer"];
  const begin = get(values[0], "begin", plain({}));
  must(hasMembers(values[0], ["begin"]) && hasMembers(begin, names), place, `must have begin, with ${shown(names)}`);
  must(begin.format === FORMAT, place, `the format must be ${FORMAT}`);
  must(isText(begin.stream, /^table\/tbl_[0-9a-f]{32}$/), place, "must name the stream of a table");
  const { stream, hand, viewer, first, last } = begin;
  const areWhole = [hand, viewer, first, last].every((one) => isWhole(one) && one >= 0 && one <= 2 ** 31);
  must(areWhole, place, "must have whole numbers");
  dossier.begin = { stream, hand, viewer, first, last };
  dossier.openings = values.slice(1);
}

/**
 * Check that `first` is the decision that began the hand, and `last` the last event of the command that ended the hand
 * (the last leaf, if the hand goes on).
 *
 * @param {Dossier} dossier
 */
function mustBeHand(dossier) {
  const leaves = [...dossier.each()];
  const { hand, first, last } = dossier.begin;
  const commands = [...leaves.filter(([, event]) => "cmd" in event).map(([position]) => position), leaves.length + 1];
  const dealt = leaves.find(([, event, pub]) => HAND_BEGINS.includes(event.type) && get(pub, "hand") === hand);
  const begun = dealt ? dealt[0] : 0;
  const over = leaves.find(([position, event]) => HAND_ENDS.includes(event.type) && position > begun);
  const next = commands.filter((position) => position <= (over ? over[0] : leaves.length)).length;
  const ends = commands[next] - 1;
  const begins = commands.at(commands.filter((position) => position <= begun).length - 1);
  const wanted = hand ? [begins, ends] : [1, leaves.length];
  const why = `hand ${hand} must have the events ${wanted[0]} to ${wanted[1]}`;
  must(first === wanted[0] && last === wanted[1], "openings.ndjson, line 1", why);
}
