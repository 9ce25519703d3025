/**
 * Values in words, as the pages for people have them.
 *
 * @module
 */

import { isObject, members, shown } from "./values.js";

/** @param {string} kind */
export function title(kind) {
  return kind.replaceAll("_", " ");
}

/**
 * @param {any} value
 * @returns {string}
 */
export function inWords(value) {
  if (isObject(value)) {
    const shownOnes = members(value).filter(([name]) => name !== "salt");
    return `(${shownOnes.map(([name, one]) => `${title(name)} ${inWords(one)}`).join(", ")})`;
  }
  if (Array.isArray(value)) return value.map(inWords).join(", ") || "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return shown(value);
}
