// The draft of a message, kept in the tab: it survives a reload, a failed send and the end of a session, but not
// logging out.

// carry takes a request or a file to the next page. It returns false if that would be lost.
export function carry(what) {
  try {
    sessionStorage.setItem("carried", JSON.stringify(what));
    return true;
  } catch {
    return false;
  }
}

// carried returns what was carried, once.
export function carried() {
  try {
    const what = JSON.parse(sessionStorage.getItem("carried")) ?? {};
    sessionStorage.removeItem("carried");
    return what;
  } catch {
    return {};
  }
}

// watchLogout deletes everything kept in the tab when the reader logs out: the next one may be somebody else.
export function watchLogout() {
  document.querySelector('form[action="/logout"]')?.addEventListener("submit", () => {
    left = true;
    try {
      sessionStorage.clear();
    } catch {
      // Without storage there is no draft.
    }
  });
}

let left = false; // logged out: nothing is kept any more

export class Draft {
  constructor(thread, fresh) {
    // A page for a new thread has another id each time, so the draft has its own.
    this.key = fresh ? "draft" : `draft ${thread}`;
  }

  read() {
    try {
      return JSON.parse(sessionStorage.getItem(this.key)) ?? {};
    } catch {
      return {};
    }
  }

  write(draft) {
    try {
      const empty = !draft.text && !draft.reply && draft.items.length === 0;
      if (empty || left) sessionStorage.removeItem(this.key);
      else sessionStorage.setItem(this.key, JSON.stringify(draft));
    } catch {
      // Without storage the draft lasts as long as the page.
    }
  }
}
