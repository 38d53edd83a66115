package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// form is the required form of an answer.
type form struct {
	// about describes the form to the model.
	about string
	// schema is the JSON schema of the answer; nil for plain text.
	schema json.RawMessage
	// read parses an answer into the value of a result. Its error is a complaint if the model should try
	// again.
	read func(answer string) (string, error)
}

// complaint says what is wrong with an answer, for the model's next attempt.
type complaint string

func (c complaint) Error() string { return "the answer has the wrong form: " + string(c) }

// nothing is the answer for an empty result, if the prompt mentions it.
const nothing = "NONE"

var errNothing = &plan.Fault{Sentence: plan.Say("The model found nothing that matches.")}

// bareNothing matches that answer as models write it: in any case, alone or with a remark after it. None is
// also a town in Italy, so "None, Italy" does not match.
var bareNothing = lazyregexp.New("^[\\s\"'`*.(\\[]*(?i:none)[\"'`*)\\]]*" +
	"(?:[\\s.!\"'`*)\\]]*$|\\s*[.:;!(–—]|\\s+-|\\s*\\n|,\\s+\\p{Ll})")

// isNothing reports whether an answer means an empty result. A longer text that starts with the word does
// not.
func isNothing(answer string) bool {
	return utf8.RuneCountInString(answer) <= maxLine && bareNothing.MatchString(answer)
}

// formOf returns the form of answers for a type of result.
func formOf(t plan.Type) (form, error) {
	switch t { //nolint:exhaustive // other types cannot be written as text
	case plan.Text, plan.Weather, plan.Time, "":
		return form{about: "Plain text.", read: func(answer string) (string, error) { return answer, nil }}, nil
	case plan.Title:
		return form{about: "The title alone, on one line, without quotation marks.", read: readLine}, nil
	case plan.Location:
		return form{about: "The name of the place alone, on one line, without quotation marks.", read: readLine}, nil
	case plan.Tags:
		return form{about: "The list alone, on one line, with commas between its items; no bullets, and the items are not numbered.", read: readTags}, nil
	case plan.Category:
		return form{about: aboutLabels, schema: schemaOfLabels, read: readLabels}, nil
	}
	return form{}, fault(fmt.Errorf("no answer form for type %s", t), "A model that answers in words cannot make a result of type %s.", t)
}

// format returns the response format for a level of structured output: bySchema, byJSON or byWords.
func (f form) format(formatLevel int32) *api.ChatCompletionResponseFormat {
	switch formatLevel {
	case bySchema:
		return &api.ChatCompletionResponseFormat{
			Type:       api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: f.schema, Strict: true},
		}
	case byJSON:
		return &api.ChatCompletionResponseFormat{Type: api.ChatCompletionResponseFormatTypeJSONObject}
	default:
		return nil
	}
}

// maxLine is the longest title or place name, in characters.
const maxLine = 200

// titlePrefix matches the label that models often put before a title or a place.
var titlePrefix = lazyregexp.New(`(?i)^(title|headline|location|place)\s*:\s*`)

// readLine parses an answer of one line.
func readLine(answer string) (string, error) {
	line := strings.TrimSpace(answer)
	if strings.ContainsAny(line, "\n\r") {
		return "", complaint("it has several lines, and one is wanted")
	}
	line = strings.TrimSpace(strings.Trim(line, "#*_ "))
	line = toolbox.OneLine(titlePrefix.ReplaceAllString(line, ""))
	for _, quotes := range []string{`""`, "''", "“”", "„“", "«»", "‘’", "「」", "**"} {
		first, size := utf8.DecodeRuneInString(quotes)
		if inner, ok := strings.CutPrefix(line, string(first)); ok {
			if inner, ok = strings.CutSuffix(inner, quotes[size:]); ok {
				line = strings.TrimSpace(inner)
			}
		}
	}
	switch n := utf8.RuneCountInString(line); {
	case n == 0:
		return "", complaint("it is empty")
	case n > maxLine:
		return "", complaint(fmt.Sprintf("it has %d characters, and at most %d are wanted", n, maxLine))
	}
	return line, nil
}

// bullet matches the bullet before a list item, and number its number.
var (
	bullet = lazyregexp.New(`^[-*•–·](\s+|$)`)
	number = lazyregexp.New(`^(\d{1,3})[.)](\s+|$)`)
)

// readTags parses a list on one line, or with one item per line.
func readTags(answer string) (string, error) {
	var lines, items []string
	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		line = bullet.ReplaceAllString(line, "")
		// "3. Mai" is a date, unless it is the third line.
		if n := number.FindStringSubmatch(line); n != nil && len(lines) > 1 && n[1] == strconv.Itoa(i+1) {
			line = line[len(n[0]):]
		}
		if line = strings.Trim(line, " ,;"); line != "" {
			items = append(items, line)
		}
	}
	if len(items) == 0 {
		return "", complaint("the list is empty")
	}
	return strings.Join(items, ", "), nil
}

