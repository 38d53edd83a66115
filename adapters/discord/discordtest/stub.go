package discordtest

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
)

// New starts a server, which ends with the test.
func New(tb testing.TB, o Options) *Server { tb.Helper(); return &Server{tb: tb, options: o} }

// URL is where the REST interface is, without a slash at its end.
func (s *Server) URL() string { return "" }

// Token is the bot's, without "Bot ".
func (s *Server) Token() string { return "" }

// Bot is the bot under test.
func (s *Server) Bot() User { return User{} }

// BotID is the id of the bot's user.
func (s *Server) BotID() string { return "" }

// ApplicationID is the id of the bot's application.
func (s *Server) ApplicationID() string { return "" }

// Now is the server's clock.
func (s *Server) Now() time.Time { return time.Time{} }

// Advance lets so much time pass by the server's clock, by which links, nonces, deferred
// responses and lost sessions expire.
func (s *Server) Advance(time.Duration) {}

// Close ends the server, as the test's end does.
func (s *Server) Close() {}

// User gives somebody new.
func (s *Server) User(name string) User { return User{Name: name} }

// BotUser gives another bot.
func (s *Server) BotUser(name string) User { return User{Name: name} }

// Guild gives a new guild, whose owner is nobody who acts.
func (s *Server) Guild(name string) string { return name }

// Role gives a new role of a guild, which permits so much everywhere in it.
func (s *Server) Role(guild, name string, p Permission) string { return guild + name }

// Assign gives somebody a role.
func (s *Server) Assign(guild string, u User, role string) {}

// Admin gives somebody a role that may remove what others write.
func (s *Server) Admin(guild string, u User) {}

// Channel gives a new text channel.
func (s *Server) Channel(guild, name string) string { return guild + name }

// DM gives the direct channel of somebody and the bot.
func (s *Server) DM(u User) string { return u.ID }

// Thread lets somebody start a public thread in a channel, from a message (its id is the
// thread's then) or, with "", from none.
func (s *Server) Thread(channel, message, name string, by User) string { return channel }

// Archive puts a thread away, or takes it out again. Writing in it takes it out too, where
// it is not locked.
func (s *Server) Archive(thread string, archived bool) {}

// Lock lets nobody write in a thread, or everybody again.
func (s *Server) Lock(thread string, locked bool) {}

// DeleteChannel removes a channel with its threads, or a thread.
func (s *Server) DeleteChannel(channel string) {}

// Forbid takes permissions from the bot in a channel and its threads.
func (s *Server) Forbid(channel string, p Permission) {}

// Allow gives them back.
func (s *Server) Allow(channel string, p Permission) {}

// RefuseDMs lets somebody take no direct messages of the bot (50007).
func (s *Server) RefuseDMs(u User) {}

// Say lets somebody write, and gives the message.
func (s *Server) Say(p Post) Message { return Message{} }

// Edit lets the author change the text of a message.
func (s *Server) Edit(channel, message, content string) {}

// Delete removes a message, whoever wrote it.
func (s *Server) Delete(channel, message string) {}

// React lets somebody put an emoji on a message, or take it away.
func (s *Server) React(u User, channel, message, emoji string, added bool) {}

// BreakFiles lets the links of a message's files fail so, those given out already too.
func (s *Server) BreakFiles(channel, message string, f Fault) {}

// Messages are what stands in a channel for everybody, the oldest first: without what
// Discord itself writes there, as that a thread was begun. It is nil where there is no such
// channel.
func (s *Server) Messages(channel string) []Message { return nil }

// Message is one by its id, and whether it is there.
func (s *Server) Message(channel, message string) (Message, bool) { return Message{}, false }

// Threads are those of a channel, by their ids.
func (s *Server) Threads(channel string) []string { return nil }

// ThreadName is what a thread is called.
func (s *Server) ThreadName(thread string) string { return "" }

// Archived tells whether a thread is put away.
func (s *Server) Archived(thread string) bool { return false }

// Typing tells whether the bot is shown to type: for 10 s after it said so, or until it
// writes.
func (s *Server) Typing(channel string) bool { return false }

// Commands are what the bot has registered.
func (s *Server) Commands() []Command { return nil }

// Await returns when the condition holds, which is asked for after every change, by whichever
// call or person, or with the context's error. The condition may call the server.
func (s *Server) Await(ctx context.Context, condition func() bool) error { return nil }

// AwaitConnected returns when a session is connected that hears what happens from now on.
func (s *Server) AwaitConnected(ctx context.Context) error { return nil }

// Connections counts the gateway's connections with a session.
func (s *Server) Connections() int { return 0 }

// Identifies counts the sessions that were begun, Resumes those taken up again.
func (s *Server) Identifies() int { return 0 }

// Resumes counts the sessions that were taken up again.
func (s *Server) Resumes() int { return 0 }

// Intents are those of the session that was begun last.
func (s *Server) Intents() int { return 0 }

// Slash lets somebody give a command, which the bot must have registered.
func (s *Server) Slash(c SlashCommand) *Interaction { return nil }

