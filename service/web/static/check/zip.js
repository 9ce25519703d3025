/**
 * Reads the .zip file of a dossier, which has only one form: packing its files again must give the same bytes.
 *
 * @module
 */

import { firstDifference, joined, utf8 } from "./hashes.js";
import { Flaw, grouped, must, quoted } from "./values.js";

/** @typedef {import("./hashes.js").Bytes} Bytes */

export const NAMES = [
  "README.txt", "case.html", "events.ndjson", "openings.ndjson", "service.ndjson", "disputes.ndjson", "checkpoint",
  "events.tlog-proof", "vkeys", "verify.py",
];
const OPTIONAL = ["service.ndjson", "disputes.ndjson"];
export const MOST_BYTES = 64 * 2 ** 20;
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit += 1) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** @param {Bytes} data */
function crc32(data) {
  let crc = -1;
  for (const byte of data) crc = (crc >>> 8) ^ CRC[(crc ^ byte) & 255];
  return ~crc;
}

/**
 * Return numbers as bytes, the least significant first; each comes with its size in bytes.
 *
 * @param {[number, number][]} numbers
 * @returns {Bytes}
 */
function packedNumbers(...numbers) {
  return Uint8Array.from(numbers.flatMap(([size, number]) => {
    return Array.from({ length: size }, (_, at) => (number >>> (8 * at)) & 255);
  }));
}

/**
 * Return the .zip file with `files`: without compression and with a fixed date, so it has only one form.
 *
 * @param {Map<string, Bytes>} files
 */
export function packed(files) {
  const [body, directory] = [/** @type {Bytes[]} */ ([]), /** @type {Bytes[]} */ ([])];
  let offset = 0;
  for (const [name, data] of files) {
    const plain = packedNumbers([2, 20], [2, 0], [2, 0], [2, 0], [2, 0x21]); // version, flags, method, 1 January 1980
    const sizes = packedNumbers([4, crc32(data)], [4, data.length], [4, data.length], [2, name.length], [2, 0]);
    const rest = packedNumbers([2, 0], [2, 0], [2, 0], [4, 0o100644 << 16], [4, offset]);
    directory.push(utf8("PK\x01\x02"), Uint8Array.of(20, 3), plain, sizes, rest, utf8(name));
    body.push(utf8("PK\x03\x04"), plain, sizes, utf8(name), data);
    offset += 30 + name.length + data.length;
  }
  const index = joined(...directory);
  const sizes = packedNumbers([2, files.size], [2, files.size], [4, index.length], [4, offset], [2, 0]);
  return joined(...body, index, utf8("PK\x05\x06"), packedNumbers([4, 0]), sizes);
}

/**
 * Return the files of a dossier by name. The work is bounded: no file is compressed, and no name is a path.
 *
 * @param {Bytes} data
 * @returns {Map<string, Bytes>}
 */
export function unpacked(data) {
  must(data.length <= MOST_BYTES, "the file", `a dossier must have at most ${grouped(MOST_BYTES)} bytes`);
  const files = new Map();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let left = NAMES;
  let offset = 0;
  while (data.length >= offset + 30 && view.getUint32(offset) === 0x504b0304) {
    const [flags, method] = [view.getUint16(offset + 6, true), view.getUint16(offset + 8, true)];
    const [packedSize, size] = [view.getUint32(offset + 18, true), view.getUint32(offset + 22, true)];
    const [nameSize, extraSize] = [view.getUint16(offset + 26, true), view.getUint16(offset + 28, true)];
    const start = offset + 30 + nameSize;
    const name = ascii(data.subarray(offset + 30, start));
    const place = `byte ${offset} of the file`;
    must(!files.has(name), place, `a dossier must have each file once; ${quoted(name.slice(0, 80))} is there twice`);
    must(NAMES.includes(name), place, `a dossier must have no file ${quoted(name.slice(0, 80))}`);
    must(left.includes(name), place, `the files must have their order; ${name} comes too late`);
    must(method === 0 && flags === 0 && packedSize === size, name, "must not be compressed or encrypted");
    must(extraSize === 0 && start + size <= data.length, name, "must be whole");
    files.set(name, data.subarray(start, start + size));
    left = left.slice(left.indexOf(name) + 1);
    offset = start + size;
  }
  const missing = NAMES.filter((name) => !files.has(name) && !OPTIONAL.includes(name));
  must(missing.length === 0, `byte ${offset} of the file`, `a dossier must be a .zip file with ${missing.join(", ")}`);
  mustBeTheSame(packed(files), data);
  return files;
}

/** @param {Bytes} again @param {Bytes} data */
function mustBeTheSame(again, data) {
  const at = firstDifference(again, data);
  if (at < Math.max(again.length, data.length)) {
    throw new Flaw(`byte ${at} of the file`, "must be the byte that packing these files gives");
  }
}

/** @param {Bytes} data */
function ascii(data) {
  return Array.from(data, (byte) => (byte < 128 ? String.fromCharCode(byte) : "\ufffd")).join("");
}
