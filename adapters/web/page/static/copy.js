// Copies pictures and the texts of answers to the clipboard.

import { announce, toast } from "./notice.js";
import { word } from "./words.js";

const can = Boolean(navigator.clipboard?.write && window.ClipboardItem); // where the page is served safely
const buttons = "[data-copy], [data-copy-text]";

// showCopies shows the buttons within root if copying works.
export function showCopies(root) {
  if (can) for (const button of root.querySelectorAll(buttons)) button.hidden = false;
}

export function watchCopies() {
  showCopies(document);
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest?.(buttons);
    if (!button) return;
    try {
      if ("copyText" in button.dataset) await navigator.clipboard.writeText(button.closest(".message").querySelector(".text").innerText);
      // The promise is passed at once: browsers refuse to copy long after a click.
      else await navigator.clipboard.write([new ClipboardItem({ "image/png": png(button.dataset.copy) })]);
      toast(word("copied"));
      announce(word("copied"));
    } catch {
      toast(word("notCopied"));
    }
  });
}

// png converts a picture to the one format that all clipboards accept.
async function png(src) {
  const blob = await (await fetch(src)).blob();
  if (blob.type === "image/png") return blob;
  const bitmap = await createImageBitmap(blob);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  return canvas.convertToBlob({ type: "image/png" });
}
