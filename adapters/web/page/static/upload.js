// Uploads one file with progress, which fetch does not report.

import { word } from "./words.js";

const attempts = 4; // while the server has too much to do, or the line is cut
const pause = 5; // seconds between two of them, where the server does not say
const longestPause = 60;

// upload sends a file, with a purpose if it is not just a file. done is a promise of the server's response; it
// fails with a sentence for people. stop aborts it.
export function upload(thread, file, name, { purpose = "", progress = () => {} } = {}) {
  const query = new URLSearchParams({ name });
  if (purpose) query.set("for", purpose);
  const stopped = new AbortController();
  const done = (async () => {
    for (let left = attempts - 1; ; left--) {
      const { answer, error, after } = await send(`/t/${thread}/files?${query}`, file, progress, stopped.signal);
      if (answer) return answer;
      if (!after || left === 0) throw new Error(error);
      progress(0);
      await wait(Math.min(after, longestPause), stopped.signal);
    }
  })();
  return { done, stop: () => stopped.abort() };
}

// send makes one attempt. It returns the response, or an error with the seconds after which to retry, if that may
// help.
function send(url, file, progress, signal) {
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.upload.addEventListener("progress", (e) => e.lengthComputable && progress(e.loaded / Math.max(1, e.total)));
    request.addEventListener("error", () => resolve({ error: word("uploadCut"), after: pause }));
    request.addEventListener("load", () => {
      const answer = read(request.responseText);
      if (request.status === 401) location.reload(); // which leads to the login: the draft stays
      if (request.status >= 200 && request.status < 300 && answer.id) resolve({ answer });
      else resolve({ error: answer.error || word("uploadFailed"), after: Number(request.getResponseHeader("Retry-After")) });
    });
    stops(signal, reject, () => request.abort());
    request.open("POST", url);
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.setRequestHeader("Accept", "application/json");
    request.send(file);
  });
}

function wait(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    stops(signal, reject, () => clearTimeout(timer));
  });
}

// stops aborts the upload when the signal says so.
function stops(signal, reject, end) {
  signal.addEventListener("abort", () => {
    end();
    reject(new DOMException("", "AbortError"));
  }, { once: true });
}

// takeBack tells the server that an upload is no longer wanted. If that fails, the server forgets the upload after
// a while.
export function takeBack(thread, id) {
  fetch(`/t/${thread}/files/${id}`, { method: "DELETE", keepalive: true }).catch(() => {});
}

function read(json) {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return {};
  }
}
