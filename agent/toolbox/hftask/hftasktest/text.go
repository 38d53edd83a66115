package hftasktest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences splits a text into sentences.
func sentences(text string) []string {
	var all []string
	for _, s := range regexp.MustCompile(`[^.!?\n]+[.!?]*`).FindAllString(text, -1) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// needText returns the input text, and fails if it is empty.
func (q *request) needText() (string, error) {
	if text := strings.TrimSpace(q.text()); text != "" {
		return text, nil
	}
	return "", bad("the text is empty")
}

// summarize returns the first sentence.
func summarize(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return map[string]string{"summary_text": append(sentences(text), text)[0]}, nil
}

// dictionary holds translations by language.
var dictionary = map[string]map[string]string{
	"de": {
		"hello": "hallo", "good": "guten", "morning": "Morgen", "day": "Tag", "the": "die", "cat": "Katze",
		"house": "Haus", "a": "ein", "is": "ist", "red": "rot", "and": "und", "world": "Welt",
	},
	"fr": {
		"hello": "bonjour", "good": "bon", "morning": "matin", "day": "jour", "the": "le", "cat": "chat",
		"house": "maison", "a": "un", "is": "est", "red": "rouge", "and": "et", "world": "monde",
	},
	"es": {
		"hello": "hola", "good": "buen", "morning": "día", "day": "día", "the": "la", "cat": "gata",
		"house": "casa", "a": "una", "is": "es", "red": "roja", "and": "y", "world": "mundo",
	},
}

// translate replaces known words and puts the others in brackets: "Katze [jumps]". Languages are codes
// ("de", "deu_Latn") or names.
func translate(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	language := strings.ToLower(q.word("tgt_lang"))
	for code, names := range map[string]string{"de": "de deu ger german deutsch", "fr": "fr fra fre french français", "es": "es spa spanish español"} {
		if first, _, _ := strings.Cut(language, "_"); first != "" && slices.Contains(strings.Fields(names), first) {
			language = code
		}
	}
	known, ok := dictionary[language]
	if !ok {
		known = dictionary["de"]
	}
	fields := strings.Fields(text)
	for i, word := range fields {
		if bare := strings.Trim(word, ".,;:!?"); known[strings.ToLower(bare)] != "" {
			fields[i] = strings.Replace(word, bare, known[strings.ToLower(bare)], 1)
		} else {
			fields[i] = "[" + word + "]"
		}
	}
	return map[string]string{"translation_text": strings.Join(fields, " ")}, nil
}

// generateText answers the last line of a prompt with its longest words or its first sentence, up to
// max_new_tokens words.
func generateText(_ *world, q *request) (map[string]string, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	asked := strings.ToLower(text)
	var out string
	switch {
	case strings.Contains(asked, "title"):
		out = titled(telling(last, 6))
	case strings.Contains(asked, "tags"), strings.Contains(asked, "keyword"):
		out = strings.Join(telling(last, 6), ", ")
	case strings.HasSuffix(last, "?"):
		out = "It is " + strings.Join(telling(last, 3), " ") + "."
	default:
		out = append(sentences(last), last)[0]
	}
	fields := strings.Fields(out)
	out = strings.Join(fields[:min(len(fields), max(1, q.number("max_new_tokens", 200)))], " ")
	if full, ok := q.params["return_full_text"].(bool); ok && full {
		out = text + " " + out
	}
	return map[string]string{"generated_text": out}, nil
}

// telling returns the n longest words of a text, in their order.
func telling(text string, n int) []string {
	all := words(text)
	long := slices.Clone(all)
	slices.SortStableFunc(long, func(a, b string) int { return cmp.Compare(utf8.RuneCountInString(b), utf8.RuneCountInString(a)) })
	long = long[:min(n, len(long))]
	var out []string
	for _, word := range all {
		if slices.Contains(long, word) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

func titled(words []string) string {
	text := strings.Join(words, " ")
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// topics are the words that reveal a sentiment.
var topics = map[string][]string{
	"POSITIVE": {"good", "great", "love", "lovely", "happy", "wonderful", "excellent", "beautiful", "nice", "best", "thanks"},
	"NEGATIVE": {"bad", "terrible", "hate", "sad", "awful", "broken", "worst", "angry", "poor", "never", "disappointed"},
}

// classifyText returns the sentiment of a text, judged by its words.
func classifyText(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return top(q, shares([]string{"POSITIVE", "NEGATIVE"}, func(mood string) int {
		n := 1
		for _, word := range words(text) {
			if slices.Contains(topics[mood], word) {
				n += 4
			}
		}
		return n
	})), nil
}

// sortText ranks the candidate labels by the words that they share with the text.
func sortText(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return shares(q.list("candidate_labels"), func(name string) int { return 1 + 5*common(text, name) }), nil
}

// common returns how many words of b are in a.
func common(a, b string) int {
	n := 0
	for _, word := range words(b) {
		if slices.Contains(words(a), word) {
			n++
		}
	}
	return n
}

// token is a labelled token.
type token struct {
	Group string  `json:"entity_group,omitempty"`
	Label string  `json:"entity,omitempty"`
	Score float64 `json:"score"`
	Word  string  `json:"word"`
	Start int     `json:"start"`
	End   int     `json:"end"`
}

// places are the known names of places; other names are persons.
var places = []string{
	"Berlin", "Paris", "London", "Lisbon", "Portugal", "Tokyo", "Japan",
	"Madrid", "Rome", "Vienna", "Beijing", "Shanghai", "New York", "Germany", "France",
}

var capitalised = regexp.MustCompile(`\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*`)

// tagTokens finds names: capitalised words that do not start a sentence, and known places anywhere.
// Positions are in characters.
func tagTokens(_ *world, q *request) (any, error) {
	if _, err := q.needText(); err != nil {
		return nil, err
	}
	text := q.text() // positions refer to the untrimmed text
	single := q.word("aggregation_strategy") == "none"
	found := []token{}
	for _, at := range capitalised.FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		kind := "PER"
		switch before := strings.TrimSpace(text[:at[0]]); {
		case slices.Contains(places, name):
			kind = "LOC"
		case strings.HasSuffix(name, " Inc") || strings.HasSuffix(name, " Ltd") || name == "Siemens":
			kind = "ORG"
		case !strings.Contains(name, " ") && (before == "" || strings.ContainsAny(before[len(before)-1:], ".!?")):
			continue
		}
		t := token{Group: kind, Score: 0.95, Word: name, Start: utf8.RuneCountInString(text[:at[0]]), End: utf8.RuneCountInString(text[:at[1]])}
		if single {
			t.Group, t.Label = "", "B-"+kind
		}
		found = append(found, t)
	}
	return found, nil
}
