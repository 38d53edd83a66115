package slacktest

import (
	"encoding/json"
	"net/url"
	"time"
)

// Message is what is seen of a message, whoever wrote it.
type Message struct {
	Channel  string
	TS       string
	ThreadTS string // "" outside of threads; a root with replies names itself
	User     string // who wrote it
	BotID    string
	Subtype  string
	Text     string
	Blocks   json.RawMessage // as they were sent; nil for none
	Metadata json.RawMessage // event_type and event_payload; nil for none
	Files    []SharedFile
	// Reactions in the order in which each name was first added.
	Reactions []Reaction
	// Notified are the people whom the message mentions: by <@U…>, by <!channel>,
	// <!here> or <!everyone>, or by link_names. An edit notifies nobody.
	Notified []string
	Edited   int       // how often
	At       time.Time // when it came to be, by the machine's clock
	EditedAt time.Time
}

// SharedFile is a file of a message.
type SharedFile struct {
	ID, Name, Title, Type, AltTxt string
	Data                          []byte // not a copy: do not change
}

// Reaction is a reaction on a message and who has it there.
type Reaction struct {
	Name  string
	Users []string
	At    time.Time // when it was first added
}

// Ephemeral is a message that only one person saw: of chat.postEphemeral or of a
// response URL.
type Ephemeral struct {
	Channel, ThreadTS, User, Text string
	Blocks                        json.RawMessage
	ResponseURL                   string // "" for chat.postEphemeral
	Replaced, Deleted             bool   // replace_original, delete_original
}

// View is a view that the bot opened.
type View struct {
	ID, User, CallbackID, PrivateMetadata string
	JSON                                  json.RawMessage // as it was sent
	Open                                  bool
}

// Call is one call of a method of the Web API.
type Call struct {
	Method string
	Args   url.Values // token left out
	Error  string     // "" for ok
	Status int
	At     time.Time
}

// Delivery is one attempt to send an event or an interaction.
type Delivery struct {
	Kind    string // events_api, interactive, slash_commands
	Type    string // the event's or the interaction's type: message, app_mention, block_actions…
	ID      string // the envelope's id
	EventID string // "" for interactions
	Attempt int    // 0 is the first
	Reason  string // why again: timeout, http_error, …
	Taken   bool   // acknowledged in time
	Status  int    // of the HTTP answer; 0 for sockets
	Took    time.Duration
	Body    json.RawMessage // the payload
}

// Messages are the messages of a channel, the oldest first: those of the thread with the
// root threadTS (the root first), or where it is empty those that stand in the channel
// itself.
func (s *Server) Messages(channel, threadTS string) []Message { return s.messages(channel, threadTS) }

// Message is one message, and whether it is there.
func (s *Server) Message(channel, ts string) (Message, bool) { return s.message(channel, ts) }

// Ephemerals are the messages that only user saw, the oldest first.
func (s *Server) Ephemerals(user string) []Ephemeral { return s.ephemeralsOf(user) }

// Statuses are the statuses that assistant.threads.setStatus set, the oldest first; ""
// for one that was cleared by it. A message of the bot in the thread clears it too, which
// is not listed.
func (s *Server) Statuses(channel, threadTS string) []string { return s.statusesOf(channel, threadTS) }

// Status is the status that people see in a thread now; "" for none.
func (s *Server) Status(channel, threadTS string) string { return s.statusOf(channel, threadTS) }

// Views are the views that were opened, the oldest first.
func (s *Server) Views() []View { return s.viewList() }

// Calls counts the calls of each method, those that failed too.
func (s *Server) Calls() map[string]int { return s.callCounts() }

// CallsOf are the latest calls of a method, at most 1,000 of all methods together, the
// oldest first.
func (s *Server) CallsOf(method string) []Call { return s.callsOf(method) }

// Deliveries are the latest attempts to send something, at most 1,000, the oldest first.
func (s *Server) Deliveries() []Delivery { return s.deliveryList() }

// Idle tells whether every event was taken or given up.
func (s *Server) Idle() bool { return s.idle() }

// Sockets is the number of open sockets, those that said hello.
func (s *Server) Sockets() int { return s.socketCount() }
