// The page of a table: steps through its events without loading the page again, and follows the table as events come.

import { showForReader } from "./times.js";

const MOVE_PAUSE = 80; // ms without a further move of the slider before a position is asked for
const FOLLOW_PAUSE = 60; // ms in which the events of one command arrive together
const AGAIN = 5_000; // ms before a stream that was refused is asked for again
const AGAIN_AT_MOST = 60_000;
const MOST_SAID = 3;

const root = /** @type {HTMLElement} */ (document.querySelector("#table"));
const table = `/tables/${root.dataset.table}`;
const range = /** @type {HTMLInputElement} */ (root.querySelector("input[type=range]"));
const box = /** @type {HTMLInputElement} */ (root.querySelector("#at"));
const said = /** @type {HTMLElement} */ (root.querySelector("#said"));
const connection = /** @type {HTMLElement} */ (root.querySelector("#connection"));

/** @returns {HTMLElement} */
const stage = () => /** @type {HTMLElement} */ (root.querySelector("#stage"));
/** The position that the page shows, and the latest position that it knows. */
const shown = () => Number(stage().dataset.position);
const last = () => Number(range.max);
const isNow = () => stage().dataset.at === "0";

/** @param {number} at @returns {string} */
const pathOf = (at) => (at ? `${table}?at=${at}` : table);

/** Show how many events there are, and set the controls to the position that the page shows. */
function setControls() {
  const most = Math.max(Number(stage().dataset.last), shown());
  range.max = box.max = String(most);
  range.setAttribute("aria-valuetext", `Position ${shown()} of ${most}`);
  if (!moving) range.value = String(shown());
  if (!moving && document.activeElement !== box) box.value = String(shown());
  /** @type {HTMLElement} */ (root.querySelector("#last")).textContent = String(most);
  const hand = /** @type {HTMLInputElement | null} */ (root.querySelector("#hand"));
  if (hand && isNow()) hand.max = stage().dataset.hand ?? hand.max;
  const targets = { first: 1, previous: Math.max(shown() - 1, 1), next: Math.min(shown() + 1, most), last: most, now: 0 };
  for (const [name, at] of Object.entries(targets)) {
    const link = /** @type {HTMLAnchorElement} */ (root.querySelector(`#go-${name}`));
    link.href = pathOf(at);
    link.dataset.at = String(at);
  }
  const now = /** @type {HTMLElement} */ (root.querySelector("#go-now"));
  if (isNow()) now.setAttribute("aria-current", "page");
  else now.removeAttribute("aria-current");
}

/** @param {ParentNode} within @returns {Map<string, string>} what each marked part shows, by its key */
function parts(within) {
  const found = within.querySelectorAll("[data-key]");
  return new Map([...found].map((one) => [/** @type {HTMLElement} */ (one).dataset.key ?? "", one.innerHTML]));
}

/** Replace the part of the page that depends on the position; keep the focus, and mark changes.
 * @param {string} html */
function swap(html) {
  const next = new DOMParser().parseFromString(html, "text/html").querySelector("#stage");
  if (!next) return;
  const hasSignedInElsewhere = /** @type {HTMLElement} */ (next).dataset.viewer !== stage().dataset.viewer;
  if (hasSignedInElsewhere) return location.reload();
  const [before, from] = [parts(stage()), shown()];
  const focused = stage().contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
  showForReader(next);
  stage().replaceWith(next);
  if (focused) {
    const again = [...stage().querySelectorAll("a")].find((link) => link.getAttribute("href") === focused);
    (again ?? /** @type {HTMLElement} */ (root.querySelector("#go-next"))).focus();
  }
  for (const one of stage().querySelectorAll("[data-key]")) {
    const key = /** @type {HTMLElement} */ (one).dataset.key ?? "";
    if (shown() !== from && before.get(key) !== one.innerHTML) one.classList.add("changed");
  }
  setControls();
  say(from);
}

/** Say to a screen reader what happened after *from*, or what the position shows.
 * @param {number} from */
function say(from) {
  const lines = [...stage().querySelectorAll(".events li")].filter((line) => {
    const position = Number(line.querySelector("a")?.dataset.at);
    return isNow() ? position > from : position === shown();
  });
  const words = lines.slice(-MOST_SAID).map((line) => spoken(line.querySelector("span")));
  const waits = spoken(stage().querySelector("#waits"));
  if (words.length || shown() !== from) said.textContent = [...words, waits].join(" ");
}

/** @param {Element | null} element @returns {string} its text, with the names of cards */
function spoken(element) {
  if (!element) return "";
  const copy = /** @type {Element} */ (element.cloneNode(true));
  for (const card of copy.querySelectorAll("[role=img]")) card.replaceWith(` ${card.getAttribute("aria-label")} `);
  return (copy.textContent ?? "").replace(/\s+/g, " ").trim();
}

