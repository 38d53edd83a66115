// The dialog in which a picture is marked, around the picture marker.

import { plain, word } from "./words.js";

const dialog = document.getElementById("marking");
const place = document.getElementById("marking-picture");
const part = (name) => document.getElementById(`marking-${name}`);

// openMarker shows the picture {name, src} with the marks that were set before, if any. It
// gives the marks, {width, height, points, boxes, mask}, or null where the reader gives up.
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
  if (before) earlier(marker, before).catch(() => {}); // of another picture of that name: begin anew
  const used = await decided(marker);
  place.replaceChildren();
  return used;
}

// earlier shows the marks of before. Their mask may be known by its address only.
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

// decided waits for what the reader does with the marks.
function decided(marker) {
  return new Promise((resolve) => {
    const stop = new AbortController();
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
    on(part("cancel"), "click", () => end(null));
    on(part("close"), "click", () => end(null));
    on(marker, "change", () => trouble(""));
    on(dialog, "close", () => end(null));
  });
}
