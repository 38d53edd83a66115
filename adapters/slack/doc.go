// Package slack is the adapter for Slack, on github.com/slack-go/slack. It receives by Socket Mode
// or by signed HTTP requests, as configured.
//
// # Parts
//
// [New] wires them; none knows [Slack].
//
//		connect ─► receive ─► handler ─► post ─► share
//		               └────► lookup ◄────┘
//
//	  - convert turns events, text and files into the types of adapters, and replies into messages.
//	  - api calls Slack at its pace, and turns its errors into faults.
//	  - lookup looks up people, messages and the bot itself, with caches.
//	  - connect holds the connection: Socket Mode, or HTTP requests.
//	  - receive reads events, buttons and commands, and queues them for the handler.
//	  - post posts replies, progress and reactions; share uploads their files.
//
// # In
//
//   - Messages that mention the bot, messages in its direct channels, and messages in threads
//     of the channels in which it is. A mention that Slack sends twice, as a message and as
//     a mention, is one event: its id is made of the message's own address. Edits of them are
//     events of their own; so is one that adds a mention. A forwarded message is what the message replies to.
//   - The events of a thread keep their order; none waits for another thread's. If Slack does not
//     tell somebody's name in time, the event has none; a reaction is then left to come again,
//     since it may be a bot's.
//   - An event is confirmed to Slack when the handler has taken it, within 3 seconds or not at
//     all. Slack sends unconfirmed events again: over Socket Mode on the next connection, by HTTP
//     at once, after a minute and after five, and then never. If no process listens for longer,
//     the event is lost; the message stays in its thread.
//   - Buttons, commands and shortcuts are sent once. They are confirmed at once, since a
//     person waits; the request is lost if the process ends within that moment.
//   - Opening the home tab is a command, whose answer is published there, once a minute at most. Opening the direct
//     channel is another one, once an hour at most: its answer becomes the suggestions.
//   - Slack's own button to stop cancels the requests whose streams it has ended, or else what the person last asked
//     for in the thread.
//   - A signed request is taken once, whichever process it reaches, unless Slack was told to retry.
//   - Slack has replies only in threads, so no message is [adapters.Replied].
//
// # Out
//
//   - A reply is its files, then its text, each in as many messages as needed. A text of one message
//     stands beside the last files, unless the server refuses or drops it: then it follows them, and
//     so do all later ones of the process. The last message has the choices, and is the one to react to.
//   - Send posts once under a key. Posts are recorded in the State, and each text's metadata names
//     the key, so that a post whose confirmation was lost is looked up before it is posted again;
//     files are found by their ids. Two processes that send under one key at the same moment may
//     both post.
//   - Only the person who entered a command sees its answer, for half an hour also where the bot
//     is no member; that answer may come twice if its confirmation was lost.
//   - If Slack limits the rate of a method, all its calls in this process wait, for at most half a
//     minute and if the caller's deadline allows; otherwise the call is an
//     [adapters.ErrRateLimited]. After the pause they go one by one, as fast as Slack accepts.
//   - The working status, feedback buttons, suggestions and the home tab are left out where the server refuses
//     them, and are not tried again in this process.
//   - Progress in a thread is a stream of task cards. Slack shows it live to the asker only, and ends it after some
//     five minutes. Where it cannot be begun, or has ended, and after a restart, the message is edited instead. A
//     stream whose confirmation was lost is found by the block of its button.
//   - Numbers are put on an answer as far as Slack's limit a minute allows; the choices are buttons
//     too, and people's own reactions always count.
//
// See https://docs.slack.dev for the protocol.
package slack