// Menu lets somebody choose an entry of a message's menu, which the bot must have registered.
func (s *Server) Menu(by User, channel, message, name string) *Interaction { return nil }

// Press lets somebody press a button of a message by its custom id.
func (s *Server) Press(by User, channel, message, customID string) *Interaction { return nil }

// Submit lets somebody send a form that an interaction asked for, with what they wrote by
// the custom ids of its inputs.
func (s *Server) Submit(i *Interaction, values map[string]string) *Interaction { return nil }

// Interaction is something that somebody did and the bot must acknowledge within 3 s.
type Interaction struct {
	ID, Token string
	By        User
}

// Acknowledged is closed when the bot has acknowledged it in time.
func (i *Interaction) Acknowledged() <-chan struct{} { return nil }

// After is how long the bot took, by the server's clock; 0 before it is acknowledged.
func (i *Interaction) After() time.Duration { return 0 }

// Kind is the type of the bot's callback: 4 a message, 5 one to come, 6 a change to come,
// 7 a change, 9 a form; 0 is none yet.
func (i *Interaction) Kind() int { return 0 }

// Modal is the form that the bot asked for, or nil.
func (i *Interaction) Modal() *Modal { return nil }

// Response is the original response as it stands, and whether there is one.
func (i *Interaction) Response() (Message, bool) { return Message{}, false }

// Followups are the messages after it.
func (i *Interaction) Followups() []Message { return nil }

// Route is a call of the REST interface, as the constants name it.
type Route string

// The routes to count and to let fail.
const (
	PostMessage    Route = "POST /channels/{channel}/messages"
	EditMessage    Route = "PATCH /channels/{channel}/messages/{message}"
	DeleteMessage  Route = "DELETE /channels/{channel}/messages/{message}"
	GetMessage     Route = "GET /channels/{channel}/messages/{message}"
	GetMessages    Route = "GET /channels/{channel}/messages"
	PutReaction    Route = "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	DeleteReaction Route = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	StartThread    Route = "POST /channels/{channel}/messages/{message}/threads"
	StartLoose     Route = "POST /channels/{channel}/threads"
	GetChannel     Route = "GET /channels/{channel}"
	ShowTyping     Route = "POST /channels/{channel}/typing"
	OpenDM         Route = "POST /users/@me/channels"
	Me             Route = "GET /users/@me"
	Callback       Route = "POST /interactions/{interaction}/{token}/callback"
	PutCommands    Route = "PUT /applications/{application}/commands"
	GatewayBot     Route = "GET /gateway/bot"
	Gateway        Route = "GET /gateway"
)

// Calls counts the calls that came in by one of these routes, whatever was answered; without
// any all are counted.
func (s *Server) Calls(on ...Route) int { return 0 }

// Answers counts the answers of a status.
func (s *Server) Answers(status int) int { return 0 }

// RateLimit refuses the next n calls by these routes, without any of all, with 429.
func (s *Server) RateLimit(n int, retryAfter time.Duration, global bool, on ...Route) {}

// RateLimitHTML refuses the next n with 429 and a page of HTML, as what stands before
// Discord does.
func (s *Server) RateLimitHTML(n int, retryAfter time.Duration, on ...Route) {}

// FailNext answers the next n with a status, and does nothing.
func (s *Server) FailNext(n, status int, on ...Route) {}

// LoseAnswers lets the next n calls by these routes, without any of [PostMessage], be done
// and their connection break before the answer.
func (s *Server) LoseAnswers(n int, on ...Route) {}

// Stall lets no call be answered or done until the server ends. The channel tells of each.
func (s *Server) Stall() <-chan struct{} { return nil }

// Revoke lets the token be taken no longer: 401, and 4004 by the gateway.
func (s *Server) Revoke() {}

// MissingIntent withholds the intent to read what people write: sessions that have it end
// with 4014, and so do new ones that want it.
func (s *Server) MissingIntent() {}

// Drop closes the gateway's connections with a code. Their sessions can be taken up again
// where Discord says so of the code.
func (s *Server) Drop(code int) {}

// CutOff ends the gateway's connections without a word.
func (s *Server) CutOff() {}

// RefuseGateway lets the gateway take no connection, or take them again.
func (s *Server) RefuseGateway(refused bool) {}

// Reconnect asks to connect anew (7).
func (s *Server) Reconnect() {}

// InvalidSession tells that the sessions are not valid (9). Where they are not resumable they
// are gone.
func (s *Server) InvalidSession(resumable bool) {}

// Zombie lets the present connections hear nothing any more, no answer to a heartbeat either.
func (s *Server) Zombie() {}

// Echo tells of a message once more.
func (s *Server) Echo(channel, message string) {}

// Hold keeps events back, of these types (as MESSAGE_CREATE) or without any all, until
// Release.
func (s *Server) Hold(types ...string) {}

// Release lets the events go that were held back, in the order in which they came, or shuffled.
func (s *Server) Release(shuffle *rand.Rand) {}
