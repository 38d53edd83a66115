// Package web is a chat platform of its own, in the browser: threads, messages, files,
// reactions and answers, and marks on pictures. It needs no token, so newcomers start with it.
//
// A thread is an append-only list of entries in a State that all processes share. Each
// process folds it into the same conversation, and can serve any page and accept any message. A
// page shows the conversation at a position of the list; its server-sent events deliver the
// rest, each with the position of its entry as its id. So the page recovers after a lost
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
//	  - store reads and appends entries, lists the threads, and announces changes.
//	  - request parses requests, and rejects them with sentences for people.
//	  - receive accepts messages and reactions; dispatch delivers them to the handler.
//	  - media serves files; upload accepts them; archive zips those of an answer, and thumbnail
//	    makes thumbnails.
//	  - thread renames and deletes threads; find searches threads and tools.
//	  - page renders HTML, with markup for text and drawing for graphs; site serves the pages, and
//	    stream their changes.
//	  - guard lets people in; point is the page to mark pictures, which other platforms use too.
//
// # Guarantees
//
//   - A message that was confirmed to the browser is in the list, and will be delivered: at
//     once, or by the next Listen of any process if this one died. The browser makes its id, so
//     sending it again is safe.
//   - What is written while no process listens is delivered later, as long as the thread is
//     kept.
//   - Send posts once per key, without a time limit: the first entry with a key counts. It
//     checks that attachments can be read; they are served from where they are.
//   - An edit changes a message in place, and is delivered as an edit: what ran for the message
//     before is stopped.
//   - A file is either sent or withdrawn, whichever comes first, in whatever processes.
//   - An interrupted upload leaves nothing visible.
//   - No file of a person or a tool can run code in the channel's origin: pages
//     are shown in a frame without an origin, drawings are downloads.
//   - Everybody who is let in sees every thread.
package web
