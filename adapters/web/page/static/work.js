// Loads how an answer was made when that is opened for the first time.

import { asked, word } from "./words.js";

export function watchWork() {
  // toggle events do not bubble, but can be captured.
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
