/**
 * Ed25519 (RFC 8032, 5.1.7): WebCrypto checks signatures; this module decides which keys are sound, as verify.py does.
 *
 * @module
 */

import { fromHex } from "./hashes.js";
import { isHex } from "./values.js";

/** @typedef {import("./hashes.js").Bytes} Bytes */
/** @typedef {[bigint, bigint, bigint, bigint]} Point x, y, z and t, where the point is (x/z, y/z), and t = xy/z */

const P = 2n ** 255n - 19n;
const D = mod(-121665n * power(121666n, P - 2n));

/** @param {bigint} number */
function mod(number) {
  const rest = number % P;
  return rest < 0n ? rest + P : rest;
}

/** @param {bigint} base @param {bigint} exponent */
function power(base, exponent) {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % P;
    if (bit === "1") result = (result * base) % P;
  }
  return result;
}

/** @param {Point} a @returns {Point} */
function doubled(a) {
  const e = mod((a[1] - a[0]) * (a[1] - a[0]));
  const f = mod((a[1] + a[0]) * (a[1] + a[0]));
  const g = mod(2n * a[3] * a[3] * D);
  const h = mod(2n * a[2] * a[2]);
  const [i, j, k, m] = [f - e, h - g, h + g, f + e];
  return [mod(i * j), mod(k * m), mod(j * k), mod(i * m)];
}

/**
 * Return the point that `data` encodes; null: it encodes none.
 *
 * @param {Bytes} data
 * @returns {Point | null}
 */
function point(data) {
  const number = data.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const sign = number >> 255n;
  const y = number & (2n ** 255n - 1n);
  if (y >= P) return null;
  const square = mod((y * y - 1n) * power(mod(D * y * y + 1n), P - 2n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x - square)) x = mod(x * power(2n, (P - 1n) / 4n));
  if (mod(x * x - square) || (x === 0n && sign)) return null;
  x = (x & 1n) !== sign ? P - x : x;
  return [x, y, 1n, mod(x * y)];
}

/**
 * Whether `signature` is the Ed25519 signature of `message` by the owner of `publicKey`.
 *
 * @param {Bytes} publicKey
 * @param {Bytes} signature
 * @param {Bytes} message
 */
export async function isSigned(publicKey, signature, message) {
  if (publicKey.length !== 32 || signature.length !== 64 || point(publicKey) === null) return false;
  const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, message);
}

/**
 * Whether the owner of `publicKey` made `signature` of `message`; both are hexadecimal digits.
 *
 * @param {any} publicKey
 * @param {any} signature
 * @param {Bytes} message
 */
export async function isSignedInHex(publicKey, signature, message) {
  if (!isHex(publicKey) || !isHex(signature, 128)) return false;
  return isSigned(fromHex(publicKey), fromHex(signature), message);
}

/**
 * Whether `key` (hex) is a public key under which nobody can forge: a point that is not of small order.
 *
 * @param {any} key
 */
export function isSound(key) {
  const found = isHex(key) ? point(fromHex(key)) : null;
  return found !== null && doubled(doubled(doubled(found)))[0] !== 0n;
}

/** Whether this browser can't check signatures with Ed25519. */
export async function isMissing() {
  if (!globalThis.crypto?.subtle) return true;
  try {
    await crypto.subtle.importKey("raw", fromHex("58".padEnd(64, "6")), "Ed25519", false, ["verify"]);
    return false;
  } catch {
    return true;
  }
}
