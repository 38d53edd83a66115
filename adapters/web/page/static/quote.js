// The name of a message in a reply to it.

import { plain } from "./words.js";

export function quoteOf(message) {
  const said = (selector) => message?.querySelector(selector)?.innerText.replace(/\s+/g, " ").trim();
  return plain(said(".text > *") || said(".file-name, .steps-title") || "").slice(0, 140);
}

// quoteReplies shows what the messages within root reply to.
export function quoteReplies(root) {
  for (const quote of root.querySelectorAll("[data-quote]")) {
    const text = quoteOf(document.getElementById(quote.dataset.quote));
    if (text) quote.textContent = text;
  }
}
