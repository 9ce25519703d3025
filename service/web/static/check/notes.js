/**
 * Signed notes, checkpoints and proofs (C2SP), and the Merkle tree of the log (RFC 6962).
 *
 * @module
 */

import { isSigned } from "./ed25519.js";
import { equal, fromBase64, fromUtf8, joined, nodeHash, sha256, toBase64, toHex, utf8 } from "./hashes.js";
import { Flaw, OtherForm, must } from "./values.js";

/** @typedef {import("./hashes.js").Bytes} Bytes */
/** @typedef {{name: string, algorithm: number, publicKey: Bytes, keyHash: Bytes}} Key of a log or a witness */
/**
 * The log `origin` had `size` leaves and this `root`; `text` is the signed text, `signatures` are its lines.
 *
 * @typedef {{origin: string, size: bigint, root: Bytes, text: string, signatures: [string, Bytes][]}} Checkpoint
 */
/**
 * `hashes` prove that the leaf at `leafIndex` is in the tree of the checkpoint in `note`.
 *
 * @typedef {{leafIndex: bigint, hashes: Bytes[], note: string}} Proof
 */

export const [OF_LOG, OF_WITNESS] = [1, 4]; // the algorithms of keys
/** The characters of a name: no space and no plus sign. */
export const NAME = "[^\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000+]";
const KEY = new RegExp(`^(${NAME}+)\\+([0-9a-f]{8})\\+([A-Za-z0-9+/=]+)$`, "u");
const CHECKPOINT = new RegExp(`^(${NAME}+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)$`, "u");
const SIGNATURE = new RegExp(`^\u2014 (${NAME}+) ([A-Za-z0-9+/=]+)$`, "u");

/**
 * Return a public key in the form that the file `vkeys` has.
 *
 * @param {Key} key
 */
export function keyText(key) {
  return `${key.name}+${toHex(key.keyHash)}+${toBase64(joined(Uint8Array.of(key.algorithm), key.publicKey))}`;
}

/**
 * Return `data` as text without control characters other than line feeds.
 *
 * @param {Bytes} data
 * @param {string} place
 */
export function readText(data, place) {
  let text;
  try {
    text = fromUtf8(data);
  } catch {
    throw new Flaw(place, "must be UTF-8 text");
  }
  must(!/[\0-\x09\x0b-\x1f]/.test(text), place, "must have no control character");
  return text;
}

/**
 * Return the public key in `text`, which has the form <name>+<hash>+<base64>.
 *
 * @param {string} text
 * @param {string} place
 * @returns {Promise<Key>}
 */
export async function readKey(text, place) {
  const found = KEY.exec(text);
  must(found, place, "must be a public key: <name>+<hash>+<base64>");
  const data = fromBase64(found[3], place, 33);
  must([OF_LOG, OF_WITNESS].includes(data[0]), place, "must be the key of a log (01) or of a witness (04)");
  const keyHash = (await sha256(joined(utf8(`${found[1]}\n`), data))).slice(0, 4);
  must(toHex(keyHash) === found[2], place, "the hash in a key must follow from the key");
  return { name: found[1], algorithm: data[0], publicKey: data.slice(1), keyHash };
}

/**
 * Return the checkpoint in a signed note; its signatures are not checked.
 *
 * @param {string} note
 * @param {string} place
 * @returns {Checkpoint}
 */
export function readCheckpoint(note, place) {
  const end = note.lastIndexOf("\n\n");
  const [text, rest] = [note.slice(0, Math.max(end, 0)), note.slice(end + 2)];
  const found = CHECKPOINT.exec(text);
  const isForm = end >= 0 && rest.endsWith("\n");
  must(found && isForm, place, "must be a checkpoint: origin, size, root, an empty line, and signatures");
  /** @type {[string, Bytes][]} */
  const signatures = rest.slice(0, -1).split("\n").map((line, at) => {
    const parts = SIGNATURE.exec(line);
    must(parts, `${place}, signature ${at + 1}`, "must be a dash, a name, and base64");
    return [parts[1], fromBase64(parts[2], `${place}, signature ${at + 1}`)];
  });
  const root = fromBase64(found[3], place, 32);
  return { origin: found[1], size: BigInt(found[2]), root, text: `${text}\n`, signatures };
}

/**
 * Check one signature of a checkpoint.
 *
 * @param {Key} key
 * @param {Checkpoint} checkpoint
 * @param {Bytes} signature
 * @param {string} place
 */
export async function mustHaveSigned(key, checkpoint, signature, place) {
  must(equal(signature.slice(0, 4), key.keyHash), place, `must be a signature by the key of ${key.name} in vkeys`);
  let [message, rest] = [utf8(checkpoint.text), signature.slice(4)];
  if (key.algorithm === OF_WITNESS) {
    must(rest.length === 72, place, "the signature of a witness must have a time and 64 bytes");
    const time = new DataView(rest.buffer).getBigUint64(0);
    message = joined(utf8(`cosignature/v1\ntime ${time}\n`), message);
    rest = rest.slice(8);
  }
  must(await isSigned(key.publicKey, rest, message), place, `the signature by ${key.name} must be right`);
}

