// The marking page for other platforms: sends the marks, and says where to continue.

import "./point.js";

const part = (name) => document.querySelector(`[data-part="${name}"]`);
const marker = document.querySelector("picture-marker");
const [work, end, done, again, alert] = ["work", "end", "done", "again", "alert"].map(part);

// form identifies what is sent: the same marks sent again have the same id.
let form = name();

function name() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
}

marker.addEventListener("change", () => {
  form = name();
  alert.textContent = "";
});

marker.ready.then(
  () => (done.disabled = false),
  () => {}, // the marker says it
);

done.addEventListener("click", async () => {
  if (marker.empty) {
    alert.textContent = alert.dataset.sayEmpty;
    return;
  }
  done.disabled = true;
  alert.textContent = "";
  try {
    const problem = await send();
    if (problem) alert.textContent = problem;
    else show(end, work);
  } catch {
    alert.textContent = alert.dataset.sayOffline;
  } finally {
    done.disabled = false;
  }
});

again.addEventListener("click", () => {
  marker.clear();
  show(work, end);
});

// send returns the sentence that says why the marks were not accepted.
async function send() {
  const { mask, ...marks } = await marker.export();
  const data = new FormData();
  data.append("id", form);
  data.append("marks", JSON.stringify(marks));
  if (mask) data.append("mask", mask, "mask.png");
  const answer = await fetch(location.pathname, { method: "POST", body: data });
  return answer.ok ? "" : await answer.text();
}

function show(shown, hidden) {
  hidden.hidden = true;
  shown.hidden = false;
  (shown.querySelector("h1[tabindex]") ?? done).focus();
}
