package openai

import (
	"encoding/json"
	"fmt"

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
