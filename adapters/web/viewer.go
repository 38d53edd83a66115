package web

import (
	"cmp"
	"path"
	"strconv"

	"atelier/adapters"
)

// viewer shows a thread to one of those who read it.
type viewer struct {
	thread string
	t      snapshot
	me     adapters.Person
	from   int64 // the position from which on the messages are that are shown
}

// messages are those that have changed after a position.
func (v viewer) messages(after int64) []messageView { return v.views(v.changed(after)) }

func (v viewer) changed(after int64) []*message {
	var all []*message
	for _, m := range v.t.messages {
		if m.changed > after && m.order >= v.from {
			all = append(all, m)
		}
	}
	return all
}

func (v viewer) views(all []*message) []messageView {
	views := make([]messageView, len(all))
	for i, m := range all {
		views[i] = v.message(m)
	}
	return views
}

func (v viewer) message(m *message) messageView {
	out := messageView{
		ID: m.id, Thread: v.thread, At: m.at, Removed: m.removed, ReplyTo: m.replyTo,
		ActURL: path.Join("/t", v.thread, "messages", m.id, "act"),
	}
	if w := m.wrote; w != nil {
		out.By, out.Mine = w.By.Name, w.By.ID == v.me.ID
		if out.By == "" {
			out.By = w.By.ID
		}
	}
	if m.removed {
		return out
	}
	switch {
	case m.wrote != nil:
		v.person(&out, m)
	case m.said != nil:
		v.answer(&out, m)
	default:
		progress := m.progress.Progress
		progress.Ended = progress.Ended || m.answered
		out.Progress, out.CanStop = &progress, !progress.Ended
	}
	return out
}

func (v viewer) person(out *messageView, m *message) {
	out.Text = plainText(m.wrote.Text)
	out.Status = m.status
	for _, f := range m.files {
		out.Files = append(out.Files, uploadView(v.thread, f))
	}
	for i, mark := range m.wrote.Marks {
		out.Marks = append(out.Marks, v.mark(m.id+"-"+strconv.Itoa(i), mark))
	}
	out.CanStop = m.open() && m.runs == 0 // what shows its progress can be stopped there
}

func (v viewer) answer(out *messageView, m *message) {
	r := m.said.Reply
	out.Text, out.Language, out.Asks = m.text(), r.Language, r.Asks
	for i, a := range r.Files {
		out.Files = append(out.Files, v.attachment(m.id, i, a))
	}
	for i, x := range r.Choices {
		choice := choiceView{Number: i + 1, Text: x.Text, Ready: i < m.offered}
		for _, p := range m.presses {
			if p.number == choice.Number {
				choice.Pressed++
				choice.Mine = choice.Mine || p.by == v.me.ID
			}
		}
		out.Choices = append(out.Choices, choice)
	}
	if r.Mention != "" {
		out.For, out.ForMe = cmp.Or(m.notified, r.Mention), r.Mention == v.me.ID
	}
	out.CanAgain = m.replyTo != ""
	out.CanRemove = mayRemove(v.me, m)
	if m.replyTo != "" {
		out.HasWork, out.WorkURL = true, path.Join("/t", v.thread, "messages", m.id, "work")
	}
}

// mayRemove tells whether somebody may have an answer deleted: who asked, and admins.
func mayRemove(by adapters.Person, m *message) bool {
	return by.Admin || m.asker == by.ID
}

// uploadView shows a file that somebody sent.
func uploadView(thread string, f upload) fileView {
	at := fileURL(thread, f.ID, f.Name)
	out := fileView{
		Name: f.Name, Size: f.Size, Type: f.Type, Kind: kindOf(f.Type, false), URL: at, Download: at + "?download",
		Width: f.Width, Height: f.Height,
	}
	if out.Kind == kindImage {
		out.Mark = "file:" + f.ID
	}
	return out
}

// attachment shows a file of an answer.
func (v viewer) attachment(message string, n int, a adapters.Attachment) fileView {
	out := fileView{Name: a.Name, Alt: a.Alt, Note: a.Note, Size: a.Size, Type: a.Type, Kind: kindOf(a.Type, true)}
	if a.Link != "" {
		out.Kind, out.URL, out.Download = kindOther, a.Link, a.Link
		return out
	}
	out.URL = mediaURL(v.thread, message, n, a.Name)
	out.Download = out.URL + "?download"
	if out.Kind == kindImage {
		out.Mark = "picture:" + resourceOf(a)
	}
	return out
}
