/**
 * Checks a file that somebody brings: a dossier, or an export.
 *
 * @module
 */

import { checkDossier } from "./dossier_check.js";
import { checkExport } from "./export_check.js";

/** @typedef {import("./dossier_check.js").Options} Options */
/** @typedef {import("./dossier_check.js").Report} Report */

/**
 * Check `data`: an export if it begins as JSON does, else a dossier.
 *
 * @param {import("./hashes.js").Bytes} data
 * @param {Options} options
 * @returns {Promise<Report>}
 */
export function checkFile(data, options) {
  return data[0] === 0x7b ? checkExport(data, options) : checkDossier(data, options);
}
