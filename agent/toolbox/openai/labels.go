package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

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
	classes, err := findLabels(answer)
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

// findLabels parses the first valid JSON in the answer.
func findLabels(answer string) ([]plan.Class, error) {
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
			return parseLabels(raw)
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
