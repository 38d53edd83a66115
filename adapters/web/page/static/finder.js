// Ctrl-K searches threads and tools from everywhere.

import { localTimes } from "./times.js";
import { asked, word } from "./words.js";

const dialog = document.getElementById("finder");
const field = document.getElementById("finder-q");
const found = document.getElementById("finder-found");
const pause = 150; // milliseconds without a key, before it is looked for

let timer = 0;
let asking = null; // the request that runs

export function watchFinder() {
  document.getElementById("finder-open").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // it is a link too
    event.preventDefault();
    open();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!document.querySelector("dialog[open]")) open();
  });
  document.getElementById("finder-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => {
    const link = target.closest("a");
    if (target === dialog || (link && new URL(link.href).pathname === location.pathname)) dialog.close();
  });
  dialog.addEventListener("keydown", move);
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await look();
    found.querySelector("a")?.click();
  });
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, pause);
  });
}

function open() {
  dialog.showModal();
  field.select();
  look();
}

// look shows the results for the text in the field.
async function look() {
  clearTimeout(timer);
  asking?.abort();
  asking = new AbortController();
  try {
    const response = await fetch(`/find?${new URLSearchParams({ q: field.value })}`, { headers: asked(), signal: asking.signal });
    if (!response.ok || response.redirected) throw new Error();
    show(await response.text());
  } catch (error) {
    if (error.name !== "AbortError") found.textContent = word("actFailed");
  }
}

// show shows results. The focus keeps its place, though the links are new.
function show(list) {
  const at = [...found.querySelectorAll("a")].indexOf(document.activeElement);
  found.innerHTML = list;
  localTimes(found);
  if (at >= 0) (found.querySelectorAll("a")[at] ?? field).focus();
}

// move moves from the field to the results, and through them, by the arrow keys.
function move(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [field, ...found.querySelectorAll("a")];
  all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement) + step))].focus();
}
