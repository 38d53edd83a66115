// The frame of the page: the menu on small screens, and the colours.

export function watchMenu() {
  const [side, shade, menu, close] = ["side", "shade", "menu", "side-close"].map((id) => document.getElementById(id));
  const show = (is) => {
    side.classList.toggle("open", is);
    shade.hidden = !is;
    menu.setAttribute("aria-expanded", String(is));
    document.getElementById("main").inert = is;
    (is ? close : menu).focus();
  };
  menu.addEventListener("click", () => show(true));
  close.addEventListener("click", () => show(false));
  shade.addEventListener("click", () => show(false));
  side.addEventListener("keydown", (e) => e.key === "Escape" && side.classList.contains("open") && show(false));
  matchMedia("(max-width: 48rem)").addEventListener("change", () => side.classList.contains("open") && show(false));
}

const themes = ["auto", "light", "dark"];

export function watchTheme() {
  const button = document.getElementById("theme");
  const now = () => document.documentElement.dataset.theme ?? "auto";
  const label = () => (button.lastElementChild.textContent = button.dataset[now()]);
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(now()) + 1) % themes.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    keep(next);
    label();
  });
  label();
}

function keep(theme) {
  try {
    if (theme === "auto") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // Without storage the choice is for this page only.
  }
}
