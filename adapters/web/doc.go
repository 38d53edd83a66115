// Package web is a chat platform of its own, in the browser: threads, messages, files,
// reactions and answers, and marks on pictures. It needs no token, so newcomers start with it.
//
// A thread is a list of entries that only grows, in a State that all processes share. Each
// process folds the same conversation from it, and can serve any page and take any message. A
// page shows the conversation at a position of the list; its stream of server-sent events has
// what comes after, each event under the position of its entry. So the page recovers after a lost
// connection or a restart (Last-Event-ID), and misses nothing.
//
// # Parts
//
// [New] wires them; none knows [Channel].
//
//		handler ◄─ dispatch ◄─ receive ─┐
//		           upload ──────────────┼─► request ─► store ─► chat
//		           stream, site ─► page ┘
//
//	  - chat folds entries into conversations, and turns them into the types of adapters.
//	  - store reads and appends entries, lists the threads, and tells of changes.
//	  - request reads requests, and refuses them in sentences for people.
//	  - receive takes messages and reactions; dispatch hands them over to the handler.
//	  - media serves files; upload takes them; archive packs those of an answer, and thumbnail makes
//	    pictures small.
//	  - thread renames and deletes threads; find finds them, and tools.
//	  - page renders HTML, with markup for text and drawing for graphs; site serves the pages, and
//	    stream what changes on them.
//	  - guard lets people in; point is the page to mark pictures, which other platforms use too.
//
// # Guarantees
//
//   - A message that the browser was told is sent is in the list, and will be handed over: at
//     once, or by the next Listen of any process if this one died. The browser makes its id, so
//     sending it again is safe.
//   - What is written while no process listens is handed over later, as long as the thread is
//     kept.
//   - Send posts once under a key, without a time limit: the first entry with a key counts. It
//     checks that attachments can be read; they are served from where they are.
//   - An edit changes a message in its place, and is handed over as an edit: what ran for the message
//     before is stopped.
//   - Of sending a file and taking it back, the first counts, whichever processes do it.
//   - A broken upload leaves nothing that is shown.
//   - No file of people or tools is served with a type that runs in the channel's origin: pages
//     are shown in a frame without an origin, drawings are downloads.
//   - Everybody who is let in sees every thread.
package web
