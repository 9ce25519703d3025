/**
 * Binds the checks to the page /check: a file comes in, and a list says step by step what was found. Nothing is sent.
 *
 * @module
 */

import { checkFile } from "./any_file.js";
import { isMissing } from "./ed25519.js";

/** @typedef {import("./hashes.js").Bytes} Bytes */
/** @typedef {import("./values.js").Finding} Finding */
/** @typedef {import("./dossier_check.js").Report} Report */

const MOST_BYTES = 256 * 2 ** 20;
const OUTCOMES = { ok: ["Passed", "passed"], FAILED: ["Failed", "failed"], "-": ["Not checked", "unchecked"] };
/** @type {Record<string, string>} What holds if a step passes. */
const SENTENCES = {
  file: "The file has the only form that its content can have.",
  signatures: "The log signed its checkpoint, and so did each witness that the checkpoint names.",
  inclusion: "The log has the last event of the file, and so all events before it.",
  kept: "The log agrees with everything that you kept.",
  leaves: "Each event names the hash of the event before it: none is changed, missing or added.",
  end: "The file ends where its last line says.",
  moves: "Each player's decision came from the player's seat, signed if the seat has a key; or time was called.",
  decks: "Each deck was fixed before it was dealt, was dealt from the top, and follows from its seeds.",
  openings: "Each sealed choice in the file is the one that was sealed, and was not opened too early.",
  hands: "Each card was played by a seat that had it.",
  transfers: "Chips and points only moved between accounts, and only the house and the pool went below zero.",
  service: "The log has what the service recorded about itself.",
  disputes: "Each dispute in the file belongs to its table, and each text is the one that was sealed.",
  pages: "The pages for people and verify.py in the file are the right ones.",
};

/** @param {string} id @returns {any} */
const part = (id) => document.getElementById(id);
const [main, status, steps] = [part("check"), part("check-status"), part("check-steps")];
let latest = 0; // the number of the latest check; an earlier check that still runs shows nothing any more
let again = async () => tell("No file was chosen yet."); // makes the latest check once more

/** @param {string} text */
function tell(text, kind = "") {
  status.textContent = text;
  status.className = kind;
}

/** @param {string} name @param {string} text @param {string} kind */
function element(name, text, kind = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = kind;
  return made;
}

/** @param {Finding} finding */
function listed({ verdict, step, place, text }) {
  const isEmpty = step === "kept" && part("check-kept").files.length === 0; // then nothing was compared
  const [outcome, kind] = OUTCOMES[isEmpty && verdict === "ok" ? "-" : verdict];
  const item = element("li", "", kind);
  item.append(element("strong", outcome), `: ${SENTENCES[step]} `);
  item.append(element("span", place ? `${step}, ${place}: ${text}` : `${step}: ${text}`, "found"));
  steps.append(item);
}

/** @param {Report} report */
function summary({ passed, findings, kind, about }) {
  if (passed && kind === "dossier") return "Every check passed. The rules of the game were not checked here.";
  if (passed) return "No check failed. Only a dossier proves that the log has these events.";
  const found = findings.find((one) => one.verdict === "FAILED");
  const table = kind === "dossier" && about.length > 0 && found?.place.startsWith("position") ? ` of ${about[0]}` : "";
  const hint = found?.text.startsWith("prev must be ") ? " This event or the one before it was changed." : "";
  return `Refused. The step ${found?.step} failed. ${found?.place}${table}: ${found?.text}.${hint}`;
}

/**
 * The verify.py of this release, with which the file's own verify.py is compared; null: it was not loaded.
 *
 * @type {Promise<Bytes | null>}
 */
const program = fetched(main.dataset.program).catch(() => null);

/** @param {string} path @returns {Promise<Bytes>} */
async function fetched(path) {
  const response = await fetch(path, { headers: { Accept: "application/zip, application/json, */*;q=0.1" } });
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Error(`the service answers ${response.status}: ${problem.title ?? response.statusText}`);
  }
  return new Uint8Array(await response.arrayBuffer());
}

/** @param {File} file @returns {Promise<Bytes>} */
async function read(file) {
  if (file.size > MOST_BYTES) throw new Error("it has more than 256 MiB");
  return new Uint8Array(await file.arrayBuffer());
}

/**
 * Check what `load` gives, and show what was found.
 *
 * @param {string} name
 * @param {() => Promise<Bytes>} load
 */
async function run(name, load) {
  const mine = latest += 1;
  again = () => run(name, load);
  steps.replaceChildren();
  tell(`Checking ${name} …`);
  try {
    const right = await program;
    if (!right) throw new Error("the page could not load verify.py, with which it is compared: load the page again");
    /** @type {[string, Bytes][]} */
    const kept = await Promise.all(Array.from(part("check-kept").files, async (one) => [one.name, await read(one)]));
    const onStep = (/** @type {Finding} */ finding) => mine === latest && listed(finding);
    const report = await checkFile(await load(), { program: right, kept, onStep });
    if (mine === latest) tell(`${name}: ${summary(report)}`, report.passed ? "passed" : "failed");
  } catch (error) {
    if (mine === latest) tell(`${name} can't be checked: ${/** @type {Error} */ (error).message}`, "failed");
  }
}

/** @param {FileList} files */
function take(files) {
  const [file] = files;
  if (file) run(file.name, () => read(file));
}

/** Begin: say what this browser lacks, or wait for a file, or check the dossier that the page was opened for. */
async function begin() {
  if (await isMissing()) {
    part("check-unable").hidden = false;
    return;
  }
  const [input, drop] = [part("check-file"), part("check-drop")];
  drop.hidden = false;
  input.addEventListener("change", () => take(input.files));
  drop.addEventListener("dragover", (/** @type {DragEvent} */ event) => event.preventDefault());
  drop.addEventListener("drop", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    if (event.dataTransfer) take(event.dataTransfer.files);
  });
  part("check-again").addEventListener("click", () => again());
  const { dossier, name } = main.dataset;
  if (dossier) await run(name, () => fetched(dossier));
  else if (input.files.length > 0) take(input.files);
  else tell("Ready: no file was chosen yet.");
}

await begin();
