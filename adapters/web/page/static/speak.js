// A voice message: speaking instead of writing.

import { word } from "./words.js";

const longest = 300; // seconds, after which it is sent as it is

// kinds are the formats that a browser may be able to record, the best first, with their file extensions.
const kinds = { "audio/webm;codecs=opus": "webm", "audio/mp4": "m4a", "audio/ogg;codecs=opus": "ogg", "audio/webm": "webm" };

// canSpeak reports whether this browser can record here: pages without https may not.
export const canSpeak = Boolean(navigator.mediaDevices?.getUserMedia && window.MediaRecorder);

// release releases the microphone, so that the browser no longer shows it as in use.
const release = (stream) => stream?.getTracks().forEach((track) => track.stop());

// Recording records from the microphone until it is ended.
class Recording {
  #parts = [];

  constructor(stream) {
    const kind = Object.keys(kinds).find((k) => MediaRecorder.isTypeSupported(k));
    this.stream = stream;
    this.recorder = new MediaRecorder(stream, kind ? { mimeType: kind } : {});
    this.recorder.addEventListener("dataavailable", (e) => e.data.size > 0 && this.#parts.push(e.data));
    this.over = new Promise((done) => this.recorder.addEventListener("stop", done, { once: true }));
    this.recorder.start();
    this.begun = performance.now();
  }

  get seconds() {
    return Math.floor((performance.now() - this.begun) / 1000);
  }

  // end returns the recording as a file.
  async end() {
    if (this.recorder.state !== "inactive") this.recorder.stop(); // it is where the microphone was pulled out
    await this.over;
    release(this.stream);
    const [type] = this.recorder.mimeType.split(";");
    const ending = Object.entries(kinds).find(([kind]) => kind.startsWith(type))?.[1] ?? "webm";
    return new File(this.#parts, `voice-message.${ending}`, { type });
  }
}

// Speaker is the button that records, and the bar with the time. on has its callbacks: spoken with the file,
// trouble with a sentence, and changed.
export class Speaker {
  #recording = null;
  #asking = false; // for the microphone
  #can = true; // people may speak now
  #clock = 0;

  constructor(button, bar, on) {
    Object.assign(this, { button, bar, on });
    button.addEventListener("click", () => (this.active ? this.finish() : this.begin()));
    bar.querySelector("button").addEventListener("click", () => this.drop());
    window.addEventListener("keydown", (e) => e.key === "Escape" && this.active && this.drop());
    window.addEventListener("pagehide", () => this.drop());
  }

  get active() {
    return this.#recording !== null;
  }

  // show enables or disables recording.
  show(can) {
    this.#can = can;
    this.button.hidden = !canSpeak || !(can || this.active);
  }

  async begin() {
    if (this.#asking) return;
    this.#asking = true;
    this.on.trouble("");
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      if (!this.#can) return release(stream); // meanwhile there are words
      this.#recording = new Recording(stream);
    } catch {
      release(stream);
      return this.on.trouble(word("noMicrophone"));
    } finally {
      this.#asking = false;
    }
    this.#clock = setInterval(() => this.#tick(), 250);
    this.#tick();
    this.#changed();
    this.button.focus();
  }

  // finish ends the recording, and passes it on.
  async finish() {
    const file = await this.#end();
    if (file) this.on.spoken(file);
  }

  async drop() {
    await this.#end();
  }

  async #end() {
    const recording = this.#recording;
    if (!recording) return null;
    this.#recording = null;
    clearInterval(this.#clock);
    const file = await recording.end();
    this.#changed();
    return file;
  }

  #tick() {
    const { seconds } = this.#recording;
    this.bar.querySelector("time").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (seconds >= longest) this.finish();
  }

  #changed() {
    const label = this.active ? this.button.dataset.recording : this.button.dataset.idle;
    this.bar.hidden = !this.active;
    this.button.classList.toggle("recording", this.active);
    this.button.setAttribute("aria-label", label);
    this.button.title = label;
    this.on.changed();
  }
}
