// A system notification announces an answer while the tab is hidden, if the reader wants that.

const button = document.getElementById("notify");
const can = "Notification" in window;

export function watchNotify() {
  if (!can) return;
  button.hidden = false;
  show();
  button.addEventListener("click", async () => {
    if (wanted()) keep(false);
    else if ((await Notification.requestPermission()) === "granted") keep(true);
    show();
  });
}

// notify announces an answer. If the system allows no notifications, the title shows it.
export function notify(title, body) {
  if (!can || !document.hidden || !wanted()) return;
  try {
    const note = new Notification(title, { body, tag: location.pathname, icon: document.querySelector('link[rel="icon"]').href });
    note.addEventListener("click", () => {
      window.focus();
      note.close();
    });
  } catch {
    // Some phones do not allow it to any page.
  }
}

function wanted() {
  try {
    return Notification.permission === "granted" && localStorage.getItem("notify") === "yes";
  } catch {
    return false;
  }
}

function keep(is) {
  try {
    if (is) localStorage.setItem("notify", "yes");
    else localStorage.removeItem("notify");
  } catch {
    // Without storage there are no notifications.
  }
}

function show() {
  const denied = Notification.permission === "denied";
  button.setAttribute("aria-pressed", String(wanted()));
  button.lastElementChild.textContent = button.dataset[denied ? "denied" : wanted() ? "yes" : "no"];
}
