// The marks on a picture, with their history. Coordinates are whole pixels of the picture; the maxima of a box are
// exclusive.

import { Mask } from "./point-mask.js";

// most is the maximum number of points, or boxes.
const most = 1000;

// The history is bounded, so that large masks do not fill the memory.
const mostSteps = 500;
const mostKept = 128 << 20;

export class Marks {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.points = []; // these lists are never changed but replaced
    this.boxes = [];
    this.mask = new Mask(width, height);
    this.past = [];
    this.future = [];
    this.start = null;
  }

  get empty() {
    return this.points.length + this.boxes.length === 0 && this.mask.empty;
  }

  get full() {
    return this.points.length >= most || this.boxes.length >= most;
  }

  // begin starts a step that can be undone; commit reports whether it changed anything.
  begin() {
    this.start = { points: this.points, boxes: this.boxes };
    this.mask.begin();
  }

  commit() {
    const step = { ...this.start, rows: this.mask.end() };
    this.start = null;
    if (step.points === this.points && step.boxes === this.boxes && step.rows.size === 0) return false;
    this.past.push(step);
    this.future = [];
    const size = (s) => s.rows.size * this.mask.stride;
    let kept = this.past.reduce((sum, s) => sum + size(s), 0);
    while (this.past.length > mostSteps || (kept > mostKept && this.past.length > 1)) kept -= size(this.past.shift());
    return true;
  }

  abort() {
    if (!this.start) return;
    this.mask.swap(this.mask.end());
    ({ points: this.points, boxes: this.boxes } = this.start);
    this.start = null;
  }

  undo() {
    return this.travel(this.past, this.future);
  }

  redo() {
    return this.travel(this.future, this.past);
  }

  travel(from, to) {
    const step = from.pop();
    if (!step) return false;
    to.push({ points: this.points, boxes: this.boxes, rows: step.rows });
    ({ points: this.points, boxes: this.boxes } = step);
    this.mask.swap(step.rows);
    return true;
  }

  addPoint(x, y, exclude) {
    this.points = [...this.points, exclude ? { x, y, exclude } : { x, y }];
  }

  // addBox adds the box of two pixels and all between them.
  addBox(a, b) {
    this.boxes = [...this.boxes, between(a, b)];
  }

  remove(mark) {
    this.points = this.points.filter((p) => p !== mark);
    this.boxes = this.boxes.filter((b) => b !== mark);
  }

  clear() {
    this.points = [];
    this.boxes = [];
    this.mask.clear();
  }
}

// between is the box of two pixels and all between them.
export function between(a, b) {
  return {
    xmin: Math.min(a.x, b.x),
    ymin: Math.min(a.y, b.y),
    xmax: Math.max(a.x, b.x) + 1,
    ymax: Math.max(a.y, b.y) + 1,
  };
}
