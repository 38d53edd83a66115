// Package post writes to Discord.
//
//   - [Poster] posts the messages of a reply once under a key, in threads that [Threads] begins and
//     reopens.
//   - [Sender] posts replies, [Responder] answers interactions, [Progress] reports the progress of
//     work.
//   - [Typer] shows that the bot is at work, [Marks] puts reactions on messages, [Deleter] deletes
//     them.
package post
