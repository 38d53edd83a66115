package openai

import (
	"cmp"
	"context"
	_ "embed" // the prompt
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

const (
	// pictureSide is the longest side of a picture sent to a model, in pixels; larger pictures cost more and
	// show no more.
	pictureSide = 1568
	// maxPictures is how many pictures one request may have.
	maxPictures = 20
	// maxFrames is how many frames of a video are sent.
	maxFrames = 10
)

//go:embed system.txt
var systemText string

var system = template.Must(template.New("system").Parse(systemText))

// question returns the messages to a model: the task, then its texts and pictures.
func (ts *texts) question(ctx context.Context, f form, backing toolbox.Candidate, c toolbox.Call) ([]api.ChatCompletionMessage, error) {
	args := arguments(backing.Prompt, c)
	texts, mark := blocks(args)
	var filled strings.Builder
	err := system.Execute(&filled, map[string]string{
		"Task": toolbox.Expand(backing.Prompt, func(name string) string { return "the block " + name }),
		"Mark": mark,
		"Form": f.about,
	})
	if err != nil {
		return nil, fmt.Errorf("fill in the prompt: %w", err)
	}
	parts, err := ts.pictures(ctx, c.Dir, args)
	if err != nil {
		return nil, err
	}
	user := api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: cmp.Or(texts, "Do the task.")}
	if len(parts) > 0 {
		if texts != "" {
			parts = append([]api.ChatMessagePart{textPart(texts)}, parts...)
		}
		user = api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, MultiContent: parts}
	}
	return []api.ChatCompletionMessage{{Role: api.ChatMessageRoleSystem, Content: strings.TrimSpace(filled.String())}, user}, nil
}

// blocks returns the texts, each delimited by a mark that occurs in none of them. Without texts, mark is "".
func blocks(args []argument) (texts, mark string) {
	var all strings.Builder
	for _, a := range args {
		if !a.isFile() {
			all.WriteString(a.Value.Value + "\x00")
		}
	}
	if all.Len() == 0 {
		return "", ""
	}
	mark = toolbox.MarkFor(all.String())
	var b strings.Builder
	for _, a := range args {
		if !a.isFile() {
			fmt.Fprintf(&b, "<%[1]s %[2]s>\n%[3]s\n</%[1]s %[2]s>\n", a.name(), mark, strings.ToValidUTF8(a.Value.Value, "\uFFFD"))
		}
	}
	return strings.TrimSpace(b.String()), mark
}

func (a argument) isFile() bool { return a.Path != "" || a.Type.Media() }

// name returns the argument's name for the model.
func (a argument) name() string {
	if a.at == 0 {
		return a.arg
	}
	return a.arg + " " + strconv.Itoa(a.at)
}

// pictures returns the files among the values as message parts, each after its caption.
func (ts *texts) pictures(ctx context.Context, dir string, args []argument) ([]api.ChatMessagePart, error) {
	var parts []api.ChatMessagePart
	count := 0
	add := func(caption, path string) error {
		if count++; count > maxPictures {
			return fault(nil, "That is too many pictures to look at together: the limit is %d.", maxPictures)
		}
		url, err := ts.dataURL(ctx, dir, path)
		if err != nil {
			return err
		}
		picture := api.ChatMessagePart{Type: api.ChatMessagePartTypeImageURL, ImageURL: &api.ChatMessageImageURL{URL: url}}
		parts = append(parts, textPart(caption), picture)
		return nil
	}
	for _, a := range args {
		switch {
		case !a.isFile():
		case a.Type.Fits(plan.Image):
			if err := add("The picture "+a.name()+":", a.Path); err != nil {
				return nil, err
			}
		case a.Type == plan.Video && ts.config.Frames != nil:
			frames, err := ts.frames(ctx, dir, a.Path)
			if err != nil {
				return nil, err
			}
			for _, frame := range frames {
				if err := add(fmt.Sprintf("The video %s at %s:", a.name(), clock(frame.At)), frame.Path); err != nil {
					return nil, err
				}
			}
		default:
			return nil, fault(fmt.Errorf("argument %s has type %s", a.arg, a.Type), "The model used here does not accept %s.", a.Type)
		}
	}
	return parts, nil
}

func textPart(s string) api.ChatMessagePart {
	return api.ChatMessagePart{Type: api.ChatMessagePartTypeText, Text: s}
}

// frames extracts frames of a video into a folder of their own.
func (ts *texts) frames(ctx context.Context, dir, path string) ([]media.Frame, error) {
	own, err := os.MkdirTemp(dir, "frames-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for frames: %w", err)
	}
	frames, err := ts.config.Frames(ctx, path, filepath.Clean(own), maxFrames)
	if err != nil {
		return nil, err
	}
	return frames, nil
}

// clock formats a position in a video: "1:02.5".
func clock(d time.Duration) string {
	tenths := d.Round(100*time.Millisecond) / (100 * time.Millisecond)
	return fmt.Sprintf("%d:%02d.%d", tenths/600, tenths/10%60, tenths%10)
}

// dataURL returns a picture ready to send: no larger than a model looks at, as JPEG, without metadata.
func (ts *texts) dataURL(ctx context.Context, dir, path string) (string, error) {
	leave, err := ts.config.Limits.Memory.Take(ctx, media.Weigh(path, ts.config.Limits).Bytes(8))
	if err != nil {
		return "", err
	}
	defer leave()
	p, err := media.ReadPicture(ctx, path, ts.config.Limits)
	if err != nil {
		return "", err
	}
	size := media.ShrunkTo(p.Image.Rect.Size(), pictureSide)
	small, err := media.Scaled(ctx, p.Image, size.X, size.Y)
	if err != nil {
		return "", err
	}
	content, err := media.EncodedImage(ctx, dir, small, media.JPEG)
	if err != nil {
		return "", err
	}
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(content), nil
}
