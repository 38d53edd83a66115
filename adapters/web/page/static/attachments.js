// What goes with the message that is being written: files, and marks on pictures. A file is
// uploaded as soon as it is attached.
//
// An item is {kind: "file", name, size, type, state, part, error, file, voice, used, upload} or
// {kind: "marks", ref, name, src, width, height, points, boxes, mask, state, error, upload},
// where used tells that the thread has the file already, mask is a Blob or null, and upload what the server knows of the file or mask.
// The state is waiting, uploading, done or failed.

import { takeBack, upload } from "./upload.js";
import { bytes, plain, word } from "./words.js";

const atOnce = 3; // uploads

export class Attachments extends EventTarget {
  items = [];

  constructor(thread, mostBytes, mostFiles) {
    super();
    Object.assign(this, { thread, mostBytes, mostFiles });
  }

  get busy() {
    return this.items.some((i) => i.state === "uploading" || i.state === "waiting");
  }

  get failed() {
    return this.items.some((i) => i.state === "failed");
  }

  get files() {
    return this.items.filter((i) => i.kind === "file");
  }

  get marks() {
    return this.items.filter((i) => i.kind === "marks");
  }

  // spoken reports whether a voice message is among the files.
  get spoken() {
    return this.files.some((i) => i.voice);
  }

  // add attaches files or a recording. It returns a sentence if not all of them can be attached.
  add(files, { voice = false } = {}) {
    let trouble = "";
    for (const file of files) {
      const name = file.name || "file";
      if (this.mostFiles > 0 && this.files.length >= this.mostFiles) trouble = word("tooMany", { most: this.mostFiles });
      else if (file.size === 0) trouble = word("emptyFile", { name: plain(name) });
      else if (this.mostBytes > 0 && file.size > this.mostBytes) trouble = word("tooLarge", { name: plain(name), most: bytes(this.mostBytes) });
      else this.items.push({ kind: "file", name, size: file.size, type: file.type, file, voice, state: "waiting", part: 0 });
    }
    this.#next();
    return trouble;
  }

  // use attaches a file of the thread. It returns a sentence if that is not possible.
  use(upload) {
    if (this.files.some((i) => i.upload?.id === upload.id)) return "";
    if (this.mostFiles > 0 && this.files.length >= this.mostFiles) return word("tooMany", { most: this.mostFiles });
    this.items.push({ kind: "file", name: upload.name, size: upload.size, type: "", used: true, state: "done", part: 1, upload });
    this.#changed();
    return "";
  }

  // mark attaches marks on a picture, replacing earlier ones on it.
  mark(picture, marks) {
    const before = this.items.findIndex((i) => i.kind === "marks" && i.ref === picture.ref);
    const item = { kind: "marks", ...picture, ...marks, state: marks.mask ? "waiting" : "done", part: 0 };
    if (before < 0) this.items.push(item);
    else this.#forget(this.items.splice(before, 1, item)[0]);
    this.#next();
  }

  // restore restores the attachments of an earlier visit, which are all uploaded.
  restore(items) {
    this.items = items.map((i) => ({ ...i, state: "done", part: 1 }));
    this.#changed();
  }

  // kept is what another visit can restore.
  kept() {
    const upload = (i) => i.state === "done";
    return this.items.filter(upload).map(({ file, mask, stop, element, ...rest }) => rest);
  }

  retry(item) {
    item.state = "waiting";
    item.error = "";
    this.#next();
  }

  remove(item) {
    this.items = this.items.filter((i) => i !== item);
    this.#forget(item);
    if (item.kind === "file" && item.upload && !item.used) {
      // Marks on a file that is not sent have no meaning.
      for (const marks of this.marks.filter((m) => m.ref === `file:${item.upload.id}`)) this.remove(marks);
    }
    this.#next();
  }

  clear() {
    this.items = [];
    this.#changed();
  }

  #forget(item) {
    item.stop?.();
    if (item.upload && !item.used) takeBack(this.thread, item.upload.id);
  }

  // next begins waiting uploads, a few at once.
  #next() {
    const running = this.items.filter((i) => i.state === "uploading").length;
    const waiting = this.items.filter((i) => i.state === "waiting");
    for (const item of waiting.slice(0, Math.max(0, atOnce - running))) this.#upload(item);
    this.#changed();
  }

  async #upload(item) {
    item.state = "uploading";
    item.part = 0;
    const isMask = item.kind === "marks";
    const { done, stop } = upload(this.thread, isMask ? item.mask : item.file, isMask ? "mask.png" : item.name, {
      purpose: isMask ? "mask" : item.voice ? "voice" : "",
      progress: (part) => {
        item.part = part;
        this.dispatchEvent(new Event("progress"));
      },
    });
    item.stop = stop;
    try {
      item.upload = await done;
      item.state = "done";
      item.part = 1;
    } catch (error) {
      if (error.name === "AbortError") return;
      item.state = "failed";
      item.error = error.message;
    } finally {
      item.stop = null;
    }
    this.#next();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

// itemsOf returns the files and marks of a sent message.
export function itemsOf({ files, marks }) {
  const sent = (upload) => ({ kind: "file", name: upload.name, size: upload.size, type: "", used: true, upload });
  const marked = ({ picture, file, name, url, width, height, points, boxes, mask, mask_url: maskUrl }) => ({
    kind: "marks", ref: picture ? `picture:${picture}` : `file:${file}`, name, src: url, width, height,
    points: points ?? [], boxes: boxes ?? [], mask: null, used: true, upload: mask ? { id: mask, url: maskUrl } : undefined,
  });
  return [...files.map(sent), ...marks.map(marked)];
}

// markOf returns marks as the server expects them.
export function markOf({ ref, width, height, points, boxes, upload }) {
  const [kind, ...rest] = ref.split(":");
  const out = { [kind]: rest.join(":"), width, height };
  if (points.length > 0) out.points = points;
  if (boxes.length > 0) out.boxes = boxes;
  if (upload) out.mask = upload.id;
  return out;
}
