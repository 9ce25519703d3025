// The page for playing: sends moves without loading the page again, follows the table, signs, and gives seeds.

import { canSign, commitment, keepKey, keyOf, makeKey, seedOf, signature } from "./move_signing.js";

const FOLLOW_PAUSE = 60; // ms in which the events of one command arrive together
const AGAIN = 5_000; // ms before a stream that was refused is asked for again
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const UNCERTAIN = 429; // from this status on, the same request may get another answer later
const MOST_TRIES = 5;
const MOVED_ON = 'data-code="head_must_be_of_the_turn"';
const SEEDS = ["commit_seed", "reveal_seed"];

/** @param {string} found @param {ParentNode} [within] @returns {HTMLElement | null} */
const one = (found, within = document) => within.querySelector(found);
const root = () => /** @type {HTMLElement} */ (one("#play"));
const actions = () => /** @type {HTMLElement} */ (one("#actions"));
const turn = /** @type {HTMLElement} */ (one("#turn"));
const table = root().dataset.table ?? "";
const path = `/play/${table}`;
/** Signatures by the Idempotency-Key and the action: a move that is sent again has the same signature.
 * @type {Map<string, Promise<string>>} */
const signatures = new Map();
/** @type {Set<string>} */
const given = new Set();
let isSending = false;

/** Show the parts of the page *html* that have changed. The other parts keep what is typed in them, and the focus.
 * @param {string} html @param {boolean} isAnswer whether it answers a form that was sent */
async function show(html, isAnswer) {
  const next = new DOMParser().parseFromString(html, "text/html");
  const play = one("#play", next);
  const isSameViewer = play?.dataset.formToken === root().dataset.formToken;
  if (!play || !isSameViewer) return void location.reload(); // a problem, or another tab has signed in or out
  const wasDue = root().dataset.due === "yes";
  const isNew = isAnswer || one("#actions", next)?.dataset.digest !== actions().dataset.digest;
  const hadFocus = actions().contains(document.activeElement);
  const isFree = hadFocus || document.activeElement === document.body;
  for (const [name, value] of Object.entries(play.dataset)) root().dataset[name] = value;
  for (const part of ["#about", "#board", "#events"]) replace(part, next);
  const chosen = typedIn(actions());
  if (isNew) actions().replaceWith(/** @type {HTMLElement} */ (one("#actions", next)));
  else setPositions(next);
  if (isNew && !isAnswer) typeInto(actions(), chosen);
  const said = one("#turn", next)?.textContent ?? "";
  if (turn.textContent !== said) turn.textContent = said;
  if (isNew) await begin(isFree && (isAnswer || !wasDue || hadFocus), hadFocus);
}

/** @param {HTMLFormElement} form @returns {string} */
const actionIn = (form) => /** @type {HTMLInputElement} */ (form.elements.namedItem("action")).value;

/** @param {HTMLElement} within @returns {Map<string, FormData>} what is typed and chosen in each form, by its action */
const typedIn = (within) => new Map([...within.querySelectorAll("form")].map((form) => [actionIn(form), new FormData(form)]));

/** Fill in the forms with what was typed and chosen before in forms for the same actions.
 * @param {HTMLElement} within @param {Map<string, FormData>} typed */
function typeInto(within, typed) {
  for (const form of within.querySelectorAll("form")) {
    const before = typed.get(actionIn(form));
    for (const field of before ? form.querySelectorAll("input") : []) {
      if (!before?.has(field.name) || !field.name.startsWith("m.")) continue;
      if (field.type === "radio" || field.type === "checkbox") field.checked = before.getAll(field.name).includes(field.value);
      else field.value = String(before.get(field.name));
    }
  }
}

/** Replace a part of the page, if it has changed and does not have the focus.
 * @param {string} part @param {Document} next */
function replace(part, next) {
  const [before, after] = [one(part), one(part, next)];
  if (before && after && before.innerHTML !== after.innerHTML && !before.contains(document.activeElement)) before.replaceWith(after);
}

/** Set the position in the forms that are kept to the position that the page shows now.
 * @param {Document} next */
function setPositions(next) {
  const positions = /** @type {NodeListOf<HTMLInputElement>} */ (next.querySelectorAll("#actions [name=position]"));
  actions().querySelectorAll("[name=position]").forEach((field, number) => {
    /** @type {HTMLInputElement} */ (field).value = positions[number].value;
  });
}

/** Make new forms ready.
 * @param {boolean} takesFocus whether the focus may go to the first action
 * @param {boolean} hadFocus whether the focus was on the forms that were replaced */
