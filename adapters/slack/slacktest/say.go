package slacktest

// Post is a message that somebody writes.
type Post struct {
	Channel  string // id
	ThreadTS string // the root's ts, for a reply in a thread
	By       string // the user's id; a Bot's writes as an app
	Text     string // in the form of the wire; &, < and > of what was typed escaped
	Files    []File // a message with files has subtype file_share
	// Broadcast shows a reply in the channel too (subtype thread_broadcast).
	Broadcast bool
	// Classic writes as an old integration does: subtype bot_message, bot_id and no user.
	Classic bool
	// Subtype is another subtype, such as channel_join or me_message.
	Subtype string
	// Silent stores the message and sends no event: what was written while the bot was
	// away and Slack gave up.
	Silent bool
}

// File is a file that somebody shares, or one that is there already.
type File struct {
	ID     string // set by the server where empty
	Name   string
	Title  string // "" is the name
	Type   string // media type; "" is told by the content
	AltTxt string // alt text of a picture
	Data   []byte
	Clip   bool      // it is recorded in Slack itself: an audio clip
	Fault  FileFault // what is wrong with its download
	// Remote is where url_private points instead of at the server (a remote file: mode
	// "external", is_external).
	Remote string
	// Stub sends the file as Slack Connect does: id and file_access "check_file_info" only;
	// files.info has the rest.
	Stub bool
	// Size is the size that the file object tells; 0 is that of Data.
	Size int64
}

// FileFault is what happens to the download of a file.
type FileFault string

// The faults of downloads.
const (
	FileLost    FileFault = "lost"     // 404 with an HTML page
	FileGone    FileFault = "gone"     // the object says mode "tombstone"; files.info: file_deleted
	FileCut     FileFault = "cut"      // Content-Length of the whole, half of the bytes
	FileEndless FileFault = "endless"  // bytes that never end
	FileStalled FileFault = "stalled"  // a header, and then nothing
	FileHTML    FileFault = "html"     // 200 and an HTML page, though the token is right
	FileMoved   FileFault = "redirect" // 302 to http://169.254.169.254/
	FileBroken  FileFault = "broken"   // 500
)

// Say writes a message; its ts. The events message and, where the bot is mentioned in a
// channel, app_mention are on their way.
func (s *Server) Say(p Post) string { return s.say(p) }

// Edit changes the text of a message, as its author: message_changed and, where the bot is mentioned in
// a channel, app_mention once more.
func (s *Server) Edit(channel, ts, text string) { s.edit(channel, ts, text) }

// Unfurl adds a preview to a message, as Slack does for links: message_changed with the
// same text and without edited.
func (s *Server) Unfurl(channel, ts string) { s.unfurl(channel, ts) }

// Delete deletes a message, as its author: message_deleted, or message_changed to a
// tombstone where it is the root of a thread with replies.
func (s *Server) Delete(channel, ts string) { s.remove(channel, ts) }

// React adds (or, where added is false, removes) a reaction of user. name is Slack's
// short name without colons: "two", "repeat", "octagonal_sign", "+1::skin-tone-2".
func (s *Server) React(user, channel, ts, name string, added bool) {
	s.react(user, channel, ts, name, added)
}

// Echo sends the events of a message once more, with the event_id that they had.
func (s *Server) Echo(channel, ts string) { s.echo(channel, ts) }

// Shuffle holds back what comes to be sent while during runs, and then sends it in an
// order drawn by seed.
func (s *Server) Shuffle(seed uint64, during func()) { s.shuffle(seed, during) }

// Rename gives a file the content and fault of f, its id kept: what was whole is lost now.
func (s *Server) Rename(id string, f File) { s.replaceFile(id, f) }
