/**
 * Compares a dossier and its log with the checkpoints, proofs, receipts and keys that the checker kept.
 *
 * @module
 */

import { isSignedInHex } from "./ed25519.js";
import { canonical, equal, fromBase64, fromHex, joined, parsed, plain, readJson, toHex, utf8 } from "./hashes.js";
import {
  NAME, isContinued, keyText, mustBeOfLog, readCheckpoint, readKey, readProof, readText, rootByProof,
} from "./notes.js";
import { Flaw, get, grouped, isThere, isWhole, must, shown } from "./values.js";

/** @typedef {import("./hashes.js").Bytes} Bytes */
/** @typedef {import("./dossier.js").Dossier} Dossier */
/** @typedef {import("./notes.js").Checkpoint} Checkpoint */
/** @typedef {import("./notes.js").Proof} Proof */

const MOST_KEPT_BYTES = 2 ** 20;
const SIGNED_BY_RECEIPT = ["cmd", "leaf_hash", "origin", "position", "stream"];
const KEYS = new RegExp(`${NAME}{1,200}\\+[0-9a-f]{8}\\+[A-Za-z0-9+/=]+`, "gu");

/**
 * The dossier and its log agree with every checkpoint, proof, receipt and key that the checker kept.
 *
 * @param {Dossier} dossier
 */
export async function checkKept(dossier) {
  if (dossier.kept.length === 0) {
    const hash = toHex(dossier.logKey.keyHash);
    return `nothing was given; compare the hash ${hash} of the log key with one you trust`;
  }
  const kept = new Kept(dossier);
  for (const [name, data] of dossier.kept) await kept.read(name, data);
  for (const [name, old] of kept.checkpoints) await kept.compareCheckpoint(name, old);
  for (const [name, proof] of kept.proofs) await kept.compareProof(name, proof);
  for (const [name, receipt] of kept.receipts) await kept.compareReceipt(name, receipt);
  const { checkpoints, proofs, receipts, logKeys } = kept;
  const counts = `${checkpoints.length} checkpoints, ${proofs.length} proofs, ${receipts.length} receipts`;
  return `${counts} and ${logKeys.length} log keys agree`;
}

/** The files that the checker kept, by their kinds. */
export class Kept {
  /** @param {Dossier} dossier */
  constructor(dossier) {
    this.dossier = dossier;
    this.key = dossier.logKey;
    this.newest = dossier.checkpoint;
    /** @type {string[]} */
    this.logKeys = [];
    /** @type {string[]} */
    this.receiptKeys = [];
    /** @type {[string, Checkpoint][]} */
    this.checkpoints = [];
    /** @type {{size: bigint, hashes: Bytes[], newer: Checkpoint}[]} */
    this.continuations = [];
    /** @type {[string, Proof][]} */
    this.proofs = [];
    /** @type {[string, any][]} */
    this.receipts = [];
  }

  /** Read a file: a checkpoint, a proof, a proof of consistency, a receipt, or public keys.
   * @param {string} name @param {Bytes} data */
  async read(name, data) {
    const why = `a file to compare with must have at most ${grouped(MOST_KEPT_BYTES)} bytes`;
    must(data.length <= MOST_KEPT_BYTES, name, why);
    const text = readText(data.filter((byte, at) => byte !== 13 || data[at + 1] !== 10), name);
    if (text.startsWith("c2sp.org/tlog-proof@")) {
      this.proofs.push([name, readProof(text, name)]);
    } else if (text.startsWith("old ")) {
      await this.readContinuation(name, text);
    } else if (text.trimStart().startsWith("{")) {
      await this.readObject(name, text);
    } else if (text.includes("\u2014 ")) {
      const old = readCheckpoint(text, name);
      await mustBeOfLog(this.key, old, name);
      this.checkpoints.push([name, old]);
    } else {
      const keys = text.match(KEYS);
      must(keys, name, "must be a checkpoint, a proof, a receipt, or the keys of a log");
      await this.mustBeTheKey(name, keys[0]);
      for (const [, key] of text.matchAll(/^receipt_key\s+([0-9a-f]{64})$/gm)) this.receiptKeys.push(key);
    }
  }

  /** @param {string} name @param {string} text */
  async readObject(name, text) {
    /** @type {any} */
    let value;
    try {
      value = parsed(text);
    } catch {
      throw new Flaw(name, "must be JSON");
    }
    value = get(value, "receipt", value);
    const logKey = ["log_key", "vkey"].map((one) => get(value, one, "")).find(isThere);
    if ("log_key" in value || "vkey" in value) {
      await this.mustBeTheKey(name, shown(logKey ?? null));
      if ("receipt_key" in value) this.receiptKeys.push(shown(value.receipt_key));
      return;
    }
    const names = [...SIGNED_BY_RECEIPT, "signature"].sort();
    must(names.every((one) => one in value), name, `a receipt must have ${names.join(", ")}`);
    this.receipts.push([name, value]);
  }

