package page

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/markup"
	"atelier/adapters/web/media"
)

// Viewer shows a thread to one reader.
type Viewer struct {
	Thread   string
	Snapshot chat.Snapshot
	Me       adapters.Person
	From     int64 // the position from which the page shows the thread
}

// Messages returns the messages that changed after a position.
func (v Viewer) Messages(after int64) []Message {
	return v.Views(v.Snapshot.ChangedAfter(after, v.From))
}

// Views converts messages for the reader.
func (v Viewer) Views(all []*chat.Message) []Message {
	views := make([]Message, len(all))
	for i, m := range all {
		views[i] = v.Message(m)
	}
	return views
}

// Message converts a message for the reader.
func (v Viewer) Message(m *chat.Message) Message {
	out := Message{
		ID: m.ID, Thread: v.Thread, At: m.At, Removed: m.Removed, ReplyTo: m.ReplyTo,
		ActURL: path.Join("/t", v.Thread, "messages", m.ID, "act"),
	}
	if w := m.Wrote; w != nil {
		out.By, out.Mine = w.By.Name, w.By.ID == v.Me.ID
		if out.By == "" {
			out.By = w.By.ID
		}
	}
	if m.Removed {
		return out
	}
	switch {
	case m.Wrote != nil:
		v.person(&out, m)
	case m.Said != nil:
		v.answer(&out, m)
	default:
		progress := m.Progress.Progress
		progress.Ended = progress.Ended || m.Answered
		out.Progress, out.CanStop, out.Shown = &progress, !progress.Ended, m.ShownBy != ""
		for i, s := range progress.Steps {
			if !s.Preview.IsZero() && !progress.Ended {
				out.Previews = append(out.Previews, media.PreviewURL(v.Thread, m.ID, i, s.Preview.Version))
			}
		}
	}
	return out
}

// Results returns the latest files of answers, latest first, and whether there are more.
func (v Viewer) Results(most int) (all []Result, more bool) {
	for _, m := range slices.Backward(v.Snapshot.Messages) {
		if m.Said == nil || m.Removed {
			continue
		}
		for i, a := range m.Said.Reply.Files {
			if len(all) == most {
				return all, true
			}
			f := v.attachment(m.ID, i, a)
			f.Mark = "" // pictures are marked in their thread
			all = append(all, Result{File: f, Message: path.Join("/t", v.Thread) + "#m-" + m.ID, At: m.At})
		}
	}
	return all, false
}

func (v Viewer) person(out *Message, m *chat.Message) {
	out.Text = markup.Plain(m.Wrote.Text)
	out.Status = m.Status
	for _, f := range m.Files {
		out.Files = append(out.Files, uploadView(v.Thread, f))
	}
	for i, mark := range m.Wrote.Marks {
		out.Marks = append(out.Marks, v.mark(m.ID+"-"+strconv.Itoa(i), mark))
	}
	out.Edited, out.CanEdit = m.Edited, out.Mine
	out.CanStop = m.Open() && m.Runs == 0 // otherwise its progress message has the button
}

func (v Viewer) answer(out *Message, m *chat.Message) {
	r := m.Said.Reply
	out.Outdated = m.Outdated
	out.Text, out.Language, out.Asks, out.Picks = m.Text(), r.Language, r.Asks, r.Picks
	for i, a := range r.Files {
		out.Files = append(out.Files, v.attachment(m.ID, i, a))
	}
	for i, f := range out.Files {
		if f.Kind == media.KindImage && !m.Outdated { // the picture of its request may be another one now
			out.Files[i].Before = v.before(m, f.Name)
		}
	}
	if len(chat.Kept(r.Files)) > 1 {
		out.AllURL = path.Join("/t", v.Thread, "messages", m.ID, "all.zip")
	}
	if run := v.Snapshot.Message(m.Run); run != nil && run.Progress != nil {
		out.Run = &run.Progress.Progress
	}
	if r.Mention != "" {
		out.For, out.ForMe = cmp.Or(m.Notified, r.Mention), r.Mention == v.Me.ID
	}
	out.CanRemove = m.MayRemove(v.Me)
	if r.Answer && m.ReplyTo != "" && !r.Talk {
		out.HasWork, out.WorkURL = true, path.Join("/t", v.Thread, "messages", m.ID, "work")
	}
	if !m.Outdated {
		v.goOn(out, m)
	}
}

// goOn adds what can be done next with an answer.
func (v Viewer) goOn(out *Message, m *chat.Message) {
	r := m.Said.Reply
	for i, x := range r.Choices {
		choice := Choice{Number: i + 1, Text: x.Text, Ready: i < m.Offered}
		for _, p := range m.Presses {
			if p.Number == choice.Number {
				choice.Pressed++
				choice.Mine = choice.Mine || p.By == v.Me.ID
			}
		}
		out.Choices = append(out.Choices, choice)
	}
	for _, x := range r.Examples {
		out.Examples = append(out.Examples, Example{Wish: x.Shown(), Needs: x.Needs})
	}
	for _, sign := range r.GoOn {
		if sign != adapters.Use { // each file has a button for that
			out.GoOn = append(out.GoOn, sign)
		}
	}
	out.CanAgain = out.HasWork
}

