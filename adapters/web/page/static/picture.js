// Shows a picture large: with the others of its thread, zoom, and next to the one that it was made from.

import { word } from "./words.js";

const dialog = document.getElementById("large");
const place = dialog.querySelector(".large-picture");
const steps = [1, 1.5, 2, 3, 4, 6, 8]; // times the size at which all of it is seen
const part = (name) => document.getElementById(`large-${name}`);

let all = []; // the buttons of the pictures of the page, in order
let at = 0;
let near = 0; // which of the steps
let comparing = false; // the picture is shown beside the one that it was made of

export function watchPictures() {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-large]");
    if (!button) return;
    all = [...document.querySelectorAll("[data-large]")];
    show(all.indexOf(button));
    dialog.showModal();
  });
  part("left").addEventListener("click", () => show(at - 1));
  part("right").addEventListener("click", () => show(at + 1));
  part("minus").addEventListener("click", () => zoom(near - 1));
  part("plus").addEventListener("click", () => zoom(near + 1));
  place.addEventListener("click", ({ target, offsetX, offsetY }) => {
    if (target.localName !== "img") return dialog.close();
    const { width, height } = target.getBoundingClientRect();
    zoom(near > 0 ? 0 : 2, { x: offsetX / width, y: offsetY / height });
  });
  part("compare").addEventListener("click", () => {
    comparing = !comparing;
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
  const beside = comparing && before;
  place.classList.toggle("compared", Boolean(beside));
  place.replaceChildren(...(beside ? [titled(picture(before, word("before")), "before"), titled(img, "after")] : [img]));
  part("compare").hidden = !before;
  part("compare").setAttribute("aria-pressed", String(Boolean(beside)));
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

// titled returns a picture with a caption.
function titled(img, name) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = word(name);
  figure.append(img, caption);
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
