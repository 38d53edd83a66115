package improvise

import (
	"context"
	_ "embed" // the words for the model
	"fmt"
	"maps"
	"os"
	"os/exec"

	"slices"
	"strconv"
	"strings"
	"text/template"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

//go:embed prompt.txt
var promptText string

//go:embed schema.json
var schema []byte

var prompt = template.Must(template.New("prompt").Parse(promptText))

// forms describes a result of each type to the model.
var forms = map[plan.Type]string{
	plan.Text:     "a text file in UTF-8, also a table (.csv) or data (.json)",
	plan.Image:    "a picture: PNG, JPEG, WebP or GIF",
	plan.Audio:    "a sound: MP3, WAV, OGG, FLAC or M4A",
	plan.Video:    "a video: MP4",
	plan.Document: "a PDF, or an office document (.xlsx, .docx, .pptx, .ods, .odt, .odp) if the job asks for one",
}

// mostShown is the maximum number of pictures shown to the model.
const mostShown = 4

// talk returns the start of the conversation: the system prompt and the job.
func (j *job) talk() (Conversation, error) {
	var b strings.Builder
	err := prompt.Execute(&b, map[string]any{
		"Python": j.machine.Python, "Modules": j.machine.Modules, "Programs": j.machine.Programs, "Fonts": j.machine.Fonts,
		"Seconds": int(j.config.Timeout.Seconds()), "Memory": mostMemory >> 20, "Returns": j.call.Returns, "Form": forms[j.call.Returns],
	})
	if err != nil {
		return Conversation{}, fmt.Errorf("fill in the prompt: %w", err)
	}
	t := Conversation{Request: j.call.Request, System: strings.TrimSpace(b.String()), Schema: schema, Dir: j.call.Dir}
	var job strings.Builder
	fmt.Fprintf(&job, "The job:\n%s\n\nINPUTS:", j.call.Text(toolbox.ImprovisedTask))
	for i, in := range j.inputs {
		content := "name: " + strconv.Quote(in.Name)
		if in.Path == "" {
			content += "\ntext:\n" + excerpt(in.Text)
		}
		fmt.Fprintf(&job, "\n%d. %s\n%s", i, in.facts, quoted(content))
		if in.Type == string(plan.Image) && j.config.Writer.MaySee() && len(t.Pictures) < mostShown {
			t.Pictures = append(t.Pictures, in.Path)
		}
	}
	if len(j.inputs) == 0 {
		job.WriteString(" none")
	}
	t.Turns = []string{job.String()}
	return t, nil
}

// fence matches anything that could open or close a data block.
var fence = lazyregexp.New(`(?i)<(\s*/?\s*data\b)`)

// quoted puts text into a data block, so that the model does not take it for instructions.
func quoted(text string) string {
	text = fence.ReplaceAllString(strings.ToValidUTF8(text, "?"), "‹$1")
	return "<data>\n" + strings.TrimSpace(text) + "\n</data>"
}

// excerpt returns the first 3,000 bytes of a text.
func excerpt(text string) string {
	const most = 3000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "\n[… it goes on]"
}

// input describes a value for the program, and measures it.
func (b *Backend) input(ctx context.Context, v toolbox.Value) (input, error) {
	in := input{Path: v.Path, Name: named(v), Type: string(v.Type)}
	if v.Path == "" {
		in.Text = v.Value
		in.facts = fmt.Sprintf("text, %d characters, %d lines", len([]rune(v.Value)), strings.Count(v.Value, "\n")+1)
		return in, nil
	}
	info, err := media.Inspect(ctx, v.Path, b.config.Limits)
	if err != nil {
		return in, err
	}
	if info.Type == plan.Image {
		in.Type = string(plan.Image)
	}
	facts, err := b.prober().Facts(ctx, v.Path, info)
	if err != nil {
		return in, err
	}
	in.facts = in.Type + ", " + strings.Join(facts, ", ")
	return in, nil
}

// inspect asks Python, in the sandbox, for its version and those of its modules, and looks for
// the programs. It imports no module: that would take most of the time that bot ask needs.
func (b *Backend) inspect(ctx context.Context) (machine, error) {
	m := machine{python: b.interpreter(), Modules: slices.Sorted(maps.Keys(modules))}
	packages := slices.Sorted(maps.Values(modules))
	lines := []string{"import sys", "from importlib.metadata import version", "print(sys.version.split()[0])"}
	for _, name := range m.Modules {
		distribution := name
		if name == "PIL" {
			distribution = "pillow"
		}
		lines = append(lines, "print(version('"+distribution+"'))")
	}
	c := m.python.command("-I", "-B", "-c", strings.Join(lines, "\n"))
	c.Memory = mostMemory
	said, err := b.config.Sandbox.Run(ctx, c)
	versions := strings.Split(strings.TrimSpace(string(said)), "\n")
	if err != nil || len(versions) != len(m.Modules)+1 {
		return m, &plan.Fault{
			Sentence: plan.Say("It needs a program that I do not have here."),
			Operator: plan.Say("Programs need Python and some of its modules; run bot tool setup, or on Debian: apt-get install python3 %s.",
				strings.Join(packages, " ")),
			Err: err,
		}
	}
	m.Python = versions[0]
	for i := range m.Modules {
		m.Modules[i] = strings.TrimSpace(m.Modules[i] + " " + versions[i+1])
	}
	for _, p := range slices.Sorted(maps.Keys(programs)) {
		if _, err := exec.LookPath(p); err == nil {
			m.Programs = append(m.Programs, p)
		}
	}
	for _, path := range fonts {
		if _, err := os.Stat(path); err == nil {
			m.Fonts = append(m.Fonts, path)
		}
	}
	return m, nil
}
