// The tools page: search results, and the details of a tool, are loaded on demand.

import { asked, word } from "./words.js";

const pause = 150; // milliseconds without a key, before it is looked for

export function watchTools() {
  const form = document.getElementById("find-tools");
  if (!form) return;
  const lists = document.getElementById("tool-lists");
  const field = document.getElementById("find");
  let timer = 0;
  let asking = null;
  const look = async () => {
    asking?.abort();
    asking = new AbortController();
    const html = await load(`/tools?${new URLSearchParams({ q: field.value })}`, asking.signal);
    if (html !== null) lists.innerHTML = html;
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, pause);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
  lists.addEventListener("click", (event) => {
    const link = event.target.closest("[data-tool]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    toggle(link);
  });
}

// toggle shows or hides the details of a tool below its line.
async function toggle(link) {
  const line = link.parentElement;
  const open = link.getAttribute("aria-expanded") !== "true";
  link.setAttribute("aria-expanded", String(open));
  line.querySelector(".tool-body, .failure")?.remove();
  if (!open) return;
  const html = await load(link.getAttribute("href"));
  if (html === null || link.getAttribute("aria-expanded") !== "true" || line.childElementCount > 1) return;
  link.insertAdjacentHTML("afterend", html);
}

// load returns a fragment of a page; null if another one was requested meanwhile.
async function load(from, signal) {
  try {
    const response = await fetch(from, { headers: asked(), signal });
    if (!response.ok || response.redirected) throw new Error();
    return await response.text();
  } catch (error) {
    if (error.name === "AbortError") return null;
    const p = document.createElement("p");
    p.className = "failure";
    p.textContent = word("actFailed");
    return p.outerHTML;
  }
}
