// The page of the channel: what its parts do is begun here.

import { watchActs, watchForget } from "./act.js";
import { Composer } from "./composer.js";
import { watchCopies } from "./copy.js";
import { carried, carry, watchLogout } from "./draft.js";
import { takeDrops } from "./drop.js";
import { watchMenu, watchTheme } from "./frame.js";
import { watchPictures } from "./picture.js";
import { quoteOf, quoteReplies } from "./quote.js";
import { followEnd } from "./scroll.js";
import { listen } from "./stream.js";
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
watchLogout();
watchPictures();
watchCopies();
watchTools();
watchWork();
followEnd();

const form = document.getElementById("composer");
const composer = form && new Composer(form);
if (composer) {
  takeDrops(composer);
  const wish = carried();
  if (wish) composer.fill(wish);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-wish], [data-reply], [data-mark], [data-use]");
  if (!button) return;
  const { wish, hint, reply, mark, name, src, use } = button.dataset;
  if (mark) composer?.mark({ ref: mark, name, src });
  else if (use) composer?.use(button.dataset);
  else if (reply) composer?.reply({ id: reply, quote: quoteOf(button.closest(".message")) });
  else if (composer) composer.fill(wish, hint);
  else if (!carry(wish)) event.preventDefault();
});
