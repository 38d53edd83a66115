// <picture-marker> lets people mark what they mean on a picture: points (to include or to
// leave out), boxes, and a painted mask. Its markup, with words in the language of the
// page, is the template "marker" of this package; it needs point.css.
//
//   src          attribute and property: the picture, of the page's own origin
//   ready        a promise: the picture is shown; fails where it cannot be
//   marks        get: {width, height, points: [{x, y, exclude?}], boxes: [{xmin, ymin, xmax, ymax}]}
//                in whole pixels of the picture as people see it, after its EXIF orientation,
//                whatever the zoom; the maxima are exclusive. It is null before the picture is shown.
//                set: what load takes
//   empty        nothing is marked
//   painted      there is a mask
//   export()     a promise of marks with mask: an opaque PNG of 1 bit gray and exactly the
//                picture's size in a Blob, white on black; null where nothing is painted
//   load(marks)  a promise: to go on with marks, as export gave them, once the picture is shown;
//                fails with RangeError where they are of a picture of another size
//   clear()      takes everything away, and can be undone
//   undo(), redo(), fit(), zoomBy(factor)
//   mode         point, exclude, box, paint, erase or pan
//   brush        the diameter of the brush, in pixels of the picture
//   zoom         CSS pixels a pixel of the picture
//
// Events, which bubble: "change" after the marks changed, "ready" and "error" as the promise.

import { Hand } from "./point-hand.js";
import { Keys, modes } from "./point-keys.js";
import { Marks } from "./point-marks.js";
import { Tool } from "./point-tool.js";
import { View } from "./point-view.js";
import { drawMarks, drawMask } from "./point-draw.js";

const mostDrawn = 4e6; // pixels of a canvas, on screens that are finer than eyes

let count = 0;

export class PictureMarker extends HTMLElement {
  static observedAttributes = ["src"];

  #stop = null; // ends all listening
  #frame = 0;
  #mode = "point";
  #brush = 1;
  #load = deferred();
  #drawn = ""; // what the mask's canvas shows

  connectedCallback() {
    const part = (name) => this.querySelector(`[data-part="${name}"]`);
    this.parts = Object.fromEntries(
      ["stage", "picture", "mask", "marks", "status", "brush", "undo", "redo", "clear", "in", "out", "fit", "help"].map((n) => [n, part(n)]),
    );
    this.view = new View();
    this.tool = new Tool(this);
    this.doc = null;
    this.cursor = { x: 0, y: 0 };
    this.cross = null;
    this.#stop = new AbortController();
    this.#listen(this.#stop.signal);
    this.#open();
  }

  disconnectedCallback() {
    this.#stop?.abort();
    this.observer?.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#stop = null;
  }

