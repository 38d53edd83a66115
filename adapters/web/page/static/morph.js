// morph makes an element like another one with as few changes as possible, so that unchanged parts are left alone:
// videos keep playing, and the focus and open parts stay.

export function morph(from, to) {
  if (from.isEqualNode(to)) return;
  attributes(from, to);
  if (!from.hasAttribute("data-keep")) children(from, to);
}

// attributes that the reader's actions change are not the server's.
const own = (element, name) => (element.localName === "details" || element.localName === "dialog") && name === "open";

function attributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !own(from, name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

function children(from, to) {
  let at = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const found = partner(at, wanted);
    if (!found) {
      from.insertBefore(wanted, at);
      continue;
    }
    while (at !== found) at = drop(at);
    at = found.nextSibling;
    if (found.nodeType === Node.ELEMENT_NODE) morph(found, wanted);
    else if (found.nodeValue !== wanted.nodeValue) found.nodeValue = wanted.nodeValue;
  }
  while (at) at = drop(at);
}

function drop(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

// partner returns the next node that can be made like the wanted one. Its event listeners stay, so elements with
// another meaning must have another id or key. Nodes that are skipped to reach it are removed; therefore text,
// which can be anywhere, is matched only if it is next.
function partner(at, wanted) {
  if (wanted.nodeType !== Node.ELEMENT_NODE) return at?.nodeType === wanted.nodeType ? at : null;
  for (let node = at; node; node = node.nextSibling) {
    if (alike(node, wanted)) return node;
  }
  return null;
}

const name = (element) => element.id || element.dataset?.key || "";

function alike(node, wanted) {
  return node.nodeType === Node.ELEMENT_NODE && node.localName === wanted.localName && name(node) === name(wanted) && role(node) === role(wanted);
}

// role is the first class, which tells the purpose of an element.
const role = (element) => element.classList[0] ?? "";
