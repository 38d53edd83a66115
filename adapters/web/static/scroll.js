// The conversation stays at its end while the reader is there, also when pictures grow.

const scroll = document.getElementById("scroll");
const content = document.getElementById("messages");
const button = document.getElementById("to-end");
const near = 96; // pixels from the end that count as there

let atEnd = true;

export function followEnd() {
  if (!content) return;
  scroll.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(() => atEnd && toEnd()).observe(content);
  new ResizeObserver(() => atEnd && toEnd()).observe(scroll);
  button.addEventListener("click", () => {
    toEnd();
    document.getElementById("text").focus();
  });
  if (!location.hash.startsWith("#m-")) toEnd();
}

function look() {
  atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < near;
  if (atEnd) button.hidden = true;
}

export function toEnd() {
  atEnd = true;
  scroll.scrollTop = scroll.scrollHeight;
  button.hidden = true;
}

// cameIn tells that there is something new at the end.
export function cameIn(mine) {
  if (mine) toEnd();
  else if (!atEnd) button.hidden = false;
}
