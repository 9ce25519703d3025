/**
 * The pages for people, README.txt and case.html: they must be those that follow from the events.
 *
 * @module
 */

import { add, transfersOf } from "./accounts.js";
import { sealedAt } from "./dossier.js";
import { firstDifference, plain, toHex, utf8 } from "./hashes.js";
import { keyText } from "./notes.js";
import { each, exactly, get, isWhole, members, must, shown, sorted } from "./values.js";
import { inWords, title } from "./words.js";

/** @typedef {import("./hashes.js").Bytes} Bytes */
/** @typedef {import("./dossier.js").Dossier} Dossier */
/** @typedef {(string | number | bigint)[]} Row */

const HIDDEN = ["transfers", "called", "salt", "server_commit", "input_id", "transcript", "deck_root"];

/** @param {Record<string, any>} of */
const README = (of) => `\
A DOSSIER OF CHIPTRAIL

This file proves ${of.what} of ${of.begin.stream}, as ${of.viewer} may see it,
with no network and no service:  python3 verify.py dossier.zip

verify.py needs Python 3.9 or newer. Get it from a source that you trust: somebody who
forges a dossier can also forge the copy in it. case.html shows the hand to a person.

What the check proves: The log with the key below signed a tree that has these events.
Each deck was fixed before the decisions about its cards, and was dealt from the top.
Each sealed choice that you can read is the one that was sealed. Each signed move was
signed with the key that its seat registered. Chips and points only moved between
accounts. \`chiptrail verify --dossier\` decides every decision again, too.

What it does not prove: Others may have another log. Compare the key, and give verify.py
each checkpoint and receipt that you kept (--kept). The file does not show who made an
unsigned move, or whose key a seat registered: ask the player. The operator may have made
up the players' seeds, drawn many decks and kept one (level "operator"), or shown cards.
Witnesses of this checkpoint: ${of.witnesses}

The log        ${of.key.name}
The key        ${of.key_text}
The checkpoint ${of.checkpoint.size} leaves
The events     1 to ${of.leaves} of the table; the hand has ${of.begin.first} to ${of.begin.last}
The service    on its own stream, in service.ndjson: ${of.service}
The disputes   of the table, in disputes.ndjson: ${of.disputes} events
`;

/** @param {Record<string, string>} of */
const PAGE = (of) => `\
<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${of.title}</title>
<style>
body { font: 16px/1.5 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 } td.number { text-align: right }
td, th { border-bottom: 1px solid #ccc; padding: .2em .8em; text-align: left; vertical-align: top }
</style></head>
<body><h1>${of.title}</h1><p>${of.about}</p>
<h2>The cards</h2>${of.cards}
<h2>What was chosen and what followed</h2>${of.events}
<h2>The accounts</h2>${of.accounts}
<h2>The disputes of the table</h2>${of.disputes}
<h2>The proof</h2><p>The events are in ${of.proof}; verify.py checks this.</p>
</body></html>
`;

/**
 * README.txt and case.html are what this program makes of the other files, and verify.py is this program.
 *
 * @param {Dossier} dossier
 */
export function checkPages(dossier) {
  mustBeSame(dossier.file("README.txt"), utf8(readme(dossier)), "README.txt");
  mustBeSame(dossier.file("case.html"), utf8(casePage(dossier)), "case.html");
  mustBeSame(dossier.file("verify.py"), dossier.program, "verify.py");
  return "README.txt and case.html follow from the events; verify.py is this program";
}

/** @param {Bytes} found @param {Bytes} wanted @param {string} name */
function mustBeSame(found, wanted, name) {
  const at = firstDifference(found, wanted);
  const line = found.subarray(0, at).reduce((count, byte) => count + Number(byte === 10), 1);
  const isSame = at === found.length && at === wanted.length;
  must(isSame, `${name}, line ${line}`, "must be the line that belongs to these events and this verify.py");
}

/** @param {Dossier} dossier */
function readme(dossier) {
  const { begin, checkpoint, logKey: key } = dossier;
  return README({
    begin,
    key,
    key_text: keyText(key),
    key_hash: toHex(key.keyHash),
    checkpoint,
    leaves: dossier.leaves.length,
    what: begin.hand ? `hand ${begin.hand}` : "all hands",
    viewer: viewerIn(begin.viewer),
    witnesses: checkpoint.signatures.slice(1).map(([name]) => name).join(", ") || "none",
    service: dossier.service.map((one) => `${title(one.type)} (position ${one.position})`).join(", ") || "nothing",
    disputes: dossier.disputes.length,
  });
}

/** @param {number} seat */
function viewerIn(seat) {
  return seat ? `seat ${seat}` : "everybody";
}

/**
 * Return case.html: the hand or table as a person reads it, made from the other files of the dossier.
 *
 * @param {Dossier} dossier
 */