async function begin(takesFocus, hadFocus) {
  for (const group of actions().querySelectorAll("[data-count]")) count(/** @type {HTMLElement} */ (group));
  const refusal = one(".refusal", actions());
  if (refusal) refusal.focus();
  else if (takesFocus && root().dataset.due === "yes") (controls(forms()[0])[0] ?? actions()).focus();
  else if (hadFocus) actions().focus({ preventScroll: true });
  await beginSigning();
  await giveSeed();
}

/** @returns {HTMLFormElement[]} the forms that can be seen */
const forms = () => [.../** @type {NodeListOf<HTMLFormElement>} */ (actions().querySelectorAll("form.action"))].filter(
  (form) => form.checkVisibility(),
);

/** @param {Element | undefined} form @returns {HTMLElement[]} */
const controls = (form) => [.../** @type {NodeListOf<HTMLElement>} */ (form?.querySelectorAll("button, input:not([type=hidden])") ?? [])];

/** Return the page in *answer*. A busy service may send an error page: this is an error here, so that the error page is
 * not shown in place of the table.
 * @param {Response} answer @returns {Promise<string>} */
async function pageOf(answer) {
  const html = await answer.text();
  if (answer.status < UNCERTAIN || html.includes('<div id="play"')) return html;
  throw new Error("the service is busy or can't be reached.");
}

/** @param {number} [pause] */
async function refresh(pause = 0) {
  if (pause) await new Promise((done) => setTimeout(done, pause));
  const html = await pageOf(await fetch(path, { headers: { Accept: "text/html" } }));
  if (!isSending) await show(html, false);
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
async function send(form, button) {
  if (isSending) return;
  isSending = true;
  form.setAttribute("aria-busy", "true");
  let html = "";
  try {
    html = await answerTo(form, new URLSearchParams(new (/** @type {any} */ (FormData))(form, button)));
  } catch (error) {
    form.removeAttribute("aria-busy");
    turn.textContent = `The move was not sent, or no answer came: ${error instanceof Error ? error.message : error}. Send it again; it is recorded once.`;
  } finally {
    isSending = false;
  }
  if (html) await show(html, true);
  await catchUp();
}

/** @param {HTMLFormElement} form @param {URLSearchParams} sent @returns {Promise<string>} the page that comes back */
async function answerTo(form, sent) {
  for (let tries = 1; ; tries++) {
    const sig = await signatureOf(form, sent);
    if (sig) sent.set("sig", sig);
    const html = await pageOf(await fetch(path, { method: "POST", body: sent, headers: { Accept: "text/html" } }));
    if (!sig || tries === MOST_TRIES || !html.includes(MOVED_ON)) return html;
    signatures.clear(); // another player came first, so that the seat must sign on a later event
  }
}

/** Return the signature; "": none is needed, or none can be made.
 * @param {HTMLFormElement} form @param {URLSearchParams} sent @returns {Promise<string>} */
async function signatureOf(form, sent) {
  const publicKey = actions().dataset.key ?? "";
  const isNew = form.dataset.type === "register_signing_key";
  if ((!publicKey && !isNew) || !("signed" in form.dataset)) return "";
  const present = publicKey ? await keyOf(table, publicKey) : undefined;
  const key = isNew ? await keyOf(table, sent.get("m.public_key") ?? "") : present;
  if (!key) return ""; // the service then says that the move must be signed
  const [action, idempotencyKey] = [actionOf(form, sent), sent.get("key") ?? ""];
  const name = `${idempotencyKey} ${JSON.stringify(action)}`;
  const known = signatures.get(name) ?? sign(action, idempotencyKey, key, isNew ? present : undefined);
  signatures.set(name, known);
  const sig = await known;
  if (!sig) signatures.delete(name);
  return sig;
}

/** Return the signature; "": the service refuses to say what to sign, for example because the rules refuse the action.
 * @param {Record<string, unknown>} action @param {string} idempotencyKey @param {import("./move_signing.js").SigningKey} key
 * @param {import("./move_signing.js").SigningKey} [previous] @returns {Promise<string>} */
async function sign(action, idempotencyKey, key, previous) {
  const headers = { "Form-Token": root().dataset.formToken ?? "", "Idempotency-Key": idempotencyKey };
  const answer = await fetch(`${path}/to-sign`, { method: "POST", body: JSON.stringify(action), headers });
  if (!answer.ok) return "";
  return JSON.stringify(await signature(table, action, idempotencyKey, await answer.json(), key, previous));
}

/** The action that a form means, as the service will read it.
 * @param {HTMLFormElement} form @param {URLSearchParams} sent */
function actionOf(form, sent) {
  const action = JSON.parse(sent.get("action") ?? "{}");
  for (const name of new Set([...sent.keys()].filter((each) => each.startsWith("m.")))) {
    const kind = /** @type {HTMLElement} */ (form.querySelector(`[name="${name}"]`)).dataset.type ?? "text";
    const values = sent.getAll(name).map((value) => typed(value, kind.replace(/s$/, "")));
    action[name.slice(2)] = kind.endsWith("s") ? values : values[0];
  }
  return action;
}

/** @param {string} value @param {string} kind */
const typed = (value, kind) => (kind === "integer" ? Number(value) : kind === "boolean" ? value === "true" : value);

/** Show whether this browser can sign, has the seat's key, and may register a key. */
async function beginSigning() {
  const signing = one("#signing");
  if (!signing) return;
  const publicKey = actions().dataset.key ?? "";
  const isPossible = await canSign();
  const mayRegister = signing.dataset.mayRegister === "yes";
  const has = publicKey && isPossible ? await keyOf(table, publicKey) : undefined;
  const shown = { "no-signing": !isPossible, "key-is-elsewhere": publicKey && !has, register: isPossible && mayRegister && (!publicKey || has) };
  for (const [id, is] of Object.entries(shown)) one(`#${id}`, signing)?.toggleAttribute("hidden", !is);
}

/** Fill in and send the form of the seed that is due: with the seed's commitment, or with the seed itself. */
async function giveSeed() {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (actions().querySelectorAll("#seeds form"))) {
    const { type, epoch } = JSON.parse(actionIn(form));
    if (!SEEDS.includes(type) || given.has(`${type} ${epoch}`)) continue;
    given.add(`${type} ${epoch}`);
    const seed = await seedOf(table, epoch);
    const isCommitment = type === "commit_seed";
    const value = isCommitment ? await commitment(epoch, Number(root().dataset.seat), seed) : seed;
    /** @type {HTMLInputElement} */ (form.elements.namedItem(isCommitment ? "m.client_commit" : "m.client_seed")).value = value;
    setTimeout(() => form.requestSubmit());
    return;
  }
}

