// A picture shown large.

const dialog = document.getElementById("large");

export function watchPictures() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-large]");
    if (button) open(button);
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest(".large-picture")) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.querySelector(".large-picture").replaceChildren());
}

function open({ dataset, firstElementChild }) {
  const img = new Image();
  img.alt = firstElementChild.alt;
  img.src = dataset.large;
  dialog.querySelector("bdi").textContent = dataset.name;
  const save = dialog.querySelector("a");
  save.hidden = !dataset.save;
  save.href = dataset.save || dataset.large;
  dialog.querySelector(".large-picture").replaceChildren(img);
  dialog.showModal();
}