  attributeChangedCallback(_, before, after) {
    if (this.#stop && before !== after) this.#open();
  }

  #listen(signal) {
    const { parts } = this;
    const name = `marker-mode-${++count}`; // a group of its own for each marker of the page
    parts.help.id = `marker-help-${count}`;
    parts.stage.setAttribute("aria-describedby", parts.help.id);
    for (const choice of this.#choices()) {
      choice.name = name;
      choice.checked = choice.value === this.#mode;
      choice.addEventListener("change", () => (this.mode = choice.value), { signal });
    }
    const on = (part, act) => parts[part].addEventListener("click", act, { signal });
    on("undo", () => this.undo());
    on("redo", () => this.redo());
    on("clear", () => this.clear());
    on("in", () => this.zoomBy(1.5));
    on("out", () => this.zoomBy(1 / 1.5));
    on("fit", () => this.fit());
    parts.brush.addEventListener("input", () => (this.brush = this.#brushAt(Number(parts.brush.value))), { signal });
    for (const event of ["input", "change"]) parts.brush.addEventListener(event, (e) => e.stopPropagation(), { signal });
    for (const choice of this.#choices()) choice.addEventListener("change", (e) => e.stopPropagation(), { signal });
    parts.stage.addEventListener("focus", () => this.redraw(), { signal });
    parts.stage.addEventListener("blur", () => this.redraw(), { signal });
    parts.picture.addEventListener("load", () => this.#shown(), { signal });
    parts.picture.addEventListener("error", () => this.#failed(), { signal });
    this.hand = new Hand(this, parts.stage);
    this.hand.listen(signal);
    new Keys(this, parts.stage, this.hand).listen(signal);
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(parts.stage);
  }

  #choices() {
    return this.querySelectorAll('input[data-part="mode"]');
  }

  #open() {
    this.tool.cancel();
    this.doc = null;
    if (this.#load.settled) this.#load = deferred();
    const { src } = this;
    this.toggleAttribute("loaded", false);
    if (!src) return;
    this.say("loading");
    this.parts.picture.src = src;
  }

  #shown() {
    const { naturalWidth: width, naturalHeight: height } = this.parts.picture;
    if (!width || !height) {
      this.#failed();
      return;
    }
    this.doc = new Marks(width, height);
    this.#drawn = "";
    this.view.picture = { width, height };
    this.cursor = { x: width >> 1, y: height >> 1 };
    this.cross = null;
    this.parts.picture.width = width;
    this.parts.picture.height = height;
    this.toggleAttribute("loaded", true);
    this.brush = Math.max(1, Math.round(Math.max(width, height) / 24));
    this.#resize();
    this.fit();
    this.#buttons();
    this.say("ready", { width, height });
    this.#load.settled = true;
    this.#load.resolve();
    this.dispatchEvent(new Event("ready", { bubbles: true }));
  }

  #failed() {
    this.say("failed");
    this.#load.settled = true;
    this.#load.promise.catch(() => {}); // it may be that nobody waits
    this.#load.reject(new Error("the picture cannot be shown"));
    this.dispatchEvent(new Event("error", { bubbles: true }));
  }

  #resize() {
    const { stage, mask, marks } = this.parts;
    const { clientWidth: width, clientHeight: height } = stage;
    if (width === 0 || height === 0) return; // not shown
    this.view.resize(width, height);
    this.ratio = Math.min(window.devicePixelRatio, Math.max(1, Math.sqrt(mostDrawn / (width * height))));
    for (const canvas of [mask, marks]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
    }
    this.#drawn = ""; // a canvas of a new size is empty
    this.redraw();
  }

  get src() {
    return this.getAttribute("src") ?? "";
  }

  set src(address) {
    this.setAttribute("src", address);
  }

  get ready() {
    return this.#load.promise;
  }

  get marks() {
    if (!this.doc) return null;
    const { width, height, points, boxes } = this.doc;
    return { width, height, points: points.map((p) => ({ ...p })), boxes: boxes.map((b) => ({ ...b })) };
  }

  set marks(marks) {
    this.load(marks).catch((e) => console.error(e));
  }

  get empty() {
    return !this.doc || this.doc.empty;
  }

  get painted() {
    return Boolean(this.doc) && !this.doc.mask.empty;
  }

  async export() {
    await this.ready;
    this.tool.cancel();
    this.redraw();
    return { ...this.marks, mask: this.painted ? await this.doc.mask.png() : null };
  }

  async load({ width, height, points = [], boxes = [], mask = null }) {
    await this.ready;
    const { doc } = this;
    if ((width && width !== doc.width) || (height && height !== doc.height)) {
      throw new RangeError("the marks are on a picture of another size");
    }
    const fresh = new Marks(doc.width, doc.height);
    fresh.points = points.map(({ x, y, exclude }) => (exclude ? { x, y, exclude } : { x, y }));
    fresh.boxes = boxes.map(({ xmin, ymin, xmax, ymax }) => ({ xmin, ymin, xmax, ymax }));
    if (mask) await fresh.mask.load(mask);
    if (this.doc !== doc) throw new Error("another picture is shown by now");
    this.tool.cancel();
    this.doc = fresh;
    this.#drawn = "";
    this.changed();
  }

  get mode() {
    return this.#mode;
  }

  set mode(mode) {
    if (!modes.includes(mode) || mode === this.#mode) return;
    this.tool.cancel();
    this.#mode = mode;
    this.parts.stage.dataset.mode = mode;
    for (const choice of this.#choices()) {
      if (choice.value !== mode) continue;
      choice.checked = true;
      this.say("mode", { mode: choice.labels[0]?.textContent.trim() ?? mode });
    }
    this.redraw();
  }

  get brush() {
    return this.#brush;
  }

  // The slider is logarithmic, so that small brushes are as easy to set as large ones.
  set brush(diameter) {
    this.#brush = Math.min(this.#mostBrush, Math.max(1, Math.round(diameter)));
    const { brush } = this.parts;
    brush.value = String(Math.round((100 * Math.log(this.#brush)) / Math.log(this.#mostBrush)));
    brush.setAttribute("aria-valuetext", this.#phrase("brush", { size: this.#brush }));
    this.redraw();
  }

  get #mostBrush() {
    return this.doc ? Math.max(4, Math.round(Math.max(this.doc.width, this.doc.height) / 3)) : 4;
  }

  #brushAt(value) {
    return this.#mostBrush ** (value / 100);
  }

  stepBrush(way) {
    const next = way > 0 ? Math.max(this.#brush + 1, this.#brush * 1.25) : Math.min(this.#brush - 1, this.#brush / 1.25);
    this.brush = next;
    this.say("brush", { size: this.#brush });
  }

  get zoom() {
    return this.view.scale;
  }

  set zoom(scale) {
    this.view.zoom(scale);
    this.redraw();
  }

  zoomBy(factor, at) {
    this.view.zoom(this.view.scale * factor, at);
    if (!at) this.say("zoom", { percent: Math.round(this.view.scale * 100) });
    this.redraw();
  }

  fit() {
    this.view.fit();
    this.redraw();
  }

  undo() {
    this.#travel("undo", "undone");
  }

  redo() {
    this.#travel("redo", "redone");
  }

  #travel(way, word) {
    if (!this.doc || this.tool.cancel()) return this.redraw(); // what is under way is undone first
    if (this.doc[way]()) this.changed(word);
    else this.say(`no-${way}`);
  }

  clear() {
    if (!this.doc) return;
    this.tool.cancel();
    this.doc.begin();
    this.doc.clear();
    if (this.doc.commit()) this.changed("cleared");
  }

  // changed reports a change, and announces it with the words of that name.
  changed(word, values) {
    if (word) this.say(word, values);
    this.#buttons();
    this.redraw();
    this.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #buttons() {
    const { undo, redo, clear } = this.parts;
    for (const [button, off] of [[undo, !this.doc?.past.length], [redo, !this.doc?.future.length], [clear, this.empty]]) {
      button.setAttribute("aria-disabled", String(off)); // not disabled: the focus stays where it is
    }
  }

  #phrase(word, values = {}) {
    const text = this.parts.status.getAttribute(`data-say-${word}`) ?? "";
    return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
  }

  say(word, values) {
    this.parts.status.textContent = this.#phrase(word, values);
  }

  redraw() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw() {
    const { picture, mask, marks, stage } = this.parts;
    if (!this.doc || !this.ratio) return;
    const { view, tool } = this;
    picture.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    picture.classList.toggle("marker-pixels", view.scale >= 3);
    const shown = [view.x, view.y, view.scale, this.doc.mask.version, mask.width, mask.height].join();
    if (shown !== this.#drawn) drawMask(mask, this.doc.mask, view, this.ratio);
    this.#drawn = shown;
    const brushing = this.#mode === "paint" || this.#mode === "erase";
    const cross = document.activeElement === stage && this.#mode !== "pan" ? this.cross : null;
    const at = cross ?? (this.hand.over && view.pixel(this.hand.over).raw);
    const brush = brushing && at && !this.hand.space ? { at, size: this.#brush } : null;
    drawMarks(marks, this.doc, view, this.ratio, { draft: tool.draft, cross, brush });
    stage.dataset.hand = this.hand.doing === "pan" || this.hand.space ? "pan" : "";
  }
}

function deferred() {
  const d = {};
  d.promise = new Promise((resolve, reject) => Object.assign(d, { resolve, reject }));
  return d;
}

customElements.define("picture-marker", PictureMarker);
