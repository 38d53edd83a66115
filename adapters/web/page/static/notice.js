// Notices besides the page itself: short messages, announcements for screen readers, and the title.

const toasts = document.getElementById("toasts");
const announcer = document.getElementById("announce");
let title = document.title;
let unread = 0;

// toast shows a sentence for a while.
export function toast(sentence) {
  if (!sentence) return;
  const p = document.createElement("p");
  p.className = "toast";
  p.textContent = sentence;
  toasts.replaceChildren(p);
  setTimeout(() => p.remove(), 8000);
}

// announce makes a screen reader say a sentence after the current one.
export function announce(sentence) {
  announcer.textContent = sentence;
}

// answered shows in the title that something arrived while the tab was hidden.
export function answered() {
  if (!document.hidden) return;
  unread++;
  document.title = `(${unread}) ${title}`;
}

// retitle changes the page's title.
export function retitle(to) {
  title = to;
  document.title = unread > 0 ? `(${unread}) ${title}` : title;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  unread = 0;
  document.title = title;
});

// failureOf returns the sentence in the server's response, or else the other one.
export async function failureOf(response, otherwise) {
  const text = await response.text().catch(() => "");
  return sentenceIn(text) || otherwise;
}

// sentenceIn returns the text of the failure in a fragment of a page, or "".
export function sentenceIn(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  return page.querySelector('[role="alert"]')?.textContent.trim() ?? "";
}
