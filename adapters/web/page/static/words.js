// The sentences of the scripts: the page's template holds them in the page's language.

const said = document.getElementById("words")?.dataset ?? {};

// word returns the sentence with that name, with its placeholders in braces filled in.
export function word(name, values = {}) {
  return (said[name] ?? "").replace(/\{(\w+)\}/g, (all, key) => (key in values ? String(values[key]) : all));
}

export const language = document.documentElement.lang || "en";

// asked are the headers of requests by scripts: after a login, people come back to this page, and not to the
// requested one.
export const asked = () => ({ "HX-Request": "true", "HX-Current-URL": location.href });

// bytes formats a size for people.
export function bytes(n) {
  const [unit, of] = n < 999_500 ? ["kB", 1e3] : n < 999_500_000 ? ["MB", 1e6] : ["GB", 1e9];
  return n < 1000 ? `${n} B` : `${Number((n / of).toPrecision(3))} ${unit}`;
}

// plain returns a name without characters that change the text direction.
export function plain(name) {
  return name.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g, "\ufffd");
}

// newId returns a unique random id.
export function newId() {
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  return Array.from(crypto.getRandomValues(new Uint8Array(26)), (v) => letters[v & 31]).join("");
}
