// The buttons below messages. htmx sends a press; this script adds its id, asks for confirmation if it cannot be
// undone, and shows errors.

import { sentenceIn, toast } from "./notice.js";
import { asked, newId, word } from "./words.js";

const ids = new WeakMap(); // button → the id of what it asked for, until that is taken

export function watchActs() {
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (!detail.elt.hasAttribute("data-act")) return;
    if (!ids.has(detail.elt)) ids.set(detail.elt, newId());
    detail.parameters.id = ids.get(detail.elt);
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.successful) ids.delete(detail.elt);
  });
  document.addEventListener("htmx:responseError", ({ detail }) => toast(sentenceIn(detail.xhr.responseText) || word("actFailed")));
  document.addEventListener("htmx:sendError", () => toast(word("actFailed")));
  document.addEventListener("htmx:confirm", (event) => {
    if (event.detail.elt.dataset.act !== "remove") return;
    event.preventDefault();
    ask(word("removeAnswer"), word("delete")).then((yes) => yes && event.detail.issueRequest(true));
  });
}

// ask asks the reader to confirm.
export function ask(question, yes) {
  const dialog = document.getElementById("ask");
  document.getElementById("ask-what").textContent = question;
  document.getElementById("ask-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  dialog.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // else a browser may close the dialog below this one too
    dialog.close();
  };
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}
