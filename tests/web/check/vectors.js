/** Computes the vectors of api_spec/vectors.json with the modules of the page, and lists the differences. */

import { checkDecks } from "/check/decks.js";
import { PACK, cardHash, drawing, shuffled } from "/check/deck.js";
import { Dossier } from "/check/dossier.js";
import { isSigned, isSignedInHex, isSound } from "/check/ed25519.js";
import { canonical, equal, fromHex, hashOfLines, leafHash, parsed, toHex, utf8 } from "/check/hashes.js";
import { Kept } from "/check/kept.js";
import { checkLeaves } from "/check/leaves.js";
import { checkMoves, moveText } from "/check/moves.js";
import {
  isContinued, keyText, mustBeOfLog, mustHaveSigned, readCheckpoint, readKey, readProof, rootByProof, treeRoot,
} from "/check/notes.js";
import { Sealed, checkOpenings, commitment, openField } from "/check/openings.js";
import { Flaw, OtherForm, must } from "/check/values.js";

let wrong = [];

function same(what, found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push(`${what}: ${found} instead of ${wanted}`);
}

/** Note the case if the check accepts it and the vectors refuse it, or the other way round. */
async function judged(what, { finding }, check) {
  same(`${what} is accepted`, await refusal(check) === null, finding === "");
}

async function refusal(check) {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof Flaw) return error.place;
    if (error instanceof OtherForm) return "";
    throw error;
  }
}

const bytes = (digits) => fromHex(digits);

async function decks(vectors) {
  for (const { m, bytes: given, result } of vectors.uniform) {
    same(`a number below ${m}`, await (await drawing(async () => given))(m), result);
  }
  for (const name of Object.keys(vectors).filter((one) => /^S[0137]_/.test(one))) {
    const one = vectors[name];
    const clients = new Map(Object.entries(one.clients).map(([seat, seed]) => [Number(seat.slice(5)), seed]));
    const made = await shuffled(one.epoch, one.server_seed, clients, PACK.slice(0, one.n));
    same(name, [made.order.join(" "), made.transcript], [one.deck, one.transcript_sha256]);
    same(name, [made.root, made.salts[0]], [one.deck_root, one.salt0]);
  }
  const { batch, commitments, decks: joint } = vectors.players_seeds;
  for (const { seat, seed, client_commit } of commitments) {
    same("a seed", await hashOfLines("chiptrail/client-seed/v1", batch, `seat:${seat}`, seed), client_commit);
  }
  const clients = new Map(commitments.map(({ seat, seed }) => [seat, seed]));
  for (const one of joint) {
    const made = await shuffled(one.epoch, one.server_seed, clients);
    same(one.epoch, [made.order.join(" "), made.root, made.transcript], [one.deck, one.deck_root, one.transcript]);
  }
}

async function card({ S6_card_disclosure: one }) {
  const [hash, proof] = [await cardHash(one.epoch, one.pos, one.face, one.salt), one.proof.map(bytes)];
  same("a card", toHex(hash), one.leaf_hash);
  for (const [pos, isRight] of [[one.pos, true], [one.pos + 1, false], [-1, false], [52, false]]) {
    const root = await rootByProof(hash, BigInt(pos), 52n, proof);
    same(`a card at ${pos}`, root !== null && toHex(root) === one.deck_root, isRight);
  }
}

async function fields({ field, sealed_choices: { seat, cases } }) {
  const text = ["chiptrail/field/v1", field.stream, field.position, field.field, field.salt];
  same("a field", await commitment(text, parsed(JSON.stringify(field.value))), field.commitment);
  for (const one of cases) {
    const opening = parsed(JSON.stringify(one.opening));
    const dossier = new Dossier(new Uint8Array(), [], new Uint8Array());
    dossier.begin.stream = opening.stream;
    const sealed = new Sealed(opening.position, opening.field, seat, parsed(JSON.stringify(one.priv)));
    await judged(one.what, one, () => openField(dossier, opening, sealed, "here"));
  }
}

async function trees(vectors) {
  const hashes = await Promise.all(vectors.events.map((one) => leafHash(utf8(one.leaf_data))));
  same("leaves", hashes.map(toHex), vectors.events.map((one) => one.leaf_hash));
  for (const [size, root] of Object.entries(vectors.roots)) {
    if (size > 0) same(`the root of ${size}`, toHex(await treeRoot(hashes.slice(0, size))), root);
  }
  for (const [index, path] of vectors.proofs_7.inclusion.entries()) {
    const root = await rootByProof(hashes[index], BigInt(index), 7n, path.map(bytes));
    same(`the proof of ${index}`, root && toHex(root), vectors.proofs_7.root);
  }
  for (const one of vectors.consistency_proofs) {
    const [older, newer] = ["old", "new"].map((which) => {
      return { size: BigInt(one[`${which}_size`]), root: bytes(one[`${which}_root`]) };
    });
    same(one.what, await isContinued(older, newer, one.hashes.map(bytes)), one.finding === "");
  }
}

