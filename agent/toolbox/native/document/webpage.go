package document

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/metadata"
	"atelier/agent/toolbox/native/prose"
)

// embedLimit is the size of the largest video embedded in the page, in bytes.
const embedLimit = 8_000_000

//go:embed page.gohtml
var pageSource string

// page is the data of the template.
type page struct {
	Title       string
	Description string // the beginning of the text, for search engines
	Paragraphs  []string
	Tags        []string
	Video       template.URL // a data: URL, or the name of a file next to the page
	Beside      string       // that file name; "" if the video is embedded
}

// Keywords joins the tags with commas.
func (p page) Keywords() string { return strings.Join(p.Tags, ", ") }

// videoToWebpage writes a single-file web page with a video, its title, text and tags. The page
// contains no script and loads nothing from other servers.
func (o operations) videoToWebpage(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	if len(c.Args["video"]) == 0 {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("There is no video for the page."), Err: errors.New("missing argument video")}
	}
	p := newPage(c.Text("title"), c.Text("tags"), c.Text("text"))
	note, err := o.addVideo(ctx, &p, c.Args["video"][0])
	if err != nil {
		return toolbox.Output{}, err
	}
	tmpl, err := template.New("page").Parse(pageSource)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The page could not be made."), Err: err}
	}
	path := filepath.Join(c.Dir, "page.html")
	f, err := os.Create(path)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The page could not be written."), Err: err}
	}
	if err := errors.Join(tmpl.Execute(f, p), f.Close()); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The page could not be written."), Err: err}
	}
	return toolbox.Output{Path: path, About: plan.Say("a web page with the video “%s”", prose.Shorten(p.Title, 60)), Note: note}, nil
}

// newPage cleans up text written by people or models. The page declares no language, as the text may be in any.
func newPage(title, tags, text string) page {
	p := page{Title: prose.Shorten(prose.OneLine(prose.Clean(title)), 200)}
	if p.Title == "" {
		p.Title = "Video"
	}
	for paragraph := range strings.SplitSeq(prose.Clean(text), "\n\n") {
		if paragraph = prose.OneLine(paragraph); paragraph != "" {
			p.Paragraphs = append(p.Paragraphs, paragraph)
		}
	}
	p.Description = prose.Shorten(strings.Join(p.Paragraphs, " "), 160)
	seen := map[string]bool{}
	for tag := range strings.FieldsFuncSeq(prose.Clean(tags), func(r rune) bool { return strings.ContainsRune(",;\n、，", r) }) {
		tag = prose.Shorten(strings.TrimLeft(prose.OneLine(tag), "# "), 60)
		if tag != "" && !seen[strings.ToLower(tag)] && len(p.Tags) < 30 {
			seen[strings.ToLower(tag)] = true
			p.Tags = append(p.Tags, tag)
		}
	}
	return p
}

// addVideo embeds the video without metadata. If it is too large, the page refers to its file, and the note says so.
func (o operations) addVideo(ctx context.Context, p *page, video toolbox.Value) (note plan.Message, err error) {
	info, err := media.Inspect(ctx, video.Path, o.limits)
	if err != nil {
		return plan.Message{}, err
	}
	if info.Type != plan.Video {
		return plan.Message{}, &plan.Fault{
			Sentence: plan.Say("%q is not a video, so it cannot be shown on the page.", filepath.Base(video.Path)),
			Err:      fmt.Errorf("type %s", info.Type),
		}
	}
	stat, err := os.Stat(video.Path)
	if err != nil {
		return plan.Message{}, &plan.Fault{Sentence: plan.Say("The video cannot be read."), Err: err}
	}
	if stat.Size() > embedLimit {
		p.Beside = filepath.Base(video.Path)
		if video.Name != "" {
			p.Beside = filepath.Base(video.Name)
		}
		// "./" keeps a name with a colon from being parsed as a URL
		p.Video = template.URL("./" + url.PathEscape(p.Beside)) //nolint:gosec // the name is escaped
		return plan.Say("The video is too large to embed in the page: keep %s in the same folder as the page.", p.Beside), nil
	}
	var b bytes.Buffer
	if err := metadata.Copy(ctx, &b, video.Path); err != nil { // metadata inside a page is not stripped later
		return plan.Message{}, &plan.Fault{Sentence: plan.Say("The video cannot be read."), Err: err}
	}
	//nolint:gosec // the type was detected from the content, and base64 needs no escaping
	p.Video = template.URL("data:" + info.MIME + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
	return plan.Message{}, nil
}
