package receive

import (
	"net/http"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/media"
	"atelier/adapters/web/request"
)

// mayEdit rejects edits of anything but the person's last message, and of that one after a day.
func (rec *Receiver) mayEdit(t chat.Snapshot, m *chat.Wrote) error {
	old := t.LastBy(m.By.ID)
	switch {
	case old == nil || old.Removed || old.ID != m.Edits:
		return request.Refuse(http.StatusConflict, "Only your last message can be changed. Write a new one.")
	case rec.Now().Sub(old.At) > adapters.Editable:
		return request.Refuse(http.StatusConflict, "A message can be changed for a day. Write a new one.")
	}
	return nil
}

// Draft is a message for the form that edits it.
type Draft struct {
	Text  string      `json:"text"`
	Reply string      `json:"reply,omitempty"` // the id of the message that it replies to
	Files []DraftFile `json:"files"`
	Marks []DraftMark `json:"marks"`
}

// DraftFile is a file of the message.
type DraftFile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Size int64  `json:"size"`
	Kind string `json:"kind"`
	URL  string `json:"url"`
}

// DraftMark is a marked picture.
type DraftMark struct {
	Pointing

	Name    string `json:"name"`     // of the picture
	URL     string `json:"url"`      // of the picture
	MaskURL string `json:"mask_url"` // "" if nothing is painted
}

// ServeDraft serves the person's last message for editing.
func (rec *Receiver) ServeDraft(w http.ResponseWriter, r *http.Request) error {
	thread, t, m, err := rec.Message(r)
	if err != nil {
		return err
	}
	if err := rec.mayEdit(t, &chat.Wrote{By: rec.Me(r), Edits: m.ID}); err != nil {
		return err
	}
	d := Draft{Text: m.Wrote.Text, Reply: m.ReplyTo, Files: []DraftFile{}, Marks: []DraftMark{}}
	for _, f := range m.Wrote.Files {
		d.Files = append(d.Files, DraftFile{f.ID, f.Name, f.Size, media.KindOf(f.Type, false), media.FileURL(thread, f.ID, f.Name)})
	}
	for _, mark := range m.Wrote.Marks {
		out := DraftMark{Pointing: Pointing{
			Picture: mark.Picture, File: mark.File, Width: mark.Width, Height: mark.Height, Points: mark.Points, Boxes: mark.Boxes,
		}}
		if made, i := t.Made(mark.Picture); made != nil {
			out.Name = made.Said.Reply.Files[i].Name
			out.URL = media.AttachmentURL(thread, made.ID, i, out.Name)
		} else if f, ok := t.File(mark.File); ok {
			out.Name, out.URL = f.Name, media.FileURL(thread, f.ID, f.Name)
		} else {
			continue // the picture is gone
		}
		if mark.Mask != nil {
			out.Mask, out.MaskURL = mark.Mask.ID, media.FileURL(thread, mark.Mask.ID, mark.Mask.Name)
		}
		d.Marks = append(d.Marks, out)
	}
	request.WriteJSON(w, http.StatusOK, d)
	return nil
}
