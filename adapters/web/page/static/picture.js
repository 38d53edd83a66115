// Shows a picture large: with the others of its thread, zoom, next to the one that it was made from, and side by
// side with the other results of its request.

import { word } from "./words.js";

const dialog = document.getElementById("large");
const place = dialog.querySelector(".large-picture");
const steps = [1, 1.5, 2, 3, 4, 6, 8]; // times the size at which all of it is seen
const part = (name) => document.getElementById(`large-${name}`);

let all = []; // the buttons of the pictures of the page, in order
let at = 0;
let near = 0; // which of the steps
let mode = ""; // "compare": beside the picture that it was made from; "aside": beside the results of the same request

export function watchPictures() {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-large]");
    if (!button) return;
    all = [...document.querySelectorAll("[data-large]")];
    mode = "";
    show(all.indexOf(button));
    dialog.showModal();
  });
  part("left").addEventListener("click", () => show(at - 1));
  part("right").addEventListener("click", () => show(at + 1));
  part("minus").addEventListener("click", () => zoom(near - 1));
  part("plus").addEventListener("click", () => zoom(near + 1));
  place.addEventListener("click", ({ target, offsetX, offsetY }) => {
    const one = target.closest("[data-at]");
    if (one) {
      mode = "";
      return show(Number(one.dataset.at));
    }
    if (target.localName !== "img") return dialog.close();
    const { width, height } = target.getBoundingClientRect();
    zoom(near > 0 ? 0 : 2, { x: offsetX / width, y: offsetY / height });
  });
  for (const name of ["compare", "aside"])
    part(name).addEventListener("click", () => {
      mode = mode === name ? "" : name;
      show(at);
    });
  dialog.addEventListener("keydown", keyed);
  dialog.addEventListener("close", () => place.replaceChildren());
}

function keyed(event) {
  const { key, ctrlKey, metaKey } = event;
  if (ctrlKey || metaKey) return;
  if (key === "ArrowLeft" && near === 0) show(at - 1);
  else if (key === "ArrowRight" && near === 0) show(at + 1);
  else if (key === "+" || key === "=") zoom(near + 1);
  else if (key === "-") zoom(near - 1);
  else if (key === "0") zoom(0);
  else return;
  event.preventDefault();
}

// alternatives returns the buttons of the results of the same request as one of them.
function alternatives(button) {
  const request = (b) => b.closest(".bot")?.querySelector(".answers")?.hash;
  const its = request(button);
  return its ? all.filter((b) => request(b) === its) : [];
}

// show shows one of the pictures, if it exists.
function show(n) {
  const button = all[n];
  if (!button) return;
  at = n;
  const { large, save, name, before } = button.dataset;
  const img = picture(large, button.firstElementChild.alt);
  dialog.querySelector("bdi").textContent = name;
  part("count").textContent = all.length > 1 ? `${at + 1} / ${all.length}` : "";
  const link = dialog.querySelector("a");
  link.hidden = !save;
  link.href = save || large;
  const others = alternatives(button);
  const ways = { compare: Boolean(before), aside: others.length > 1 };
  for (const [name, possible] of Object.entries(ways)) {
    part(name).hidden = !possible;
    part(name).setAttribute("aria-pressed", String(possible && mode === name));
  }
  const shown = ways[mode] ? mode : "";
  const focused = place.contains(document.activeElement); // also by what is replaced now
  place.classList.toggle("compared", Boolean(shown));
  place.classList.toggle("aside", shown === "aside");
  if (shown === "compare") place.replaceChildren(titled(picture(before, word("before")), word("before")), titled(img, word("after")));
  else if (shown === "aside") place.replaceChildren(...others.map(beside));
  else place.replaceChildren(img);
  if (focused) (place.querySelector('[aria-current="true"]') ?? place).focus();
  able("left", at > 0);
  able("right", at < all.length - 1);
  zoom(0);
}

function picture(src, alt) {
  const img = new Image();
  img.alt = alt;
  img.src = src;
  return img;
}

// beside returns one of several pictures, which shows it alone when pressed.
function beside(button) {
  const { large, name } = button.dataset;
  const open = document.createElement("button");
  open.type = "button";
  open.dataset.at = all.indexOf(button);
  open.setAttribute("aria-current", String(button === all[at]));
  open.append(picture(large, button.firstElementChild.alt));
  return titled(open, name);
}

// titled returns a picture with a caption.
function titled(content, text) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = text;
  figure.append(content, caption);
  return figure;
}

// zoom enlarges or shrinks the picture around a place, given in fractions of its size.
function zoom(step, { x, y } = { x: 0.5, y: 0.5 }) {
  const compared = place.classList.contains("compared"); // then both are seen whole
  const img = place.querySelector("img");
  if (!img || !(step in steps) || (compared && step > 0)) return;
  if (near === 0 || step === 0) img.removeAttribute("style");
  const whole = step > 0 && near === 0 ? img.getBoundingClientRect().width : Number(img.dataset.whole);
  near = step;
  if (step > 0) {
    img.dataset.whole = whole;
    img.style.width = `${whole * steps[step]}px`;
  }
  place.classList.toggle("near", step > 0);
  able("minus", step > 0);
  able("plus", step < steps.length - 1 && !compared);
  place.scrollTo(x * place.scrollWidth - place.clientWidth / 2, y * place.scrollHeight - place.clientHeight / 2);
}

// able enables or disables a button, which keeps the focus.
function able(name, is) {
  part(name).setAttribute("aria-disabled", String(!is));
}
