// Shows times in the reader's zone, with UTC in the title, and money as the reader's locale writes it.

const times = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** @param {ParentNode} within the part of the page whose times and amounts are shown for the reader */
export function showForReader(within) {
  for (const time of within.querySelectorAll("time[datetime]:not([title])")) {
    const at = new Date(time.getAttribute("datetime") ?? "");
    if (Number.isNaN(at.getTime())) continue;
    time.setAttribute("title", `${at.toISOString().replace("T", " ").replace(/\.\d+Z/, "")} UTC`);
    time.textContent = times.format(at);
  }
  for (const data of within.querySelectorAll("data.money")) {
    const currency = data.getAttribute("data-currency") ?? "";
    const amount = Number(data.getAttribute("value"));
    if (!Number.isSafeInteger(Math.round(amount * 1000))) continue;
    data.textContent = new Intl.NumberFormat(undefined, { style: "currency", currency }).format(amount).replace("-", "\u2212");
  }
}

showForReader(document);
