// The dialog for marking a picture, around the picture marker.

import { ask } from "./act.js";
import { plain, word } from "./words.js";

const dialog = document.getElementById("marking");
const place = document.getElementById("marking-picture");
const part = (name) => document.getElementById(`marking-${name}`);

// openMarker shows the picture {name, src} with its earlier marks, if any. It returns the marks, {width, height,
// points, boxes, mask}, or null if the reader cancels.
export async function openMarker({ name, src }, before) {
  const markup = document.getElementById("marker").content.cloneNode(true);
  place.replaceChildren(markup);
  const marker = place.querySelector("picture-marker");
  part("what").textContent = word("mark", { name: plain(name) });
  trouble("");
  dialog.showModal();
  await import("./point/point.js"); // only who marks pays for it
  marker.src = src;
  marker.ready.then(() => place.querySelector('[data-part="stage"]').focus({ focusVisible: false }), () => {}); // it says itself why it fails
  const begun = before ? earlier(marker, before).catch(() => {}) : null; // of another picture of that name: begin anew
  const used = await decided(marker, begun);
  place.replaceChildren();
  return used;
}

// earlier shows the earlier marks. Only the URL of their mask may be known.
async function earlier(marker, { points, boxes, width, height, mask, upload }) {
  if (!mask && upload) {
    const response = await fetch(upload.url);
    if (response.ok) mask = await response.blob();
  }
  await marker.load({ width, height, points, boxes, mask });
}

function trouble(sentence) {
  part("trouble").textContent = sentence;
  part("trouble").hidden = !sentence;
}

// decided waits for the reader's decision. The marks are the earlier ones when begun is fulfilled; later ones are
// not discarded without a question.
function decided(marker, begun) {
  return new Promise((resolve) => {
    const stop = new AbortController();
    let changed = false;
    begun?.then(() => (changed = false));
    const end = (value) => {
      stop.abort();
      if (dialog.open) dialog.close();
      resolve(value);
    };
    const on = (target, event, act) => target.addEventListener(event, act, { signal: stop.signal });
    on(part("use"), "click", async () => {
      if (marker.empty) return trouble(word("nothingMarked"));
      end(await marker.export());
    });
    let asking = false;
    const leave = async (event) => {
      event.preventDefault();
      if (asking) return;
      if (!changed || marker.empty) return end(null);
      asking = true;
      const drop = await ask(word("dropMarks"), word("drop"));
      asking = false;
      if (drop) end(null);
    };
    on(part("cancel"), "click", leave);
    on(part("close"), "click", leave);
    on(dialog, "keydown", (event) => event.key === "Escape" && leave(event));
    on(dialog, "cancel", leave);
    on(dialog, "close", (event) => {
      if (changed && !marker.empty) dialog.showModal(); // a browser does not let itself be asked to wait each time
      leave(event);
    });
    on(marker, "change", () => {
      changed = true;
      trouble("");
    });
  });
}
