// Replaces a broken picture by a note that the file is gone or cannot be shown.

import { word } from "./words.js";

export function watchGone() {
  document.addEventListener("error", ({ target }) => lost(target), true); // it does not bubble
  for (const img of document.querySelectorAll(".picture img")) if (img.complete && img.naturalWidth === 0 && img.src) lost(img);
}

function lost(target) {
  const button = target.closest?.(".picture-open");
  if (!button) return;
  const p = document.createElement("p");
  p.className = "lost";
  p.textContent = word("fileGone");
  button.replaceWith(p);
}
