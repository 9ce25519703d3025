/**
 * The service's own stream, and the disputes of the table: leaves of other streams of the same log.
 *
 * @module
 */

import { canonical, equal, fromBase64, hashOfLines, leafHash, plain, readJson, toHex } from "./hashes.js";
import { NO_HASH, mustBeEvent } from "./leaves.js";
import { keyText, rootByProof } from "./notes.js";
import { commitment } from "./openings.js";
import { OtherForm, each, get, hasMembers, isHex, isWhole, key, members, must } from "./values.js";
import { inWords } from "./words.js";

/** @typedef {import("./dossier.js").Dossier} Dossier */

const ABOUT_LOG = ["log_opened", "release_changed", "signing_key_changed"];
const ABOUT_TABLE = ["table_imported", "value_erased_at"];

/**
 * Check that each line of a file is a later leaf of `stream`, in the tree; yield its place, value and event.
 *
 * @param {Dossier} dossier
 * @param {string} name
 * @param {string} stream
 * @returns {AsyncGenerator<[string, any, any]>}
 */
async function* proved(dossier, name, stream) {
  const { checkpoint } = dossier;
  let before = 0;
  for (const [at, line] of (dossier.files.has(name) ? dossier.ndjson(name) : []).entries()) {
    const place = dossier.at = `${name}, line ${at + 1}`;
    const value = readJson(line, place);
    must(hasMembers(value, ["hashes", "index", "leaf"], ["opening"]), place, "must have a leaf and its proof");
    const event = value.leaf;
    mustBeEvent(event, place);
    must(event.stream === stream && event.position > before, place, `must be the next leaf of ${stream}`);
    const hashes = each(value.hashes).map((one) => fromBase64(one, place, 32));
    if (!isWhole(value.index)) throw new OtherForm("an index must be a whole number");
    const root = await rootByProof(await leafHash(canonical(event)), BigInt(value.index), checkpoint.size, hashes);
    must(equal(root, checkpoint.root), place, "the proof must lead to the root of the checkpoint");
    before = event.position;
    yield [place, value, event];
  }
}

/**
 * Each leaf in service.ndjson is in the tree, belongs to the service's own stream, and concerns the dossier.
 *
 * @param {Dossier} dossier
 */
export async function checkService(dossier) {
  const table = dossier.begin.stream.slice("table/".length);
  const [origin, logKey] = [dossier.checkpoint.origin, keyText(dossier.logKey)];
  for await (const [place, value, event] of proved(dossier, "service.ndjson", "service/log")) {
    const { type: kind, pub } = event;
    const isAbout = ABOUT_LOG.includes(kind) ? get(pub, "table", table) === table
      : ABOUT_TABLE.includes(kind) && get(pub, "table", "") === table;
    must(isAbout && !("opening" in value), place, "must concern the log or the table");
    const isOurs = kind !== "log_opened" || (get(pub, "origin") === origin && get(pub, "log_key") === logKey);
    must(isOurs, place, "must name the origin and the key of the log");
    dossier.service.push(event);
  }
  return `${dossier.service.length} leaves of the service's own stream are in the tree`;
}

/**
 * The table's disputes are in the log; each text is what was sealed, and a reason is missing only if erased.
 *
 * @param {Dossier} dossier
 */
export async function checkDisputes(dossier) {
  const [table, id] = [dossier.begin.stream, dossier.begin.stream.slice("table/".length)];
  const reasons = new Set(); // the numbers of the lines that seal a reason that the file does not have
  const stream = await disputesOf(table);
  let [before, number] = [NO_HASH, 0];
  for await (const [place, value, event] of proved(dossier, "disputes.ndjson", stream)) {
    number += 1;
    const { pub } = event;
    const sealed = members(get(event, "priv", plain({})));
    const isOpened = "opening" in value;
    const isNext = event.position === number && event.prev === before && get(pub, "table", id) === id;
    must(isNext, place, `must be position ${number} of this table's disputes, after the leaf ${before}`);
    const isForm = sealed.length < 2 && Number(isOpened) <= sealed.length;
    must(isForm, place, "must seal one text at most, and open only what it seals");
    for (const [field, committed] of sealed) {
      if (isOpened) await mustBeText(value.opening, [stream, number, field], committed, place);
      else if (field === "reason") reasons.add(number);
    }
    if (event.type === "dispute_value_erased") reasons.delete(key(get(pub, "position")));
    before = toHex(await leafHash(canonical(event)));
    const text = isOpened ? inWords(get(value.opening, "value")) : sealed.length > 0 ? "sealed" : "";
    dossier.disputes.push([event, text]);
  }
  const [first = 0] = reasons;
  must(reasons.size === 0, `disputes.ndjson, line ${first}`, "must have the reason that was sealed");
  return `${dossier.disputes.length} events of disputes are in the tree`;
}

/**
 * Return the name of the stream of a table's disputes.
 *
 * @param {string} table the name of the table's stream
 */
export async function disputesOf(table) {
  const hash = await hashOfLines("chiptrail/disputes/v1", table);
  return `dispute/dsp_${"ff".repeat(6)}${hash.slice(0, 20)}`;
}

/**
 * Check the opening of a text of a dispute.
 *
 * @param {any} opening
 * @param {[string, number, string]} sealedAt stream, position and field
 * @param {any} committed
 * @param {string} place
 */
async function mustBeText(opening, [stream, position, field], committed, place) {
  const isForm = isHex(get(opening, "salt")) && hasMembers(opening, ["salt", "value"]);
  must(isForm, place, "must have a salt and a text");
  const c = await commitment(["chiptrail/field/v1", stream, position, field, opening.salt], opening.value);
  must(c === committed.c, place, `must be the ${field} that was sealed`);
}