let wanted = isNow() ? 0 : shown();
let moving = 0; // the timer of a move that has not been asked for yet
/** @type {AbortController | undefined} */
let asking;

/** @param {string} query @returns {Promise<boolean>} whether the page shows the answer */
async function show(query) {
  asking?.abort();
  const asked = (asking = new AbortController());
  try {
    const answer = await fetch(`${table}/drawing?${query}`, { signal: asked.signal, headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const html = await answer.text();
    if (asked.signal.aborted) return false;
    swap(html);
    connection.textContent = "";
    return true;
  } catch (error) {
    if (!asked.signal.aborted) connection.textContent = "The service did not answer. What you see may be out of date.";
    return false;
  }
}

/** Show the position *at*, or the present if it is 0.
 * @param {number} at @param {boolean} isNew a new entry of the history */
async function go(at, isNew) {
  const wasNow = wanted === 0;
  wanted = at;
  if (at) unfollow();
  const did = await show(at ? `at=${at}` : `least=${last()}`);
  if (did && isNew && (wasNow || !at)) history.pushState(null, "", pathOf(at));
  else if (did && isNew) history.replaceState(null, "", pathOf(at));
  if (!at) follow();
}

/** Show *at* once the reader has not moved the slider for a moment.
 * @param {number} at */
function move(at) {
  const [least, most] = [1, last()];
  const to = Math.min(Math.max(at, least), most);
  range.value = box.value = String(to);
  clearTimeout(moving);
  moving = window.setTimeout(() => {
    moving = 0;
    void go(to, true);
  }, MOVE_PAUSE);
}

range.addEventListener("input", () => move(Number(range.value)));
box.form?.addEventListener("submit", (event) => {
  event.preventDefault();
  move(Number(box.value));
});
root.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = /** @type {Element} */ (event.target).closest("a[data-at]");
  if (!link) return;
  event.preventDefault();
  clearTimeout(moving);
  moving = 0;
  void go(Number(/** @type {HTMLElement} */ (link).dataset.at), true);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (/** @type {Element} */ (event.target).closest("input, select, textarea, [tabindex]")) return;
  const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
  if (!by) return;
  event.preventDefault();
  move(Number(range.value) + by);
});
window.addEventListener("popstate", () => {
  void go(Number(new URLSearchParams(location.search).get("at") ?? 0), false);
});

/** @type {EventSource | undefined} */
let live;
let [retry, coming, again, ticking] = [0, 0, AGAIN, 0];

function unfollow() {
  live?.close();
  live = undefined;
  clearTimeout(retry);
  clearTimeout(coming);
  coming = 0;
  clearInterval(ticking);
}

/** Follow the table as events come, unless it has ended or the reader looks at an earlier position. */
function follow() {
  unfollow();
  if (stage().dataset.goesOn !== "yes" || wanted) {
    connection.textContent = "";
    return;
  }
  const source = (live = new EventSource(`${table}/live?after=${shown()}`));
  let newest = shown();
  /** Ask for the drawing of the newest event: one request at a time, and one for all events of a command. */
  const catchUp = (pause = FOLLOW_PAUSE) => {
    coming ||= window.setTimeout(async () => {
      const did = await show(`least=${newest}`);
      coming = 0;
      if (source !== live) return;
      if (did && stage().dataset.goesOn !== "yes") unfollow();
      else if (newest > shown() || !did) catchUp(did ? FOLLOW_PAUSE : AGAIN);
    }, pause);
  };
  source.onopen = () => {
    connection.textContent = "";
    again = AGAIN;
  };
  source.onmessage = (event) => {
    newest = Math.max(newest, Number(event.lastEventId));
    if (newest > shown()) catchUp();
  };
  source.addEventListener("due", (event) => countDown(JSON.parse(/** @type {MessageEvent} */ (event).data).seconds_left));
  source.addEventListener("end", () => {
    source.close();
    catchUp();
  });
  source.onerror = () => {
    if (source !== live) return;
    connection.textContent = "The connection is lost; the page tries again. What you see may be out of date.";
    if (source.readyState !== EventSource.CLOSED) return;
    retry = window.setTimeout(async () => {
      await show(`least=${shown()}`);
      follow();
    }, again);
    again = Math.min(2 * again, AGAIN_AT_MOST);
  };
}

/** Show the seconds that are left for the decision.
 * @param {number} seconds */
function countDown(seconds) {
  const end = performance.now() + 1000 * seconds;
  clearInterval(ticking);
  const tick = () => {
    const until = stage().querySelector(".until");
    if (until) until.textContent = `${Math.max(0, Math.round((end - performance.now()) / 1000))} s left.`;
  };
  tick();
  ticking = window.setInterval(tick, 1000);
}

/** @type {HTMLElement} */ (root.querySelector(".slider")).hidden = false;
setControls();
follow();
