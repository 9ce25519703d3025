/**
 * Checks an export of Chiptrail, or the lines of the events endpoint: all that can be checked without a checkpoint.
 *
 * @module
 */

import { checkHands, checkTransfers } from "./accounts.js";
import { checkDecks } from "./decks.js";
import { notChecked, run } from "./dossier_check.js";
import { sealedAt } from "./dossier.js";
import { Export, checkChains, checkEnd, checkLines } from "./export_lines.js";
import { plain } from "./hashes.js";
import { checkMoves } from "./moves.js";
import { commitment, disclosures, openCard, openField } from "./openings.js";
import { disputesOf } from "./streams.js";
import { get, hasMembers, isHex, key, must } from "./values.js";

/** @typedef {import("./values.js").Finding} Finding */
/** @typedef {import("./export_lines.js").Stream} Stream */
/** @typedef {(file: Export) => string | Promise<string>} Check */

const OF_TABLES = ["moves", "decks", "openings", "hands", "transfers"];
const NO_TABLE = "not checked, because the file has no table from position 1 on";
const NO_CHECKPOINT = "not checked, because an export has no checkpoint: a dossier proves that the log has its events";

/**
 * The name of each check, the check, and the checks that must have passed before it.
 *
 * @type {[string, Check, string[]][]}
 */
const STEPS = [
  ["file", checkLines, []],
  ["leaves", checkChains, ["file"]],
  ["end", checkEnd, ["leaves"]],
  ["moves", inEachTable(checkMoves), ["leaves"]],
  ["decks", inEachTable(checkDecks), ["leaves"]],
  ["openings", (file) => inEachTable((stream) => checkGiven(file, stream))(file), ["decks"]],
  ["hands", inEachTable(checkHands), ["openings"]],
  ["transfers", inEachTable(checkTransfers), ["leaves"]],
  ["disputes", checkDisputes, ["leaves"]],
];

/**
 * Check the export `data`, step by step.
 *
 * @param {import("./hashes.js").Bytes} data
 * @param {{onStep?: (finding: Finding) => void}} options
 * @returns {Promise<import("./dossier_check.js").Report>}
 */
export async function checkExport(data, { onStep = () => {} }) {
  const file = new Export(data);
  /** @type {Finding[]} */
  const findings = [];
  const add = (/** @type {Finding} */ finding) => {
    findings.push(finding);
    onStep(finding);
  };
  for (const [step, checkStep, needs] of STEPS) {
    const didPass = (/** @type {string} */ name) => findings.some((one) => one.step === name && one.verdict === "ok");
    const missing = needs.find((need) => !didPass(need));
    const hasNone = OF_TABLES.includes(step) && didPass("leaves") && file.tables.length === 0;
    if (hasNone) add(notChecked(step, NO_TABLE));
    else if (missing) add(notChecked(step, `not checked, because ${missing} did not pass`));
    else add(await run(step, checkStep, file));
  }
  for (const step of ["signatures", "inclusion"]) add(notChecked(step, NO_CHECKPOINT));
  const passed = findings.every((one) => one.verdict !== "FAILED");
  return { passed, findings, kind: "export", about: [...file.streams.values()].map((stream) => stream.id) };
}

/**
 * Return a check that runs `checkTable` on each table of the file.
 *
 * @param {(stream: Stream) => string | Promise<string>} checkTable
 * @returns {Check}
 */
function inEachTable(checkTable) {
  return async (file) => {
    const texts = [];
    for (const stream of file.tables) {
      file.at = stream.id;
      texts.push(await namingItsTable(stream, checkTable));
    }
    return texts.length === 1 ? texts[0] : `${texts.length} tables hold`;
  };
}

/**
 * Run a check on one stream; the place of a flaw begins with the stream's id.
 *
 * @param {Stream} stream
 * @param {(stream: Stream) => string | Promise<string>} checkStream
 */
async function namingItsTable(stream, checkStream) {
  const found = await run("", checkStream, stream);
  must(found.verdict === "ok", `${stream.id}, ${found.place}`, found.text);
  return found.text;
}

/**
 * Each opening in the file is right. In an export for everybody, the opening of a field comes no earlier than the event
 * that makes the field public.
 *
 * @param {Export} file
 * @param {Stream} stream
 */
async function checkGiven(file, stream) {
  const { mayRead, fields } = disclosures(stream, 0);
  const isForAll = file.begin !== null && file.begin.viewer === "spectator";
  const [public_, opened] = [new Map(mayRead.map(({ at, field }) => [field, at])), new Set()];
  let cards = 0;
  for (const { line, position, fields: given, cards: dealt } of stream.given) {
    const place = stream.at = `line ${line}`;
    for (const one of given) {
      const sealed = fields.get(sealedAt(key(get(one, "position")), key(get(one, "field"))));
      must(sealed, place, `must open a field that was sealed, not ${one.field} of position ${one.position}`);
      const from = isForAll ? public_.get(sealed) ?? Infinity : sealed.position;
      must(position >= from, place, `${sealed.name} of position ${sealed.position} must not be open yet`);
      await openField(stream, one, sealed, place);
      opened.add(sealed);
    }
    for (const { position: at, epoch, pos, face, salt, proof } of dealt) {
      must(at === position, place, "must open only cards that this event dealt");
      const opening = plain({ card: plain({ epoch, pos, face, salt, proof }), from: position });
      await openCard(stream, opening, [epoch, pos], place);
      cards += 1;
    }
  }
  const closed = [...public_.keys()].filter((field) => !opened.has(field)).length;
  const some = closed > 0 ? `; the file lacks ${closed} values that everybody may read` : "";
  return `${opened.size} of ${fields.size} sealed fields and ${cards} cards are open, and right${some}`;
}

/**
 * Each stream of disputes that the file has from position 1 on belongs to the table that it names; each text in the
 * file is the one that was sealed.
 *
 * @param {Export} file
 */
async function checkDisputes(file) {
  let [streams, texts] = [0, 0];
  for (const stream of file.streams.values()) {
    if (!stream.name.startsWith("dispute/") || !stream.isWhole) continue;
    streams += 1;
    await namingItsTable(stream, async () => {
      const table = get(stream.events[0].pub, "table");
      const name = await disputesOf(`table/${table}`);
      must(name === stream.name, "position 1", `must be in the stream of the disputes of ${table}`);
      for (const { line, fields } of stream.given) {
        for (const one of fields) await mustBeSealed(stream, one, stream.at = `line ${line}`);
        texts += fields.length;
      }
      return "";
    });
  }
  return `${streams} streams of disputes, with ${texts} texts, belong to their tables`;
}

/** @param {Stream} stream @param {any} one @param {string} place */
async function mustBeSealed(stream, one, place) {
  const isForm = hasMembers(one, ["field", "position", "salt", "stream", "value"]) && isHex(one.salt);
  must(isForm && one.stream === stream.name, place, "must have the members of an opening of this stream");
  const sealed = get(get(stream.events[one.position - 1], "priv", plain({})), one.field);
  const text = ["chiptrail/field/v1", stream.name, one.position, one.field, one.salt];
  must(await commitment(text, one.value) === sealed.c, place, `must be the ${one.field} that was sealed`);
}
