// What a press, a move and a release mean in each mode, for a pointer as for the cross-hair of the keyboard. A
// place is what View.pixel returns.

import { pointRadius } from "./point-draw.js";

const click = 4; // CSS pixels within which a press and its release are at one place

export class Tool {
  constructor(marker) {
    this.marker = marker;
    this.draft = null; // a box that has its first corner
    this.last = null; // where the brush was
    this.pressed = null;
  }

  get brushing() {
    return this.last !== null;
  }

  down(at) {
    const { marker } = this;
    this.pressed = at;
    switch (marker.mode) {
      case "box":
        if (this.draft) this.draft.to = at;
        else this.draft = { from: at, to: at, fresh: true };
        break;
      case "erase":
        if (this.take(at)) {
          this.pressed = null;
          break;
        }
      // falls through
      case "paint":
        marker.doc.begin();
        this.last = at.raw;
        this.brush(at);
        break;
    }
  }

  move(at) {
    if (this.draft) this.draft.to = at;
    if (this.brushing) this.brush(at);
  }

  up(at) {
    const { marker, pressed } = this;
    this.pressed = null;
    if (this.brushing) {
      this.brush(at);
      this.last = null;
      if (marker.doc.commit()) marker.changed(marker.mode === "paint" ? "painted" : "erased");
    } else if (this.draft) {
      this.corner(at);
    } else if (pressed?.inside && (marker.mode === "point" || marker.mode === "exclude")) {
      this.point(at);
    }
  }

  point(at) {
    const { marker } = this;
    const exclude = marker.mode === "exclude";
    if (marker.doc.full) {
      marker.say("full");
      return;
    }
    marker.doc.begin();
    marker.doc.addPoint(at.x, at.y, exclude);
    marker.doc.commit();
    marker.changed(exclude ? "exclude" : "point", at);
  }

  // corner ends a box that was dragged; after a click it waits for a second one, for people who cannot drag.
  corner(at) {
    const { marker, draft } = this;
    draft.to = at;
    const apart = Math.hypot(at.stage.x - draft.from.stage.x, at.stage.y - draft.from.stage.y);
    if (draft.fresh && apart < click) {
      draft.fresh = false;
      marker.say("corner", at);
      return;
    }
    this.draft = null;
    const { from } = draft;
    const beside = (axis, size) => (from.raw[axis] < 0 && at.raw[axis] < 0) || (from.raw[axis] >= size && at.raw[axis] >= size);
    if (beside("x", marker.doc.width) || beside("y", marker.doc.height)) return;
    if (marker.doc.full) {
      marker.say("full");
      return;
    }
    marker.doc.begin();
    marker.doc.addBox(from, at);
    marker.doc.commit();
    const box = marker.doc.boxes.at(-1);
    marker.changed("box", { x: box.xmin, y: box.ymin, x2: box.xmax - 1, y2: box.ymax - 1 });
  }

  brush(at) {
    const { marker } = this;
    marker.doc.mask.stroke(this.last, at.raw, marker.brush, marker.mode === "paint");
    this.last = at.raw;
  }

  // take removes the touched point or box.
  take(at) {
    const { marker } = this;
    const mark = this.touched(at);
    if (!mark) return false;
    marker.doc.begin();
    marker.doc.remove(mark);
    marker.doc.commit();
    marker.changed("removed");
    return true;
  }

  touched(at) {
    const { doc, view } = this.marker;
    const off = (x, y) => Math.hypot(view.x + x * view.scale - at.stage.x, view.y + y * view.scale - at.stage.y);
    const point = doc.points.findLast((p) => off(p.x + 0.5, p.y + 0.5) <= pointRadius + 3);
    if (point) return point;
    const x = (at.stage.x - view.x) / view.scale;
    const y = (at.stage.y - view.y) / view.scale;
    const near = 6 / view.scale;
    return doc.boxes.findLast((b) => {
      const [dx, dy] = [Math.min(Math.abs(x - b.xmin), Math.abs(x - b.xmax)), Math.min(Math.abs(y - b.ymin), Math.abs(y - b.ymax))];
      const [inX, inY] = [x > b.xmin - near && x < b.xmax + near, y > b.ymin - near && y < b.ymax + near];
      return inX && inY && Math.min(dx, dy) <= near;
    });
  }

  // press handles Enter at the cross-hair: it sets a point, begins or ends a box, puts the brush down or lifts it.
  press(at) {
    const { marker } = this;
    if (this.brushing || this.draft) {
      this.up(at);
      return;
    }
    this.down(at);
    if (this.draft) {
      this.draft.fresh = false;
      marker.say("corner", at);
    } else if (this.brushing) {
      marker.say("brush-down", at);
    } else {
      this.up(at);
    }
  }

  // interrupt undoes what a pointer has just begun, but not a clicked corner.
  interrupt() {
    if (this.draft?.fresh === false) this.pressed = null;
    else this.cancel();
  }

  // cancel undoes what is in progress, and reports whether there was anything.
  cancel() {
    const was = this.draft !== null || this.brushing;
    this.marker.doc?.abort();
    this.draft = this.last = this.pressed = null;
    return was;
  }
}
