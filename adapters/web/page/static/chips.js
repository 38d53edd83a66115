// The chips of the composer: one per attachment.

import { drawMarked } from "./marked.js";
import { bytes, plain, word } from "./words.js";

// Chips shows attachments. on has the actions of the buttons: remove, retry and mark, each called with the item.
export class Chips {
  constructor(list, template, attachments, on) {
    Object.assign(this, { list, template, attachments, on });
    attachments.addEventListener("change", () => this.show());
    attachments.addEventListener("progress", () => attachments.items.forEach(fill));
  }

  show() {
    const { items } = this.attachments;
    for (const item of items) {
      item.element ??= this.#make(item);
      fill(item);
    }
    const wanted = items.map((i) => i.element);
    for (const chip of [...this.list.children]) if (!wanted.includes(chip)) leave(chip);
    wanted.forEach((chip, i) => this.list.children[i] !== chip && this.list.insertBefore(chip, this.list.children[i] ?? null));
    this.list.hidden = items.length === 0;
  }

  #make(item) {
    const chip = this.template.content.firstElementChild.cloneNode(true);
    const name = plain(item.name);
    const button = (part, act, label) => {
      const b = chip.querySelector(`.chip-${part}`);
      b.addEventListener("click", () => act(item));
      if (label) b.setAttribute("aria-label", label);
    };
    button("remove", this.on.remove, word("remove", { name }));
    button("again", this.on.retry);
    button("mark", this.on.mark, word(item.kind === "marks" ? "editMarks" : "mark", { name }));
    chip.querySelector(".chip-name").textContent = item.kind === "marks" ? word("marked", { name }) : name;
    picture(chip, item);
    return chip;
  }
}

const ofMarks = { width: 72, height: 44 }; // CSS pixels, as the style has it

// picture shows the picture itself in the chip instead of an icon.
function picture(chip, item) {
  if (item.kind === "marks") return marked(chip, item);
  const local = item.file && item.type.startsWith("image/");
  const src = local ? URL.createObjectURL(item.file) : item.upload?.kind === "image" && item.upload.url;
  if (!src) return;
  const img = new Image();
  img.alt = "";
  img.addEventListener("load", () => chip.querySelector(".chip-picture").replaceChildren(img));
  img.src = src;
  if (local) chip.local = src;
}

// marked shows the picture with its marks.
function marked(chip, item) {
  if (item.mask) chip.local = URL.createObjectURL(item.mask);
  const place = chip.querySelector(".chip-picture");
  place.classList.add("of-marks");
  place.replaceChildren(drawMarked(item, item.src, chip.local ?? item.upload?.url ?? "", ofMarks));
}

function leave(chip) {
  const next = chip.nextElementSibling ?? chip.previousElementSibling;
  const focused = chip.contains(document.activeElement);
  chip.remove();
  if (chip.local) URL.revokeObjectURL(chip.local);
  if (focused) (next?.querySelector(".chip-remove") ?? document.getElementById("text")).focus();
}

// fill shows the state of the item.
function fill(item) {
  const chip = item.element;
  if (!chip) return;
  const [progress, state, again, mark] = ["progress", ".chip-state", ".chip-again", ".chip-mark"].map((s) => chip.querySelector(s));
  const failed = item.state === "failed";
  chip.classList.toggle("failed", failed);
  progress.hidden = failed || item.state === "done";
  progress.value = item.part;
  progress.setAttribute("aria-label", plain(item.name));
  again.hidden = !failed;
  mark.hidden = item.state !== "done" || (item.kind === "file" && item.upload.kind !== "image");
  state.textContent = failed ? item.error : stands(item);
}

function stands(item) {
  if (item.state !== "done") return word("uploading", { part: `${Math.round(item.part * 100)} %` });
  if (item.kind === "file") return bytes(item.upload.size ?? item.size);
  return summary(item);
}

// summary says how much is marked.
export function summary({ points, boxes, mask, upload }) {
  const parts = [];
  if (points.length > 0) parts.push(word("points", { n: points.length }));
  if (boxes.length > 0) parts.push(word("boxes", { n: boxes.length }));
  if (mask || upload) parts.push(word("mask"));
  return parts.join(", ");
}