// argument is one value of an argument.
type argument struct {
	toolbox.Value

	arg string
	// at is the position of the value in an argument with several, from 1; 0 if there is only one.
	at int
}

// arguments returns the values of a call, in the order in which the prompt mentions them, then the others by
// name.
func arguments(prompt string, c toolbox.Call) []argument {
	names := toolbox.Placeholders(prompt)
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(c.Args)), slices.Sorted(maps.Keys(c.Params))) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var all []argument
	for _, name := range names {
		if v, ok := c.Params[name]; ok {
			all = append(all, argument{Value: toolbox.Value{Resource: plan.Resource{Type: plan.Text, Value: v.String()}}, arg: name})
		}
		for i, v := range c.Args[name] {
			a := argument{Value: v, arg: name}
			if len(c.Args[name]) > 1 {
				a.at = i + 1
			}
			all = append(all, a)
		}
	}
	return all
}

// files returns the values that are media.
func files(c toolbox.Call) []argument {
	return slices.DeleteFunc(arguments("", c), func(a argument) bool { return a.Path == "" && !a.Type.Media() })
}

// fileOf returns the path of the call's first file of a type.
func fileOf(c toolbox.Call, t plan.Type) (string, error) {
	all := files(c)
	i := slices.IndexFunc(all, func(a argument) bool { return a.Type.Fits(t) && a.Path != "" })
	if i < 0 {
		return "", fault(errors.New("the call has no file of this type"), "The %s to work on is missing.", t)
	}
	return all[i].Path, nil
}

// promptText returns the prompt with the call's texts filled in.
func promptText(b toolbox.Candidate, c toolbox.Call) string { return toolbox.Expand(b.Prompt, c.Text) }

const aboutLabels = `JSON and nothing else, in this form: {"labels": [{"label": "golden retriever", "score": 0.93}]}. ` +
	`The score says how sure you are that the label is right, from 0 to 1; the surest comes first. ` +
	`If nothing fits: {"labels": []}.`

var schemaOfLabels = json.RawMessage(`{
	"type": "object",
	"properties": {
		"labels": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {"label": {"type": "string"}, "score": {"type": "number"}},
				"required": ["label", "score"],
				"additionalProperties": false
			}
		}
	},
	"required": ["labels"],
	"additionalProperties": false
}`)

const (
	maxLabels = 20
	maxLabel  = 100 // characters
	maxTries  = 20  // positions at which to look for JSON
)

// readLabels parses a classification: the requested object or the bare list, anywhere in the answer.
func readLabels(answer string) (string, error) {
	raw, err := findJSON(answer)
	if err != nil {
		return "", err
	}
	classes, err := parseLabels(raw)
	if err != nil {
		return "", err
	}
	if len(classes) == 0 {
		return "", errNothing
	}
	if len(classes) > maxLabels {
		return "", complaint(fmt.Sprintf("it has %d labels, and at most %d are wanted", len(classes), maxLabels))
	}
	for i, c := range classes {
		label := toolbox.OneLine(c.Label)
		switch n := utf8.RuneCountInString(label); {
		case n == 0:
			return "", complaint(fmt.Sprintf("label %d is empty", i+1))
		case n > maxLabel:
			return "", complaint(fmt.Sprintf("label %d has %d characters, and at most %d are wanted", i+1, n, maxLabel))
		case c.Score < 0 || c.Score > 1:
			return "", complaint(fmt.Sprintf("the score of label %d is not between 0 and 1", i+1))
		}
		classes[i].Label = label
	}
	slices.SortStableFunc(classes, func(a, b plan.Class) int { return cmp.Compare(b.Score, a.Score) })
	return plan.EncodeValue(classes)
}

// findJSON returns the first valid JSON object or list in an answer.
func findJSON(answer string) (json.RawMessage, error) {
	tries := 0
	for i, r := range answer {
		if r != '{' && r != '[' {
			continue
		}
		if tries++; tries > maxTries {
			break
		}
		var raw json.RawMessage
		if json.NewDecoder(strings.NewReader(answer[i:])).Decode(&raw) == nil {
			return raw, nil
		}
	}
	return nil, complaint("there is no JSON in it that can be read")
}

// parseLabels parses the object or the list.
func parseLabels(raw []byte) ([]plan.Class, error) {
	type class struct {
		Label *string  `json:"label"`
		Score *float64 `json:"score"`
	}
	var list []class
	if raw[0] == '[' {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, complaint(`it is not a list of {"label", "score"}`)
		}
	} else {
		object := struct {
			Labels *[]class `json:"labels"`
		}{}
		if err := json.Unmarshal(raw, &object); err != nil || object.Labels == nil {
			return nil, complaint(`it has no list of {"label", "score"} called "labels"`)
		}
		list = *object.Labels
	}
	classes := make([]plan.Class, len(list))
	for i, c := range list {
		if c.Label == nil || c.Score == nil {
			return nil, complaint(fmt.Sprintf(`label %d lacks its "label" or its "score"`, i+1))
		}
		classes[i] = plan.Class{Label: *c.Label, Score: *c.Score}
	}
	return classes, nil
}
