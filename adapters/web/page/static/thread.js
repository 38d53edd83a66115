// Renames and deletes threads.

import { ask } from "./act.js";
import { failureOf, sentenceIn, toast } from "./notice.js";
import { asked, word } from "./words.js";

// watchRename handles renaming. The new title arrives by the stream, as for everybody.
export function watchRename() {
  const [dialog, open, field, trouble, cancel] = ["", "-open", "-title", "-trouble", "-cancel"].map((part) => document.getElementById(`rename${part}`));
  const tell = (sentence) => {
    trouble.textContent = sentence;
    trouble.hidden = !sentence;
  };
  open?.addEventListener("click", () => {
    field.value = document.querySelector(".thread-name").textContent;
    tell("");
    dialog.showModal();
    field.select();
  });
  cancel.addEventListener("click", () => dialog.close());
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = new URLSearchParams({ title: field.value });
    const response = await fetch(`${location.pathname}/rename`, { method: "POST", body, headers: asked() }).catch(() => null);
    if (response?.ok) return dialog.close();
    tell(response ? await failureOf(response, word("actFailed")) : word("actFailed"));
  });
}

// watchForget handles the delete button.
export function watchForget() {
  const button = document.getElementById("forget");
  const deleting = document.getElementById("deleting");
  const busy = (is) => {
    button.disabled = is;
    deleting.textContent = is ? word("deleting") : "";
  };
  button?.addEventListener("click", async () => {
    if (!(await ask(word("forget"), word("delete")))) return;
    busy(true); // what runs is stopped first, which takes its time
    const response = await fetch(button.dataset.forget, { method: "POST", headers: asked() }).catch(() => null);
    const elsewhere = response?.headers.get("HX-Redirect");
    if (response?.ok || elsewhere) return location.assign(elsewhere || "/");
    busy(false);
    toast((response && sentenceIn(await response.text())) || word("actFailed"));
  });
}
