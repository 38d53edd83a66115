// Keeps the conversation at its end while the reader is there, even when pictures grow.

const scroll = document.getElementById("scroll");
const content = document.getElementById("messages");
const button = document.getElementById("to-end");
const near = 96; // pixels from the end that count as there

let atEnd = true;
let last = 0; // where the conversation was when it was looked at, in pixels from its top

export function followEnd() {
  if (!content) return;
  scroll.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(() => atEnd && toEnd()).observe(content);
  new ResizeObserver(() => atEnd && toEnd()).observe(scroll);
  button.addEventListener("click", () => {
    toEnd();
    document.getElementById("text").focus();
  });
  if (location.hash.startsWith("#m-")) atEnd = false;
  else toEnd();
}

// look checks where the reader is. A reader who did not scroll up is still at the end, even if new content has
// moved the end away.
function look() {
  const { scrollTop, scrollHeight, clientHeight } = scroll;
  if (scrollHeight - scrollTop - clientHeight < near) atEnd = true;
  else if (scrollTop < last) atEnd = false;
  last = scrollTop;
  if (atEnd) button.hidden = true;
}

export function toEnd() {
  atEnd = true;
  scroll.scrollTop = scroll.scrollHeight;
  last = scroll.scrollTop;
  button.hidden = true;
}

// changed keeps a reader at the end there at once, after the page has changed a message. Later it could not be told from
// scrolling up that the browser moved the conversation because a message became smaller.
export function changed() {
  if (atEnd) toEnd();
}

// cameIn shows that there is something new at the end.
export function cameIn(mine) {
  if (mine || atEnd) toEnd();
  else button.hidden = false;
}
