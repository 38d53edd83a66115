// Attaches files by drag and drop anywhere on the page, and by paste.

export function takeDrops(composer) {
  const veil = document.getElementById("drop-here");
  const hasFiles = (e) => e.dataTransfer?.types.includes("Files") && !document.querySelector("dialog[open]");
  let depth = 0; // of elements that were entered and not left

  const show = (is) => {
    if (!is) depth = 0;
    veil.hidden = !is;
  };
  document.addEventListener("dragenter", (e) => {
    if (!hasFiles(e)) return;
    e.preventDefault();
    depth++;
    show(true);
  });
  document.addEventListener("dragover", (e) => hasFiles(e) && e.preventDefault());
  document.addEventListener("dragleave", (e) => hasFiles(e) && --depth <= 0 && show(false));
  document.addEventListener("drop", (e) => {
    if (!hasFiles(e)) return;
    e.preventDefault();
    show(false);
    composer.add(e.dataTransfer.files);
  });
  document.addEventListener("paste", (e) => {
    const files = e.clipboardData?.files ?? [];
    // Text copied from some programs comes with an unwanted picture of it.
    if (files.length === 0 || e.clipboardData.types.includes("text/plain")) return;
    e.preventDefault();
    composer.add(files);
  });
}
