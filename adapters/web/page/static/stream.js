// The event stream of the thread: htmx's extension holds the connection, and events are inserted here, by their
// ids. A stream may repeat what the page already has.

import { morph } from "./morph.js";
import { showCopies } from "./copy.js";
import { announce, answered, retitle, toast } from "./notice.js";
import { notify } from "./notify.js";
import { quoteReplies } from "./quote.js";
import { cameIn, changed } from "./scroll.js";
import { localTimes } from "./times.js";
import { word } from "./words.js";

const messages = document.getElementById("messages");
const banner = document.getElementById("connection");
const source = document.querySelector("[sse-connect]");
const given = new Map(); // id → HTML as the server wrote it

export function listen() {
  if (!source) return;
  for (const message of messages?.children ?? []) given.set(message.id, message.outerHTML);
  source.addEventListener("htmx:sseBeforeMessage", (event) => {
    event.preventDefault();
    take(event.detail);
  });
  source.addEventListener("htmx:sseError", lost);
  source.addEventListener("htmx:sseOpen", found);
  source.addEventListener("htmx:sseOpen", ({ detail }) => {
    connection = detail.source;
    pause();
  });
  document.addEventListener("visibilitychange", () => (document.hidden ? pause() : resume()));
}

let connection;

// pause closes the connection of a hidden tab that awaits no answer: browsers open at most six to a server, for all tabs
// together.
function pause() {
  const awaits = messages?.lastElementChild?.matches(".mine, .progress") || messages?.querySelector('[data-key="stop"]');
  if (document.hidden && !awaits) connection?.close();
}

// resume has htmx's extension open the connection anew, once, as after a loss.
function resume() {
  if (connection?.readyState !== EventSource.CLOSED) return;
  const ended = connection;
  connection = undefined;
  ended.dispatchEvent(new Event("error"));
}

function take({ type, data, lastEventId }) {
  if (lastEventId) goOnFrom(lastEventId);
  if (type === "gone") location.assign("/");
  else if (type === "threads") putThreads(data);
  else if (type === "told") toast(data);
  else for (const message of [...parse(data).children]) put(message);
}

// goOnFrom makes a connection that is opened anew, without the browser's own memory, continue after the last
// entry.
function goOnFrom(position) {
  const [path, query] = source.getAttribute("sse-connect").split("?");
  const now = new URLSearchParams(query);
  now.set("after", position);
  source.setAttribute("sse-connect", `${path}?${now}`);
}

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

function put(message) {
  const { id, outerHTML } = message;
  if (!id || given.get(id) === outerHTML) return;
  given.set(id, outerHTML);
  localTimes(message);
  showCopies(message);
  quoteReplies(message);
  const before = document.getElementById(id);
  if (before) {
    morph(before, message);
    htmx.process(before);
    changed();
    return;
  }
  messages.append(message);
  htmx.process(message);
  tell(message);
}

function tell(message) {
  const is = (name) => message.classList.contains(name);
  cameIn(is("mine"));
  if (!is("bot") || is("progress") || is("removed")) return;
  answered();
  const text = message.querySelector(".text")?.textContent.trim() ?? "";
  announce(word("answered", { text: text.slice(0, 300) }));
  pause();
  notify(document.querySelector(".thread-name")?.textContent ?? "Atelier", text.slice(0, 300));
}

function putThreads(html) {
  const list = parse(html).getElementById("threads");
  if (!list) return;
  localTimes(list);
  morph(document.getElementById("threads"), list);
  const title = document.querySelector('#threads [aria-current] .thread-title')?.textContent;
  if (title) renamed(title);
}

// renamed shows the thread's new title.
function renamed(title) {
  const shown = document.querySelector(".thread-name bdi");
  if (!shown || shown.textContent === title) return;
  shown.textContent = title;
  retitle(`${title} · Atelier`);
}

const brief = 3000; // ms: streams end now and then by themselves, and begin anew at once
let isLost = false;
let telling; // the timer until that is told

function lost({ detail }) {
  if (detail.source?.readyState === EventSource.CLOSED) whyRefused();
  if (isLost || !banner) return; // a page without a thread does without
  isLost = true;
  telling = setTimeout(() => {
    banner.className = "banner";
    banner.textContent = word("lost");
    banner.hidden = false;
  }, brief);
}

// whyRefused finds out why the server refuses the connection: the thread may be gone, or the session over.
async function whyRefused() {
  const page = await fetch(location.pathname, { method: "HEAD" }).catch(() => null);
  if (page?.status === 404) location.assign("/");
  else if (page?.redirected || page?.status === 401) location.reload();
}

function found() {
  if (!isLost) return;
  isLost = false;
  clearTimeout(telling);
  if (banner.hidden) return;
  banner.className = "banner found";
  banner.textContent = word("found");
  setTimeout(() => (banner.hidden = !isLost), 2500);
}
