// The draft of a message, kept in the tab: it outlives a reload and a failed send.

// carry takes a wish along to the next page. It is false where it would be lost.
export function carry(wish) {
  try {
    sessionStorage.setItem("wish", wish);
    return true;
  } catch {
    return false;
  }
}

// carried is the wish that was taken along, once.
export function carried() {
  try {
    const wish = sessionStorage.getItem("wish") ?? "";
    sessionStorage.removeItem("wish");
    return wish;
  } catch {
    return "";
  }
}

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
      if (empty) sessionStorage.removeItem(this.key);
      else sessionStorage.setItem(this.key, JSON.stringify(draft));
    } catch {
      // Without storage the draft lives as long as the page.
    }
  }
}
