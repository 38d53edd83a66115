// The form for writing messages.

import { Attachments, itemsOf, markOf } from "./attachments.js";
import { Chips } from "./chips.js";
import { Draft } from "./draft.js";
import { openMarker } from "./marking.js";
import { failureOf } from "./notice.js";
import { quoteOf } from "./quote.js";
import { Speaker } from "./speak.js";
import { asked, newId, word } from "./words.js";

// fileAt fetches a file of this server.
async function fileAt(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error();
  const blob = await response.blob();
  return new File([blob], url.split("/").pop(), { type: blob.type });
}

export class Composer {
  #sending = false;
  #waiting = false; // for uploads, to be sent then
  #reply = null; // {id, quote}
  #edits = ""; // the id of the message that this one replaces
  #filled = ""; // the request that was filled in last
  #try = { id: "", body: "" }; // under which id what was tried: again, it is the same message

  constructor(form) {
    const part = (id) => document.getElementById(id);
    this.form = form;
    this.parts = Object.fromEntries(["text", "send", "attach", "files", "chips", "hint", "trouble", "sending", "reply-to", "speak", "speaking", "editing"].map((id) => [id, part(id)]));
    const { thread, fresh, maxFile, maxFiles } = form.dataset;
    this.fresh = fresh !== undefined; // the message begins a thread, which has a page of its own
    this.draft = new Draft(thread, this.fresh);
    const kept = this.draft.read();
    this.thread = kept.thread ?? thread;
    this.attachments = new Attachments(this.thread, Number(maxFile), Number(maxFiles));
    new Chips(this.parts.chips, part("chip"), this.attachments, {
      remove: (item) => this.attachments.remove(item),
      retry: (item) => this.attachments.retry(item),
      mark: (item) => this.#mark(item),
    });
    this.speaker = new Speaker(this.parts.speak, this.parts.speaking, {
      spoken: (file) => this.#spoken(file),
      trouble: (sentence) => this.#trouble(sentence),
      changed: () => this.#changed(),
    });
    this.#listen();
    this.#restore(kept);
  }

  #listen() {
    const { text, attach, files } = this.parts;
    this.form.addEventListener("submit", (e) => {
      e.preventDefault();
      this.send();
    });
    text.addEventListener("keydown", (e) => {
      if (e.key === "ArrowUp" && !e.isComposing && this.#isEmpty) return this.#editLast(e);
      if (e.key === "Escape" && this.#edits) return this.#endEdit();
      // While an input method composes a word, Enter ends the word.
      if (e.key !== "Enter" || e.shiftKey || e.isComposing || e.keyCode === 229) return;
      e.preventDefault();
      this.send();
    });
    text.addEventListener("input", () => this.#changed());
    attach.addEventListener("click", () => files.click());
    files.addEventListener("change", () => {
      this.add(files.files);
      files.value = "";
    });
    this.parts.editing.querySelector("button").addEventListener("click", () => this.#endEdit());
    this.parts["reply-to"].querySelector("button").addEventListener("click", () => this.reply(null));
    this.attachments.addEventListener("change", () => {
      this.#changed();
      if (this.#waiting && !this.attachments.busy) this.send();
    });
  }

  #restore({ text = "", items = [], reply = null, tried = null, edits = "" }) {
    this.parts.text.value = text;
    if (tried) this.#try = tried;
    this.attachments.restore(items);
    this.#setEdits(edits);
    this.reply(reply, false);
    this.#changed();
  }

  // add attaches files.
  add(files) {
    this.#trouble(this.attachments.add(files));
    this.#hint("");
    this.parts.text.focus();
  }

  // spoken sends a recording instead of text, with all attachments.
  #spoken(file) {
    const trouble = this.attachments.add([file], { voice: true });
    if (trouble) return this.#trouble(trouble);
    this.send();
  }

  // fill fills in a request, and says which file it needs.
  fill(text, hint = "") {
    const written = this.parts.text.value;
    if (written && written !== this.#filled) return this.#trouble(word("notEmpty"));
    this.#trouble("");
    this.parts.text.value = this.#filled = text;
    this.#hint(this.attachments.files.length > 0 ? "" : hint);
    this.#changed();
    (hint ? this.parts.attach : this.parts.text).focus();
  }

  // run sends a request, with a sample file if it needs one.
  async run(wish, sample) {
    if (!this.#isEmpty) return this.#trouble(word("notEmpty"));
    this.parts.text.value = wish;
    this.#changed();
    try {
      if (sample) this.#trouble(this.attachments.add([await fileAt(sample)]));
      await this.send();
    } catch {
      this.#trouble(word("unreachable"));
    }
  }

  // reply makes the message a reply to another one.
  reply(to, focus = true) {
    this.#reply = to;
    const bar = this.parts["reply-to"];
    bar.hidden = !to;
    bar.querySelector("bdi").textContent = to?.quote ?? "";
    this.#changed();
    if (focus) this.parts.text.focus();
  }

  // use makes the message work on a file of the thread.
  use({ use, name, src, kind, size, ref }) {
    this.#trouble(this.attachments.use({ id: use, name, url: src, kind, size: Number(size), ref }));
    this.#hint("");
    this.parts.text.focus();
  }

  get #isEmpty() {
    return !this.parts.text.value && this.attachments.items.length === 0;
  }

  #editLast(event) {
    const mine = [...document.querySelectorAll("[data-edit]")].pop();
    if (!mine) return;
    event.preventDefault();
    this.edit(mine.dataset.edit);
  }

  // edit loads a message into the form again. Sending then replaces it.
  async edit(id) {
    if (!this.#isEmpty && this.#edits !== id) return this.#trouble(word("notEmpty"));
    this.#trouble("");
    try {
      const response = await fetch(`/t/${this.thread}/messages/${id}/draft`, { headers: asked() });
      const draft = await response.json();
      if (!response.ok) return this.#trouble(draft.error);
      this.parts.text.value = draft.text;
      this.attachments.restore(itemsOf(draft));
      this.#setEdits(id);
      this.reply(draft.reply ? { id: draft.reply, quote: quoteOf(document.getElementById(`m-${draft.reply}`)) } : null);
    } catch {
      this.#trouble(word("unreachable"));
    }
  }

  #setEdits(id) {
    this.#edits = id;
    this.parts.editing.hidden = !id;
  }

  // endEdit leaves the message unchanged.
  #endEdit() {
    this.#setEdits("");
    this.parts.text.value = "";
    this.attachments.clear();
    this.reply(null);
  }

  // mark opens a picture for marking. The marks are sent with the message.
  async mark(picture) {
    const before = this.attachments.marks.find((m) => m.ref === picture.ref);
    const marks = await openMarker(picture, before);
    if (marks) this.attachments.mark(picture, marks);
    this.parts.text.focus();
  }

  #mark(item) {
    if (item.kind === "marks") {
      const { ref, name, src } = item;
      return this.mark({ ref, name, src });
    }
    const { id, url, name, ref } = item.upload;
    return this.mark({ ref: ref || `file:${id}`, name: name || item.name, src: url });
  }

