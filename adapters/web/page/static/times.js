// Shows times, which the server writes in UTC, in the reader's time zone.

import { language, word } from "./words.js";

const format = (options) => new Intl.DateTimeFormat(language, options);
const clock = format({ hour: "2-digit", minute: "2-digit" });
const near = format({ month: "short", day: "numeric" });
const far = format({ year: "numeric", month: "short", day: "numeric" });
const full = format({ dateStyle: "full", timeStyle: "short" });

export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.textContent = told(at, new Date(), Boolean(time.closest(".thread-list")));
    time.title = full.format(at);
  }
}

// told returns the time for today, and the date before that; with the time if there is room.
function told(at, now, short) {
  const day = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
  const days = Math.round((day(now) - day(at)) / 864e5);
  if (days === 0) return clock.format(at);
  if (days === 1) return `${word("yesterday")} ${clock.format(at)}`;
  const date = (at.getFullYear() === now.getFullYear() ? near : far).format(at);
  return short ? date : `${date} ${clock.format(at)}`;
}
