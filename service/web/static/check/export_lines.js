/**
 * Reads an export, or the lines of the events endpoint: the leaves of each stream, and what the last line promises.
 *
 * @module
 */

import { Dossier } from "./dossier.js";
import { canonical, equal, fromUtf8, leafHash, parsed, plain, readJson, toHex, utf8 } from "./hashes.js";
import { mustBeEvent, readLeaves } from "./leaves.js";
import { Flaw, each, get, grouped, hasMembers, isHex, isObject, isWhole, must } from "./values.js";

/** @typedef {import("./hashes.js").Bytes} Bytes */
/** @typedef {{line: number, position: number, fields: any[], cards: any[]}} Given what a line opens */

const FORMAT = "chiptrail/export/v1";
const ENVELOPE = ["fields", "hash", "leaf", "openings"];
const MOST_BYTES = 256 * 2 ** 20;

/** A stream of the file, which the checks of a dossier can read. `given` has the openings in the stream's lines. */
export class Stream extends Dossier {
  /** @param {string} name */
  constructor(name) {
    super(new Uint8Array(), [], new Uint8Array());
    this.name = name;
    /** @type {Given[]} */
    this.given = [];
    /** @type {number[]} the number of each leaf's line */
    this.numbers = [];
    this.isWhole = true; // whether the file has the stream from position 1 on
  }

  get id() {
    return idOf(this.name);
  }
}

export class Export {
  /** @param {Bytes} data */
  constructor(data) {
    this.data = data;
    this.at = "the file";
    /** @type {Map<string, Stream>} */
    this.streams = new Map();
    this.leaves = 0;
    this.lines = 0;
    /** @type {any} the members of the first line; null: there is none */
    this.begin = null;
    /** @type {any} the members of the last line; null: there is none */
    this.end = null;
  }

  /** The streams of tables that the file has from position 1 on. */
  get tables() {
    return [...this.streams.values()].filter((one) => one.name.startsWith("table/") && one.isWhole);
  }
}

/**
 * Each line is JSON: a leaf, a leaf with its hash and its openings, or the first or the last line of an export.
 *
 * @param {Export} file
 */
export async function checkLines(file) {
  must(file.data.length <= MOST_BYTES, "the file", `an export must have at most ${grouped(MOST_BYTES)} bytes`);
  const { data } = file;
  for (let start = 0, end; start < data.length; start = end + 1) {
    end = data.indexOf(10, start);
    end = end < 0 ? data.length : end;
    file.lines += 1;
    const place = file.at = `line ${file.lines}`;
    if (end > start) await readLine(file, data.subarray(start, end), place);
  }
  must(file.leaves > 0, "the file", "must have a leaf");
  return `${grouped(file.leaves)} leaves of ${grouped(file.streams.size)} streams`;
}

/**
 * @param {Export} file
 * @param {Bytes} line
 * @param {string} place
 */
async function readLine(file, line, place) {
  must(file.end === null, place, "must not come after the last line of an export");
  let value;
  try {
    value = parsed(fromUtf8(line));
  } catch {
    throw new Flaw(place, "must be JSON");
  }
  must(isObject(value), place, "must be an object");
  if (Object.keys(value).length === 1 && isObject(value.begin)) {
    must(file.begin === null && file.leaves === 0, place, "must be a leaf: only the first line has begin");
    must(value.begin.format === FORMAT, place, `the format must be ${FORMAT}`);
    file.begin = value.begin;
  } else if (Object.keys(value).length === 1 && isObject(value.end)) {
    file.end = value.end;
  } else {
    const named = `${place}${whereIn(isObject(value.leaf) ? value.leaf : value)}`;
    const leaf = isObject(value.leaf) ? await unwrapped(value, line, named) : line;
    const event = readJson(leaf, named);
    mustBeEvent(event, named);
    const stream = file.streams.get(event.stream) ?? new Stream(String(event.stream));
    file.streams.set(event.stream, stream);
    const given = leaf === line ? plain({}) : value;
    const [fields, cards] = [each(get(given, "fields", [])), each(get(given, "openings", []))];
    stream.given.push({ line: file.lines, position: event.position, fields, cards });
    stream.leaves.push(leaf);
    stream.numbers.push(file.lines);
    file.leaves += 1;
  }
}

/**
 * Return the table and the position that a leaf names, as text; return "" if the leaf does not name them.
 *
 * @param {any} leaf
 */