/**
 * Check that the log with `key` signed a checkpoint.
 *
 * @param {Key} key
 * @param {Checkpoint} checkpoint
 * @param {string} place
 */
export async function mustBeOfLog(key, checkpoint, place) {
  const { origin, signatures } = checkpoint;
  must(origin === key.name, place, `must be a checkpoint of the log ${key.name}, not ${origin}`);
  const found = signatures.filter(([name, data]) => name === key.name && equal(data.slice(0, 4), key.keyHash));
  must(found.length === 1, place, `must have one signature by ${key.name}`);
  await mustHaveSigned(key, checkpoint, found[0][1], place);
}

/**
 * Return the proof of a leaf in `text`.
 *
 * @param {string} text
 * @param {string} place
 * @returns {Proof}
 */
export function readProof(text, place) {
  const end = text.indexOf("\n\n");
  const head = end < 0 ? text : text.slice(0, end);
  const [first, ...rest] = head.split("\n").filter((line) => !line.startsWith("extra "));
  if (first === undefined) throw new OtherForm("a proof has only lines for extra data");
  const index = rest.length > 0 ? /^index (0|[1-9][0-9]{0,18})$/.exec(rest[0]) : null;
  const isForm = first === "c2sp.org/tlog-proof@v1" && end >= 0 && rest.length <= 65;
  const why = "must be a proof of C2SP: c2sp.org/tlog-proof@v1, an index, hashes, and a checkpoint";
  must(index && isForm, place, why);
  const hashes = rest.slice(1).map((line) => fromBase64(line, place, 32));
  return { leafIndex: BigInt(index[1]), hashes, note: text.slice(end + 2) };
}

/**
 * Return the root that `hashes` prove for the leaf hash `node` at `index` of `size` leaves; null: there is none.
 *
 * @param {Bytes} node
 * @param {bigint} index
 * @param {bigint} size
 * @param {Bytes[]} hashes
 */
export async function rootByProof(node, index, size, hashes) {
  if (index < 0n || index >= size) return null;
  let last = size - 1n;
  const steps = [...hashes];
  while (last > 0n) {
    const isRight = index % 2n === 1n;
    if (isRight || index < last) {
      const step = steps.shift();
      if (!step) return null;
      node = isRight ? await nodeHash(step, node) : await nodeHash(node, step);
    }
    [index, last] = [index / 2n, last / 2n];
  }
  return steps.length > 0 ? null : node;
}

/**
 * Whether `hashes` prove that the tree of `newer` begins with the tree of `older` (RFC 6962, 2.1.2).
 *
 * @param {Checkpoint} older
 * @param {Checkpoint} newer
 * @param {Bytes[]} hashes
 */
export async function isContinued(older, newer, hashes) {
  const left = [...hashes];
  const found = older.size > 0n
    ? await roots(older.size, newer.size, left, older.root)
    : { older: await sha256(utf8("")), newer: newer.root };
  return left.length === 0 && found !== null && equal(found.older, older.root) && equal(found.newer, newer.root);
}

/**
 * Return the roots of the trees of `older` and of `newer` leaves, computed from `hashes`, the last hash first.
 *
 * `known` is the older root; null: the older tree is not the left part of the tree.
 *
 * @param {bigint} older
 * @param {bigint} newer
 * @param {Bytes[]} hashes
 * @param {Bytes | null} known
 * @returns {Promise<{older: Bytes, newer: Bytes} | null>} null: a hash is missing
 */
async function roots(older, newer, hashes, known) {
  if (older >= newer) {
    const root = known ?? hashes.pop();
    return root ? { older: root, newer: root } : null;
  }
  const split = 1n << BigInt((newer - 1n).toString(2).length - 1);
  const sibling = hashes.pop();
  if (!sibling) return null;
  const isLeft = older <= split;
  const found = await (isLeft ? roots(older, split, hashes, known) : roots(older - split, newer - split, hashes, null));
  if (!found) return null;
  if (isLeft) return { older: found.older, newer: await nodeHash(found.newer, sibling) };
  return { older: await nodeHash(sibling, found.older), newer: await nodeHash(sibling, found.newer) };
}

/**
 * Return the root of the tree whose leaves have `hashes`.
 *
 * @param {Bytes[]} hashes
 * @returns {Promise<Bytes>}
 */
export async function treeRoot(hashes) {
  if (hashes.length === 1) return hashes[0];
  const split = 1 << (31 - Math.clz32(hashes.length - 1));
  return nodeHash(...await Promise.all([treeRoot(hashes.slice(0, split)), treeRoot(hashes.slice(split))]));
}
