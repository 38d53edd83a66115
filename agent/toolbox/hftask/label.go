package hftask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// labelTasks returns the tasks that classify texts and their words. A server's default models for text and
// token classification recognise sentiment and names, as in transformers' pipelines. Other kinds need a
// named model.
func labelTasks() map[string]task {
	return map[string]task{
		"text-classification":      {named: true, ask: askText, read: readClasses},
		"sentiment-analysis":       {name: "text-classification", ask: askText, read: readMood},
		"token-classification":     {named: true, ask: askTokens, read: readTokens},
		"ner":                      {name: "token-classification", ask: askTokens, read: readNames},
		"zero-shot-classification": {ask: askTopic, read: readTopics},
	}
}

// topics are the candidate classes for a text if none are given: newspaper sections and kinds of messages.
var topics = []string{
	"politics", "business", "technology", "science", "health", "sports", "entertainment", "travel", "food", "education",
	"law", "weather", "fiction", "poetry", "personal message", "customer complaint", "review", "advertisement", "spam", "instructions",
}

// askTopic requests the topics of a text.
func askTopic(ctx context.Context, j *job) (question, error) {
	q, err := askText(ctx, j)
	q.parameters = map[string]any{"candidate_labels": topics}
	return q, err
}

// maxTopics is how many topics of a text are returned.
const maxTopics = 5

// readTopics reads the most likely topics.
func readTopics(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	all, err := classes(ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	return classified(all[:min(len(all), maxTopics)])
}

// askTokens requests labels for the words of a text.
func askTokens(ctx context.Context, j *job) (question, error) {
	q, err := askText(ctx, j)
	q.parameters = map[string]any{"aggregation_strategy": "simple"}
	return q, err
}

// token is a word, or a group of words, with its label.
type token struct {
	Group  string   `json:"entity_group"`
	Entity string   `json:"entity"`
	Word   *string  `json:"word"`
	Score  *float64 `json:"score"`
	Start  *int     `json:"start"`
	End    *int     `json:"end"`
}

// entity is a span of a text with its label.
type entity struct {
	text, kind string
	start, end int // in characters; -1 if unknown
}

// readEntities reads labelled words in the order of the text. It joins single tokens that are marked B and I,
// and restores words that the tokeniser split.
func readEntities(ctx context.Context, body []byte, text string) ([]entity, error) {
	tokens, err := entries[token](ctx, body)
	if err != nil {
		return nil, err
	}
	letters := []rune(text)
	var all []entity
	for _, t := range tokens {
		mark := cmp.Or(t.Group, t.Entity)
		if t.Word == nil || mark == "" {
			return nil, unreadable(errors.New("a token has no word or no label"))
		}
		kind, inside := mark, false
		if b, k, ok := strings.Cut(mark, "-"); ok && (b == "B" || b == "I") {
			kind, inside = k, b == "I"
		}
		e := entity{text: toolbox.OneLine(strings.ReplaceAll(*t.Word, "##", "")), kind: kind, start: -1, end: -1}
		if t.Start != nil && t.End != nil && *t.Start >= 0 && *t.End > *t.Start && *t.End <= len(letters) {
			e.start, e.end = *t.Start, *t.End
		}
		if n := len(all); n > 0 && t.Group == "" && all[n-1].kind == kind && e.start >= 0 && all[n-1].end >= 0 &&
			e.start >= all[n-1].start && (inside || e.start == all[n-1].end) && e.start-all[n-1].end <= 1 {
			all[n-1].end = e.end
			continue
		}
		all = append(all, e)
	}
	for i, e := range all {
		if e.start >= 0 {
			all[i].text = toolbox.OneLine(string(letters[e.start:e.end]))
		}
	}
	slices.SortStableFunc(all, func(a, b entity) int { return cmp.Compare(a.start, b.start) })
	return slices.DeleteFunc(all, func(e entity) bool { return e.text == "" || e.kind == "O" }), nil
}

// kinds maps the labels of named entities to words (CoNLL-2003, OntoNotes 5).
var kinds = map[string]string{
	"PER": "person", "PERSON": "person", "ORG": "organisation", "LOC": "place", "GPE": "place", "FAC": "place", "MISC": "other name",
	"DATE": "date", "TIME": "time", "PRODUCT": "product", "WORK_OF_ART": "work", "EVENT": "event", "NORP": "group",
	"MONEY": "amount", "QUANTITY": "amount", "PERCENT": "amount", "CARDINAL": "number", "ORDINAL": "number", "LANGUAGE": "language", "LAW": "law",
}

// speech maps the labels of parts of speech to words (Universal Dependencies, UPOS). Other labels stay as
// they are.
var speech = map[string]string{
	"ADJ": "adjective", "ADP": "preposition", "ADV": "adverb", "AUX": "auxiliary", "CCONJ": "conjunction", "CONJ": "conjunction", "DET": "determiner",
	"INTJ": "interjection", "NOUN": "noun", "NUM": "numeral", "PART": "particle", "PRON": "pronoun", "PROPN": "proper noun",
	"SCONJ": "conjunction", "VERB": "verb", "X": "other", "SYM": "symbol",
}

// readNames reads the named entities of a text with their kinds. If the tool returns a location, it is the
// place that the text is about.
func readNames(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	text := j.text()
	all, err := readEntities(ctx, a.body, text)
	if err != nil {
		return toolbox.Output{}, err
	}
	for i := range all {
		all[i].kind = cmp.Or(kinds[strings.ToUpper(all[i].kind)], strings.ToLower(all[i].kind))
	}
	if j.call.Returns == plan.Location {
		place := mainPlace(all, text)
		if place == "" {
			return toolbox.Output{}, errNothing
		}
		return toolbox.Output{Value: place, About: plan.Quote(place)}, nil
	}
	return labelledWords(all)
}

// readTokens reads the words of a text, each with its label.
func readTokens(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	all, err := readEntities(ctx, a.body, j.text())
	if err != nil {
		return toolbox.Output{}, err
	}
	var words []entity
	for _, e := range all {
		kind := strings.ToUpper(e.kind)
		if kind == "PUNCT" || kind == "SPACE" {
			continue
		}
		kind = cmp.Or(speech[kind], kinds[kind], e.kind)
		for word := range strings.FieldsSeq(e.text) {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				words = append(words, entity{text: strings.Trim(word, ",;"), kind: kind})
			}
		}
	}
	return labelledWords(words)
}

