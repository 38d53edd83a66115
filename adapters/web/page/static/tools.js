// The page of tools: finding one by the beginnings of words.

const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const unspaced = /\p{Script=Han}/u; // where words stand without anything between them

export function watchTools() {
  const field = document.getElementById("find");
  if (!field) return;
  const none = document.getElementById("found-none");
  const domains = [...document.querySelectorAll(".domain")].map((element) => {
    const title = element.querySelector("h2").textContent;
    const tools = [...element.querySelectorAll(".tool")].map((tool) => ({ element: tool, words: wordsOf(`${title} ${tool.textContent}`) }));
    return { element, tools };
  });
  field.addEventListener("input", () => {
    const wanted = wordsOf(field.value);
    for (const { element, tools } of domains) {
      for (const tool of tools) tool.element.hidden = !wanted.every((w) => holds(tool.words, w));
      element.hidden = tools.every((tool) => tool.element.hidden);
    }
    none.hidden = domains.some(({ element }) => !element.hidden);
  });
}

function holds(words, wanted) {
  return words.some((word) => (unspaced.test(wanted) ? word.includes(wanted) : word.startsWith(wanted)));
}
