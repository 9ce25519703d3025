/**
 * Hashes, canonical JSON and base64, as log_format.md defines them; SHA-256 and HMAC are those of WebCrypto.
 *
 * @module
 */

import { Flaw, OtherForm, isObject, members, must } from "./values.js";

/** @typedef {ReturnType<TextEncoder["encode"]>} Bytes */

const DEEPEST = 900;
const UTF8 = new TextEncoder();
const FROM_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @param {string} text @returns {Bytes} */
export function utf8(text) {
  return UTF8.encode(text);
}

/**
 * Return `data` as text; throw a TypeError if it is no UTF-8.
 *
 * @param {Bytes} data
 */
export function fromUtf8(data) {
  return FROM_UTF8.decode(data);
}

/** @param {Bytes[]} parts @returns {Bytes} */
export function joined(...parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @param {Bytes} data */
export function toHex(data) {
  return Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} digits @returns {Bytes} */
export function fromHex(digits) {
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

/** @param {Bytes | null} one @param {Bytes} other */
export function equal(one, other) {
  return one !== null && one.length === other.length && firstDifference(one, other) === one.length;
}

/**
 * Return the first index at which two files differ; if one begins with the other, the size of the smaller one.
 *
 * @param {Bytes} one
 * @param {Bytes} other
 */
export function firstDifference(one, other) {
  const least = Math.min(one.length, other.length);
  let at = 0;
  while (at < least && one[at] === other[at]) at += 1;
  return at;
}

/** @param {Bytes} data @returns {Promise<Bytes>} */
export async function sha256(data) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
}

/**
 * Return the function that gives HMAC-SHA-256 of a text with this key.
 *
 * @param {Bytes} key
 * @returns {Promise<(text: string) => Promise<Bytes>>}
 */
export async function macBy(key) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (text) => new Uint8Array(await crypto.subtle.sign("HMAC", imported, utf8(text)));
}

/**
 * Return a line for each value, each with a line feed.
 *
 * @param {(string | number)[]} values
 */
export function lines(...values) {
  return values.map((value) => `${value}\n`).join("");
}

/**
 * Return the hash of `lines`, in hex.
 *
 * @param {(string | number)[]} values
 */
export async function hashOfLines(...values) {
  return toHex(await sha256(utf8(lines(...values))));
}

/**
 * Return the hash of a leaf (RFC 6962).
 *
 * @param {Bytes} leaf
 */
export function leafHash(leaf) {
  return sha256(joined(Uint8Array.of(0), leaf));
}

/**
 * Return the hash of a node above two others (RFC 6962).
 *
 * @param {Bytes} left
 * @param {Bytes} right
 */
export function nodeHash(left, right) {
  return sha256(joined(Uint8Array.of(1), left, right));
}

/**
 * Return `value`, as `readJson` returns it, as canonical JSON.
 *
 * @param {any} value
 * @returns {Bytes}
 */
export function canonical(value) {
  return utf8(canonicalText(value, 0));
}

/**
 * @param {any} value
 * @param {number} depth
 * @returns {string}
 */
function canonicalText(value, depth) {
  if (depth > DEEPEST) throw new OtherForm("it is nested too deeply");
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return wholeText(value);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map((one) => canonicalText(one, depth + 1)).join(",")}]`;
  return `{${members(value).map(([name, one]) => `${memberName(name)}:${canonicalText(one, depth + 1)}`).join(",")}}`;
}

/** @param {number} value */
function wholeText(value) {
  if (!Number.isSafeInteger(value)) throw new OtherForm("a number is not whole, or too large");
  return String(value);
}

/** @param {string} value */
function quoted(value) {
  if (/\p{Surrogate}/u.test(value)) throw new OtherForm("a text has half a character");
  return JSON.stringify(value);
}

/** @param {string} name */
function memberName(name) {
  if (!/^[\0-\x7f]*$/.test(name)) throw new OtherForm("the name of a member is not ASCII");
  return JSON.stringify(name);
}

/**
 * Return the value of `data`, which must be canonical JSON, the only encoding of its value.
 *
 * @param {Bytes} data
 * @param {string} place
 * @returns {any}
 */
export function readJson(data, place) {
  let value, isSame;
  try {
    const text = fromUtf8(data);
    value = parsed(text);
    isSame = canonicalText(value, 0) === text;
  } catch (error) {
    throw new Flaw(place, `must be canonical JSON (${/** @type {Error} */ (error).message})`);
  }
  must(isSame, place, "must be canonical JSON: these bytes are another form of the same value");
  return value;
}

/**
 * Return the value of JSON; its objects have no prototype, so a member can have any name, such as `__proto__`.
 *
 * @param {string} text
 * @returns {any}
 */
export function parsed(text) {
  return bare(JSON.parse(text), 0);
}

/**
 * Return an object without a prototype.
 *
 * @param {Record<string, any>} value
 * @returns {any}
 */
export function plain(value) {
  return Object.assign(Object.create(null), value);
}

/**
 * @param {any} value
 * @param {number} depth
 * @returns {any}
 */
function bare(value, depth) {
  if (depth > DEEPEST) throw new OtherForm("it is nested too deeply");
  if (typeof value !== "object" || value === null || isObject(value)) return value;
  if (Array.isArray(value)) return value.map((one) => bare(one, depth + 1));
  const made = Object.create(null);
  for (const name of Object.keys(value)) made[name] = bare(value[name], depth + 1);
  return made;
}

/**
 * Return the bytes that `text` encodes in their only form; `size` is their number (0: any number).
 *
 * @param {any} text
 * @param {string} place
 * @returns {Bytes}
 */
export function fromBase64(text, place, size = 0) {
  if (typeof text !== "string") throw new OtherForm("base64 must be a text");
  const isForm = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
  must(isForm, place, "must be base64");
  const binary = atob(text);
  must(btoa(binary) === text, place, "must be base64 in its only form");
  must(size === 0 || binary.length === size, place, `must be ${size} bytes in base64`);
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

/** @param {Bytes} data */
export function toBase64(data) {
  return btoa(String.fromCharCode(...data));
}