// labelledWords returns words with their labels in brackets, separated by commas. Repeated names are listed once.
func labelledWords(all []entity) (toolbox.Output, error) {
	var items []string
	for _, e := range all {
		item := strings.ReplaceAll(e.text, ",", "") + " (" + e.kind + ")"
		if e.start < 0 || !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return toolbox.Output{}, errNothing
	}
	return toolbox.Output{Value: strings.Join(items, ", ")}, nil
}

// mainPlace returns the most frequent place, the first one if there are several. It includes the region after
// a comma: "Lisbon, Portugal".
func mainPlace(all []entity, text string) string {
	var places []entity
	letters := []rune(text)
	for _, e := range all {
		if e.kind != "place" {
			continue
		}
		if n := len(places); n > 0 && e.start >= 0 && places[n-1].end >= 0 && e.start > places[n-1].end &&
			strings.TrimSpace(string(letters[places[n-1].end:e.start])) == "," {
			places[n-1].text, places[n-1].end = places[n-1].text+", "+e.text, e.end
			continue
		}
		places = append(places, e)
	}
	best, most := "", 0
	for _, p := range places {
		count := 0
		for _, other := range places {
			if other.text == p.text {
				count++
			}
		}
		if count > most {
			best, most = p.text, count
		}
	}
	return best
}

// maxClasses is how many labels of an answer are kept.
const maxClasses = 20

// errNothing is returned if the model finds nothing.
var errNothing = &plan.Fault{Sentence: plan.Say("The model found nothing that matches.")}

// label is one label of a classifier's answer.
type label struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
}

// classes reads a classification, sorted by descending score.
func classes(ctx context.Context, body []byte) ([]plan.Class, error) {
	labels, err := entries[label](ctx, body)
	if err != nil {
		return nil, err
	}
	all := make([]plan.Class, 0, len(labels))
	for _, l := range labels {
		if l.Label == nil || l.Score == nil || toolbox.OneLine(*l.Label) == "" {
			return nil, unreadable(errors.New("a label has no name or no score"))
		}
		all = append(all, plan.Class{Label: toolbox.Shorten(strings.ToValidUTF8(*l.Label, "")), Score: clampScore(*l.Score)})
	}
	if len(all) == 0 {
		return nil, errNothing
	}
	slices.SortStableFunc(all, func(a, b plan.Class) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(len(all), maxClasses)], nil
}

// clampScore clamps a score to 0…1 and rounds it to four decimals; NaN is 0.
func clampScore(score float64) float64 {
	if math.IsNaN(score) {
		return 0
	}
	return math.Round(1e4*min(max(score, 0), 1)) / 1e4
}

// readClasses reads a classification.
func readClasses(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	all, err := classes(ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	return classified(all)
}

// classified returns a classification as an output.
func classified(all []plan.Class) (toolbox.Output, error) {
	value, err := plan.EncodeValue(all)
	return toolbox.Output{Value: value, About: plan.Quote(all[0].Label)}, err
}

// moods maps sentiment labels to adjectives. Other labels are star ratings or emotions.
var moods = map[string]string{
	"positive": "positive", "pos": "positive", "negative": "negative", "neg": "negative", "neutral": "neutral", "neu": "neutral", "mixed": "mixed",
}

// readMood describes the most likely sentiment in a sentence.
func readMood(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	all, err := classes(ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	best := all[0]
	name := strings.ToLower(best.Label)
	if strings.HasPrefix(name, "label_") {
		return toolbox.Output{}, unreadable(errors.New("the model's labels have no names"))
	}
	words := fmt.Sprintf("The mood of the text: %s (%.0f%% sure).", name, 100*best.Score)
	if mood, ok := moods[name]; ok {
		words = fmt.Sprintf("The text sounds %s (%.0f%% sure).", mood, 100*best.Score)
	}
	return toolbox.Output{Value: words, About: plan.Say("the sentiment of the text")}, nil
}
