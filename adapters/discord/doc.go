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
//	  - post posts replies with their files, progress and reactions, and answers interactions.
//
// # In
//
//   - Messages that mention the bot, reply to it or are sent to it directly, and messages in threads.
//     A mention in a channel begins a thread, which is made when the bot first writes; where Discord
//     refuses that, the bot answers in the channel, as a reply, and says why.
//   - "/atelier" and the entry "Use with Atelier" of a message's menu do the same without a mention.
//   - The gateway is asked for the least: servers, messages with their content, reactions and direct
//     messages. Without the intent to read content, the bot receives mentions, replies and direct
//     messages alone ([Account.Content]).
//   - A broken connection is resumed, and Discord sends what was missed. Where it does not any more,
//     the channels with messages since are read, until that works. The same is done when a process
//     listens after another one: the State records up to which message all were taken. Who listens for
//     the first time receives nothing of before. Reactions, commands and buttons of that time are
//     lost, and so are messages in direct channels that are not known.
//   - One process is meant to listen for a token, and others to replace it. Of several, each hands over
//     the same messages under the same keys, but reactions, which have no ids, under a key for each
//     session.
//   - Nothing is received of all reactions being removed from a message at once: Discord does not tell
//     whose they were.
//   - Listen ends only where trying again cannot help: if the token is refused, or by a close code of
//     the gateway that says so.
//
// # Out
//
//   - A reply is its files, ten to a message, and its text, which begins with the last of these
//     messages.
//   - Send posts each part under a nonce made of its key, which Discord enforces for some minutes, and
//     records it in the State. Only a part whose confirmation was lost and which is sent again later
//     than that may come twice.
//   - No error and no log holds the token, a signed address, or what people wrote.
package discord
