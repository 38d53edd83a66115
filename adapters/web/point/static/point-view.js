// The position of the picture on the stage: converts CSS pixels to pixels of the picture and back.

const largest = 64; // CSS pixels a pixel of the picture

export class View {
  constructor() {
    this.stage = { width: 1, height: 1 };
    this.picture = { width: 1, height: 1 };
    this.fitted = true; // it shows all, and goes on to when the stage changes
    this.scale = 1;
    this.x = 0; // where the picture's corner is on the stage
    this.y = 0;
  }

  get whole() {
    const { stage, picture } = this;
    return Math.min(stage.width / picture.width, stage.height / picture.height, largest);
  }

  fit() {
    this.fitted = true;
    this.scale = this.whole;
    this.hold();
  }

  resize(width, height) {
    const middle = { x: (this.stage.width / 2 - this.x) / this.scale, y: (this.stage.height / 2 - this.y) / this.scale };
    this.stage = { width: Math.max(1, width), height: Math.max(1, height) };
    if (this.fitted) {
      this.fit();
      return;
    }
    this.x = width / 2 - middle.x * this.scale;
    this.y = height / 2 - middle.y * this.scale;
    this.hold();
  }

  // zoom changes the scale around a fixed place of the stage.
  zoom(scale, at = { x: this.stage.width / 2, y: this.stage.height / 2 }) {
    scale = Math.min(largest, Math.max(Math.min(1, this.whole), scale));
    this.x = at.x - ((at.x - this.x) / this.scale) * scale;
    this.y = at.y - ((at.y - this.y) / this.scale) * scale;
    this.scale = scale;
    this.fitted = false;
    this.hold();
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.fitted = false;
    this.hold();
  }

  // show moves the view as little as needed to make a pixel clearly visible.
  show(at) {
    const margin = Math.min(48, this.stage.width / 4, this.stage.height / 4);
    const need = (place, size) => Math.max(0, margin - place) + Math.min(0, size - margin - place);
    const dx = need(this.x + (at.x + 0.5) * this.scale, this.stage.width);
    const dy = need(this.y + (at.y + 0.5) * this.scale, this.stage.height);
    if (dx || dy) this.pan(dx, dy);
  }

  // hold keeps the picture on the stage, centred if it is smaller.
  hold() {
    const held = (at, size, room) => (size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, at)));
    this.x = held(this.x, this.picture.width * this.scale, this.stage.width);
    this.y = held(this.y, this.picture.height * this.scale, this.stage.height);
  }

  // pixel returns the pixel below a place of the stage: x and y are within the picture, raw is not clamped.
  pixel(at) {
    const raw = { x: Math.floor((at.x - this.x) / this.scale), y: Math.floor((at.y - this.y) / this.scale) };
    const x = Math.min(this.picture.width - 1, Math.max(0, raw.x));
    const y = Math.min(this.picture.height - 1, Math.max(0, raw.y));
    return { x, y, raw, inside: raw.x === x && raw.y === y, stage: at };
  }
}
