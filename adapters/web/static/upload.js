// One file on its way to the server, with its progress, which fetch cannot tell.

import { word } from "./words.js";

// upload sends a file. done is a promise of what the server knows of it; it fails with a
// sentence for people. stop breaks it off.
export function upload(thread, file, name, { mask = false, progress = () => {} } = {}) {
  const request = new XMLHttpRequest();
  const query = new URLSearchParams({ name });
  if (mask) query.set("for", "mask");
  const done = new Promise((resolve, reject) => {
    request.upload.addEventListener("progress", (e) => e.lengthComputable && progress(e.loaded / Math.max(1, e.total)));
    request.addEventListener("error", () => reject(new Error(word("uploadCut"))));
    request.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    request.addEventListener("load", () => {
      const answer = read(request.responseText);
      if (request.status >= 200 && request.status < 300 && answer.id) resolve(answer);
      else reject(new Error(answer.error || word("uploadFailed")));
    });
  });
  request.open("POST", `/t/${thread}/files?${query}`);
  request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
  request.setRequestHeader("Accept", "application/json");
  request.send(file);
  return { done, stop: () => request.abort() };
}

// takeBack tells the server that an upload is not wanted any more. If it fails, the server
// forgets the upload after a while by itself.
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
