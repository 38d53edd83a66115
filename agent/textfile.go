package agent

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// longAnswer is the length in bytes from which a single line counts as a text instead of an answer.
const longAnswer = 1000

// longText is the length in characters from which a text is a file, whatever it was made from.
const longText = 1500

// textFile is the file name for a text that its tool named, or that was made from a text file: people
// who send a file want a file back. Long texts have one too. It is empty for other texts and for short
// answers of one line.
func (a *Agent) textFile(w Work, call toolbox.Call, o toolbox.Output) string {
	action := w.Steps[w.At].Action
	ext := filepath.Ext(o.File)
	if o.File != "" && ext != ".txt" {
		return plan.FileName(o.File, "", ext)
	}
	if action.Returns != plan.Text || !strings.Contains(o.Value, "\n") && len(o.Value) < longAnswer {
		return ""
	}
	if o.File != "" {
		return plan.FileName(o.File, "", ext)
	}
	from, ok := w.textFrom(action)
	switch {
	case !ok && utf8.RuneCountInString(o.Value) > longText:
		return a.fileName(call, action.Args, "", textEnding(o.Value, ""))
	case !ok:
		return ""
	}
	tool, _ := a.config.Toolbox.Catalogue().Tool(call.Tool)
	return plan.FileName(from, tool.Suffix, textEnding(o.Value, filepath.Ext(from)))
}

// textFrom is the name of the first text file that the action works on.
func (w Work) textFrom(action plan.Action) (file string, ok bool) {
	for _, b := range action.Args {
		for _, leaf := range b.Source.Leaves() {
			var r plan.Resource
			switch leaf.Kind { //nolint:exhaustive // a literal is not a file
			case plan.OfResource:
				r, _ = w.Memory.Resource(leaf.Name)
			case plan.OfAction:
				made, _ := w.Memory.Result(w.Steps[leaf.Index].Key)
				if made.Output != nil {
					r = *made.Output
				}
			}
			if r.Type == plan.Text && r.File != "" {
				return r.File, true
			}
		}
	}
	return "", false
}

// textEnding is the file extension for a text that was made from a file. before is the extension of
// that file.
func textEnding(text, before string) string {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
		if json.Valid([]byte(text)) {
			return ".json"
		}
	case isTable(text, ','):
		return ".csv"
	case isTable(text, '\t'):
		return ".tsv"
	case slices.Contains([]string{".md", ".markdown"}, strings.ToLower(before)):
		return ".md"
	}
	return ".txt"
}

// isTable reports whether the text has at least two rows with the same number of fields, two or more.
func isTable(text string, comma rune) bool {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = comma
	rows, err := r.ReadAll() // rows of different lengths are an error
	return err == nil && len(rows) > 1 && len(rows[0]) > 1
}