function casePage(dossier) {
  const { begin, checkpoint } = dossier;
  const table = begin.stream.slice("table/".length);
  const game = inWords(get(get(dossier.events[0], "pub"), "game", ""));
  /** @type {Row[]} */
  const rows = [];
  for (const [position, event, pub] of dossier.each()) {
    if (position < begin.first || position > begin.last) continue;
    const details = detailsOf(dossier, position, event);
    rows.push([position, event.at, who(event), title(event.type), details, movedBy(pub)]);
  }
  return PAGE({
    title: escaped(begin.hand ? `Hand ${begin.hand} of ${table}` : `The table ${table}`),
    about: escaped(`The game is ${game}. The page shows what ${viewerIn(begin.viewer)} may see.`),
    cards: tableOf(["event", "deck", "cards"], dealt(dossier)),
    events: tableOf(["event", "time (UTC)", "who", "what", "details", "chips and points"], rows),
    accounts: tableOf(["account", "before", "change", "after"], balances(dossier)),
    disputes: tableOf(["dispute", "time (UTC)", "who", "what", "details", "text"], disputed(dossier)),
    proof: escaped(`a tree of ${checkpoint.size} leaves of the log ${checkpoint.origin}`),
  });
}

/** @param {string} text */
function escaped(text) {
  const plainText = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return plainText.replaceAll('"', "&quot;").replaceAll("'", "&#x27;");
}

/** @param {string[]} heads @param {Iterable<Row>} rows */
function tableOf(heads, rows) {
  const written = [`<tr>${heads.map((head) => `<th>${escaped(head)}</th>`).join("")}</tr>`];
  for (const row of rows) {
    const kinds = row.map((one) => [typeof one === "string" ? "" : ' class="number"', escaped(String(one))]);
    const cells = kinds.map(([kind, text]) => `<td${kind}>${text}</td>`);
    written.push(`<tr>${cells.join("")}</tr>`);
  }
  return `<table>\n${written.join("\n")}\n</table>`;
}

/** @param {any} event */
function who(event) {
  const by = event.by.replaceAll(":", " ");
  if (!("cmd" in event)) return "the rules";
  const called = get(event.pub, "called", "");
  return called ? `${by}, because ${called} called time` : by;
}

/** @param {Dossier} dossier @param {number} position @param {any} event */
function detailsOf(dossier, position, event) {
  const parts = members(event.pub).filter(([name]) => !HIDDEN.includes(name)).map(([name, value]) => {
    const isDealt = event.type === "cards_dealt" && name === "cards";
    return `${title(name)}: ${isDealt ? `${each(value).length} cards, see above` : inWords(value)}`;
  });
  for (const [name] of members(get(event, "priv", plain({})))) {
    const place = sealedAt(position, name);
    const isOpen = dossier.values.has(place);
    parts.push(`${title(name)}: ${isOpen ? `${inWords(dossier.values.get(place))} (sealed)` : "sealed"}`);
  }
  return parts.join("; ");
}

/** @param {any} pub */
function movedBy(pub) {
  const moves = transfersOf(pub).map(([source, target, amount, unit, rule]) => {
    return `${amount} ${unit} from ${source} to ${target} (rule ${shown(rule)})`;
  });
  return moves.join("; ");
}

/**
 * Yield a row for each deal of the hand, with the faces that the viewer may see.
 *
 * @param {Dossier} dossier
 * @returns {Generator<Row>}
 */
function* dealt(dossier) {
  const faces = new Map();
  for (const deck of dossier.decks.values()) {
    for (const [, pos, face] of deck.shown) faces.set(`${deck.epoch} ${pos}`, face);
  }
  for (const [position, event, pub] of dossier.each()) {
    const isOfHand = dossier.begin.first <= position && position <= dossier.begin.last;
    if (event.type !== "cards_dealt" || !isOfHand) continue;
    const { order } = dossier.deck(pub.epoch);
    /** @type {Map<any, string[]>} */
    const given = new Map();
    for (const [pos, to] of each(pub.cards).map((card) => exactly(2, card))) {
      const face = order.length > 0 ? order[pos] : faces.get(`${pub.epoch} ${pos}`) ?? "??";
      given.set(to, [...given.get(to) ?? [], face]);
    }
    const named = [...given].map(([to, cards]) => `${isWhole(to) ? `seat ${to}` : shown(to)}: ${cards.join(" ")}`);
    yield [position, pub.epoch, named.join("; ")];
  }
}

/**
 * Yield a row for each step of the table's disputes, with the texts that the viewer may read.
 *
 * @param {Dossier} dossier
 * @returns {Generator<Row>}
 */
function* disputed(dossier) {
  for (const [event, text] of dossier.disputes) {
    const details = members(event.pub).filter(([name]) => !["dispute", "parties", "table"].includes(name));
    const said = inWords(plain(Object.fromEntries(details)));
    yield [get(event.pub, "dispute"), event.at, event.by, title(event.type), said, text];
  }
}

/**
 * Yield a row for each account: its balance before the hand, its change, and its balance after the hand.
 *
 * @param {Dossier} dossier
 * @returns {Generator<Row>}
 */
function* balances(dossier) {
  const [before, change] = [new Map(), new Map()];
  for (const [position, , pub] of dossier.each()) {
    if (position > dossier.begin.last) continue;
    const counted = position < dossier.begin.first ? before : change;
    for (const [source, target, amount] of transfersOf(pub)) {
      add(counted, source, -BigInt(amount));
      add(counted, target, BigInt(amount));
    }
  }
  for (const account of sorted(new Set([...before.keys(), ...change.keys()]))) {
    const [was, changed] = [before.get(account) ?? 0n, change.get(account) ?? 0n];
    yield [account, was, changed, was + changed];
  }
}