// before returns the URL of the picture that a result was made from: one that came with the request or with the
// message that it replies to, or else the latest one before whose name begins the result's name; "" if unknown.
func (v Viewer) before(answer *chat.Message, result string) string {
	request := v.Snapshot.Message(answer.ReplyTo)
	if request == nil || request.Wrote == nil {
		return ""
	}
	for _, m := range []*chat.Message{request, v.Snapshot.Message(request.ReplyTo)} {
		if url := v.pictureOf(m, ""); url != "" {
			return url
		}
	}
	for _, m := range slices.Backward(v.Snapshot.Messages) {
		if m.Order < request.Order {
			if url := v.pictureOf(m, result); url != "" {
				return url
			}
		}
	}
	return ""
}

// pictureOf returns the URL of the first picture of a message, "" if there is none. If result is given, the
// result's name must begin with the picture's.
func (v Viewer) pictureOf(m *chat.Message, result string) string {
	if m == nil || m.Removed {
		return ""
	}
	fits := func(name, mediaType string) bool {
		stem := strings.TrimSuffix(name, path.Ext(name))
		return media.KindOf(mediaType, false) == media.KindImage && (result == "" || stem != "" && strings.HasPrefix(result, stem))
	}
	for _, f := range m.Files {
		if fits(f.Name, f.Type) {
			return media.FileURL(v.Thread, f.ID, f.Name)
		}
	}
	if m.Said == nil {
		return ""
	}
	for i, a := range m.Said.Reply.Files {
		if a.Handle != "" && fits(a.Name, a.Type) {
			return media.AttachmentURL(v.Thread, m.ID, i, a.Name)
		}
	}
	return ""
}

// uploadView converts a file that a person sent.
func uploadView(thread string, f chat.Upload) File {
	at := media.FileURL(thread, f.ID, f.Name)
	out := File{
		Name: f.Name, Size: f.Size, Type: f.Type, Kind: media.KindOf(f.Type, false), URL: at, Download: at + "?download",
		Width: f.Width, Height: f.Height, Use: f.ID,
	}
	if out.Kind == media.KindImage {
		out.Mark = "file:" + f.ID
	}
	return out
}

// attachment converts a file of an answer.
func (v Viewer) attachment(message string, n int, a adapters.Attachment) File {
	out := File{Name: a.Name, Alt: a.Alt, Note: a.Note, Size: a.Size, Type: a.Type, Kind: media.KindOf(a.Type, true)}
	if a.Link != "" {
		out.Kind, out.URL, out.Download = media.KindOther, a.Link, a.Link
		return out
	}
	out.URL = media.AttachmentURL(v.Thread, message, n, a.Name)
	out.Download, out.Use = out.URL+"?download", chat.MadeRef(message, n)
	if out.Kind == media.KindImage {
		out.Mark = "picture:" + chat.ResourceOf(a)
	}
	return out
}

// mark converts a mark, with its picture if that still exists.
func (v Viewer) mark(id string, m adapters.Mark) Mark {
	out := Mark{Name: m.Picture, Points: len(m.Points), Boxes: len(m.Boxes)}
	drawn := &Marked{ID: id, Width: m.Width, Height: m.Height, Points: m.Points}
	if f, ok := v.Snapshot.File(m.File); ok {
		out.Name, drawn.Picture = f.Name, media.FileURL(v.Thread, f.ID, f.Name)
	} else {
		out.Name, drawn.Picture = v.made(m.Picture)
	}
	for _, b := range m.Boxes {
		drawn.Boxes = append(drawn.Boxes, Box{b.XMin, b.YMin, b.XMax - b.XMin, b.YMax - b.YMin})
	}
	if m.Mask != nil {
		out.Masks = 1
		drawn.Mask = media.FileURL(v.Thread, m.Mask.ID, m.Mask.Name)
	}
	if drawn.Picture != "" {
		out.Drawn = drawn
	}
	return out
}

// made returns the name and URL of a picture that the bot made; the URL is "" if it no longer exists.
func (v Viewer) made(resource string) (name, url string) {
	m, i := v.Snapshot.Made(resource)
	if m == nil {
		return resource, ""
	}
	a := m.Said.Reply.Files[i]
	return a.Name, media.AttachmentURL(v.Thread, m.ID, i, a.Name)
}

// ThumbnailURL returns the URL of a picture's thumbnail; "" if ref is "".
func ThumbnailURL(thread, ref string) string {
	if ref == "" {
		return ""
	}
	return path.Join("/t", thread, "thumbnails", ref)
}
