/**
 * A dossier, read step by step; the first three checks: its .zip file, the signatures of its checkpoint, its proof.
 *
 * @module
 */

import { equal, fromUtf8, leafHash, sha256, toHex, utf8 } from "./hashes.js";
import {
  OF_LOG, OF_WITNESS, mustHaveSigned, readCheckpoint, readKey, readProof, readText, rootByProof,
} from "./notes.js";
import { OtherForm, get, grouped, must } from "./values.js";
import { unpacked } from "./zip.js";

/** @typedef {import("./hashes.js").Bytes} Bytes */
/** @typedef {import("./deck.js").Deck} Deck */
/** @typedef {Record<string, any>} Event a leaf, as `readJson` returns it */
/**
 * What the dossier is about: the `hand` (0: the whole table), its positions from `first` to `last`, and the seat of
 * the `viewer` for whom the dossier was made (0: everybody).
 *
 * @typedef {{stream: string, hand: number, viewer: number, first: number, last: number}} Begin
 */

export class Dossier {
  /**
   * @param {Bytes} data the .zip file
   * @param {[string, Bytes][]} kept names and contents of files that the checker kept
   * @param {Bytes} program verify.py of this release
   */
  constructor(data, kept, program) {
    this.data = data;
    this.kept = kept;
    this.program = program;
    /** @type {Map<string, Bytes>} */
    this.files = new Map();
    this.at = "the file"; // the place that is being read, for the message about a value of an unexpected form
    /** @type {Bytes[]} */
    this.leaves = [];
    /** @type {string[]} the hash of each leaf, in hex */
    this.hashes = [];
    /** @type {Event[]} */
    this.events = [];
    /** @type {Begin} */
    this.begin = { stream: "", hand: 0, viewer: 0, first: 0, last: 0 };
    /** @type {any[]} */
    this.openings = [];
    /** @type {import("./notes.js").Key} */
    this.logKey = { name: "", algorithm: 0, publicKey: new Uint8Array(), keyHash: new Uint8Array() };
    /** @type {import("./notes.js").Checkpoint} */
    this.checkpoint = { origin: "", size: 0n, root: new Uint8Array(), text: "", signatures: [] };
    /** @type {Map<string, Deck>} */
    this.decks = new Map();
    /** @type {Map<string, any>} of the sealed fields that the viewer may read, by `sealedAt` */
    this.values = new Map();
    /** @type {Event[]} */
    this.service = [];
    /** @type {[Event, string][]} each with its text; "sealed": the file does not open the text; "": there is none */
    this.disputes = [];
  }

  /**
   * Return a file of the dossier.
   *
   * @param {string} name
   */
  file(name) {
    const found = this.files.get(name);
    if (!found) throw new OtherForm(`${name} is missing`);
    return found;
  }

  /**
   * Return the lines of a file; each line must end with one line feed.
   *
   * @param {string} name
   * @returns {Bytes[]}
   */
  ndjson(name) {
    const data = this.file(name);
    must(data.length === 0 || data[data.length - 1] === 10, name, "the last line must end with a line feed");
    const found = [];
    for (let start = 0, end; start < data.length; start = end + 1) {
      end = data.indexOf(10, start);
      found.push(data.subarray(start, end));
    }
    return found;
  }

  /**
   * Yield position, event and public members of each leaf.
   *
   * @returns {Generator<[number, Event, any]>}
   */
  *each() {
    for (const [index, event] of this.events.entries()) {
      this.at = `position ${index + 1}`;
      yield [index + 1, event, get(event, "pub")];
    }
  }

  /**
   * Return the deck of an epoch.
   *
   * @param {any} epoch
   */
  deck(epoch) {
    const found = this.decks.get(epoch);
    if (!found) throw new OtherForm("there is no such deck");
    return found;
  }

  /** Take the leaves of the stream, and compute their hashes.
   * @param {Bytes[]} leaves */
  async take(leaves) {
    this.leaves = leaves;
    this.hashes = (await Promise.all(leaves.map(leafHash))).map(toHex);
  }
}

/**
 * The name of a place in `Dossier.values`: the position of an event, and the name of a field that the event sealed.
 *
 * @param {number} position
 * @param {string} field
 */
export function sealedAt(position, field) {
  return `${position}/${field}`;
}

/**
 * The file is a .zip file of the only form that its content can have.
 *
 * @param {Dossier} dossier
 */
export async function checkFile(dossier) {
  dossier.files = unpacked(dossier.data);
  const hash = toHex(await sha256(dossier.data));
  return `${dossier.files.size} files, ${grouped(dossier.data.length)} bytes, SHA-256 ${hash}`;
}

/**
 * The log signed the checkpoint, and so did each witness whose key is in vkeys.
 *
 * @param {Dossier} dossier
 */
export async function checkSignatures(dossier) {
  const keys = [];
  for (const [at, line] of dossier.ndjson("vkeys").entries()) {
    keys.push(await readKey(readText(line, "vkeys"), `vkeys, line ${at + 1}`));
  }
  const checkpoint = readCheckpoint(readText(dossier.file("checkpoint"), "checkpoint"), "checkpoint");
  const names = new Set(keys.map((key) => `${key.name}+${toHex(key.keyHash)}`));
  must(names.size === keys.length, "vkeys", "must name each key once");
  const areInOrder = keys.length > 0 && keys.every((key, at) => key.algorithm === (at ? OF_WITNESS : OF_LOG));
  must(areInOrder, "vkeys", "must have the key of the log, then the keys of witnesses");
  must(keys[0].name === checkpoint.origin, "vkeys, line 1", `must be the key of the log ${checkpoint.origin}`);
  const { signatures } = checkpoint;
  must(keys.length === signatures.length, "checkpoint", "must have a signature for each key in vkeys");
  for (const [at, key] of keys.entries()) {
    const place = `checkpoint, signature ${at + 1}`;
    const [name, signature] = signatures[at];
    must(name === key.name, place, `must be by ${key.name}, the key in vkeys`);
    await mustHaveSigned(key, checkpoint, signature, place);
  }
  [dossier.logKey, dossier.checkpoint] = [keys[0], checkpoint];
  const witnesses = keys.length > 1 ? ` and ${keys.length - 1} witnesses` : ", and no witness";
  return `the log ${checkpoint.origin}${witnesses} signed a tree of ${grouped(checkpoint.size)} leaves`;
}

/**
 * The last leaf is in the tree; each leaf names the hash of the leaf before, so this covers the whole stream.
 *
 * @param {Dossier} dossier
 */
export async function checkInclusion(dossier) {
  const [place, { checkpoint }] = ["events.tlog-proof", dossier];
  await dossier.take(dossier.ndjson("events.ndjson"));
  must(dossier.leaves.length > 0, "events.ndjson", "must have a leaf");
  const { leafIndex, hashes, note } = readProof(readText(dossier.file(place), place), place);
  must(equal(utf8(note), dossier.file("checkpoint")), place, "must end with the checkpoint of the dossier");
  must(!fromUtf8(dossier.file(place)).includes("\nextra "), place, "must have no line for extra data");
  const last = dossier.leaves[dossier.leaves.length - 1];
  const root = await rootByProof(await leafHash(last), leafIndex, checkpoint.size, hashes);
  const why = `the proof must lead from the last leaf, with the index ${leafIndex}, to the root of the checkpoint`;
  must(equal(root, checkpoint.root), `position ${dossier.leaves.length}`, why);
  return `the last of ${grouped(dossier.leaves.length)} leaves has the index ${grouped(leafIndex)}`;
}
