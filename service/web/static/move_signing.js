// Keys and secrets that this browser makes for a table and never sends; signatures of moves (log/v1, ruling G.13).

const STORE = "of_tables";
const encoder = new TextEncoder();

/** @typedef {ReturnType<TextEncoder["encode"]>} Bytes */
/** @typedef {{ publicKey: string, privateKey: CryptoKey }} SigningKey */
/** @typedef {{ seat: number, command_secret: string, sign_from: { position: number, head_hash: string },
 *   seals?: { decision: string, fields: { field: string, value: unknown }[] } | null }} ToSign */

/** @returns {Promise<IDBDatabase>} */
function opened() {
  return new Promise((done, failed) => {
    const asked = indexedDB.open("chiptrail", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  });
}

/** @template T @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest<T>} work @returns {Promise<T>} */
async function stored(mode, work) {
  const database = await opened();
  try {
    return await new Promise((done, failed) => {
      const transaction = database.transaction(STORE, mode);
      const asked = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => done(asked.result);
      transaction.onerror = transaction.onabort = () => failed(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** @param {ArrayBuffer | Uint8Array} bytes @returns {string} */
export function hex(bytes) {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} text @returns {Bytes} */
function ofHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Canonical JSON (log/v1).
 * @param {unknown} value @returns {string} */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(",")}}`;
}

/** @param {string[]} lines @returns {string} */
const text = (...lines) => lines.map((line) => `${line}\n`).join("");

/** @param {string} said @returns {Promise<string>} */
const sha256 = async (said) => hex(await crypto.subtle.digest("SHA-256", encoder.encode(said)));

/** Whether this browser can make keys and sign.
 * @returns {Promise<boolean>} */
export async function canSign() {
  try {
    await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    return true;
  } catch {
    return false;
  }
}

/** Make a key whose private part can't be read.
 * @returns {Promise<SigningKey>} */
export async function makeKey() {
  const pair = /** @type {CryptoKeyPair} */ (await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]));
  return { publicKey: hex(await crypto.subtle.exportKey("raw", pair.publicKey)), privateKey: pair.privateKey };
}

/** The name under which the browser keeps a key. It has the public key, so that a key whose registration was refused
 * replaces no other key.
 * @param {string} table @param {string} publicKey */
const keyName = (table, publicKey) => `key ${table} ${publicKey}`;

/** @param {string} table @param {SigningKey} key */
export const keepKey = (table, key) => stored("readwrite", (store) => store.put(key, keyName(table, key.publicKey)));

/** @param {string} table @param {string} publicKey @returns {Promise<SigningKey | undefined>} */
export const keyOf = (table, publicKey) => stored("readonly", (store) => store.get(keyName(table, publicKey)));

/** The member `sig` of an action. *previous* signs too, if the action registers another key.
 * @param {string} table @param {Record<string, unknown>} action @param {string} idempotencyKey
 * @param {ToSign} from @param {SigningKey} key @param {SigningKey} [previous]
 * @returns {Promise<Record<string, unknown>>} */
export async function signature(table, action, idempotencyKey, from, key, previous) {
  const stream = `table/${table}`;
  const cmd = await mac(ofHex(from.command_secret), text("chiptrail/cmd/v1", idempotencyKey));
  /** @type {{ field: string, blind: string }[]} */
  const blinds = [];
  let signed = action;
  if (from.seals) {
    signed = { type: from.seals.decision };
    for (const { field, value } of from.seals.fields) {
      mustBeChosen(value, action);
      const blind = hex(crypto.getRandomValues(new Uint8Array(32)));
      blinds.push({ field, blind });
      const lines = text("chiptrail/choice/v1", stream, `seat:${from.seat}`, field, blind);
      signed[field] = await sha256(lines + canonical(value));
    }
  }
  const { position, head_hash } = from.sign_from;
  const move = encoder.encode(`chiptrail/move/v1\n${canonical({ stream, position, head_hash, cmd, action: signed })}`);
  /** @param {SigningKey} one */
  const sign = async (one) => hex(await crypto.subtle.sign("Ed25519", one.privateKey, move));
  const sig = { position, head_hash, signature: await sign(key), blinds };
  return previous ? { ...sig, previous: await sign(previous) } : sig;
}

/** Refuse to sign a value that the player has not chosen. A member that the action leaves out is empty, 0 or false.
 * @param {unknown} value @param {Record<string, unknown>} action */
function mustBeChosen(value, action) {
  const chosen = new Set(["", 0, false, ...Object.values(action).flat()]);
  const values = typeof value === "object" && value !== null ? Object.values(value) : [value];
  if (!values.every((one) => chosen.has(one))) throw new Error("The service asks to sign a value that was not chosen.");
}

/** @param {Bytes} secret @param {string} said @returns {Promise<string>} */
async function mac(secret, said) {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, encoder.encode(said)));
}

/** This player's seed for the batch *epoch*; all seeds of a table follow from one secret that can't be read.
 * @param {string} table @param {string} epoch @returns {Promise<string>} */
export async function seedOf(table, epoch) {
  const name = `seeds ${table}`;
  let secret = /** @type {CryptoKey | undefined} */ (await stored("readonly", (store) => store.get(name)));
  if (!secret) {
    const made = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    await stored("readwrite", (store) => store.add(made, name)).catch(() => undefined); // another tab may have made one
    secret = /** @type {CryptoKey} */ (await stored("readonly", (store) => store.get(name)));
  }
  return hex(await crypto.subtle.sign("HMAC", secret, encoder.encode(epoch)));
}

/** The commitment to a seed (deck/v1).
 * @param {string} epoch @param {number} seat @param {string} seed */
export const commitment = (epoch, seat, seed) => sha256(text("chiptrail/client-seed/v1", epoch, `seat:${seat}`, seed));
