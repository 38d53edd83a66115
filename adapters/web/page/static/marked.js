// A small picture with its marks, for the message that is being written: drawn as the server does it below a sent
// message.

import { newId } from "./words.js";

const radius = 5; // of a point, in CSS pixels

// drawMarked returns the drawing of {width, height, points, boxes} on the picture at src, at that size in CSS
// pixels. painted is the URL of its mask, or "".
export function drawMarked({ width, height, points, boxes }, src, painted, place) {
  const svg = shape("svg", { class: "marked", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" });
  const all = { width, height, preserveAspectRatio: "none" };
  svg.append(shape("image", { href: src, ...all }));
  if (painted) {
    const id = `mask-${newId()}`;
    const mask = shape("mask", { id, maskUnits: "userSpaceOnUse", x: 0, y: 0, width, height });
    mask.append(shape("image", { href: painted, ...all }));
    svg.append(mask, shape("rect", { class: "marked-mask", width, height, mask: `url(#${id})` }));
  }
  for (const { xmin, ymin, xmax, ymax } of boxes) {
    const box = { x: xmin, y: ymin, width: xmax - xmin, height: ymax - ymin };
    svg.append(shape("rect", { class: "marked-halo", ...box }), shape("rect", { class: "marked-box", ...box }));
  }
  const r = radius * Math.max(width / place.width, height / place.height);
  for (const { x, y, exclude } of points) svg.append(shape("circle", { class: `marked-point${exclude ? " out" : ""}`, cx: x, cy: y, r }));
  return svg;
}

function shape(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
