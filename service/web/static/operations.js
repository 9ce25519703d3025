// Shows how many requests, commands and events come in each second, from two readings of the totals.

const SECONDS = 5;
const MOST_READINGS = 60;
const NAMES = { requests: "Requests a second", commands: "Commands a second", events: "Events a second" };
const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {{ [name: string]: number }} Totals
 * @typedef {{ at: number, totals: Totals }} Reading
 */

/**
 * @param {HTMLElement} place
 * @param {Reading[]} readings
 */
function show(place, readings) {
  const list = document.createElement("dl");
  list.className = "figures";
  for (const [name, title] of Object.entries(NAMES)) {
    const rates = readings.slice(1).map((reading, number) => {
      const before = readings[number];
      // After a restart the totals begin at 0 again.
      const more = Math.max(0, reading.totals[name] - before.totals[name]);
      return (1000 * more) / (reading.at - before.at);
    });
    const part = document.createElement("div");
    const term = document.createElement("dt");
    term.textContent = title;
    const value = document.createElement("dd");
    value.textContent = rates.length ? rates[rates.length - 1].toFixed(1) : "…";
    part.append(term, value);
    if (rates.length > 1) part.append(line(rates, title));
    list.append(part);
  }
  place.replaceChildren(list);
}

/**
 * @param {number[]} rates
 * @param {string} title
 */
function line(rates, title) {
  const most = Math.max(...rates, 1);
  const points = rates.map((rate, number) => `${(number * 240) / (MOST_READINGS - 2)},${46 - (44 * rate) / most}`);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 240 48");
  svg.setAttribute("class", "spark");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${title}: at most ${most.toFixed(1)} in the last ${rates.length * SECONDS} seconds`);
  const drawn = document.createElementNS(SVG, "polyline");
  drawn.setAttribute("points", points.join(" "));
  svg.append(drawn);
  const holder = document.createElement("dd");
  holder.append(svg);
  return holder;
}

/** @param {HTMLElement} place */
async function follow(place) {
  /** @type {Reading[]} */
  const readings = [];
  const read = async () => {
    if (document.hidden) return;
    const answer = await fetch(place.dataset.source ?? "");
    if (!answer.ok) return;
    readings.push({ at: performance.now(), totals: await answer.json() });
    if (readings.length > MOST_READINGS) readings.shift();
    show(place, readings);
  };
  await read();
  setInterval(() => void read().catch(() => undefined), 1000 * SECONDS);
}

const place = document.getElementById("live-rates");
if (place) void follow(place).catch(() => undefined);
