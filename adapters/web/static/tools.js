// The page of tools: finding one by a word.

export function watchTools() {
  const field = document.getElementById("find");
  const none = document.getElementById("found-none");
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let any = false;
    for (const tool of document.querySelectorAll(".tool")) {
      const text = tool.textContent.toLowerCase();
      tool.hidden = !words.every((w) => text.includes(w));
      any ||= !tool.hidden;
    }
    for (const domain of document.querySelectorAll(".domain")) domain.hidden = !domain.querySelector(".tool:not([hidden])");
    none.hidden = any;
  };
  field?.addEventListener("input", show);
}