async function notes({ checkpoints, leaf_proofs: proofs, keys }) {
  const [log, witness] = [await readKey(keys.log_vkey, "log"), await readKey(keys.witness_vkey, "witness")];
  same("keys", [keyText(log), keyText(witness)], [keys.log_vkey, keys.witness_vkey]);
  for (const one of checkpoints.cases) {
    await judged(one.what, one, async () => {
      const found = readCheckpoint(one.note, "note");
      await mustBeOfLog(log, found, "note");
      const cosignatures = found.signatures.filter(([name]) => name === witness.name);
      must(cosignatures.length === 1, "note", "must have one cosignature");
      await mustHaveSigned(witness, found, cosignatures[0][1], "note");
    });
  }
  for (const one of proofs.cases) {
    await judged(one.what, one, async () => {
      const { leafIndex, hashes, note } = readProof(one.file, "proof");
      const found = readCheckpoint(note, "proof");
      await mustBeOfLog(log, found, "proof");
      const root = await rootByProof(await leafHash(utf8(one.leaf)), leafIndex, found.size, hashes);
      must(equal(root, found.root), "proof", "must lead to the root");
    });
  }
}

async function receipts({ receipts: { public_key: publicKey, cases } }) {
  for (const one of cases) {
    const { position, stream, cmd } = one.receipt;
    const dossier = new Dossier(new Uint8Array(), [], new Uint8Array());
    dossier.leaves = Array(position).fill(canonical(parsed(JSON.stringify({ stream, cmd }))));
    dossier.hashes = Array(position).fill(one.leaf_hash);
    const kept = new Kept(dossier);
    kept.receiptKeys.push(publicKey);
    await judged(one.what, one, () => kept.compareReceipt("kept", parsed(JSON.stringify(one.receipt))));
  }
}

/** Return a dossier with these leaves, which are not checked. */
async function dossierOf(leaves) {
  const dossier = new Dossier(new Uint8Array(), [], new Uint8Array());
  await dossier.take(leaves.map(utf8));
  dossier.events = leaves.map(parsed);
  return dossier;
}

async function moves({ signed_moves: { leaves, signed, refused } }) {
  const events = leaves.map(parsed);
  for (const one of signed) {
    const event = events[Number(one.place.slice("position ".length)) - 1];
    same(one.place, [toHex(moveText(event)), event.sig.signature], [one.signature_of, one.signature]);
  }
  same("signed moves", await refusal(async () => checkMoves(await dossierOf(leaves))), null);
  for (const one of refused) {
    const position = Number(one.place.slice("position ".length));
    const changed = [...leaves.slice(0, position - 1), one.leaf];
    same(one.what, await refusal(async () => checkMoves(await dossierOf(changed))), one.place);
  }
}

async function openings({ signed_moves: { leaves }, openings: { lines, changes } }) {
  const check = async (changed) => {
    const dossier = new Dossier(new Uint8Array(), [], new Uint8Array());
    dossier.files.set("openings.ndjson", utf8(changed.map((line) => `${line}\n`).join("")));
    await dossier.take(leaves.map(utf8));
    for (const step of [checkLeaves, checkDecks, checkOpenings]) await step(dossier);
  };
  same("openings", await refusal(() => check(lines)), null);
  for (const { what, line, old, new: into, place } of changes) {
    const [before, one, after] = [lines.slice(0, line - 1), lines[line - 1], lines.slice(line)];
    const some = { drop: [], double: [one, one] }[old] ?? [one.replace(old, into)];
    const found = await refusal(() => check([...before, ...some, ...after]));
    same(what, place ? found : found !== null, place || true);
  }
}

async function soundness({ test_keys: keys }) {
  const { public_key: sound } = keys.first_of_a_seat;
  const small = ["01".padEnd(64, "0"), "ec".padEnd(62, "f") + "7f", "0".repeat(64)];
  same("sound keys", [sound, ...small].map(isSound), [true, false, false, false]);
  same("a foreign signature", await isSignedInHex(sound, "0".repeat(128), utf8("text")), false);
}

/** @returns {Promise<string[]>} what came out otherwise */
export async function disagreements(vectors) {
  wrong = [];
  for (const check of [decks, card, fields, trees, notes, receipts, moves, openings, soundness]) await check(vectors);
  return wrong;
}

/** Return for each case (public key, signature and message, in hex) whether the signature holds. */
export function signed(cases) {
  return Promise.all(cases.map((case_) => isSigned(...case_.map(fromHex))));
}
