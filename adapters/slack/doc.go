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
//	  - convert converts events, text and files to the types of adapters, and replies to messages.
//	  - api calls Slack within its rate limits, and converts its errors to faults.
//	  - lookup looks up people, messages and the bot itself, with caches.
//	  - connect holds the connection: Socket Mode, or HTTP requests.
//	  - receive reads events, buttons and commands, and queues them for the handler.
//	  - post posts replies, progress and reactions; share uploads their files.
//
// # In
//
//   - Messages that mention the bot, messages in its direct channels, and messages in threads
//     of the channels in which it is. A mention that Slack sends twice, as a message and as
//     a mention, is one event: its id is built from the message's address. Edits of them are
//     separate events, including those that add a mention. A forwarded message is treated as the one replied to.
//   - The events of a thread keep their order; threads do not wait for one another. If Slack does not
//     tell somebody's name in time, the event has none; a reaction is then left for Slack to repeat,
//     since it may be a bot's.
//   - An event is confirmed to Slack when the handler has accepted it, within 3 seconds or not at
//     all. Slack sends unconfirmed events again: over Socket Mode on the next connection, by HTTP
//     at once, after a minute and after five, and then never. If no process listens for longer,
//     the event is lost; the message stays in its thread.
//   - Buttons, commands and shortcuts are sent once. They are confirmed at once, since a
//     person waits; the request is lost if the process ends within that moment.
//   - Opening the home tab is a command, whose answer is published there, at most once per minute. Opening the direct
//     channel is another one, at most once per hour; its answer becomes the suggestions.
//   - Slack's own stop button cancels the work whose streams it ended, or else what the person last asked
//     for in the thread.
//   - A signed request is accepted once, whichever process it reaches, unless Slack was told to retry.
//   - Slack has no replies outside threads, so no message is [adapters.Replied].
//
// # Out
//
//   - A reply is its files, then its text, each in as many messages as needed. A text that fits one message
//     is sent with the last files, unless the server rejects or drops it: then it follows them, and
//     so do all later ones of the process. The last message has the choices, and is the one to react to.
//   - Send posts once per key. Posts are recorded in the State, and each text's metadata contains
//     the key, so that a post whose confirmation was lost is looked up before it is posted again;
//     files are found by their ids. Two processes that send under the same key at the same moment may
//     both post.
//   - Only the person who entered a command sees its answer, for half an hour even if the bot
//     is not a member; that answer may be posted twice if its confirmation was lost.
//   - If Slack limits the rate of a method, all its calls in this process wait, for at most half a
//     minute and if the caller's deadline allows; otherwise the call fails with
//     [adapters.ErrRateLimited]. After the pause they continue one by one, as fast as Slack accepts.
//   - The working status, feedback buttons, suggestions and the home tab are left out if the server rejects
//     them, and are not tried again for an hour.
//   - Progress in a thread is a stream of task cards. Slack shows it live to the asker only, and ends it after some
//     five minutes. If it cannot be started or has ended, and after a restart, the message is edited instead. A
//     stream whose confirmation was lost is found by the block of its button.
//   - Number reactions are added to an answer as far as Slack's rate limit allows; the choices are buttons
//     too, and people's own reactions always count.
//
// See https://docs.slack.dev for the protocol.
package slack
