// The draft of a message, kept in the tab: it outlives a reload, a failed send and the end of
// a session, but not who logs out.

// carry takes a wish or a file to use along to the next page. It is false where it would be lost.
export function carry(what) {
  try {
    sessionStorage.setItem("carried", JSON.stringify(what));
    return true;
  } catch {
    return false;
  }
}

// carried is what was taken along, once.
export function carried() {
  try {
    const what = JSON.parse(sessionStorage.getItem("carried")) ?? {};
    sessionStorage.removeItem("carried");
    return what;
  } catch {
    return {};
  }
}

// watchLogout drops all that is kept in the tab when the reader logs out: the next one is
// somebody else.
export function watchLogout() {
  document.querySelector('form[action="/logout"]')?.addEventListener("submit", () => {
    left = true;
    try {
      sessionStorage.clear();
    } catch {
      // Without storage there is nothing.
    }
  });
}

let left = false; // logged out: nothing is kept any more

export class Draft {
  constructor(thread, fresh) {
    // A page for a new thread has another id each time: the draft brings its own along.
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
      // Without storage the draft lives as long as the page.
    }
  }
}
