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
)

// form is how an answer must look for a type of result.
type form struct {
	// about tells the model.
	about string
	// schema is what it is held to where the server can; nil for words.
	schema json.RawMessage
	// read makes of an answer the value of a result. A complaint is for the model.
	read func(answer string) (string, error)
}

// complaint is what is wrong with an answer, for the model, which is asked again.
type complaint string

func (c complaint) Error() string { return "the answer is not of its form: " + string(c) }

// nothing is the answer where there is nothing of the kind, if the prompt speaks of it.
const nothing = "NONE"

var errNothing = &plan.Fault{Sentence: plan.Say("The model found nothing of the kind.")}

// bareNothing is that answer as models write it: in any case, alone or with a remark
// behind it. None is a town too, so "None, Italy" is an answer.
var bareNothing = lazyregexp.New("^[\\s\"'`*.(\\[]*(?i:none)[\"'`*)\\]]*" +
	"(?:[\\s.!\"'`*)\\]]*$|\\s*[.:;!(–—]|\\s+-|\\s*\\n|,\\s+\\p{Ll})")

// isNothing tells whether an answer says that there is nothing of the kind. A text that
// begins like that and goes on is a text.
func isNothing(answer string) bool {
	return utf8.RuneCountInString(answer) <= maxLine && bareNothing.MatchString(answer)
}

// formOf is the form of a type of result.
func formOf(t plan.Type) (form, error) {
	switch t { //nolint:exhaustive // the others are not told in words
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
	return form{}, fault(fmt.Errorf("no form for the type %s", t), "A model that answers in words cannot make a result of type %s.", t)
}

// format asks for the form, the plainer the less the server knows.
func (f form) format(plainness int32) *api.ChatCompletionResponseFormat {
	switch plainness {
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

// maxLine is the most characters of a title or a place.
const maxLine = 200

// ahead is what models like to put before a title or a place.
var ahead = lazyregexp.New(`(?i)^(title|headline|location|place)\s*:\s*`)

// readLine reads an answer of one line.
func readLine(answer string) (string, error) {
	line := strings.TrimSpace(answer)
	if strings.ContainsAny(line, "\n\r") {
		return "", complaint("it has several lines, and one is wanted")
	}
	line = strings.TrimSpace(strings.Trim(line, "#*_ "))
	line = oneLine(ahead.ReplaceAllString(line, ""))
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

// bullet is what lists put before their items, and number is how they count them.
var (
	bullet = lazyregexp.New(`^[-*•–·](\s+|$)`)
	number = lazyregexp.New(`^(\d{1,3})[.)](\s+|$)`)
)

// readTags reads a list: on one line, or one item a line.
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

// oneLine is a text with single spaces in the place of breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
