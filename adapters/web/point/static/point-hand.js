// Mouse, pen and touch on the stage. One pointer marks as the mode says; two fingers zoom
// and pan; so do the wheel, the middle button, and dragging with space held down.

export class Hand {
  constructor(marker, stage) {
    this.marker = marker;
    this.stage = stage;
    this.down = new Map(); // where the pointers are that are pressed
    this.doing = ""; // mark, pan, pinch, or wait until all fingers are lifted
    this.space = false;
    this.over = null; // where the mouse or pen is
  }

  listen(signal) {
    const on = (name, handle, options) => this.stage.addEventListener(name, handle.bind(this), { signal, ...options });
    on("pointerdown", this.pointerDown);
    on("pointermove", this.pointerMove);
    on("pointerup", this.pointerUp);
    on("pointercancel", this.pointerCancel);
    on("pointerleave", this.pointerLeave);
    on("wheel", this.wheel, { passive: false });
    on("contextmenu", (e) => e.preventDefault());
    on("dragstart", (e) => e.preventDefault());
  }

  place(event) {
    const box = this.stage.getBoundingClientRect();
    return { x: event.clientX - box.left - this.stage.clientLeft, y: event.clientY - box.top - this.stage.clientTop };
  }

  pointerDown(event) {
    const { marker } = this;
    if (!marker.doc || (event.pointerType === "mouse" && event.button > 1)) return;
    if (event.button === 1) event.preventDefault(); // no scrolling by the wheel's button
    this.stage.focus({ preventScroll: true });
    this.stage.setPointerCapture(event.pointerId);
    const at = this.place(event);
    this.down.set(event.pointerId, at);
    if (this.down.size === 2) {
      marker.tool.interrupt();
      this.doing = "pinch";
    } else if (this.down.size > 2) {
      this.doing = "wait";
    } else if (this.space || event.button === 1 || marker.mode === "pan") {
      this.doing = "pan";
    } else {
      this.doing = "mark";
      marker.cross = null;
      marker.tool.down(marker.view.pixel(at));
    }
    marker.redraw();
  }

  pointerMove(event) {
    const { marker } = this;
    if (!marker.doc) return;
    const at = this.place(event);
    this.over = event.pointerType === "touch" ? null : at;
    const before = this.down.get(event.pointerId);
    if (before) this.drag(event, before, at);
    else if (marker.tool.draft) marker.tool.move(marker.view.pixel(at)); // the second corner follows
    marker.redraw();
  }

  drag(event, before, at) {
    const { marker } = this;
    const others = [...this.down].filter(([id]) => id !== event.pointerId);
    this.down.set(event.pointerId, at);
    if (this.doing === "mark") {
      const all = event.getCoalescedEvents?.() ?? [];
      for (const e of all.length > 0 ? all : [event]) marker.tool.move(marker.view.pixel(this.place(e)));
    } else if (this.doing === "pan") {
      marker.view.pan(at.x - before.x, at.y - before.y);
    } else if (this.doing === "pinch" && others.length === 1) {
      const other = others[0][1];
      const apart = (p) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
      marker.view.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
      marker.zoomBy(apart(at) / apart(before), { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 });
    }
  }

  pointerUp(event) {
    const { marker } = this;
    if (!this.down.delete(event.pointerId)) return;
    if (this.doing === "mark") {
      const at = marker.view.pixel(this.place(event));
      marker.cursor = { x: at.x, y: at.y };
      marker.tool.up(at);
    }
    this.rest();
  }

  pointerCancel(event) {
    if (!this.down.delete(event.pointerId)) return;
    this.marker.tool.interrupt();
    this.rest();
  }

  pointerLeave() {
    this.over = null;
    this.marker.redraw();
  }

  rest() {
    this.doing = this.down.size > 0 ? "wait" : "";
    this.marker.redraw();
  }

  wheel(event) {
    const { marker } = this;
    if (!marker.doc) return;
    event.preventDefault();
    const unit = [1, 16, 400][event.deltaMode] ?? 1;
    if (event.shiftKey) {
      marker.view.pan(-event.deltaX * unit, -event.deltaY * unit);
      marker.redraw();
      return;
    }
    const speed = event.ctrlKey ? 0.01 : 0.002; // a pinch on a touchpad comes as ctrl and small steps
    const turned = Math.max(-200, Math.min(200, event.deltaY * unit));
    marker.zoomBy(Math.exp(-turned * Math.min(speed, 1.4 / Math.max(1, Math.abs(turned)))), this.place(event));
  }
}
