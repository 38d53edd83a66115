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
//	  - convert converts objects, text and files to the types of adapters, and replies to messages.
//	  - api calls Discord within its rate limits, and converts its errors to faults.
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
//   - Where only a person has installed the bot, it receives only their commands and buttons, and
//     answers them by their webhooks for 15 minutes ([lookup.Guests]).
//   - Without the intent to read content, the bot receives only mentions, replies and direct messages
//     ([Account.Content]).
//   - A broken connection is resumed. If Discord does not send what was missed, the channels with newer
//     messages are read until resuming works. The same is done when a process listens after another one, from
//     the watermark in the State. Nothing earlier is received when a bot listens for the first time. Reactions,
//     edits, commands and buttons of that time are lost, and so are messages in unknown direct channels.
//   - One process should listen per token. If there are several, each delivers the same messages under
//     the same keys, but reactions, which have no ids, under a key per session.
//   - If all reactions are removed from a message at once, nothing is received: Discord does not tell
//     whose they were.
//   - Listen ends only if retrying cannot help: after a rejected token, or a close code that says so.
//
// # Out
//
//   - A reply is its files, ten per message, and its text, which begins in the message of the last files.
//   - An answer with pictures or videos consists of components: its text, a gallery, its other files and its
//     buttons. If Discord rejects a format (components, labels in a form, commands for everywhere), the
//     older one is sent in its place, once.
//   - Send posts each part under a nonce made of its key, which Discord enforces for some minutes, and
//     records it in the State. Only a part whose confirmation was lost and which is sent again later
//     may come twice, and as a guest at once: follow-ups take no nonce, and can be read only by an id that
//     the lost confirmation held.
//   - Errors and logs never hold the token, a signed URL, or what people wrote.
package discord