  #hint(sentence) {
    const { hint, attach } = this.parts;
    hint.hidden = !sentence;
    hint.lastElementChild.textContent = sentence;
    attach.classList.toggle("wanted", Boolean(sentence));
  }

  #trouble(sentence) {
    this.parts.trouble.textContent = sentence;
    this.parts.trouble.hidden = !sentence;
  }

  #tell(sentence) {
    const { sending } = this.parts;
    sending.textContent = sentence || sending.dataset.rest;
    sending.classList.toggle("telling", Boolean(sentence));
  }

  #changed() {
    const { text, send } = this.parts;
    const { active } = this.speaker;
    const empty = !text.value.trim() && this.attachments.items.length === 0 && !active;
    send.setAttribute("aria-disabled", String(empty || this.#sending));
    this.speaker.show(!text.value.trim() && !this.attachments.spoken && !this.#sending);
    text.readOnly = this.#sending || active; // what is said is sent without words
    if (!CSS.supports("field-sizing", "content")) {
      text.style.height = "auto";
      text.style.height = `${text.scrollHeight}px`;
    }
    if (this.#sending) return;
    const items = this.attachments.kept();
    this.draft.write({ thread: this.thread, text: text.value, reply: this.#reply, items, tried: this.#try, edits: this.#edits });
  }

  // body is the message as the form sends it, without its id.
  #body() {
    const body = new URLSearchParams({ text: this.parts.text.value.trim() });
    for (const file of this.attachments.files) body.append("file", file.upload.id);
    const marks = this.attachments.marks.map(markOf);
    if (marks.length > 0) body.set("marks", JSON.stringify(marks));
    if (this.#edits) body.set("edits", this.#edits);
    if (this.#reply) body.set("reply_to", this.#reply.id);
    return body;
  }

  // missing says what the message lacks, "" if it can be sent. A file needs no text, but marks do: only the writer
  // knows what to do with them.
  get #missing() {
    const { files, marks } = this.attachments;
    if (this.parts.text.value.trim() || this.attachments.spoken) return "";
    if (marks.length > 0) return word("whatWithMarks");
    return files.length > 0 ? "" : word("nothing");
  }

  async send() {
    const { attachments } = this;
    this.#waiting = false;
    if (this.#sending) return;
    if (this.speaker.active) return this.speaker.finish(); // which sends it
    this.#trouble("");
    this.#tell("");
    if (attachments.failed) return this.#trouble(word("filesFailed"));
    if (this.#missing) return this.#trouble(this.#missing);
    if (attachments.busy) {
      this.#waiting = true;
      return this.#tell(word("waiting"));
    }
    const body = this.#body();
    // A retry of the same content is the same message; other content is another one.
    if (this.#try.body !== body.toString()) this.#try = { id: newId(), body: body.toString() };
    this.#changed();
    body.set("id", this.#try.id);
    this.#busy(true);
    try {
      await this.#post(body);
    } catch (error) {
      this.#trouble(error.message);
    } finally {
      this.#busy(false);
    }
  }

  async #post(body) {
    const response = await fetch(`/t/${this.thread}/messages`, { method: "POST", body, headers: asked() }).catch(() => {
      throw new Error(word("unreachable"));
    });
    const elsewhere = response.headers.get("HX-Redirect") ?? (response.redirected ? response.url : "");
    if (!response.ok) {
      if (elsewhere) location.assign(elsewhere);
      throw new Error(await failureOf(response, word("refused")));
    }
    if (response.redirected) return location.assign(elsewhere); // to log in: the draft stays
    this.#sent();
    if (elsewhere || this.fresh) location.assign(elsewhere || `/t/${this.thread}`);
  }

  #sent() {
    this.#try = { id: "", body: "" };
    this.parts.text.value = "";
    this.#reply = null;
    this.#setEdits("");
    this.parts["reply-to"].hidden = true;
    this.#hint("");
    this.attachments.clear();
    this.draft.write({ text: "", items: [] });
  }

  // busy locks the form while it is being sent.
  #busy(is) {
    this.#sending = is;
    this.parts.chips.inert = is;
    this.parts.attach.disabled = is;
    this.#tell(is ? word("sending") : "");
    this.#changed();
    if (!is) this.parts.text.focus();
  }
}
