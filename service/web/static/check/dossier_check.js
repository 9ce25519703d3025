/**
 * Checks a dossier of Chiptrail in this browser: what was dealt, chosen and recorded, and whether the log has it.
 *
 * These modules are verify.py in JavaScript: the same checks in the same order, under the same names, with the same
 * findings. They need nothing but the browser, and send nothing. The page log_format.md defines every format that is
 * checked here. Whether the rules of the game were followed is not checked: `chiptrail verify --dossier` decides every
 * decision again.
 *
 * @module
 */

import { checkHands, checkTransfers } from "./accounts.js";
import { checkDecks } from "./decks.js";
import { Dossier, checkFile, checkInclusion, checkSignatures } from "./dossier.js";
import { checkKept } from "./kept.js";
import { checkLeaves } from "./leaves.js";
import { checkMoves } from "./moves.js";
import { checkOpenings } from "./openings.js";
import { checkPages } from "./pages.js";
import { checkDisputes, checkService } from "./streams.js";
import { Flaw, OtherForm } from "./values.js";

/** @typedef {import("./hashes.js").Bytes} Bytes */
/** @typedef {import("./values.js").Finding} Finding */
/**
 * `program`: verify.py of this release. `kept`: names and contents of files that the checker kept. `onStep` gets each
 * finding as soon as it is there.
 *
 * @typedef {{program: Bytes, kept?: [string, Bytes][], onStep?: (finding: Finding) => void}} Options
 */
/**
 * `passed` says that no check failed; `findings` has the finding of each check. `about` names the tables in the file.
 *
 * @typedef {{passed: boolean, findings: Finding[], kind: "dossier" | "export", about: string[]}} Report
 */

/**
 * The name of each check, the check, and the checks that must have passed before it.
 *
 * @type {[string, (dossier: Dossier) => string | Promise<string>, string[]][]}
 */
const STEPS = [
  ["file", checkFile, []],
  ["signatures", checkSignatures, ["file"]],
  ["inclusion", checkInclusion, ["signatures"]],
  ["kept", checkKept, ["signatures", "inclusion"]],
  ["leaves", checkLeaves, ["inclusion"]],
  ["moves", checkMoves, ["leaves"]],
  ["decks", checkDecks, ["leaves"]],
  ["openings", checkOpenings, ["decks"]],
  ["hands", checkHands, ["openings"]],
  ["transfers", checkTransfers, ["leaves"]],
  ["service", checkService, ["leaves"]],
  ["disputes", checkDisputes, ["leaves"]],
  ["pages", checkPages, ["openings", "transfers", "service", "disputes"]],
];

/**
 * Check the dossier `data`, step by step.
 *
 * @param {Bytes} data
 * @param {Options} options
 * @returns {Promise<Report>}
 */
export async function checkDossier(data, { program, kept = [], onStep = () => {} }) {
  const dossier = new Dossier(data, kept, program);
  /** @type {Finding[]} */
  const findings = [];
  for (const [step, checkStep, needs] of STEPS) {
    const missing = needs.find((need) => findings.some((one) => one.step === need && one.verdict !== "ok"));
    const text = `not checked, because ${missing} did not pass`;
    const finding = missing ? notChecked(step, text) : await run(step, checkStep, dossier);
    findings.push(finding);
    onStep(finding);
  }
  const about = dossier.begin.stream.slice("table/".length);
  const passed = findings.every((one) => one.verdict !== "FAILED");
  return { passed, findings, kind: "dossier", about: about ? [about] : [] };
}

/**
 * Return the finding that a step was not checked, and why.
 *
 * @param {string} step
 * @param {string} text
 * @returns {Finding}
 */
export function notChecked(step, text) {
  return { verdict: "-", step, place: "", text };
}

/**
 * Run one check of a file; `file.at` is the place that the check is reading.
 *
 * @template {{at: string}} File
 * @param {string} step
 * @param {(file: File) => string | Promise<string>} checkStep
 * @param {File} file
 * @returns {Promise<Finding>}
 */
export async function run(step, checkStep, file) {
  try {
    return { verdict: "ok", step, place: "", text: await checkStep(file) };
  } catch (error) {
    if (error instanceof Flaw) return { verdict: "FAILED", step, place: error.place, text: error.why };
    if (![OtherForm, TypeError, RangeError].some((kind) => error instanceof kind)) throw error;
    const text = `must have a value of another form (${/** @type {Error} */ (error).message})`;
    return { verdict: "FAILED", step, place: file.at, text };
  }
}
