// The keyboard: the arrows move a cross-hair, Enter marks there as the mode says. The help
// below the picture lists all keys.

export const modes = ["point", "exclude", "box", "paint", "erase", "pan"];

export class Keys {
  constructor(marker, stage, hand) {
    this.marker = marker;
    this.stage = stage;
    this.hand = hand;
  }

  listen(signal) {
    this.marker.addEventListener("keydown", (e) => this.keyDown(e), { signal });
    this.marker.addEventListener("keyup", (e) => this.keyUp(e), { signal });
    this.stage.addEventListener("blur", () => (this.hand.space = false), { signal });
  }

  keyUp(event) {
    if (event.key === " ") this.hand.space = false;
  }

  keyDown(event) {
    const { marker } = this;
    if (!marker.doc || event.defaultPrevented || event.isComposing) return;
    const done = event.target === this.stage && this.onStage(event);
    if (done || this.anywhere(event)) {
      event.preventDefault();
      event.stopPropagation(); // Escape takes back a box first, and only then closes a dialog
      marker.redraw();
    }
  }

  // anywhere reports whether it was a key that works wherever the focus is in the marker.
  anywhere(event) {
    const { marker } = this;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (event.altKey) return false;
      if (key === "z") event.shiftKey ? marker.redo() : marker.undo();
      else if (key === "y") marker.redo();
      else return false;
      return true;
    }
    if (event.altKey) return false;
    switch (key) {
      case "+":
      case "=":
        marker.zoomBy(1.25);
        return true;
      case "-":
        marker.zoomBy(0.8);
        return true;
      case "0":
        marker.fit();
        return true;
      case "u":
        event.shiftKey ? marker.redo() : marker.undo();
        return true;
      case "[":
      case "]":
        marker.stepBrush(key === "]" ? 1 : -1);
        return true;
      case "escape":
        if (!marker.tool.cancel()) return false;
        marker.say("stopped");
        return true;
    }
    const mode = modes[Number(key) - 1];
    if (mode) marker.mode = mode;
    return Boolean(mode);
  }

  onStage(event) {
    const { marker } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const { width, height } = marker.doc;
    const step = event.shiftKey ? 1 : Math.max(1, Math.round(10 / marker.view.scale));
    const way = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
      Home: [-width, 0],
      End: [width, 0],
      PageUp: [0, -height],
      PageDown: [0, height],
    }[event.key];
    if (way) {
      this.go(...way);
      return true;
    }
    switch (event.key) {
      case "Enter":
        if (marker.mode !== "pan" && !event.repeat) marker.tool.press(this.here());
        return true;
      case " ":
        this.hand.space = true;
        return true;
      case "Delete":
      case "Backspace":
        if (!marker.tool.take(this.here())) marker.say("none-here");
        return true;
    }
    return false;
  }

  go(dx, dy) {
    const { marker } = this;
    if (marker.mode === "pan") {
      marker.view.pan(-dx * marker.view.scale * 4, -dy * marker.view.scale * 4);
      return;
    }
    const { width, height } = marker.doc;
    const x = Math.min(width - 1, Math.max(0, marker.cursor.x + dx));
    const y = Math.min(height - 1, Math.max(0, marker.cursor.y + dy));
    marker.cursor = { x, y };
    marker.view.show(marker.cursor);
    marker.tool.move(this.here());
    marker.say("at", marker.cursor);
  }

  // here returns the place of the cross-hair, which is shown from now on.
  here() {
    const { marker } = this;
    marker.cross = marker.cursor;
    const { x, y } = marker.cursor;
    const { view } = marker;
    const stage = { x: view.x + (x + 0.5) * view.scale, y: view.y + (y + 0.5) * view.scale };
    return { x, y, raw: { x, y }, inside: true, stage };
  }
}
