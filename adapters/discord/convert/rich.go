package convert

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// Further types of components, and their maximum number in a message.
const (
	mediaGallery  = 12
	fileComponent = 13
	separator     = 14
	container     = 17
	maxComponents = 40
)

// inGallery are the media types that a gallery shows.
var inGallery = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "video/mp4", "video/webm", "video/quicktime"}

// Rich returns an answer with pictures or videos as components ("Components V2" in Discord's documentation): its
// text, a gallery, its other files, and its buttons. It returns false for other messages, including those with
// sounds or texts only, since components show these without player and preview.
func (p *Part) Rich() (Content, bool) {
	if !p.answer || !slices.ContainsFunc(p.Files, shownInGallery) || slices.ContainsFunc(p.Files, playedOrRead) {
		return Content{}, false
	}
	c := p.Content
	c.Flags, c.Attachments = c.Flags&^discordgo.MessageFlagsSuppressEmbeds|discordgo.MessageFlagsIsComponentsV2, nil
	var items, files []any
	for i, f := range p.Files {
		u := named(c.Attachments, Uploaded{ID: i, Name: FileName(f.Name), Description: shorten(f.Alt, maxDescription)})
		c.Attachments = append(c.Attachments, u)
		at := map[string]any{"url": "attachment://" + u.Name}
		if !shownInGallery(f) {
			files = append(files, map[string]any{"type": fileComponent, "file": at})
			continue
		}
		item := map[string]any{"media": at}
		if u.Description != "" {
			item["description"] = u.Description
		}
		items = append(items, item)
	}
	text, asks := strings.CutSuffix(c.Text, c.heading)
	asks = asks && c.heading != ""
	var parts []any
	if text = strings.TrimSuffix(strings.TrimSpace(text), blank); text != "" {
		parts = append(parts, map[string]any{"type": textDisplay, "content": text})
	}
	parts = append(append(parts, map[string]any{"type": mediaGallery, "items": items}), files...)
	if asks {
		parts = append(parts, map[string]any{"type": separator}, map[string]any{"type": textDisplay, "content": c.heading})
	}
	parts = append(parts, c.Components...)
	c.Text, c.Components = "", []any{map[string]any{"type": container, "components": parts}}
	return c, 1+len(parts)+p.buttons <= maxComponents
}

func shownInGallery(a adapters.Attachment) bool { return slices.Contains(inGallery, a.Type) }

func playedOrRead(a adapters.Attachment) bool {
	return strings.HasPrefix(a.Type, "audio/") || strings.HasPrefix(a.Type, "text/")
}

// named gives a file a unique name that a component can refer to, without characters that Discord replaces. People
// see its own name as its title.
func named(others []Uploaded, u Uploaded) Uploaded {
	ext := path.Ext(u.Name)
	title := strings.TrimSuffix(u.Name, ext)
	base := cleaned(title)
	if strings.Trim(base, "_-.") == "" {
		base = "file"
	}
	ext = cleaned(ext)
	u.Name = base + ext
	for n := 2; slices.ContainsFunc(others, func(o Uploaded) bool { return strings.EqualFold(o.Name, u.Name) }); n++ {
		u.Name = base + "-" + strconv.Itoa(n) + ext
	}
	if u.Name != title+ext {
		u.Title = title
	}
	return u
}

func cleaned(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, s)
}

// Component is a component of a received message, with its texts and files.
type Component struct {
	Type       int         `json:"type"`
	Content    string      `json:"content"`
	Components []Component `json:"components"`
	Accessory  *Component  `json:"accessory"`
	Items      []struct {
		Media       media  `json:"media"`
		Description string `json:"description"`
	} `json:"items"`
	Media media  `json:"media"`
	File  media  `json:"file"`
	Name  string `json:"name"` // of the file
	Size  int64  `json:"size"`
}

type media struct {
	ID   string `json:"attachment_id"` // set for uploaded files alone
	URL  string `json:"url"`
	Type string `json:"content_type"`
}

// file returns the attachment that a component shows. The message does not list it.
func (m media) file(name, description string, size int64) Attachment {
	if name == "" {
		address, _, _ := strings.Cut(m.URL, "?")
		name = path.Base(address)
	}
	return Attachment{ID: m.ID, Filename: name, Description: description, Type: m.Type, Size: size, URL: m.URL}
}

// walk visits components in display order.
func walk(all []Component, visit func(Component)) {
	for _, c := range all {
		visit(c)
		walk(c.Components, visit)
		if c.Accessory != nil {
			visit(*c.Accessory)
		}
	}
}

// Said returns the text of a message, in markup.
func (m *Message) Said() string {
	texts := []string{m.Content}
	if m.Content == "" {
		texts = nil
	}
	walk(m.Components, func(c Component) {
		if c.Type == textDisplay && c.Content != "" {
			texts = append(texts, c.Content)
		}
	})
	return strings.Join(texts, "\n")
}

// attachments returns the files of a message: those that it lists, and those that its components show.
func (m *Message) attachments() []Attachment {
	all := slices.Clone(m.Attachments)
	walk(m.Components, func(c Component) {
		for _, i := range c.Items {
			all = append(all, i.Media.file("", i.Description, 0))
		}
		all = append(all, c.Media.file("", "", 0), c.File.file(c.Name, "", c.Size))
	})
	return slices.DeleteFunc(all, func(a Attachment) bool { return !IsID(a.ID) })
}