/** Let a group of cards be sent only with as many cards as must be chosen.
 * @param {HTMLElement} group */
function count(group) {
  const boxes = /** @type {HTMLInputElement[]} */ (controls(group));
  const [wanted, chosen] = [Number(group.dataset.count), boxes.filter((box) => box.checked).length];
  boxes[0]?.setCustomValidity(chosen === wanted ? "" : `Choose ${wanted}; you have chosen ${chosen}.`);
}

document.addEventListener("change", (event) => {
  const group = /** @type {HTMLElement} */ (event.target).closest?.("[data-count]");
  if (group) count(/** @type {HTMLElement} */ (group));
});

document.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("#actions form.action")) return;
  event.preventDefault();
  if (form.dataset.type === "register_signing_key" && !isSending) {
    const key = await makeKey();
    await keepKey(table, key);
    /** @type {HTMLInputElement} */ (form.elements.namedItem("m.public_key")).value = key.publicKey;
  }
  await send(form, event.submitter);
});

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (!actions().contains(target) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (target.matches("input:not([type=radio]):not([type=checkbox])")) return;
  if (/^[1-9]$/.test(event.key)) controls(forms()[Number(event.key) - 1])[0]?.focus();
  const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
  if (!step || target.matches("[type=radio]")) return;
  const group = controls(target.closest(".choices") ?? undefined);
  if (!group.length) return;
  event.preventDefault();
  group[(group.indexOf(target) + step + group.length) % group.length].focus();
});

let latest = 0;
let isComing = false;

/** Load the page until it shows the table at the latest position that the stream has named. */
async function catchUp() {
  if (isComing) return;
  isComing = true;
  try {
    while (latest > Number(root().dataset.position) && !isSending) await refresh(FOLLOW_PAUSE);
  } catch {
    setTimeout(catchUp, AGAIN);
  } finally {
    isComing = false;
  }
}

/** Follow the table: after each new event, fetch the page again. */
function follow() {
  const stream = new EventSource(`/tables/${table}/live?after=${root().dataset.position}`);
  stream.onmessage = (event) => {
    latest = Math.max(latest, Number(event.lastEventId));
    catchUp();
  };
  stream.addEventListener("end", () => stream.close());
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => refresh().catch(() => undefined).finally(follow), AGAIN);
  };
}

await begin(true, false);
if (root().dataset.over !== "yes") follow();
