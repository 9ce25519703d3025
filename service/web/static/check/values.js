/**
 * Reads values of unknown form as strictly as verify.py does: a value that is missing or has another type is an error.
 *
 * @module
 */

/** @typedef {{verdict: "ok" | "FAILED" | "-", step: string, place: string, text: string}} Finding */

/** A check failed at a `place` in the file; `why` says what must hold there. */
export class Flaw extends Error {
  /** @param {string} place @param {string} why */
  constructor(place, why) {
    super(`${place}: ${why}`);
    this.place = place;
    this.why = why;
  }
}

/** A value has another form than its reader needs; `run` makes a finding of it. */
export class OtherForm extends Error {}

/**
 * Throw a flaw unless `holds`.
 *
 * @param {unknown} holds
 * @param {string} place
 * @param {string} why
 * @returns {asserts holds}
 */
export function must(holds, place, why) {
  if (!holds) throw new Flaw(place, why);
}

/**
 * Whether `value` is an object of JSON. `readJson` makes objects without a prototype, so `in` finds only members.
 *
 * @param {any} value
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
}

/**
 * Return the member `name` of `object`, or `otherwise` if the member is missing; without `otherwise`, throw an error.
 *
 * @param {any} object
 * @param {string} name
 * @param {any} [otherwise]
 * @returns {any}
 */
export function get(object, name, otherwise) {
  if (!isObject(object)) throw new OtherForm(`${name} is looked for in what is no object`);
  if (name in object) return object[name];
  if (otherwise === undefined) throw new OtherForm(`${name} is missing`);
  return otherwise;
}

/**
 * Return the members of `object` by name, in the order of canonical JSON.
 *
 * @param {any} object
 * @returns {[string, any][]}
 */
export function members(object) {
  if (!isObject(object)) throw new OtherForm("an object is needed");
  return Object.keys(object).sort().map((name) => [name, object[name]]);
}

/**
 * Whether `object` has all members that are `needed`, and no others but the `possible` ones.
 *
 * @param {any} object
 * @param {string[]} needed
 * @param {string[]} possible
 */
export function hasMembers(object, needed, possible = []) {
  const names = members(object).map(([name]) => name);
  return needed.every((name) => names.includes(name)) && names.every((name) => [...needed, ...possible].includes(name));
}

/**
 * Return the elements of a list, the characters of a text, or the names of an object's members, as in Python.
 *
 * @param {any} value
 * @returns {any[]}
 */
export function each(value) {
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return [...value];
  return members(value).map(([name]) => name);
}

/**
 * Return the elements of a list that must have `size` of them.
 *
 * @param {any} value
 * @param {number} size
 * @returns {any[]}
 */
export function exactly(size, value) {
  const found = each(value);
  if (found.length !== size) throw new OtherForm(`${size} elements are needed, not ${found.length}`);
  return found;
}

/**
 * Return `value`, which must be fit for a key of a map: no list and no object.
 *
 * @param {any} value
 * @returns {any}
 */
export function key(value) {
  if (typeof value === "object" && value !== null) throw new OtherForm("a list or an object can't name anything");
  return value;
}

/**
 * Whether `container` (a list, a text or an object) has `value`.
 *
 * @param {any} container
 * @param {any} value
 */
export function has(container, value) {
  if (typeof container !== "string") return each(container).includes(value);
  if (typeof value !== "string") throw new OtherForm("a text has only texts");
  return container.includes(value);
}

/**
 * Whether a value counts as true in Python: it is neither empty nor zero.
 *
 * @param {any} value
 */
export function isThere(value) {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/**
 * Return numbers, or texts, in their order.
 *
 * @param {Iterable<any>} values
 * @returns {any[]}
 */
export function sorted(values) {
  const all = [...values];
  const areNumbers = all.every((one) => isWhole(one) || typeof one === "boolean");
  if (areNumbers) return all.sort((one, other) => Number(one) - Number(other));
  if (!all.every((one) => typeof one === "string")) throw new OtherForm("these values have no order");
  return all.map((one) => [...one]).sort(byCharacters).map((one) => one.join(""));
}

/** @param {string[]} one @param {string[]} other */
function byCharacters(one, other) {
  const at = one.findIndex((char, index) => char !== other[index]);
  if (at < 0) return one.length - other.length;
  return at < other.length ? Number(one[at].codePointAt(0)) - Number(other[at].codePointAt(0)) : 1;
}

/**
 * Whether two lists have the same elements in the same order.
 *
 * @param {any} one
 * @param {any} other
 */
export function same(one, other) {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

/**
 * Whether `value` is a whole number.
 *
 * @param {any} value
 * @returns {value is number}
 */
export function isWhole(value) {
  return Number.isSafeInteger(value);
}

/**
 * Whether `value` is a text of lower-case hexadecimal digits; `digits` is their number.
 *
 * @param {any} value
 * @returns {value is string}
 */
export function isHex(value, digits = 64) {
  return typeof value === "string" && value.length === digits && /^[0-9a-f]*$/.test(value);
}

/**
 * Return a value as verify.py writes it into a finding or a page.
 *
 * @param {any} value
 * @returns {string}
 */
export function shown(value) {
  if (Array.isArray(value)) return `[${value.map(quoted).join(", ")}]`;
  if (isObject(value)) return `{${members(value).map(([name, one]) => `'${name}': ${quoted(one)}`).join(", ")}}`;
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : String(value);
}

/**
 * Return a value as verify.py quotes it: a text is between quotation marks, and its control characters are escaped.
 *
 * @param {any} value
 */
export function quoted(value) {
  if (typeof value !== "string") return shown(value);
  const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
  const marked = value.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`);
  return `${mark}${marked.replace(/[\0-\x1f\x7f]/g, escaped)}${mark}`;
}

/** @param {string} char */
function escaped(char) {
  const [code, named] = [char.charCodeAt(0), { "\t": "\\t", "\n": "\\n", "\r": "\\r" }[char]];
  return named ?? `\\x${code.toString(16).padStart(2, "0")}`;
}

/**
 * Return a number with commas between its groups of three digits.
 *
 * @param {number | bigint} number
 */
export function grouped(number) {
  return number.toLocaleString("en-US");
}
