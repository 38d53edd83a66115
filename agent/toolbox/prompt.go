package toolbox

import (
	"cmp"

	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
)

// placeholder is an argument's name in braces.
var placeholder = lazyregexp.New(`\{([a-z0-9_]+)\}`)

// Placeholders are the names of the arguments that a prompt speaks of, in the order of
// their first appearance.
func Placeholders(prompt string) []string {
	var names []string
	for _, found := range placeholder.FindAllStringSubmatch(prompt, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

// Expand is the prompt with what stands for each argument in the place of its name.
// What looks like a placeholder in there is text.
func Expand(prompt string, argument func(name string) string) string {
	return placeholder.ReplaceAllStringFunc(prompt, func(found string) string {
		return argument(strings.Trim(found, "{}"))
	})
}

// modelRun tells what a run of the kind openai takes and makes.
type modelRun struct {
	prompt bool        // it needs one
	takes  []plan.Type // files that it hands over
	makes  plan.Type   // the file that it makes, "" for words
}

// modelRuns are the runs of the kind openai that are known here. The make says of any
// other that it cannot be run.
var modelRuns = map[string]modelRun{
	"chat":                 {prompt: true},
	"chat-vision":          {prompt: true, takes: []plan.Type{plan.Image}},
	"chat-video":           {prompt: true, takes: []plan.Type{plan.Image, plan.Video}},
	"chat-audio":           {prompt: true, takes: []plan.Type{plan.Audio}},
	"images-generations":   {prompt: true, makes: plan.Image},
	"images-edits":         {prompt: true, takes: []plan.Type{plan.Image}, makes: plan.Image},
	"audio-speech":         {prompt: true, makes: plan.Audio},
	"audio-transcriptions": {takes: []plan.Type{plan.Audio}},
}

// checkPrompt holds a backing's prompt to the arguments of its tool.
func (t *Tool) checkPrompt(b Backing, f *faults) {
	run, known := modelRuns[b.Run]
	if known = known && b.Kind == "openai"; known {
		t.checkRun(b, run, f)
	}
	if !paired(b.Prompt) {
		f.addf("backend %s has a prompt with a brace without its partner, or one within another", b.name())
		return
	}
	if strings.Count(b.Prompt, "{") != len(placeholder.FindAllString(b.Prompt, -1)) {
		f.addf("backend %s has a prompt with braces around something else than the name of an argument", b.name())
	}
	names := Placeholders(b.Prompt)
	for _, name := range names {
		i := slices.IndexFunc(t.Args, func(a Arg) bool { return a.Name == name })
		switch {
		case i < 0:
			f.addf("backend %s has a prompt with {%s}, which is no argument of the tool", b.name(), name)
		case t.Args[i].Type.Media():
			f.addf("backend %s has a prompt with {%s}, which is no text: files go along by themselves", b.name(), name)
		}
	}
	for _, a := range t.Args {
		if b.Prompt != "" && !a.Type.Media() && !a.Optional && !slices.Contains(names, a.Name) {
			f.addf("backend %s has a prompt without {%s}, so that what people say there is lost", b.name(), a.Name)
		}
	}
}

// checkRun holds a run that is known to what the tool takes and returns.
func (t *Tool) checkRun(b Backing, run modelRun, f *faults) {
	if run.prompt && strings.TrimSpace(b.Prompt) == "" {
		f.addf("backend %s lacks its prompt, which tells the model what to do", b.name())
	}
	if right := run.makes == "" && inWords(t.Returns) || run.makes != "" && t.Returns.Fits(run.makes); !right && isType(t.Returns) {
		f.addf("backend %s makes %s, but the tool returns %s", b.name(), cmp.Or(run.makes, "words"), t.Returns)
	}
	for _, a := range t.Args {
		if a.Type.Media() && !slices.ContainsFunc(run.takes, a.Type.Fits) {
			f.addf("backend %s does not take %s, which argument %s is", b.name(), a.Type, a.Name)
		}
	}
}

// inWords tells whether a model that answers in words can make a result of the type.
func inWords(t plan.Type) bool { return !t.Media() && t != plan.BBox && t != plan.Points }