function whereIn({ stream, position }) {
  return typeof stream === "string" && isWhole(position) ? ` (${idOf(stream)}, position ${position})` : "";
}

/**
 * Return the id in the name of a stream: the id of a table, or of a table's disputes.
 *
 * @param {string} stream
 */
function idOf(stream) {
  return stream.slice(stream.indexOf("/") + 1);
}

/**
 * Return the leaf in a line that has its hash, too: the bytes of the line after `{"leaf":`.
 *
 * @param {any} value
 * @param {Bytes} line
 * @param {string} place
 */
async function unwrapped(value, line, place) {
  must(hasMembers(value, ENVELOPE), place, `must have ${ENVELOPE.join(", ")}`);
  const [head, leaf] = [utf8('{"leaf":'), canonical(value.leaf)];
  const bytes = line.slice(head.length, head.length + leaf.length);
  const isSame = equal(line.slice(0, head.length), head) && equal(bytes, leaf);
  must(isSame, place, "must begin with the leaf, which must be canonical JSON");
  const hash = toHex(await leafHash(leaf));
  must(value.hash === hash, place, `the hash must be ${hash}, that of the leaf`);
  return leaf;
}

/**
 * Each stream has its positions without a gap, and each leaf names the hash of the leaf before.
 *
 * @param {Export} file
 */
export async function checkChains(file) {
  for (const stream of file.streams.values()) {
    await stream.take(stream.leaves);
    const first = readJson(stream.leaves[0], file.at);
    stream.isWhole = first.position === 1;
    try {
      if (stream.isWhole) readLeaves(stream, stream.name);
      else readPart(stream);
    } catch (error) {
      if (error instanceof Flaw) throw new Flaw(`${stream.id}, ${error.place}`, error.why);
      file.at = `${stream.id}, ${stream.at}`;
      throw error;
    }
    const last = stream.leaves.length;
    stream.begin = { stream: stream.name, hand: 0, viewer: 0, first: 1, last };
  }
  const parts = [...file.streams.values()].filter((stream) => !stream.isWhole).length;
  const some = parts > 0 ? `; ${parts} of them do not begin with position 1` : "";
  return `${grouped(file.leaves)} leaves follow one another, in ${grouped(file.streams.size)} streams${some}`;
}

/**
 * Read the leaves of a stream whose first positions are not in the file.
 *
 * @param {Stream} stream
 */
function readPart(stream) {
  let [before, next] = ["", 0];
  for (const [index, leaf] of stream.leaves.entries()) {
    const event = readJson(leaf, "a leaf");
    next = next || event.position;
    const place = stream.at = `position ${next}`;
    must(event.position === next, place, `the position must be ${next}, not ${event.position}`);
    must(before === "" || event.prev === before, place, `prev must be ${before}, the hash of the leaf before`);
    [before, next] = [stream.hashes[index], next + 1];
    stream.events.push(event);
  }
}

/**
 * The last line names the last leaf of each stream, so no line is missing at an end.
 *
 * @param {Export} file
 */
export function checkEnd(file) {
  const place = file.at = `line ${file.lines}`;
  must(file.end, place, "must be the last line of an export, with end: the file was cut short");
  const { is_whole: isAll, leaves, heads, streams, broken = [] } = file.end;
  must(leaves === file.leaves, place, `the file must have ${leaves} leaves, not ${file.leaves}`);
  for (const one of each(broken)) {
    const why = `must not be damaged: it was written up to position ${Number(one.position) - 1} (${one.why})`;
    must(false, String(one.stream), why);
  }
  must(isAll === true, place, "must be whole");
  const named = new Map(each(heads).map((one) => [get(one, "stream"), one]));
  for (const stream of file.streams.values()) {
    const head = named.get(stream.name);
    const [last, hash] = [stream.events[stream.events.length - 1].position, stream.hashes[stream.hashes.length - 1]];
    const isLast = isObject(head) && isWhole(head.position) && isHex(head.leaf_hash);
    must(isLast, place, `must name the last leaf of ${stream.id}`);
    const isHead = head.position === last && head.leaf_hash === hash;
    const why = `must be the leaf that the last line names, at position ${head.position}`;
    must(isHead, `${stream.id}, position ${last}`, why);
  }
  const areAll = named.size === file.streams.size && streams === file.streams.size;
  must(areAll, place, "must name no stream that the file does not have");
  return "the file has each stream up to the leaf that its last line names";
}
