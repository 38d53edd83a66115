// What is told beside the page itself: short notices, what a screen reader says, the title.

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

// announce lets a screen reader say a sentence when it is done with the last one.
export function announce(sentence) {
  announcer.textContent = sentence;
}

// answered shows in the title that something came while nobody looked.
export function answered() {
  if (!document.hidden) return;
  unread++;
  document.title = `(${unread}) ${title}`;
}

// retitle gives the page another title.
export function retitle(to) {
  title = to;
  document.title = unread > 0 ? `(${unread}) ${title}` : title;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  unread = 0;
  document.title = title;
});

// failureOf is the sentence in what the server answered, or the other one.
export async function failureOf(response, otherwise) {
  const text = await response.text().catch(() => "");
  return sentenceIn(text) || otherwise;
}

// sentenceIn is the text of the failure in a piece of a page, "" where there is none.
export function sentenceIn(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  return page.querySelector('[role="alert"]')?.textContent.trim() ?? "";
}
