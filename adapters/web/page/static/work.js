// How an answer was made is loaded when it is opened for the first time.

import { asked, word } from "./words.js";

export function watchWork() {
  // toggle does not bubble, but it can be seen on its way down.
  document.addEventListener("toggle", ({ target }) => target.open && target.dataset?.work && load(target), true);
}

async function load(details) {
  const body = details.querySelector(".work-body");
  if (details.loaded) return;
  details.loaded = true;
  say(body, "loading");
  try {
    const response = await fetch(details.dataset.work, { headers: asked() });
    if (!response.ok || response.redirected) throw new Error();
    body.innerHTML = await response.text();
  } catch {
    details.loaded = false; // the next opening tries again
    say(body, "workFailed");
  }
}

function say(body, name) {
  const p = document.createElement("p");
  p.textContent = word(name);
  body.replaceChildren(p);
}
