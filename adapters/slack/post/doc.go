// Package post writes to Slack.
//
//   - [Outbox] posts every part of a message once under a key; [Poster] posts and edits one message.
//   - [Sender] posts replies, [Responder] answers commands to one person, [Progress] reports the
//     progress of work.
//   - [Typer] shows the working status, [Marks] puts reactions on messages, [Deleter] deletes them.
package post
