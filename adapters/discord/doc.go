// Package discord is the adapter for Discord, on github.com/bwmarrin/discordgo. It receives from the
// gateway, and answers by the REST interface.
//
// # Parts
//
// [New] wires them; none knows [Discord].
//
//		connect ─► receive ─► handler ─► post
//		               └───► lookup ◄────┘
//
//	  - convert turns objects, text and files into the types of adapters, and replies into messages.
//	  - api calls Discord at its pace, and turns its errors into faults.
//	  - lookup looks up the bot itself, servers, channels, people and messages, with caches.
//	  - connect holds the connection to the gateway.
//	  - receive reads events, buttons, commands and forms, and queues them for the handler.
//	  - post posts replies, progress and reactions, and answers interactions.
//
// # In
//
//   - Messages that mention the bot, reply to it or are sent to it directly, and messages in threads.
//     A mention in a channel begins a thread, which is made when the bot first writes. Where Discord
//     refuses that, the bot replies in the channel, and says why.
//   - Edits of them, and edits that add a mention. What Discord leaves out of an edit is looked up.
//   - "/atelier" and the entry "Use with Atelier" of a message's menu need no mention.
//   - Where only a person has installed the bot, it receives nothing but their commands and buttons, and
//     answers them by their webhooks for 15 minutes ([lookup.Guests]).
//   - Without the intent to read content, the bot receives only mentions, replies and direct messages
//     ([Account.Content]).
//   - A broken connection is resumed. If Discord does not send what was missed, the channels with newer
//     messages are read until that works; so they are when a process listens after another one, from
//     the mark in the State. Who listens for the first time receives nothing of before. Reactions,
//     edits, commands and buttons of that time are lost, and messages in direct channels that are not known.
//   - One process is meant to listen for a token. Of several, each hands over the same messages under
//     the same keys, but reactions, which have no ids, under a key for each session.
//   - If all reactions are removed from a message at once, nothing is received: Discord does not tell
//     whose they were.
//   - Listen ends only where trying again cannot help: by a refused token, or a close code that says so.
//
// # Out
//
//   - A reply is its files, ten to a message, and its text, which begins with the last of them.
//   - An answer with pictures or videos is made of components: its text, a gallery, its other files and its
//     buttons. Where Discord refuses a form (components, labels in a form, commands for everywhere), the
//     older one is sent in its place, once.
//   - Send posts each part under a nonce made of its key, which Discord enforces for some minutes, and
//     records it in the State. Only a part whose confirmation was lost and which is sent again later
//     may come twice.
//   - No error and no log holds the token, a signed address, or what people wrote.
package discord
