// Draws the marks at the resolution of the screen. Every line is both dark and light, so that it is visible on any
// picture.

import { between } from "./point-marks.js";

const dark = "#000000";
const light = "#ffffff";
const include = "#00a651";
const exclude = "#e0113a";

// The colours of the mask, as words of a canvas: red, green, blue, alpha.
const word = (...bytes) => new Uint32Array(new Uint8Array(bytes).buffer)[0];
const tint = word(255, 0, 200, 110);
const edges = [word(0, 0, 0, 255), word(255, 255, 255, 255)];

export const pointRadius = 9; // CSS pixels

// drawMask shows the mask: tinted, with a dashed edge. ratio is how many pixels of the
// canvas a CSS pixel is.
export function drawMask(canvas, mask, view, ratio) {
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, canvas.width, canvas.height);
  const seen = mask.extent && onCanvas(mask.extent, canvas, view, ratio);
  if (!seen) return;
  const { left, top, width, height } = seen;
  const columns = Int32Array.from({ length: width }, (_, i) => Math.floor(((left + i + 0.5) / ratio - view.x) / view.scale));
  const set = new Uint8Array(width * height);
  for (let j = 0; j < height; j++) {
    const y = Math.floor(((top + j + 0.5) / ratio - view.y) / view.scale);
    if (y < 0 || y >= mask.height) continue;
    const row = mask.row(y);
    for (let i = 0; i < width; i++) {
      const x = columns[i];
      if (x >= 0 && x < mask.width) set[j * width + i] = (row[x >> 3] >> (7 - (x & 7))) & 1;
    }
  }
  const image = context.createImageData(width, height);
  const words = new Uint32Array(image.data.buffer);
  const line = Math.max(1, Math.round(ratio * 1.5));
  for (let j = 0, k = 0; j < height; j++) {
    for (let i = 0; i < width; i++, k++) {
      const is = set[k];
      const edge = (i >= line && set[k - line] !== is) || (j >= line && set[k - line * width] !== is);
      if (edge) words[k] = edges[((left + i + top + j) / (4 * ratio)) & 1];
      else if (is) words[k] = tint;
    }
  }
  context.putImageData(image, left, top);
}

// onCanvas returns the part of the canvas for a box of the picture, with its edge.
function onCanvas(box, canvas, view, ratio) {
  const place = (at, offset, most) => Math.min(most, Math.max(0, Math.round((offset + at * view.scale) * ratio)));
  const left = Math.max(0, place(box.xmin, view.x, canvas.width) - 4);
  const top = Math.max(0, place(box.ymin, view.y, canvas.height) - 4);
  const width = Math.min(canvas.width, place(box.xmax, view.x, canvas.width) + 4) - left;
  const height = Math.min(canvas.height, place(box.ymax, view.y, canvas.height) + 4) - top;
  return width > 0 && height > 0 ? { left, top, width, height } : null;
}

// drawMarks shows points, boxes and what is being drawn: {draft, cross, brush}.
export function drawMarks(canvas, marks, view, ratio, now) {
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  for (const box of marks.boxes) drawBox(context, box, view, []);
  if (now.draft) drawBox(context, between(now.draft.from, now.draft.to), view, [4, 4]);
  for (const point of marks.points) drawPoint(context, point, view);
  if (now.brush) drawBrush(context, now.brush, view);
  if (now.cross) drawCross(context, now.cross, view);
}

// lines strokes a path dark and wide, then light and narrow.
function lines(context, path, colour = light, dashes = []) {
  context.lineJoin = "round";
  context.setLineDash([]);
  context.strokeStyle = dark;
  context.lineWidth = 4;
  context.stroke(path);
  context.setLineDash(dashes);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.stroke(path);
}

function drawBox(context, box, view, dashes) {
  const path = new Path2D();
  path.rect(
    view.x + box.xmin * view.scale,
    view.y + box.ymin * view.scale,
    (box.xmax - box.xmin) * view.scale,
    (box.ymax - box.ymin) * view.scale,
  );
  lines(context, path, "#ffe45c", dashes);
}

function drawPoint(context, point, view) {
  const x = view.x + (point.x + 0.5) * view.scale;
  const y = view.y + (point.y + 0.5) * view.scale;
  const disc = new Path2D();
  disc.arc(x, y, pointRadius, 0, 2 * Math.PI);
  context.fillStyle = point.exclude ? exclude : include;
  context.fill(disc);
  lines(context, disc);
  const sign = new Path2D(); // plus is meant, minus is not: it is told without colour too
  sign.moveTo(x - 5, y);
  sign.lineTo(x + 5, y);
  if (!point.exclude) {
    sign.moveTo(x, y - 5);
    sign.lineTo(x, y + 5);
  }
  context.setLineDash([]);
  context.strokeStyle = light;
  context.lineWidth = 2.5;
  context.stroke(sign);
}

function drawBrush(context, { at, size }, view) {
  const path = new Path2D();
  const radius = Math.max(2, (size / 2) * view.scale);
  path.arc(view.x + (at.x + 0.5) * view.scale, view.y + (at.y + 0.5) * view.scale, radius, 0, 2 * Math.PI);
  lines(context, path);
}

function drawCross(context, at, view) {
  const x = view.x + (at.x + 0.5) * view.scale;
  const y = view.y + (at.y + 0.5) * view.scale;
  const path = new Path2D();
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    path.moveTo(x + 5 * dx, y + 5 * dy);
    path.lineTo(x + 22 * dx, y + 22 * dy);
  }
  lines(context, path, "#5cf0ff");
}
