// The page of the channel: starts its parts.

import { watchActs } from "./act.js";
import { Composer } from "./composer.js";
import { watchCopies } from "./copy.js";
import { carried, carry, watchLogout } from "./draft.js";
import { takeDrops } from "./drop.js";
import { watchFinder } from "./finder.js";
import { watchMenu, watchTheme } from "./frame.js";
import { watchGone } from "./gone.js";
import { watchNotify } from "./notify.js";
import { watchPictures } from "./picture.js";
import { quoteOf, quoteReplies } from "./quote.js";
import { followEnd } from "./scroll.js";
import { listen } from "./stream.js";
import { watchForget, watchRename } from "./thread.js";
import { localTimes } from "./times.js";
import { watchTools } from "./tools.js";
import { watchWork } from "./work.js";

listen(); // first: it remembers the messages as the server wrote them
localTimes(document);
quoteReplies(document);
watchMenu();
watchTheme();
watchActs();
watchForget();
watchRename();
watchFinder();
watchLogout();
watchPictures();
watchCopies();
watchNotify();
watchGone();
watchTools();
watchWork();
followEnd();

const form = document.getElementById("composer");
const composer = form && new Composer(form);
if (composer) {
  takeDrops(composer);
  const { wish, use, run, sample } = carried();
  if (wish) composer.fill(wish);
  if (run) composer.run(run, sample);
  if (use) composer.use(use);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-wish], [data-reply], [data-mark], [data-use], [data-edit], [data-run]");
  if (!button) return;
  const { wish, hint, reply, mark, name, src, use, edit, run, sample } = button.dataset;
  if (mark) composer?.mark({ ref: mark, name, src });
  else if (run && composer) composer.run(run, sample);
  else if (edit) composer?.edit(edit);
  else if (use && composer) composer.use(button.dataset);
  else if (use) useThere(button);
  else if (reply) composer?.reply({ id: reply, quote: quoteOf(button.closest(".message")) });
  else if (composer) composer.fill(wish, hint);
  else if (carry({ wish, run, sample })) {
    event.preventDefault(); // the address would only write it into the field
    location.assign("/");
  }
});

// useThere uses a file of a gallery in its thread.
function useThere({ dataset }) {
  const { thread } = document.querySelector(".gallery [data-thread]").dataset;
  if (carry({ use: { ...dataset } })) location.assign(`/t/${thread}`);
}