  /** @param {string} name @param {string} text */
  async readContinuation(name, text) {
    const [head, ...notes] = text.split("\n\n");
    const [first, ...rest] = head.split("\n");
    const size = /^old (0|[1-9][0-9]{0,18})$/.exec(first);
    const why = "must be a proof of consistency: old <size>, hashes, and a checkpoint";
    must(size && rest.length <= 65, name, why);
    const newer = readCheckpoint(notes.join("\n\n"), name);
    await mustBeOfLog(this.key, newer, name);
    const hashes = rest.map((line) => fromBase64(line, name, 32));
    this.continuations.push({ size: BigInt(size[1]), hashes, newer });
  }

  /** @param {string} name @param {string} key */
  async mustBeTheKey(name, key) {
    await readKey(key, name);
    const ours = keyText(this.key);
    must(key === ours, name, `the log key must be the key of the dossier, ${ours}`);
    this.logKeys.push(key);
  }

  /** Check that the smaller of two trees is the beginning of the larger one.
   * @param {string} name @param {Checkpoint} old */
  async compareCheckpoint(name, old) {
    const [less, more] = old.size <= this.newest.size ? [old, this.newest] : [this.newest, old];
    if (less.size === 0n || less.size === more.size) {
      const isTheSame = await isContinued(less, more, []);
      must(isTheSame, name, `the log must have the same tree of ${grouped(less.size)} leaves`);
      return;
    }
    const fitting = this.continuations.filter(({ size, newer }) =>
      size === less.size && newer.size === more.size && equal(newer.root, more.root));
    const sizes = `${less.size} to ${more.size}`;
    const needed = `can be compared only with the log's proof of consistency from ${sizes}, as another --kept`;
    must(fitting.length > 0, name, needed);
    const found = await Promise.all(fitting.map(({ hashes }) => isContinued(less, more, hashes)));
    const [begin, whole] = [grouped(less.size), grouped(more.size)];
    must(found.includes(true), name, `the tree of ${whole} leaves must begin with the tree of ${begin} leaves`);
  }

  /** Check that a leaf of the dossier is the one that was proved earlier.
   * @param {string} name @param {Proof} proof */
  async compareProof(name, proof) {
    const old = readCheckpoint(proof.note, name);
    await mustBeOfLog(this.key, old, name);
    const roots = await Promise.all(this.dossier.hashes.map((hash) =>
      rootByProof(fromHex(hash), proof.leafIndex, old.size, proof.hashes)));
    const isProved = roots.some((root) => equal(root, old.root));
    must(isProved, name, "must prove a leaf of the dossier; a later leaf is in a dossier of a later hand");
  }

  /** Check that the stream has the leaf that a receipt names, that it is a leaf of the receipt's command, and, if keys
   * for receipts were kept, that one of them signed the receipt.
   * @param {string} name @param {any} receipt */
  async compareReceipt(name, receipt) {
    const { leaves, hashes } = this.dossier;
    const { position } = receipt;
    const isPosition = isWhole(position) && position >= 1;
    must(isPosition, name, "the position of a receipt must be a whole number");
    const signed = canonical(plain(Object.fromEntries(SIGNED_BY_RECEIPT.map((one) => [one, receipt[one]]))));
    const message = joined(utf8("chiptrail/receipt/v1\n"), signed);
    const byEach = await Promise.all(this.receiptKeys.map((key) => isSignedInHex(key, receipt.signature, message)));
    must(byEach.length === 0 || byEach.includes(true), name, "the signature of a receipt must be right");
    const stream = get(readJson(leaves[0], "position 1"), "stream", null);
    must(receipt.stream === stream, name, `must be a receipt of ${shown(stream)}, not of ${shown(receipt.stream)}`);
    const isInside = position <= leaves.length;
    must(isInside, name, `names position ${position}, after the last leaf: take a later dossier`);
    const place = `position ${position}`;
    must(receipt.leaf_hash === hashes[position - 1], place, `must be the leaf of the receipt in ${name}`);
    let cmd = "";
    for (let at = position; at > 0 && cmd === ""; at -= 1) cmd = get(readJson(leaves[at - 1], "a leaf"), "cmd", "");
    must(receipt.cmd === cmd, place, `must be of the command of the receipt in ${name}`);
  }
}
