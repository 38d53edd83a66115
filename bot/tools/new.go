package tools

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"atelier/bot/command"
	"atelier/bot/output"
	"atelier/bot/settings"
)

//go:embed tool.yaml.tmpl
var commandToolFile string

//go:embed tool_http.yaml.tmpl
var serviceToolFile string

// NewToolCommand is bot tool new.
type NewToolCommand struct {
	Name    string `arg:"" help:"The tool's name: lower-case letters, digits and _."`
	Kind    string `enum:"command,http" default:"command" placeholder:"KIND" help:"What runs the tool: command (a program, by default) or http (a service)."`
	Takes   string `enum:"image,video,audio,text,document," default:"" placeholder:"TYPE" help:"The type of its input: image, video, audio, text or document."`
	Returns string `enum:"image,video,audio,text,document," default:"" placeholder:"TYPE" help:"The type of its result, by default the same."`
}

// Help returns the detailed help.
func (*NewToolCommand) Help() string {
	return `This writes dim_lights.yaml into this folder:

  bot tool new dim_lights --takes image

Without --takes, a command takes a video, and an http tool takes a text and returns an image. The tool runs
ffmpeg, or my-program, which stands for a program of yours. Comments say what to change. Check it with bot tool check, run
it with bot tool try, and when it works, move it to the folder that ATELIER_CATALOGUE names.`
}

// Run writes NAME.yaml.
func (n *NewToolCommand) Run(c *command.Call) error {
	if err := checkToolName(c, n.Name); err != nil {
		return err
	}
	b, err := n.File()
	if err != nil {
		return err
	}
	path := n.Name + ".yaml"
	if err := writeTool(path, b); err != nil {
		return err
	}
	return output.Say(c.Stdout, "%s was written into this folder. Edit it, and then: bot tool check %s\n"+
		"Tools are read from the folder that ATELIER_CATALOGUE names: move it there when it is ready.\n", path, path)
}

// toolDraft is the data for the template of a new tool.
type toolDraft struct {
	Name, Description, Domain string
	Takes, Returns, Noun      string
	Examples, Effects         []string
	Made, Suffix, Path        string
	Argv, Debian, Out, Data   string
	Filter, Setting, More     string
}

// nounsOf maps types to nouns, example files and domains.
var nounsOf = map[string]struct{ noun, file, out, domain string }{
	"image":    {"picture", "photo.jpg", "png", "image-editing"},
	"video":    {"video", "clip.mp4", "mp4", "video-editing"},
	"audio":    {"sound", "song.mp3", "mp3", "audio-editing"},
	"text":     {"text", "notes.txt", "txt", "natural-language-processing"},
	"document": {"document", "report.pdf", "pdf", "document-processing"},
}

// File returns the file of the new tool.
func (n *NewToolCommand) File() ([]byte, error) {
	usual, file := "video", commandToolFile
	if n.Kind == settings.ServiceKind {
		usual, file = "text", serviceToolFile
	}
	takes, returns := n.Takes, n.Returns
	if takes == "" {
		takes = usual
	}
	if returns == "" {
		returns = takes
		if n.Kind == settings.ServiceKind && takes == "text" {
			returns = "image"
		}
	}
	parsed, err := template.New("tool").Parse(file)
	if err != nil {
		return nil, fmt.Errorf("read the example tool: %w", err)
	}
	var b bytes.Buffer
	if err := parsed.Execute(&b, newDraft(n.Name, n.Kind, takes, returns)); err != nil {
		return nil, fmt.Errorf("fill in the example tool: %w", err)
	}
	return b.Bytes(), nil
}

// newDraft returns a tool that does something simple with its input.
func newDraft(name, kind, takes, returns string) toolDraft {
	from, to := nounsOf[takes], nounsOf[returns]
	d := toolDraft{
		Name: name, Takes: takes, Returns: returns, Noun: from.noun, Domain: to.domain, Out: to.out, Path: "make", Suffix: "made",
		Description: fmt.Sprintf("Makes a %s out of a %s.", to.noun, from.noun),
		Made:        fmt.Sprintf("a %s out of {%s}", to.noun, takes),
		Effects:     []string{"none: nothing is checked yet"},
		Examples: []string{
			fmt.Sprintf("%s {%s}", strings.ReplaceAll(name, "_", " "), from.file),
			fmt.Sprintf("%s {the %s}", strings.ReplaceAll(name, "_", " "), from.noun),
			strings.ReplaceAll(name, "_", " ") + " of {it}",
		},
	}
	slot := fmt.Sprintf("%q", "{"+takes+"}")
	if takes == "text" {
		slot, d.Data = `"{file:text}"`, "[text]"
	}
	d.Argv, d.Debian = fmt.Sprintf("my-program, %s, %q", slot, "{out:"+to.out+"}"), "my-package"
	switch {
	case kind == settings.ServiceKind && takes == "text" && returns == "image":
		d.Description, d.Made, d.Suffix, d.Path = "Draws a sticker with the words of a text.", "a sticker", "sticker", "sticker"
		d.Examples = []string{"make a sticker that says {good morning}", "draw {hello} as a sticker", "a sticker with the words {see you soon}, please"}
		d.Effects = []string{"format: png"}
	case takes == returns && (takes == "image" || takes == "video"):
		d.Description, d.Made, d.Suffix = "Turns a "+from.noun+" upside down.", "{"+takes+"}, standing on its head", "on-its-head"
		if takes == "video" {
			d.Description = "Turns the picture of a video upside down."
		}
		d.Examples = []string{
			"turn {" + from.file + "} on its head", "stand {the " + from.noun + "} on its head", "show {this " + from.noun + "} head over heels",
		}
		d.Filter, d.Setting, d.More, d.Out = "eq", "brightness", "brighter", map[string]string{"image": "picture", "video": "mp4"}[takes]
		d.Effects = []string{"size: {of: image}"}
		if takes == "video" {
			d.Effects = []string{"duration: {of: video}", "size: {of: video, fits: 3840x2160}", "sound: {like: video}"}
		}
		d.Argv = fmt.Sprintf(`ffmpeg, -i, %s, -vf, "vflip,hflip,eq=brightness={brightness / 100}", "{out:%s}"`, slot, d.Out)
	case takes == "audio" && returns == "audio":
		d.Effects, d.Out = []string{"duration: {of: audio}"}, "sound"
		d.Filter, d.Setting, d.More = "bass", "bass", "bass there is"
		d.Argv = `ffmpeg, -i, "{audio}", -af, "bass=g={bass / 5}", "{out:sound}"`
	case takes == "video" && returns == "audio":
		d.Effects, d.Argv = []string{"sound: some"}, `ffmpeg, -i, "{video}", -vn, "{out:mp3}"`
	case takes == "video" && returns == "image":
		d.Effects, d.Argv = []string{"size: {of: video}"}, `ffmpeg, -i, "{video}", -vf, thumbnail, "{out:png}"`
	}
	if strings.HasPrefix(d.Argv, "ffmpeg") {
		d.Debian = ""
	}
	if kind == settings.ServiceKind && returns == "image" { // the service may change the size
		d.Effects = []string{"format: png"}
	}
	return d
}
